// Saves the selected plants as a file, or those that match the filter.

import { make } from "./dom.js";
import { list } from "./list.js";
import { say } from "./message.js";
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
