// Importing a file: choose it and its columns, and see what would become of it; it is sent in the
// background, and the lines that are left over are a file again.

import { ID_TAKEN } from "./api.js";
import { importPlants } from "./changes.js";
import { $, announce, count, explain, figures, focusPlants, make, makeTableRow, targetOf } from "./dom.js";
import { saveFile } from "./export.js";
import { list } from "./list.js";
import { FIELDS, listContents, TEXTS } from "./plant.js";
import { checkRows, countNamesakes, giveIds } from "./rows.js";
import { FileError, readTable, Sheet, writeCsvLine } from "./tables.js";
import { fail } from "./toasts.js";

const PREVIEW = 6;
const MAX_REASONS = 100;
const MAX_MEBIBYTES = 32;
const MAX_TITLE = 40;
const MAX_PASSES = 3;
const CHECK_LETTERS = " The file is not in UTF-8: check that letters such as ä and é are right.";

const dialog = $("import");
/** @type {File | undefined} */ let reading;
/** @type {Sheet | null} */ let sheet = null;
/** @type {Row[]} */ let checked = [];
/** @type {Store | null} */ let target = null;

export function openImport() {
  reading = undefined;
  complain("");
  showStep("choose");
  if (!dialog.open) dialog.showModal();
  $("import-file").focus();
}

/** @param {File} [file] */
async function read(file) {
  if (!file) return;
  openImport();
  reading = file;
  $("import-choose-title").textContent = "Reading the file…";
  try {
    if (file.size > MAX_MEBIBYTES * 2 ** 20)
      throw new FileError(`is larger than ${MAX_MEBIBYTES} MiB: split it and import the parts.`);
    const table = readTable(await file.arrayBuffer());
    await list.loadWhole(); // to know the ids that are taken
    if (reading === file) preview(file.name, table); // or another one was chosen meanwhile
  } catch (error) {
    const why = error instanceof FileError ? error.message : "could not be read: choose it again.";
    if (reading === file) complain(`${file.name} ${why}`);
  }
}

/** @param {string} reason */
function complain(reason) {
  $("import-choose-title").textContent = "Import plants";
  $("import-file").value = "";
  explain("import-reason", reason);
}

/** @param {string} name @param {Sheet | Row[]} table */
function preview(name, table) {
  sheet = table instanceof Sheet ? table : null;
  const rows = table instanceof Sheet ? table.rows : table;
  if (!rows.length) throw new FileError("contains no plants.");
  target = list.store;
  $("import-file-name").textContent = name;
  $("import-columns").hidden = !sheet;
  if (sheet) offerColumns(sheet);
  check(rows);
  showStep("preview");
  $($("import-start").disabled ? "import-other" : "import-start").focus();
}

function chooseColumns() {
  if (!sheet) return;
  for (const field of FIELDS) sheet.columns[field] = Number($(`import-${field}`).value);
  sheet.hasHeader = $("import-header").checked;
  check(sheet.rows);
}

