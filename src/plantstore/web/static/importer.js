// Importing a file: choose it and its columns, and see what would become of it; it is sent in the
// background, and the lines that are left over are a file again.

import { ID_TAKEN } from "./api.js";
import { $, announce, count, figures, focusPlants, make, makeTableRow, saveFile } from "./dom.js";
import { checkRows, countNamesakes, giveIds } from "./rows.js";
import { FileError, readTable, Sheet, writeCsvLine } from "./tables.js";
import { tell } from "./toasts.js";

const PREVIEW = 6;
const MAX_REASONS = 100;
const MAX_MEBIBYTES = 32;
const MAX_TITLE = 40;
const MAX_PASSES = 3;
const STEPS = ["choose", "preview"];
/** @type {Field[]} */
const FIELDS = ["name", "tag", "id"];

export class Importer {
  /** @type {File | null} */
  #file = null;
  /** @type {Sheet | null} */
  #sheet = null;
  /** @type {Row[]} */
  #rows = [];
  /** @type {Store | null} */
  #store = null;
  #user = {};
  tellAgain = () => {};

  /** @param {PlantList} list @param {Changes} changes */
  constructor(list, changes) {
    this.list = list;
    this.changes = changes;
    this.dialog = $("import");
    $("import-file").addEventListener("change", () => this.read($("import-file").files?.[0]));
    $("import-columns").addEventListener("change", () => this.#chooseColumns());
    $("import-other").addEventListener("click", () => this.open());
    $("import-start").addEventListener("click", () => {
      this.dialog.close();
      if (this.#store) this.#run(this.#store, this.#rows);
    });
    this.dialog.addEventListener("close", () => {
      this.#file = null;
      if (document.activeElement?.matches("body, #import *")) focusPlants();
    });
  }

  // Another user must not see the contents of a file.
  forget() {
    this.#file = null;
    this.#rows = [];
    this.#user = {};
    this.tellAgain = () => {};
    for (const id of ["reason", "file-name", "counts", "sample", "more", "reasons", ...FIELDS])
      $(`import-${id}`).replaceChildren();
  }

  open() {
    this.#file = null;
    $("import-file").value = "";
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
        throw new FileError(`is over ${MAX_MEBIBYTES} MiB: import it in parts.`);
      const table = readTable(await file.arrayBuffer());
      await this.list.loadWhole(); // to know the ids that are taken
      if (this.#file !== file) return; // another one was chosen meanwhile
      this.#preview(file.name, table);
    } catch (error) {
      const why = error instanceof FileError ? error.message : "could not be read: choose it again.";
      if (this.#file === file) this.#complain(`${file.name} ${why}`);
    }
  }

  /** @param {string} reason */
  #complain(reason) {
    $("import-choose-title").textContent = "Import plants";
    $("import-reason").textContent = reason;
    $("import-reason").hidden = !reason;
    $("import-file").value = "";
    if (reason) announce(reason);
  }

  /** @param {string} name @param {Sheet | Row[]} table */
  #preview(name, table) {
    const sheet = table instanceof Sheet ? table : null;
    const rows = sheet ? sheet.rows : /** @type {Row[]} */ (table);
    if (!rows.length) throw new FileError("contains no plants.");
    this.#sheet = sheet;
    this.#store = this.list.store;
    $("import-file-name").textContent = name;
    $("import-columns").hidden = !sheet;
    if (sheet) offerColumns(sheet);
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
    const good = rows.filter((row) => !row.reason && !row.isIn);
    const bad = rows.filter((row) => row.reason);
    const text = describeRows(rows.length, good.length, bad.length, countNamesakes(good, plants));
    $("import-counts").textContent = text;
    $("import-sample").replaceChildren(...good.slice(0, PREVIEW).map(makeSample));
    $("import-sample-table").hidden = good.length === 0;
    $("import-more").textContent = good.length > PREVIEW ? `and ${figures(good.length - PREVIEW)} more` : "";
    listReasons(bad);
    $("import-start").disabled = good.length === 0;
    $("import-start").textContent = `Import ${count(good.length, "plant")}`;
    announce(text);
  }

  // Ids that were given, and taken by somebody else meanwhile, are given anew.
  /** @param {Store} store @param {Row[]} rows */
  async #run(store, rows) {
    const user = this.#user;
    let failure = null;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const waiting = rows.filter((row) => !row.reason && !row.isIn);
      const { done, refused, error } = await this.changes.import(store, waiting.map(({ plant }) => plant));
      if (user !== this.#user) return;
      failure = error;
      const taken = waiting.filter((row) => row.isGiven && refused.get(row.plant)?.number === ID_TAKEN);
      for (const row of waiting) {
        row.isIn = done.has(row.plant);
        row.reason = refused.get(row.plant)?.message;
      }
      if (!taken.length) break;
      for (const row of taken) Object.assign(row, { plant: { ...row.plant, id: "" }, reason: undefined });
      giveIds(rows, (this.list.shows(store) && this.list.plants.proposeId()) || "1");
    }
    this.#tellLeft(store, rows, failure);
  }

