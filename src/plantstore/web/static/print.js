// Printing: all plants that match the filter, not only the visible rows; or labels, of the selected
// plants where there are some, each with a QR code that leads to its plant on this page.

import { plantAddress } from "./address.js";
import { $, make, makeTableRow } from "./dom.js";
import { list } from "./list.js";
import { encodeQr } from "./qr.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 4; // modules around a code

addEventListener("beforeprint", () => {
  const { store, view } = list;
  const isReady = $("print-labels").childElementCount > 0;
  if (isReady || !store?.api.isSignedIn || !view.items.length) return;
  $("print-title").textContent = `${store.name}: ${$("count").textContent}`;
  $("print-rows").replaceChildren(...view.items.map(({ id, name, tag }) => makeTableRow([id, name, tag ?? ""])));
});
addEventListener("afterprint", () => {
  for (const id of ["print-title", "print-rows", "print-labels"]) $(id).replaceChildren();
});
$("labels").addEventListener("click", printLabels);

async function printLabels() {
  const { store } = list;
  await list.loadWhole();
  if (!store || list.store !== store) return;
  $("print-labels").replaceChildren(...list.chosen.map((plant) => makeLabel(store, plant)));
  if (list.chosen.length) print();
}

/** @param {Store} store @param {Plant} plant */
function makeLabel(store, { id, name, tag }) {
  const modules = encodeQr(plantAddress(store.name, id)); // none for a very long address
  const texts = Object.entries({ name, tag, id }).filter(([, text]) => text);
  const parts = texts.map(([className, textContent]) => make("bdi", { className, textContent }));
  return make("div", { className: "label" }, ...(modules ? [drawCode(modules)] : []), make("p", {}, ...parts));
}

/** @param {boolean[][]} modules */
function drawCode(modules) {
  const size = modules.length + 2 * MARGIN;
  const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : [])));
  const code = document.createElementNS(SVG, "svg");
  code.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${size} ${size}`);
  code.append(document.createElementNS(SVG, "path"));
  code.firstElementChild?.setAttribute("d", dark.join(""));
  return code;
}