/** @param {Row[]} rows */
function check(rows) {
  checkRows(rows, list.plants);
  checked = rows;
  const good = rows.filter(isWaiting);
  const bad = rows.filter((row) => row.reason);
  const counts = describeRows(rows.length, good.length, bad.length, countNamesakes(good, list.plants));
  const text = counts + (sheet?.isGuessed ? CHECK_LETTERS : "");
  $("import-counts").textContent = text;
  const sample = good.slice(0, PREVIEW).map(({ plant }) => makeTableRow([plant.id, ...listContents(plant)]));
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
async function send(store, rows) {
  for (let pass = 1; ; pass += 1) {
    const waiting = rows.filter(isWaiting);
    const { done, refused, error } = await importPlants(store, waiting.map(({ plant }) => plant));
    const taken = waiting.filter((row) => row.isGiven && refused.get(row.plant)?.number === ID_TAKEN);
    for (const row of waiting) {
      row.isIn = done.has(row.plant);
      row.reason = refused.get(row.plant)?.message;
    }
    if (!taken.length || pass === MAX_PASSES) return tellLeft(store, rows, error);
    for (const row of taken) Object.assign(row, { plant: { ...row.plant, id: "" }, reason: undefined });
    giveIds(rows, (list.store === store && list.plants.proposeId()) || "1");
  }
}

/** @param {Store} store @param {Row[]} rows @param {Error | null} error */
function tellLeft(store, rows, error) {
  const left = rows.filter((row) => !row.isIn);
  const why = error ? `: ${error.message}` : "";
  const retry = left.some(isWaiting) && { "Try again": () => send(store, rows) };
  const actions = { Download: () => saveRows(left), ...retry };
  if (left.length) fail([`Not imported: ${count(left.length, "line")}${why}`], actions);
}

/** @param {"choose" | "preview"} step */
function showStep(step) {
  $("import-choose").hidden = step !== "choose";
  $("import-preview").hidden = step !== "preview";
  dialog.setAttribute("aria-labelledby", `import-${step}-title`);
}

$("import-file").addEventListener("change", () => read($("import-file").files?.[0]));
$("import-columns").addEventListener("change", chooseColumns);
$("import-other").addEventListener("click", openImport);
$("import-start").addEventListener("click", () => {
  if (target) send(target, checked);
  dialog.close();
});
dialog.addEventListener("close", () => {
  reading = undefined;
  checked = [];
  if (document.activeElement?.matches("body, #import *")) focusPlants();
});

/** @param {Row} row */
const isWaiting = ({ reason, isIn }) => !reason && !isIn;

/** @param {Sheet} sheet */
function offerColumns({ titles, columns, hasHeader }) {
  const options = titles.map((title, index) => [`${index}`, `${index + 1}: ${title.slice(0, MAX_TITLE)}`]);
  for (const field of FIELDS) {
    const none = field === "id" ? ["None: assign new IDs"] : TEXTS[field].isOptional ? ["None"] : [];
    const made = [...none.map((text) => ["-1", text]), ...options].map(([value, textContent]) => make("option", { value, textContent }));
    $(`import-${field}`).replaceChildren(...made);
    $(`import-${field}`).value = `${columns[field]}`;
  }
  $("import-header").checked = hasHeader;
}

/** @param {number} all @param {number} good @param {number} bad @param {number} namesakes */
function describeRows(all, good, bad, namesakes) {
  const stored = all > good + bad && `${figures(all - good - bad)} in the store already`;
  const problems = bad && `${count(bad, "line")} with a problem`;
  const text = `${[`${count(good, "plant")} to import`, stored, problems].filter(Boolean).join(", ")}.`;
  return namesakes ? `${text} ${count(namesakes, "plant")} in the store under another ID will be there twice.` : text;
}

/** @param {number} number @param {number} shown */
const describeMore = (number, shown) => (number > shown ? `and ${figures(number - shown)} more` : "");

/** @param {Row} row */
const findReason = ({ reason }) => reason ?? "not sent, or the result is unknown";

/** @param {Row[]} rows */
function saveRows(rows) {
  const lines = rows.map((row) => {
    const values = FIELDS.map((field) => row.plant[field] ?? "");
    return writeCsvLine([row.line, ...values, findReason(row)].map(String));
  });
  saveFile("not-imported.csv", "text/csv", [writeCsvLine(["line", ...FIELDS, "problem"]), ...lines]);
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

// Dropped files and pasted rows. Where none may be imported, too: the browser would open the file instead.
/** @param {DragEvent} event */
const filesOf = ({ dataTransfer }) => (dataTransfer?.types.includes("Files") ? dataTransfer : null);
const mayImport = () => list.store?.api.isSignedIn && list.may("create");
const isWelcome = () => mayImport() && !document.querySelector("dialog[open]:not(#import)");
addEventListener("dragover", (event) => {
  const dragged = filesOf(event);
  if (!dragged) return;
  event.preventDefault();
  dragged.dropEffect = isWelcome() ? "copy" : "none";
  document.body.classList.toggle("dropping", isWelcome());
});
addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text") ?? "";
  if (!text.trim() || targetOf(event).closest("input:not([type=file]), dialog[open]:not(#import)") || !isWelcome()) return;
  event.preventDefault();
  read(new File([text], "Pasted rows"));
});
addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  const dropped = filesOf(event);
  if (!dropped) return;
  event.preventDefault();
  if (isWelcome()) read(dropped.files[0]);
});
