// CSV to rows of plants, and back. A row has its line number; if it cannot be read, its `reason` says why. A file
// that cannot be read is a FileError.

import { guessColumns } from "./columns.js";
import { FIELDS, findBrokenRule, isSame, listContents, makePlant, readId } from "./plant.js";
import { t } from "./texts.js";

/** @type {Record<string, string>} by their byte order marks */
const ENCODINGS = { "255,254": "utf-16le", "254,255": "utf-16be" };
const WORKBOOKS = ["80,75", "208,207"]; // .xlsx and .ods are archives
// A cell that a spreadsheet would take for a formula is written after an apostrophe, and so is a cell that
// already has such an apostrophe: reading removes exactly what writing added.
const FORMULA = /^'*[=+\-@\t\r]/;

export class FileError extends Error {}

/** @param {ArrayBuffer} bytes */
export function readTable(bytes) {
  const { text, isGuessed } = decode(bytes);
  // Without any, the tab: names may contain the others.
  const [head] = /[^\r\n]+/.exec(text) ?? [""];
  const [delimiter] = ["\t", ",", ";"].sort((a, b) => head.split(b).length - head.split(a).length);
  return new Sheet([...splitCsv(text, delimiter)], isGuessed);
}

/** Spreadsheets also save CSV as Windows-1252, which any text could be: a guess, for the user to check. @param {ArrayBuffer} bytes */
function decode(bytes) {
  const mark = new Uint8Array(bytes.slice(0, 2)).join();
  if (WORKBOOKS.includes(mark)) throw new FileError(t("file.workbook"));
  try {
    return { text: new TextDecoder(ENCODINGS[mark] ?? "utf-8", { fatal: true }).decode(bytes), isGuessed: false };
  } catch {
    const text = new TextDecoder("windows-1252").decode(bytes);
    if (text.includes("\0")) throw new FileError(t("file.binary"));
    return { text, isGuessed: true };
  }
}

export class Sheet {
  /** @param {CsvRecord[]} records @param {boolean} isGuessed its encoding */
  constructor(records, isGuessed) {
    this.isGuessed = isGuessed;
    const isHint = records[0]?.line === 1 && records[0].cells.join("") === "sep="; // Excel's hint for itself
    this.records = isHint ? records.slice(1) : records;
    this.titles = this.records[0]?.cells ?? []; // the first line, whether it has titles or not
    const { hasHeader, columns, cultivar } = guessColumns(this.records.map(({ cells }) => cells));
    this.hasHeader = hasHeader;
    this.columns = columns;
    this.cultivar = cultivar; // the column that is quoted in a name of several columns
  }

  /** The titles of the columns that are not imported. */
  get ignored() {
    const taken = Object.values(this.columns).flat();
    return this.titles.filter((title, index) => title.trim() && this.hasHeader && !taken.includes(index));
  }

  /** @returns {Row[]} */
  get rows() {
    return this.records.slice(this.hasHeader ? 1 : 0).map(({ line, cells, reason }) => {
      const isLong = cells.slice(this.titles.length).some((cell) => cell !== "");
      const fields = /** @type {Record<Field, string>} */ ({});
      for (const field of FIELDS) fields[field] = this.#read(cells, this.columns[field]);
      const plant = { id: "", name: "", ...makePlant({ ...fields, id: readId(fields.id) }) };
      return { line, plant, reason: reason ?? (isLong ? t("rule.columns") : undefined) };
    });
  }

  /** @param {string[]} cells @param {number[]} columns */
  #read(cells, columns) {
    if (columns.length < 2) return restore(cells[columns[0]] ?? "");
    const parts = columns.map((index) => {
      const part = cells[index]?.trim() ?? "";
      return index === this.cultivar && /^[^"'‘’‚“”„«‹`´]/.test(part) ? `'${part}'` : part;
    });
    return parts.filter(Boolean).join(" ");
  }
}

/** RFC 4180: a cell in quotes may hold delimiters, line ends, and quotes written twice. @param {string} text @param {string} delimiter */
function* splitCsv(text, delimiter) {
  const quoted = '"([^"]*(?:""[^"]*)*)"';
  const cells = new RegExp(`(?:${quoted})?([^${delimiter}\\r\\n]*)(${delimiter}|\\r\\n|\\r|\\n|$)`, "gy");
  let line = 1;
  /** @type {CsvRecord} */ let record = { line, cells: [] };
  for (const [whole, inQuotes, rest, end] of text.matchAll(cells)) {
    record.cells.push(inQuotes?.replaceAll('""', '"') ?? rest.trim());
    const isOpen = rest.startsWith('"');
    if (isOpen || (inQuotes !== undefined && rest)) record.reason = t(isOpen ? "rule.unclosed" : "rule.quote");
    line += (whole.match(/\r\n|\n|\r/g) ?? []).length;
    if (end === delimiter) continue;
    if (record.reason || record.cells.some((cell) => cell.trim())) yield record;
    record = { line, cells: [] };
  }
}

const restore = (/** @type {string} */ cell) => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);
/** @param {string} cell */
const quote = (cell) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
export const writeCsvLine = (/** @type {string[]} */ cells) => `${cells.map(quote).join(",")}\r\n`;

/** @param {Plant[]} plants */
export function writeCsv(plants) {
  const defuse = (/** @type {string} */ text) => (FORMULA.test(text) ? `'${text}` : text);
  return [FIELDS, ...plants.map((plant) => [plant.id, ...listContents(plant).map(defuse)])].map(writeCsvLine);
}

// Compares rows with a store: `isStored` if the plant is stored already, `before` if the row changes a plant, which
// needs permission, and `reason` if the row cannot be imported.
/** @param {Row[]} rows @param {Plants} plants */
export function checkRows(rows, plants, mayUpdate = false) {
  for (const row of rows) row.reason ??= findBrokenRule({ ...row.plant, id: row.plant.id || "1" })?.reason;
  if (plants.isComplete) giveIds(rows, plants);
  const lines = new Map();
  for (const row of rows.filter(({ reason }) => !reason)) {
    const { id } = row.plant;
    const stored = plants.get(id);
    if (id === "") row.reason = t("rule.missing", { field: t("id") });
    else if (lines.has(id)) row.reason = t("rule.line", { id, line: lines.get(id) });
    else if (stored && isSame(stored, row.plant)) row.isStored = true;
    else if (stored && mayUpdate) row.before = stored;
    else if (stored) row.reason = t("rule.taken", { id, name: stored.name });
    lines.set(id, lines.get(id) ?? row.line);
  }
}

/** Gives rows without an id new ids, above all others. @param {Row[]} rows @param {Plants} plants */
function giveIds(rows, plants) {
  const good = rows.filter((row) => !row.reason);
  let next = BigInt(plants.proposeId(good.map(({ plant }) => plant.id)));
  for (const row of good.filter(({ plant }) => plant.id === "")) {
    row.plant.id = `${next++}`;
    row.isGiven = true;
  }
}

/** Of the rows with new ids: how many equal an earlier line, or a plant of the store. @param {Row[]} rows @param {Plants} plants */
export function countTwins(rows, plants) {
  const describe = (/** @type {Plant} */ plant) => JSON.stringify(listContents(plant));
  const given = rows.filter(({ isGiven }) => isGiven).map(({ plant }) => describe(plant));
  const stored = new Set(plants.items.map(describe));
  return { twins: given.filter((text) => stored.has(text)).length, equal: given.length - new Set(given).size };
}
