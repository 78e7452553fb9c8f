// Importing a file: choose it and its columns, and see what would become of it; it is sent in the
// background, and the lines that are left over are a file again.

import { perform, tellEnd } from "./actions.js";
import { ID_TAKEN } from "./api.js";
import { $, announce, explain, focusPlants, make, makeTableRow } from "./dom.js";
import { saveFile } from "./export.js";
import { list } from "./list.js";
import { FIELDS, listContents, TEXTS } from "./plant.js";
import { checkRows, countTwins, giveIds } from "./rows.js";
import { drop } from "./state.js";
import { FileError, readTable, writeCsvLine } from "./tables.js";
import { rich, t } from "./texts.js";

const PREVIEW = 6;
const MAX_REASONS = 100;
const MAX_MEBIBYTES = 32;
const MAX_TITLE = 40;
const MAX_PASSES = 3;
const JOINED = "joined"; // the name is in several columns

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
export async function takeFile(file) {
  if (!file) return;
  openImport();
  reading = file;
  $("import-choose-title").textContent = t("import.reading");
  try {
    if (file.size > MAX_MEBIBYTES * 2 ** 20)
      throw new FileError(t("file.large", { max: MAX_MEBIBYTES }));
    const table = readTable(await file.arrayBuffer());
    await list.loadWhole(); // to know the ids that are taken
    if (reading === file) preview(file.name, table); // or another one was chosen meanwhile
  } catch (error) {
    if (reading === file) complain(`${file.name}: ${error instanceof FileError ? error.message : t("file.unread")}`);
  }
}

/** @param {string} reason */
function complain(reason) {
  $("import-choose-title").textContent = t("import.what");
  $("import-file").value = "";
  explain("import-reason", reason);
}

/** @param {string} name @param {Sheet} table */
function preview(name, table) {
  if (!table.rows.length) throw new FileError(t("file.empty"));
  sheet = table;
  target = list.store;
  $("import-file-name").textContent = name;
  offerColumns(table);
  check(table);
  showStep("preview");
  $($("import-start").disabled ? "import-other" : "import-start").focus();
}

function chooseColumns() {
  if (!sheet) return;
  sheet.isJoined = $("import-name").value === JOINED;
  for (const field of FIELDS) sheet.columns[field] = Number($(`import-${field}`).value) || 0;
  if (sheet.isJoined) sheet.columns.name = sheet.joined[0];
  sheet.hasHeader = $("import-header").checked;
  check(sheet);
}

/** @param {Sheet} table */
function check({ rows, isGuessed, ignored }) {
  checkRows(rows, list.plants, list.may("update"));
  checked = rows;
  const good = rows.filter(isWaiting);
  const bad = rows.filter((row) => row.reason);
  const twins = countTwins(good, list.plants);
  const stored = rows.length - good.length - bad.length;
  const changed = good.filter(({ before }) => before).length;
  const parts = [t("import.ready", { n: good.length - changed }), changed && t("import.changed", { n: changed }), stored && t("import.stored", { n: stored }), bad.length && t("import.troubled", { n: bad.length })];
  const text = `${parts.filter(Boolean).join(" · ")}${twins.stored ? `. ${t("import.twins", { n: twins.stored })}` : ""}${twins.equal ? `. ${t("import.equal", { n: twins.equal })}` : ""}${isGuessed ? t("import.letters") : ""}`;
  $("import-counts").textContent = text;
  $("import-ignored").textContent = ignored.length ? t("import.ignored", { titles: ignored.join(", ") }) : "";
  const sample = good.slice(0, PREVIEW).map(({ plant }) => makeTableRow([plant.id, ...listContents(plant)]));
  $("import-sample").replaceChildren(...sample);
  $("import-sample-table").hidden = good.length === 0;
  $("import-more").textContent = describeMore(good.length, PREVIEW);
  listReasons(bad);
  $("import-start").disabled = good.length === 0;
  $("import-start").textContent = t("import.start", { n: good.length });
  announce(text);
}

