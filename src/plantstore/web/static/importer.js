// Importing a file: choose it, preview it, send it a few requests at a time, and show the result of
// each line.

import { ALREADY_STORED, isFinal, makeKey, Refusal } from "./api.js";
import { each } from "./batch.js";
import { $, announce, count, figures, focusPlants, make, makeTableRow, saveFile } from "./dom.js";
import { FileError, readTable, writeCsvLine } from "./tables.js";

const AT_ONCE = 12;
const PREVIEW = 6;
const MAX_REASONS = 100;
const MAX_MEBIBYTES = 32;
const ANNOUNCE_EVERY = 10_000; // milliseconds
/** @typedef {{created: number, known: number}} Tally */
const STEPS = ["choose", "preview", "progress", "summary"];

export class Importer {
  /** @type {File | null} */
  #file = null;
  /** @type {Row[]} */
  #rows = [];
  /** @type {Store | null} */
  #store = null;
  /** @type {AbortController | null} */
  #control = null;
  #isTold = true;

  // The list knows the current store and its ids.
  /** @param {PlantList} list */
  constructor(list) {
    this.list = list;
    this.dialog = $("import");
    $("import-file").addEventListener("change", () => this.read($("import-file").files?.[0]));
    $("import-start").addEventListener("click", () => this.#run());
    $("import-cancel").addEventListener("click", () => this.stop());
    $("import-again").addEventListener("click", () => this.open());
    $("import-other").addEventListener("click", () => this.open());
    $("import-retry").addEventListener("click", () => this.#run());
    $("import-failed").addEventListener("click", () => this.#saveFailed());
    for (const button of this.dialog.querySelectorAll("[data-close]"))
      button.addEventListener("click", () => this.dialog.close());
    // Closing it during an import would hide the progress.
    this.dialog.addEventListener("cancel", (event) => {
      if (this.isRunning) event.preventDefault();
    });
    this.dialog.addEventListener("close", () => this.#closed());
  }

  get isRunning() {
    return this.#control !== null;
  }

  stop() {
    this.#control?.abort();
  }

  // Another user must not see the contents of a file.
  forget() {
    this.#file = null;
    this.#rows = [];
    this.#isTold = true;
    for (const id of ["reason", "name", "counts", "sample", "more", "reasons", "result", "failures"])
      $(`import-${id}`).replaceChildren();
  }

  open() {
    this.#file = null;
    this.#isTold = true;
    $("import-file").value = "";
    $("import-reason").hidden = true;
    $("import-choose-title").textContent = "Import plants";
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
      const rows = await readTable(await file.arrayBuffer());
      if (this.#file !== file) return; // another one was chosen meanwhile
      if (!rows.length) throw new FileError("contains no plants.");
      this.#preview(file.name, rows);
    } catch (error) {
      if (this.#file === file) this.#complain(file.name, error);
    }
  }

  /** @param {string} name @param {Error} error */
  #complain(name, error) {
    const why = error instanceof FileError ? error.message : "could not be read: choose it again.";
    const reason = `${name} ${why}`;
    $("import-choose-title").textContent = "Import plants";
    $("import-reason").textContent = reason;
    $("import-reason").hidden = false;
    $("import-file").value = "";
    announce(reason);
  }

  /** @param {string} name @param {Row[]} rows */
  #preview(name, rows) {
    this.#rows = rows;
    this.#store = this.list.store;
    for (const row of rows)
      if (!row.reason && this.list.plants.get(row.plant.id))
        row.warning = "this id is already in the store";
    const good = rows.filter((row) => !row.reason);
    const noted = rows.filter((row) => row.reason ?? row.warning);
    const known = good.filter((row) => row.warning).length;
    const parts = [`${count(good.length, "plant")} to import`];
    if (known) parts.push(`${figures(known)} of them already in the store`);
    const text = `${parts.join(", ")}, ${count(rows.length - good.length, "line")} with a problem.`;
    $("import-name").textContent = name;
    $("import-counts").textContent = text;
    $("import-sample").replaceChildren(...good.slice(0, PREVIEW).map(makeSample));
    $("import-sample-table").hidden = good.length === 0;
    $("import-more").textContent =
      good.length > PREVIEW ? `and ${figures(good.length - PREVIEW)} more` : "";
    listReasons("import-reasons", noted);
    $("import-start").disabled = good.length === 0;
    $("import-start").textContent = `Import ${count(good.length, "plant")}`;
    this.#show("preview");
    $(good.length ? "import-start" : "import-other").focus();
    announce(text);
  }

  async #run() {
    const store = this.#store;
    if (!store) return;
    this.#control = new AbortController();
    const { signal } = this.#control;
    const rows = this.#rows.filter((row) => !row.reason && !row.isIn);
    const tally = { created: 0, known: 0 };
    for (const row of rows) row.failure = "not sent: the import was stopped";
    this.#show("progress");
    $("import-cancel").focus();
    const tell = makeProgress(rows.length);
    const act = (/** @type {Row} */ row) => this.#send(store, row, tally, signal);
    const { error } = await each(rows, act, { atOnce: AT_ONCE, signal, tell });
    this.#control = null;
    this.#summarise(tally, signal.aborted || (error !== null && isFinal(error)));
    this.list.refresh();
  }

  /** @param {Store} store @param {Row} row @param {Tally} tally @param {AbortSignal} signal */
  async #send(store, row, tally, signal) {
    const key = makeKey();
    try {
      await store.api.insist(() => store.create(row.plant, key, signal), signal);
      tally.created += 1;
    } catch (error) {
      if (error.number !== ALREADY_STORED) {
        row.failure = describeFailure(error, signal);
        throw error;
      }
      tally.known += 1;
    }
    row.isIn = true;
    row.failure = undefined;
  }

  /** @param {Tally} tally @param {boolean} isStopped */
  #summarise({ created, known }, isStopped) {
    const failed = this.#rows.filter((row) => row.reason ?? row.failure);
    const parts = [`${count(created, "plant")} imported`];
    if (known) parts.push(`${figures(known)} already in the store`);
    if (failed.length) parts.push(`${count(failed.length, "line")} not imported`);
    const text = `${parts.join(", ")}.`;
    $("import-summary-title").textContent = isStopped ? "Import stopped" : "Import finished";
    $("import-result").textContent = text;
    listReasons("import-failures", failed);
    $("import-failed").hidden = failed.length === 0;
    $("import-retry").hidden = !failed.some((row) => row.failure);
    this.#show("summary");
    this.#isTold = false;
    this.reopen();
    announce(text);
  }

