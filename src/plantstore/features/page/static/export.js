// Saves the selected plants as a file, or those that match the filter.

import { make } from "./dom.js";
import { list } from "./list.js";
import { say } from "./message.js";
import { writePlant } from "./plant.js";
import { writeCsv } from "./tables.js";
import { rich } from "./texts.js";

/** @type {Record<string, {type: string, write: (plants: Plant[]) => string[]}>} */
const FORMS = {
  csv: { type: "text/csv", write: writeCsv },
  ndjson: { type: "application/x-ndjson", write: (plants) => plants.map((one) => `${writePlant(one)}\n`) },
};

/** @param {string} form */
export async function exportPlants(form) {
  const { store } = list;
  const isComplete = await list.loadWhole();
  if (!store || list.store !== store) return;
  if (!isComplete) return say(rich("export.failed"), {}, "failed");
  const { type, write } = FORMS[form];
  saveFile(`${store.name}.${form}`, type, write(list.chosen));
  say(rich("export.done", { n: list.chosen.length }));
}

/** @param {string} name @param {string} type @param {string[]} parts */
export function saveFile(name, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
