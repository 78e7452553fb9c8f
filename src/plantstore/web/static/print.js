// Printing: all plants that match the filter, not only the visible rows.

import { $, makeTableRow } from "./dom.js";

/** @param {PlantList} list */
export function printWhole(list) {
  addEventListener("beforeprint", () => {
    const { store, shown } = list;
    if (!store?.api.isSignedIn || !shown.length) return;
    $("print-title").textContent = `${store.name}: ${$("count").textContent}`;
    $("print-rows").replaceChildren(...shown.map(({ id, name, tag }) => makeTableRow([id, name, tag ?? ""])));
  });
  addEventListener("afterprint", () => {
    for (const id of ["print-title", "print-rows"]) $(id).replaceChildren();
  });
}