  // Also to who signs in again.
  /** @param {Store} store @param {Row[]} rows @param {Error | null} error */
  #tellLeft(store, rows, error) {
    const left = rows.filter((row) => !row.isIn);
    const retry = () => this.#run(store, rows);
    this.tellAgain = () => {
      if (!left.length || !store.api.isSignedIn) return;
      const why = error ? `: ${error.message}` : "";
      const shown = tell([`Not imported: ${count(left.length, "line")}${why}`], { kind: "failed" });
      shown.offer("Download", () => saveRows(left));
      if (left.some((row) => !row.reason)) shown.offer("Try again", retry);
      this.tellAgain = () => {};
    };
    this.tellAgain();
  }

  /** @param {string} step */
  #show(step) {
    for (const one of STEPS) $(`import-${one}`).hidden = one !== step;
    this.dialog.setAttribute("aria-labelledby", `import-${step}-title`);
  }
}

/** @param {Sheet} sheet */
function offerColumns({ titles, columns, hasHeader }) {
  const options = titles.map((title, index) => [`${index}`, `${index + 1}: ${title.slice(0, MAX_TITLE)}`]);
  const choices = {
    name: options,
    tag: [["-1", "None"], ...options],
    id: [["-1", "None: give new IDs"], ...options],
  };
  for (const field of FIELDS) {
    const made = choices[field].map(([value, textContent]) => make("option", { value, textContent }));
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

/** @param {Row} row */
const findReason = ({ reason }) => reason ?? "not sent, or the outcome is unknown";

/** @param {unknown} value */
const asText = (value) => (value === undefined || value === null ? "" : String(value));

/** @param {Row} row */
const makeSample = ({ plant: { id, name, tag } }) => makeTableRow([id, name, tag ?? ""]);

/** @param {Row[]} rows */
function saveRows(rows) {
  const lines = rows.map((row) => {
    const { id, name, tag } = row.plant;
    return writeCsvLine([row.line, id, name, tag, findReason(row)].map(asText));
  });
  saveFile("not-imported.csv", "text/csv", [writeCsvLine(["line", "id", "name", "tag", "problem"]), ...lines]);
}

/** @param {Row[]} rows */
function listReasons(rows) {
  const shown = rows.slice(0, MAX_REASONS).map((row) => {
    const which = make("b", { textContent: `Line ${figures(row.line)}` });
    return make("li", {}, which, ` ${findReason(row)}`);
  });
  if (rows.length > MAX_REASONS)
    shown.push(make("li", { textContent: `and ${figures(rows.length - MAX_REASONS)} more` }));
  $("import-reasons").replaceChildren(...shown);
  $("import-reasons").hidden = rows.length === 0;
}
