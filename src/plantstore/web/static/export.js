// Saves the selected plants as a file, or those that match the filter: then a snapshot of the store,
// not what the page has loaded.

import { SignedOut } from "./api.js";
import { $, count, saveFile } from "./dom.js";
import { writePlant } from "./plant.js";
import { writeCsv } from "./tables.js";
import { tell, toast } from "./toasts.js";

/** @type {Record<string, {type: string, write: (plants: Plant[]) => string[]}>} */
const FORMS = {
  csv: { type: "text/csv", write: writeCsv },
  ndjson: { type: "application/x-ndjson", write: (plants) => plants.map((one) => `${writePlant(one)}\n`) },
};

/** @param {PlantList} list @param {string} form */
export async function exportPlants({ store, filter, plants: { items }, grid: { selected } }, form) {
  if (!store) return;
  $("export").open = false;
  $("export-summary").focus();
  const progress = toast(["Exporting…"]);
  try {
    const chosen = selected.size
      ? items.filter(({ id }) => selected.has(id))
      : (await store.list(filter.query)).plants.filter((plant) => filter.matches(plant));
    const { type, write } = FORMS[form];
    saveFile(`${store.name}.${form}`, type, write(chosen));
    tell([`Exported ${count(chosen.length, "plant")}${filter.isOff || selected.size ? "" : " that match"}`]);
  } catch (error) {
    if (!(error instanceof SignedOut)) tell([`The export failed: ${error.message}`], { kind: "failed" });
  } finally {
    progress.close();
  }
}
