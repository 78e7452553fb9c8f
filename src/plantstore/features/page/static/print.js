// Printing: all plants that match the filter, not only the visible rows; or labels, of the selected
// plants where there are some, each with a QR code that leads to its plant on this page.

import { plantAddress } from "./address.js";
import { $, all, forgetPrivate, makeTableRow } from "./dom.js";
import { list } from "./list.js";
import { listContents } from "./plant.js";
import { encodeQr } from "./qr.js";

const MARGIN = 4; // modules around a code

addEventListener("beforeprint", () => {
  const { store, view } = list;
  const isReady = $("print-labels").childElementCount > 0;
  if (isReady || !store?.api.isSignedIn || !view.items.length) return;
  $("print-title").textContent = `${store.name}: ${$("count").textContent}`;
  $("print-rows").replaceChildren(...view.items.map((plant) => makeTableRow([plant.id, ...listContents(plant)])));
});
addEventListener("afterprint", () => forgetPrivate($("print")));

export async function printLabels() {
  const { store } = list;
  await list.loadWhole();
  if (!store || list.store !== store) return;
  $("print-labels").replaceChildren(...list.chosen.map((plant) => makeLabel(store, plant)));
  if (list.chosen.length) print();
}

/** @param {Store} store @param {Plant} plant */
function makeLabel(store, { id, name, tag }) {
  const label = /** @type {HTMLElement} */ ($("label-template").content.firstElementChild?.cloneNode(true));
  const modules = encodeQr(plantAddress(store.name, id)) ?? []; // none for a very long address
  const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : [])));
  const size = modules.length + 2 * MARGIN;
  label.querySelector("svg")?.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${size} ${size}`);
  label.querySelector("path")?.setAttribute("d", dark.join(""));
  if (!modules.length) label.querySelector("svg")?.remove();
  const texts = [name, tag ?? "", id];
  for (const [at, part] of all("bdi", label).entries()) part.textContent = texts[at];
  return label;
}
