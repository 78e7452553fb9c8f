// Printing: all plants that match the search, not only the visible rows; or labels, of the selected
// plants where there are some, each with a QR code that leads to its plant on this page.

import { plantAddress } from "./address.js";
import { $, all, forgetPrivate, makeTableRow } from "./dom.js";
import { list } from "./list.js";
import { listContents } from "./plant.js";
import { encodeQr } from "./qr.js";

const MARGIN = 4; // modules around a code
const SVG = "http://www.w3.org/2000/svg";

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
  const svg = /** @type {SVGElement} */ (label.querySelector("svg"));
  const path = /** @type {SVGElement} */ (label.querySelector("path"));
  if (!writeCode(svg, path, plantAddress(store.name, id))) svg.remove();
  const texts = [name, tag ?? "", id];
  for (const [at, part] of all("bdi", label).entries()) part.textContent = texts[at];
  return label;
}

/** @param {Element} parent @param {string} link */
export function drawCode(parent, link) {
  const [svg, path] = [document.createElementNS(SVG, "svg"), document.createElementNS(SVG, "path")];
  svg.append(path);
  parent.replaceChildren(...(writeCode(svg, path, link) ? [svg] : []));
}

// None for a very long address.
/** @param {SVGElement} svg @param {SVGElement} path @param {string} link */
function writeCode(svg, path, link) {
  const modules = encodeQr(link);
  if (!modules) return false;
  const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : [])));
  const size = modules.length + 2 * MARGIN;
  svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${size} ${size}`);
  path.setAttribute("d", dark.join(""));
  return true;
}
