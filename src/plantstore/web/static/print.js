// Printing: all plants that match the filter, not only the visible rows.

import { $, makeTableRow } from "./dom.js";

/** @param {PlantList} list */
export function printWhole(list) {
  addEventListener("beforeprint", () => {
    const { store, view } = list;
    if (!store?.api.isSignedIn || !view.items.length) return;
    $("print-title").textContent = `${store.name}: ${$("count").textContent}`;
    $("print-rows").replaceChildren(...view.items.map(({ id, name, tag }) => makeTableRow([id, name, tag ?? ""])));
  });
  addEventListener("afterprint", () => {
    for (const id of ["print-title", "print-rows"]) $(id).replaceChildren();
  });
}