// Ids that were given, and taken by somebody else meanwhile, are given anew.
/** @param {Store} store @param {Row[]} rows */
function send(store, rows, pass = 1) {
  const waiting = new Map(rows.filter(isWaiting).map((row) => [row.plant.id, row]));
  /** @param {Change} change */ const find = ({ after }) => /** @type {Row} */ (waiting.get(after?.id ?? ""));
  perform("import", [...waiting.values()].map(({ before, plant }) => ({ before, after: plant })), store, (action) => {
    for (const change of action.done) find(change).isIn = true;
    for (const item of action.refused) {
      if (item.error !== action.control.signal.reason) find(item).reason = item.error?.message;
      drop(item);
    }
    const taken = action.refused.filter((item) => item.error?.number === ID_TAKEN && find(item).isGiven);
    if (!taken.length || pass === MAX_PASSES) return tellLeft(action, rows);
    tellEnd({ ...action, refused: [] });
    for (const row of taken.map(find)) Object.assign(row, { plant: { ...row.plant, id: "" }, reason: undefined });
    giveIds(rows, (list.store === store && list.plants.proposeId()) || "1");
    send(store, rows, pass + 1);
  });
}

/** @param {Action} action @param {Row[]} rows */
function tellLeft(action, rows) {
  const left = rows.filter((row) => !row.isIn);
  const reasons = new Set(left.map(({ reason }) => reason));
  const why = reasons.size === 1 && left[0].reason ? `: ${left[0].reason}` : "";
  const retry = left.some(isWaiting) && { [t("again")]: () => send(action.store, rows) };
  const text = left.length ? rich("import.left", { n: left.length, why }) : [];
  tellEnd({ ...action, refused: [] }, text, { [t("import.save")]: () => saveRows(left), ...retry });
}

/** @param {"choose" | "preview"} step */
function showStep(step) {
  $("import-choose").hidden = step !== "choose";
  $("import-preview").hidden = step !== "preview";
  dialog.setAttribute("aria-labelledby", `import-${step}-title`);
}

$("import-file").addEventListener("change", () => takeFile($("import-file").files?.[0]));
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
function offerColumns({ titles, columns, hasHeader, joined, isJoined }) {
  const options = titles.map((title, index) => [`${index}`, `${index + 1}: ${title.slice(0, MAX_TITLE)}`]);
  for (const field of FIELDS) {
    const none = field === "id" ? [t("import.ids")] : TEXTS[field].isOptional ? [t("import.none")] : [];
    const made = [...none.map((text) => ["-1", text]), ...options].map(([value, textContent]) => make("option", { value, textContent }));
    $(`import-${field}`).replaceChildren(...made);
    $(`import-${field}`).value = `${columns[field]}`;
  }
  if (joined.length) $("import-name").prepend(make("option", { value: JOINED, textContent: joined.map((index) => titles[index]).join(" + ") }));
  if (isJoined) $("import-name").value = JOINED;
  $("import-header").checked = hasHeader;
}

/** @param {number} number @param {number} shown */
const describeMore = (number, shown) => (number > shown ? t("import.more", { n: number - shown }) : "");

/** @param {Row} row */
const findReason = ({ reason }) => reason ?? t("import.unsent");

/** @param {Row[]} rows */
function saveRows(rows) {
  const lines = rows.map((row) => {
    const values = FIELDS.map((field) => row.plant[field] ?? "");
    return writeCsvLine([row.line, ...values, findReason(row)].map(String));
  });
  saveFile("not-imported.csv", [writeCsvLine(["line", ...FIELDS, "problem"]), ...lines]);
}

/** @param {Row[]} rows */
function listReasons(rows) {
  const shown = rows.slice(0, MAX_REASONS).map((row) => {
    const which = make("b", { textContent: t("import.line", { n: row.line }) });
    return make("li", {}, which, ` ${findReason(row)}`);
  });
  const more = describeMore(rows.length, MAX_REASONS);
  $("import-reasons").replaceChildren(...shown, ...(more ? [make("li", { textContent: more })] : []));
  $("import-reasons").hidden = rows.length === 0;
}

/** @param {string} text */
export const readPasted = (text) => takeFile(new File([text], t("import.pasted")));