  // Shown again after the user has signed in again.
  reopen() {
    if (this.#isTold || !this.#store?.api.isSignedIn) return;
    if (!this.dialog.open) this.dialog.showModal();
    $("import-done").focus();
  }

  #closed() {
    // A browser lets `cancel` be prevented once, and closes the dialog the next time.
    if (this.isRunning && this.#store?.api.isSignedIn) {
      this.dialog.showModal();
      return;
    }
    this.#file = null;
    if (this.list.store?.api.isSignedIn) this.#isTold = true;
    if (document.activeElement?.matches("body, #import *")) focusPlants();
  }

  #saveFailed() {
    const lines = this.#rows
      .filter((row) => row.reason ?? row.failure)
      .map(({ line, plant, reason, failure }) =>
        writeCsvLine([`${line}`, ...[plant.id, plant.name, plant.tag].map(asText), reason ?? failure]),
      );
    const header = writeCsvLine(["line", "id", "name", "tag", "problem"]);
    saveFile("not-imported.csv", "text/csv", [header, ...lines]);
  }

  /** @param {string} step */
  #show(step) {
    for (const one of STEPS) $(`import-${one}`).hidden = one !== step;
    this.dialog.setAttribute("aria-labelledby", `import-${step}-title`);
  }
}

// Shows each step, and announces some of them.
/** @param {number} total */
function makeProgress(total) {
  let announced = performance.now();
  /** @param {number} ended */
  const tell = (ended) => {
    const text = `${figures(ended)} of ${figures(total)}`;
    $("import-bar").max = total;
    $("import-bar").value = ended;
    $("import-progress-text").textContent = text;
    if (performance.now() - announced < ANNOUNCE_EVERY) return;
    announced = performance.now();
    announce(text);
  };
  tell(0);
  return tell;
}

/** @param {Error} error @param {AbortSignal} signal */
function describeFailure(error, signal) {
  if (error instanceof Refusal) return error.message;
  return signal.aborted ? "outcome unknown: the import was stopped" : error.message;
}

/** @param {unknown} value */
const asText = (value) => (value === undefined || value === null ? "" : String(value));

/** @param {Row} row */
const makeSample = ({ plant: { id, name, tag } }) => makeTableRow([id, name, tag ?? ""]);

/** @param {string} id @param {Row[]} rows */
function listReasons(id, rows) {
  const shown = rows.slice(0, MAX_REASONS).map(({ line, reason, failure, warning }) => {
    const which = make("b", { textContent: `Line ${figures(line)}` });
    return make("li", {}, which, ` ${reason ?? failure ?? warning}`);
  });
  if (rows.length > MAX_REASONS)
    shown.push(make("li", { textContent: `and ${figures(rows.length - MAX_REASONS)} more` }));
  $(id).replaceChildren(...shown);
  $(id).hidden = rows.length === 0;
}
