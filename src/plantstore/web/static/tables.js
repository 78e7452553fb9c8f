// CSV, NDJSON and JSON to plants, and back to CSV. Every row has its line number; an invalid row has
// the `reason` in words, and is not sent. A file that cannot be read is a FileError.

import { findBrokenRule, parseExactly, readId } from "./plant.js";

const COLUMNS = ["id", "name", "tag"];
const ENCODINGS = new Map([["255,254", "utf-16le"], ["254,255", "utf-16be"]]); // by their byte order marks
const PORTION = 20_000; // rows before the rest of the page gets its turn

export class FileError extends Error {}

/** @param {ArrayBuffer} bytes */
export async function readTable(bytes) {
  const text = decode(bytes);
  /** @type {Row[]} */
  const rows = [];
  for (const row of findReader(text)(text)) {
    rows.push(row);
    if (rows.length % PORTION === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  markRepeated(rows);
  return rows;
}

// Text in another encoding would be stored garbled.
/** @param {ArrayBuffer} bytes */
function decode(bytes) {
  const mark = new Uint8Array(bytes.slice(0, 2)).join();
  const encoding = ENCODINGS.get(mark) ?? "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new FileError("is not in UTF-8: save it as “CSV UTF-8”, and choose it again.");
  }
}

/** @param {string} text */
function findReader(text) {
  const [first] = /\S/.exec(text) ?? [];
  if (first === "[") return readArray;
  return first === "{" ? readNdjson : readCsv;
}

// For example a response of the interface; plants are numbered instead of lines.
/** @param {string} text */
function* readArray(text) {
  let values;
  try {
    values = parseExactly(text);
  } catch {
    throw new FileError("is not valid JSON.");
  }
  for (const [index, value] of values.entries()) yield checkObject(index + 1, value);
}

/** @param {string} text */
function* readNdjson(text) {
  let number = 0;
  for (const line of text.split(/\r?\n/)) {
    number += 1;
    if (line.trim()) yield readObject(number, line);
  }
}

/** @param {number} number @param {string} line */
function readObject(number, line) {
  try {
    return checkObject(number, parseExactly(line));
  } catch {
    return check(number, {}, "the line is not valid JSON");
  }
}

/** @param {number} number @param {any} value */
function checkObject(number, value) {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? check(number, value) : check(number, {}, "the line is not a JSON object");
}

/** @param {string} text */
function* readCsv(text) {
  const records = splitCsv(text, findDelimiter(text));
  /** @type {string[] | null} */
  let columns = null;
  for (const record of records) {
    if (record.line === 1 && record.cells.join("") === "sep=") continue; // a spreadsheet's hint
    if (columns) {
      yield checkRecord(record, columns);
      continue;
    }
    columns = readHeader(record);
    if (!columns) {
      columns = COLUMNS;
      yield checkRecord(record, columns);
    }
  }
}

/** @param {CsvRecord} record */
function readHeader({ cells }) {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  if (!names.includes("id") || !names.includes("name")) return null;
  const twice = COLUMNS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice) throw new FileError(`has two columns named ${twice}.`);
  return names;
}

/** @param {CsvRecord} record @param {string[]} columns */
function checkRecord({ line, cells, reason }, columns) {
  const fields = Object.fromEntries(columns.map((name, place) => [name, restore(cells[place] ?? "")]));
  const extra = cells.slice(columns.length).some((cell) => cell !== "");
  if (fields.tag === "") delete fields.tag;
  return check(line, fields, reason ?? (extra ? "the line has too many columns" : undefined));
}

/** @param {string} text */
function findDelimiter(text) {
  const [head] = /[^\r\n]+/.exec(text) ?? [""];
  return [",", ";", "\t"].reduce((best, one) =>
    head.split(one).length > head.split(best).length ? one : best,
  );
}

// RFC 4180: a cell in quotes may hold delimiters, line ends, and quotes written twice.
/** @param {string} text @param {string} delimiter */
function* splitCsv(text, delimiter) {
  const plain = new RegExp(`[^${delimiter}\\r\\n]*`, "y");
  /** @param {number} at */
  const readPlain = (at) => {
    plain.lastIndex = at;
    return plain.exec(text)?.[0] ?? "";
  };
  let at = 0;
  let line = 1;
  while (at < text.length) {
    /** @type {CsvRecord} */
    const record = { line, cells: [] };
    for (;;) {
      const quoted = text[at] === '"' ? readQuoted(text, at) : null;
      if (quoted) at = quoted.end;
      const rest = readPlain(at);
      at += rest.length;
      record.cells.push(quoted ? quoted.cell : rest);
      if (quoted ? rest : rest.startsWith('"'))
        record.reason = "a quoted cell does not end at its closing quote";
      line += quoted?.lines ?? 0;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line += 1;
    if (record.reason || record.cells.some((cell) => cell.trim())) yield record;
  }
}

// The quoted cell that begins at `at`; null if its quote is not closed.
/** @param {string} text @param {number} at */
function readQuoted(text, at) {
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end < 0) return null;
  const cell = text.slice(at + 1, end).replaceAll('""', '"');
  return { cell, end: end + 1, lines: (cell.match(/\r\n|\n|\r/g) ?? []).length };
}

/** @param {number} line @param {Record<string, any>} fields @param {string} [reason] @returns {Row} */
function check(line, { id, name, tag }, reason) {
  /** @type {Plant} */
  const plant = { id: typeof id === "string" ? readId(id) : id, name };
  if (tag !== undefined && tag !== "") plant.tag = tag;
  if (plant.id !== undefined && typeof plant.id !== "string")
    reason ??= "id must be a whole number, such as 7";
  if (tag === null) reason ??= "tag must be text or left out";
  reason ??= findBrokenRule(plant) ?? undefined;
  return { line, plant, reason };
}

/** @param {Row[]} rows */
function markRepeated(rows) {
  const lines = new Map();
  for (const row of rows) {
    if (row.reason) continue;
    const earlier = lines.get(row.plant.id);
    if (earlier) row.reason = `id ${row.plant.id} is already in line ${earlier}`;
    else lines.set(row.plant.id, row.line);
  }
}

// A cell that a spreadsheet would take for a formula is written with an apostrophe before it, as is
// one that looks like such a cell, so that reading takes off what writing put on.
const FORMULA = /^'*[=+\-@\t\r]/;

/** @param {string} [text] */
const defuse = (text) => (text !== undefined && FORMULA.test(text) ? `'${text}` : text);

/** @param {string} cell */
const restore = (cell) => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

/** @param {string} cell */
const quote = (cell) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** @param {(string | undefined)[]} cells */
export const writeCsvLine = (cells) => `${cells.map((cell) => quote(cell ?? "")).join(",")}\r\n`;

/** @param {Plant[]} plants */
export const writeCsv = (plants) => [
  writeCsvLine(COLUMNS),
  ...plants.map(({ id, name, tag }) => writeCsvLine([id, defuse(name), defuse(tag)])),
];
