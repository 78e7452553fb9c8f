// Importing a file: choose it and its columns, and see what would become of it; it is sent in the
// background, and the lines that are left over are a file again.

import { ID_TAKEN } from "./api.js";
import { $, announce, count, explain, figures, focusPlants, make, makeTableRow, saveFile } from "./dom.js";
import { checkRows, countNamesakes, giveIds } from "./rows.js";
import { FileError, readTable, Sheet, writeCsvLine } from "./tables.js";
import { fail } from "./toasts.js";

const PREVIEW = 6;
const MAX_REASONS = 100;
const MAX_MEBIBYTES = 32;
const MAX_TITLE = 40;
const MAX_PASSES = 3;
/** @type {Field[]} */
const FIELDS = ["name", "tag", "id"];

export class Importer {
  /** @type {File | undefined} */ #file;
  /** @type {Sheet | null} */ #sheet = null;
  /** @type {Row[]} */ #rows = [];
  /** @type {Store | null} */ #store = null;

  /** @param {PlantList} list @param {Changes} changes */
  constructor(list, changes) {
    this.list = list;
    this.changes = changes;
    this.dialog = $("import");
    $("import-file").addEventListener("change", () => this.read($("import-file").files?.[0]));
    $("import-columns").addEventListener("change", () => this.#chooseColumns());
    $("import-other").addEventListener("click", () => this.open());
    $("import-start").addEventListener("click", () => {
      if (this.#store) this.#run(this.#store, this.#rows);
      this.dialog.close();
    });
    this.dialog.addEventListener("close", () => {
      this.#file = undefined;
      this.#rows = [];
      if (document.activeElement?.matches("body, #import *")) focusPlants();
    });
  }

  open() {
    this.#file = undefined;
    this.#complain("");
    this.#show("choose");
    if (!this.dialog.open) this.dialog.showModal();
    $("import-file").focus();
  }

  /** @param {File} [file] */
  async read(file) {
    if (!file) return;
    this.open();
    this.#file = file;
    $("import-choose-title").textContent = "Reading the file…";
    try {
      if (file.size > MAX_MEBIBYTES * 2 ** 20)
        throw new FileError(`is larger than ${MAX_MEBIBYTES} MiB: split it, and import the parts.`);
      const table = readTable(await file.arrayBuffer());
      await this.list.loadWhole(); // to know the ids that are taken
      if (this.#file === file) this.#preview(file.name, table); // or another one was chosen meanwhile
    } catch (error) {
      const why = error instanceof FileError ? error.message : "could not be read: choose it again.";
      if (this.#file === file) this.#complain(`${file.name} ${why}`);
    }
  }

  /** @param {string} reason */
  #complain(reason) {
    $("import-choose-title").textContent = "Import plants";
    $("import-file").value = "";
    explain("import-reason", reason);
  }

  /** @param {string} name @param {Sheet | Row[]} table */
  #preview(name, table) {
    this.#sheet = table instanceof Sheet ? table : null;
    const rows = table instanceof Sheet ? table.rows : table;
    if (!rows.length) throw new FileError("contains no plants.");
    this.#store = this.list.store;
    $("import-file-name").textContent = name;
    $("import-columns").hidden = !this.#sheet;
    if (this.#sheet) offerColumns(this.#sheet);
    this.#check(rows);
    this.#show("preview");
    $($("import-start").disabled ? "import-other" : "import-start").focus();
  }

  #chooseColumns() {
    if (!this.#sheet) return;
    for (const field of FIELDS) this.#sheet.columns[field] = Number($(`import-${field}`).value);
    this.#sheet.hasHeader = $("import-header").checked;
    this.#check(this.#sheet.rows);
  }

  /** @param {Row[]} rows */
  #check(rows) {
    const { plants } = this.list;
    checkRows(rows, plants);
    this.#rows = rows;
    const good = rows.filter(isWaiting);
    const bad = rows.filter((row) => row.reason);
    const text = describeRows(rows.length, good.length, bad.length, countNamesakes(good, plants));
    $("import-counts").textContent = text;
    const sample = good.slice(0, PREVIEW).map(({ plant: { id, name, tag } }) => makeTableRow([id, name, tag ?? ""]));
    $("import-sample").replaceChildren(...sample);
    $("import-sample-table").hidden = good.length === 0;
    $("import-more").textContent = describeMore(good.length, PREVIEW);
    listReasons(bad);
    $("import-start").disabled = good.length === 0;
    $("import-start").textContent = `Import ${count(good.length, "plant")}`;
    announce(text);
  }

  // Ids that were given, and taken by somebody else meanwhile, are given anew.
  /** @param {Store} store @param {Row[]} rows */
  async #run(store, rows) {
    for (let pass = 1; ; pass += 1) {
      const waiting = rows.filter(isWaiting);
      const { done, refused, error } = await this.changes.import(store, waiting.map(({ plant }) => plant));
      const taken = waiting.filter((row) => row.isGiven && refused.get(row.plant)?.number === ID_TAKEN);
      for (const row of waiting) {
        row.isIn = done.has(row.plant);
        row.reason = refused.get(row.plant)?.message;
      }
      if (!taken.length || pass === MAX_PASSES) return this.#tellLeft(store, rows, error);
      for (const row of taken) Object.assign(row, { plant: { ...row.plant, id: "" }, reason: undefined });
      giveIds(rows, (this.list.store === store && this.list.plants.proposeId()) || "1");
    }
  }

  /** @param {Store} store @param {Row[]} rows @param {Error | null} error */
  #tellLeft(store, rows, error) {
    const left = rows.filter((row) => !row.isIn);
    const why = error ? `: ${error.message}` : "";
    const download = { Download: () => saveRows(left) };
    const retry = { "Try again": () => this.#run(store, rows) };
    if (left.length)
      fail([`Not imported: ${count(left.length, "line")}${why}`], { ...download, ...(left.some(isWaiting) && retry) });
  }

  /** @param {"choose" | "preview"} step */
  #show(step) {
    $("import-choose").hidden = step !== "choose";
    $("import-preview").hidden = step !== "preview";
    this.dialog.setAttribute("aria-labelledby", `import-${step}-title`);
  }
}

