// Importing a file: choose the file and its columns, and preview the result. Its rows are sent in the
// background; lines that were not imported can be downloaded.

import { perform, tellEnd } from "./actions.js";
import { $, announce, explain, focusPlants, make, makeTableRow, onClick } from "./dom.js";
import { saveFile } from "./export.js";
import { list } from "./list.js";
import { FIELDS, listContents, TEXTS } from "./plant.js";
import { drop, redraw } from "./state.js";
import { checkRows, countTwins, FileError, readTable, writeCsvLine } from "./tables.js";
import { rich, t } from "./texts.js";

const PREVIEW = 6;
const MAX_REASONS = 100;
const MAX_MEBIBYTES = 32;
const MAX_TITLE = 40;

const dialog = $("import");
/** @type {File | undefined} */ let reading;
/** @type {Sheet | null} */ let sheet = null;
/** @type {Row[]} */ let checked = [];
/** @type {Store | null} */ let target = null;

export function openImport(reason = "", title = t("import.what")) {
  reading = undefined;
  $("import-title").textContent = title;
  $("import-file").value = "";
  explain("import-reason", reason);
  $("import-choose").hidden = false;
  $("import-preview").hidden = true;
  if (!dialog.open) dialog.showModal();
  $("import-file").focus();
}

/** @param {File} [file] */
async function takeFile(file) {
  if (!file) return;
  openImport("", t("import.reading"));
  reading = file;
  try {
    if (file.size > MAX_MEBIBYTES * 2 ** 20) throw new FileError(t("file.large", { max: MAX_MEBIBYTES }));
    const table = readTable(await file.arrayBuffer());
    await list.loadWhole(); // to know the ids that are taken
    if (reading !== file) return; // another file was chosen meanwhile
    if (!table.rows.length) throw new FileError(t("file.empty"));
    sheet = table;
    target = list.store;
    $("import-title").replaceChildren(...rich("import.title", { file: file.name }));
    offerColumns(table);
    check(table);
    $("import-choose").hidden = true;
    $("import-preview").hidden = false;
    $($("import-start").disabled ? "import-other" : "import-start").focus();
  } catch (error) {
    const reason = error instanceof FileError ? error.message : t("file.unread");
    if (reading === file) openImport(`${file.name}: ${reason}`);
  }
}

export const readPasted = (/** @type {string} */ text) => takeFile(new File([text], t("import.pasted")));

/** @param {Sheet} sheet */
function offerColumns({ titles, columns, hasHeader }) {
  const titled = titles.map((title, index) => [`${index}`, `${index + 1}: ${title.slice(0, MAX_TITLE)}`]);
  for (const field of FIELDS) {
    const options = [...titled];
    const guessed = columns[field];
    if (field === "id") options.unshift(["", t("import.ids")]);
    else if (TEXTS[field].isOptional) options.unshift(["", t("import.none")]);
    if (guessed.length > 1) options.unshift([`${guessed}`, guessed.map((index) => titles[index]).join(" + ")]);
    $(`import-${field}`).replaceChildren(...options.map(([value, text]) => new Option(text, value)));
    $(`import-${field}`).value = `${guessed}`;
  }
  $("import-header").checked = hasHeader;
}

/** @param {Sheet} table */
function check({ rows, isGuessed, ignored }) {
  checkRows(rows, list.plants, list.may("update"));
  checked = rows;
  const good = rows.filter(isWaiting);
  const bad = rows.filter((row) => row.reason);
  const changed = good.filter(({ before }) => before).length;
  const stored = rows.length - good.length - bad.length;
  const tell = (/** @type {Record<string, number>} */ counts) =>
    Object.entries(counts).flatMap(([key, n]) => (n ? t(`import.${key}`, { n }) : []));
  const counts = [t("import.ready", { n: good.length - changed }), ...tell({ changed, stored, troubled: bad.length })];
  const notes = [...tell(countTwins(good, list.plants)), ...(isGuessed ? [t("import.letters")] : [])];
  const text = [counts.join(" · ") + (notes.length ? "." : ""), ...notes].join(" ");
  $("import-counts").textContent = text;
  $("import-ignored").textContent = ignored.length ? t("import.ignored", { titles: ignored.join(", ") }) : "";
  const sample = good.slice(0, PREVIEW).map(({ plant }) => makeTableRow([plant.id, ...listContents(plant)]));
  $("import-sample").replaceChildren(...sample);
  $("import-more").textContent = describeMore(good.length, PREVIEW);
  const reasons = bad.slice(0, MAX_REASONS).map(({ line, reason = "" }) => {
    return make("li", {}, make("b", { textContent: t("import.line", { n: line }) }), ` ${reason}`);
  });
  const more = describeMore(bad.length, MAX_REASONS);
  $("import-reasons").replaceChildren(...reasons, ...(more ? [make("li", { textContent: more })] : []));
  $("import-start").disabled = good.length === 0;
  $("import-start").textContent = t("import.start", { n: good.length });
  announce(text);
}

/** @param {number} number @param {number} shown */
const describeMore = (number, shown) => (number > shown ? t("import.more", { n: number - shown }) : "");

/** @param {Store} store @param {Row[]} rows */
function send(store, rows) {
  const changes = rows
    .filter(isWaiting)
    .map((row) => ({ before: row.before, after: row.plant, isGiven: row.isGiven, row }));
  perform("import", changes, store, (action) => {
    for (const { row } of action.done) if (row) row.isStored = true;
    for (const item of action.refused) {
      if (item.row && item.error !== action.control.signal.reason) item.row.reason = item.error?.message;
      drop(item);
    }
    tellLeft(action, rows);
  });
}

/** @param {Action} action @param {Row[]} rows */
function tellLeft(action, rows) {
  const left = rows.filter((row) => !row.isStored);
  const reasons = new Set(left.map(({ reason }) => reason));
  const why = reasons.size === 1 && left[0].reason ? `: ${left[0].reason}` : "";
  const retry = left.some(isWaiting) && { [t("again")]: () => send(action.store, rows) };
  const text = left.length ? rich("import.left", { n: left.length, why }) : [];
  const save = () => {
    const lines = left.map(({ line, plant, reason = t("import.unsent") }) => {
      return [`${line}`, plant.id, ...listContents(plant), reason];
    });
    saveFile("not-imported.csv", [["line", ...FIELDS, "problem"], ...lines].map(writeCsvLine));
  };
  tellEnd({ ...action, refused: [] }, text, { [t("import.save")]: save, ...retry });
}

const isWaiting = (/** @type {Row} */ { reason, isStored }) => !reason && !isStored;

$("import-file").addEventListener("change", () => takeFile($("import-file").files?.[0]));
$("import-columns").addEventListener("change", () => {
  if (!sheet) return;
  for (const field of FIELDS) sheet.columns[field] = $(`import-${field}`).value.match(/\d+/g)?.map(Number) ?? [];
  sheet.hasHeader = $("import-header").checked;
  check(sheet);
});
onClick("import-other", () => openImport());
onClick("import-start", () => {
  if (target) send(target, checked);
  dialog.close();
  focusPlants();
});
dialog.addEventListener("close", () => {
  reading = undefined;
  redraw(); // the menu's item that had the focus is hidden
});
