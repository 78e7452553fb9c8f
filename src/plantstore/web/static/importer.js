// Importing a file: choose it, look at what is in it, send it with some requests at a time, and
// see what became of each line.

import { isFinal, makeKey, Refusal } from "./api.js";
import { $, announce, count, figures, make, saveFile } from "./dom.js";
import { readTable, writeCsvLine } from "./tables.js";

const AT_ONCE = 12;
const PREVIEW = 6;
const MOST_FAULTS = 100;
const MOST_BYTES = 64 * 2 ** 20;
const ALREADY_STORED = 40004;
const STEPS = ["choose", "preview", "progress", "summary"];

export class Importer {
  #rows = [];
  #store = null;
  #abort = null;
  isTold = true;
  isOffered = false;

  // The list knows the store that is open, and which ids it has.
  constructor(list) {
    this.list = list;
    this.dialog = $("import");
    $("import-file").addEventListener("change", ({ target }) => this.read(target.files[0]));
    $("import-start").addEventListener("click", () => this.#run());
    $("import-cancel").addEventListener("click", () => this.stop());
    $("import-again").addEventListener("click", () => this.open());
    $("import-other").addEventListener("click", () => this.open());
    $("import-retry").addEventListener("click", () => this.#run());
    this.dialog.addEventListener("close", () => this.#forgetUnlessRefused());
    $("import-failed").addEventListener("click", () => this.#saveFailed());
    for (const button of this.dialog.querySelectorAll("[data-close]"))
      button.addEventListener("click", () => this.dialog.close());
    // Closing in the midst of it would hide what goes on.
    this.dialog.addEventListener("cancel", (event) => this.#abort && event.preventDefault());
    this.#acceptDrops();
  }

  get isRunning() {
    return this.#abort !== null;
  }

  stop() {
    this.#abort?.abort();
  }

  // What one has read from a file is not for another.
  forget() {
    this.#rows = [];
    this.isTold = true;
  }

  open() {
    $("import-file").value = "";
    $("import-fault").hidden = true;
    this.#show("choose");
    if (!this.dialog.open) this.dialog.showModal();
    $("import-file").focus();
  }

  async read(file) {
    if (!file) return;
    if (!this.dialog.open) this.open();
    if (file.size > MOST_BYTES) {
      this.#complain(`${file.name} is over 64 MiB: import it in parts.`);
      return;
    }
    this.#store = this.list.store;
    this.#rows = readTable(await file.text());
    if (!this.#rows.length) this.#complain(`${file.name} has no plants in it.`);
    else this.#preview(file.name);
  }

  #complain(fault) {
    $("import-fault").textContent = fault;
    $("import-fault").hidden = false;
    $("import-file").value = "";
  }

  #preview(name) {
    for (const row of this.#rows)
      if (!row.fault && this.list.plants.has(row.plant.id)) row.warning = "this id is in the store already";
    const good = this.#rows.filter((row) => !row.fault);
    const noted = this.#rows.filter((row) => row.fault ?? row.warning);
    $("import-name").textContent = name;
    $("import-counts").textContent =
      `${count(good.length, "plant")} to import, ${count(noted.length, "line")} with a problem.`;
    $("import-sample").replaceChildren(...good.slice(0, PREVIEW).map(makeSample));
    $("import-sample-table").hidden = good.length === 0;
    $("import-more").textContent =
      good.length > PREVIEW ? `and ${figures(good.length - PREVIEW)} more` : "";
    listFaults("import-faults", noted, (row) => row.fault ?? row.warning);
    $("import-start").disabled = good.length === 0;
    $("import-start").textContent = `Import ${count(good.length, "plant")}`;
    this.#show("preview");
    $(good.length ? "import-start" : "import-other").focus();
  }

  async #run() {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const rows = this.#rows.filter((row) => !row.fault && !row.isIn);
    for (const row of rows) delete row.failure;
    const tally = { created: 0, known: 0, ended: 0, total: rows.length };
    this.#show("progress");
    this.#tellProgress(tally);
    $("import-cancel").focus();
    const waiting = rows.values();
    const workers = Array.from({ length: AT_ONCE }, () => this.#work(waiting, tally, signal));
    await Promise.all(workers);
    this.#abort = null;
    this.#summarise(tally, signal.aborted);
    if (this.#store.name === this.list.store.name) this.list.load({ keepPlace: true });
  }

  async #work(waiting, tally, signal) {
    for (const row of waiting) {
      if (signal.aborted) row.failure ??= "not sent: the import was stopped";
      else await this.#send(row, tally, signal);
      tally.ended += 1;
      this.#tellProgress(tally);
    }
  }

  async #send(row, tally, signal) {
    const key = makeKey();
    const store = this.#store;
    try {
      await store.api.insist(() => store.create(row.plant, key, signal), signal);
      tally.created += 1;
      row.isIn = true;
    } catch (error) {
      row.isIn = error.number === ALREADY_STORED;
      if (row.isIn) tally.known += 1;
      else row.failure = describeFailure(error, signal);
      // Going on would fail alike for every line.
      if (isFinal(error)) this.#abort?.abort();
    }
  }

  #tellProgress({ ended, total }) {
    $("import-bar").max = total;
    $("import-bar").value = ended;
    $("import-progress-text").textContent = `${figures(ended)} of ${figures(total)}`;
  }

  #summarise({ created, known }, isStopped) {
    const failed = this.#rows.filter((row) => row.fault ?? row.failure);
    const parts = [`${count(created, "plant")} imported`];
    if (known) parts.push(`${figures(known)} were in the store already`);
    if (failed.length) parts.push(`${count(failed.length, "line")} not imported`);
    const text = `${parts.join(", ")}.`;
    $("import-summary-title").textContent = isStopped ? "Import stopped" : "Import finished";
    $("import-result").textContent = text;
    announce(text);
    listFaults("import-failures", failed, (row) => row.fault ?? row.failure);
    $("import-failed").hidden = failed.length === 0;
    $("import-retry").hidden = !failed.some((row) => row.failure);
    this.#show("summary");
    this.isTold = false;
    this.reopen();
  }

  // The summary waits for who has to sign in again.
  reopen() {
    if (this.isTold || !this.list.store.api.isSignedIn) return;
    if (!this.dialog.open) this.dialog.showModal();
    $("import-done").focus();
  }

  #forgetUnlessRefused() {
    if (this.list.store?.api.isSignedIn) this.isTold = true;
  }

  #saveFailed() {
    const lines = this.#rows
      .filter((row) => row.fault ?? row.failure)
      .map(({ line, plant, fault, failure }) =>
        writeCsvLine([`${line}`, ...["id", "name", "tag"].map((field) => asText(plant[field])), fault ?? failure]),
      );
    const header = writeCsvLine(["line", "id", "name", "tag", "problem"]);
    saveFile("not-imported.csv", "text/csv", [header, ...lines]);
  }

