// Printing: all plants that match the search, not only the visible rows; or labels, of the selected
// plants where there are some, each with a QR code that leads to its plant on this page.

import { plantAddress } from "./address.js";
import { $, forgetPrivate, make, makeTableRow } from "./dom.js";
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
function makeLabel(store, { id, name, tag = "" }) {
  const texts = Object.entries({ name, tag, id }).map(([className, textContent]) => make("bdi", { className, textContent }));
  return make("div", { className: "label" }, ...makeCode(plantAddress(store.name, id)), make("p", {}, ...texts));
}

// None for a very long address.
/** @param {string} link */
export function makeCode(link) {
  const modules = encodeQr(link);
  if (!modules) return [];
  const [svg, path] = [document.createElementNS(SVG, "svg"), document.createElementNS(SVG, "path")];
  const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : [])));
  const size = modules.length + 2 * MARGIN;
  svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${size} ${size}`);
  path.setAttribute("d", dark.join(""));
  svg.append(path);
  return [svg];
}