/** @param {Row} row */
const isWaiting = ({ reason, isIn }) => !reason && !isIn;

/** @param {Sheet} sheet */
function offerColumns({ titles, columns, hasHeader }) {
  const options = titles.map((title, index) => [`${index}`, `${index + 1}: ${title.slice(0, MAX_TITLE)}`]);
  const none = { name: [], tag: [["-1", "None"]], id: [["-1", "None: give new IDs"]] };
  for (const field of FIELDS) {
    const made = [...none[field], ...options].map(([value, textContent]) => make("option", { value, textContent }));
    $(`import-${field}`).replaceChildren(...made);
    $(`import-${field}`).value = `${columns[field]}`;
  }
  $("import-header").checked = hasHeader;
}

/** @param {number} all @param {number} good @param {number} bad @param {number} namesakes */
function describeRows(all, good, bad, namesakes) {
  const parts = [`${count(good, "plant")} to import`];
  if (all > good + bad) parts.push(`${figures(all - good - bad)} in the store already`);
  const text = `${parts.join(", ")}, ${count(bad, "line")} with a problem.`;
  return namesakes ? `${text} The store has ${figures(namesakes)} of the same name and tag: they will be there twice.` : text;
}

/** @param {number} number @param {number} shown */
const describeMore = (number, shown) => (number > shown ? `and ${figures(number - shown)} more` : "");

/** @param {Row} row */
const findReason = ({ reason }) => reason ?? "not sent, or the outcome is unknown";

/** @param {Row[]} rows */
function saveRows(rows) {
  const lines = rows.map((row) => {
    const { id, name, tag } = row.plant;
    return writeCsvLine([row.line, id, name, tag, findReason(row)].map((value) => String(value ?? "")));
  });
  saveFile("not-imported.csv", "text/csv", [writeCsvLine(["line", "id", "name", "tag", "problem"]), ...lines]);
}

/** @param {Row[]} rows */
function listReasons(rows) {
  const shown = rows.slice(0, MAX_REASONS).map((row) => {
    const which = make("b", { textContent: `Line ${figures(row.line)}` });
    return make("li", {}, which, ` ${findReason(row)}`);
  });
  const more = describeMore(rows.length, MAX_REASONS);
  $("import-reasons").replaceChildren(...shown, ...(more ? [make("li", { textContent: more })] : []));
  $("import-reasons").hidden = rows.length === 0;
}