  #show(step) {
    for (const one of STEPS) $(`import-${one}`).hidden = one !== step;
    this.dialog.setAttribute("aria-labelledby", `import-${step}-title`);
  }

  #acceptDrops() {
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files") && this.isOffered;
    addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    addEventListener("drop", (event) => {
      document.body.classList.remove("dropping");
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (!this.isRunning) this.read(event.dataTransfer.files[0]);
    });
  }
}

function describeFailure(error, signal) {
  if (error instanceof Refusal) return error.message;
  return signal.aborted ? "not known: the import was stopped" : error.message;
}

const asText = (value) => (value === undefined || value === null ? "" : String(value));

function makeSample({ plant }) {
  const cells = [plant.id, plant.name, plant.tag ?? ""];
  return make("tr", {}, ...cells.map((text) => make("td", {}, make("bdi", { textContent: text }))));
}

function listFaults(id, rows, describe) {
  const shown = rows
    .slice(0, MOST_FAULTS)
    .map((row) => make("li", {}, make("b", { textContent: `Line ${figures(row.line)}` }), ` ${describe(row)}`));
  if (rows.length > MOST_FAULTS)
    shown.push(make("li", { textContent: `and ${figures(rows.length - MOST_FAULTS)} more` }));
  $(id).replaceChildren(...shown);
  $(id).hidden = rows.length === 0;
}
