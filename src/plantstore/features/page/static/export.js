// Exports plants to a file, or prints them or their labels: the selected plants, or all that match the search. A label
// has a QR code that opens its plant on this page.

import { say } from "./actions.js";
import { plantAddress } from "./search.js";
import { $, all, forgetPrivate, make, makeTableRow } from "./dom.js";
import { list } from "./list.js";
import { FIELDS, listContents } from "./plant.js";
import { encodeQr } from "./qr.js";
import { writeCsv } from "./tables.js";
import { rich } from "./texts.js";

export async function exportPlants() {
  const { store } = list;
  const isComplete = await list.loadWhole();
  if (!store || list.store !== store) return;
  if (!isComplete) return say(rich("export.failed"), {}, "failed");
  saveFile(`${store.name}.csv`, writeCsv(list.chosen));
  say(rich("export.done", { n: list.chosen.length }));
}

/** @param {string} name @param {string[]} lines of CSV */
export function saveFile(name, lines) {
  const url = URL.createObjectURL(new Blob(lines, { type: "text/csv" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// Prints all plants found, not only the rows in the document.
addEventListener("beforeprint", () => {
  const { store, view } = list;
  if ($("print-labels").hasChildNodes() || !store?.api.token || !view.items.length) return;
  $("print-title").textContent = `${store.name}: ${$("count").textContent}`;
  $("print-rows").replaceChildren(...view.items.map((plant) => makeTableRow([plant.id, ...listContents(plant)])));
});
addEventListener("afterprint", () => forgetPrivate($("print")));

export async function printLabels() {
  const { store } = list;
  await list.loadWhole();
  if (!store || list.store !== store) return;
  const labels = list.chosen.map((plant) => {
    const texts = FIELDS.map((field) => make("bdi", { className: field, textContent: plant[field] ?? "" }));
    const code = makeCode(plantAddress(store.name, plant.id));
    return make("div", { className: "label" }, ...code, make("p", {}, ...texts));
  });
  $("print-labels").replaceChildren(...labels);
  if (labels.length) print();
}

/** Empty if the address is too long for a code. @param {string} link */
export function makeCode(link) {
  const modules = encodeQr(link);
  if (!modules) return [];
  const code = /** @type {DocumentFragment} */ ($("code-template").content.cloneNode(true));
  const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : [])));
  all("path", code)[0].setAttribute("d", dark.join(""));
  return [code];
}
