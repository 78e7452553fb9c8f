// CSV and NDJSON to plants and back. Every row remembers its line; a row with a fault has it as
// `fault`, in words, and is not sent.

import { findFault, parseExactly } from "./plant.js";

const COLUMNS = ["id", "name", "tag"];

export function readTable(text) {
  text = text.replace(/^\ufeff/, "");
  const isJson = /^\s*[{[]/.test(text);
  const rows = isJson ? readNdjson(text) : readCsv(text);
  markRepeated(rows);
  return rows;
}

function readNdjson(text) {
  const rows = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim()) rows.push(check(index + 1, ...readObject(line)));
  });
  return rows;
}

function readObject(line) {
  try {
    const value = parseExactly(line);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? [value] : [{}, "the line is not a JSON object"];
  } catch {
    return [{}, "the line is not valid JSON"];
  }
}

function readCsv(text) {
  const delimiter = findDelimiter(text);
  const records = splitCsv(text, delimiter);
  if (!records.length) return [];
  const names = records[0].cells.map((cell) => cell.trim().toLowerCase());
  const hasHeader = names.includes("id") && names.includes("name");
  const columns = hasHeader ? names : COLUMNS;
  return (hasHeader ? records.slice(1) : records).map(({ line, cells, fault }) => {
    const fields = Object.fromEntries(columns.map((name, place) => [name, cells[place] ?? ""]));
    const extra = cells.slice(columns.length).some((cell) => cell !== "");
    return check(line, fields, fault ?? (extra ? "the line has too many columns" : undefined));
  });
}

function findDelimiter(text) {
  const head = text.slice(0, text.search(/\r?\n|$/));
  return [",", ";", "\t"].reduce((best, one) =>
    head.split(one).length > head.split(best).length ? one : best,
  );
}

// RFC 4180: a cell in quotes may hold delimiters, line ends, and quotes written twice.
function splitCsv(text, delimiter) {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"([^${delimiter}\\r\\n]*)|([^${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|\\n|\\r|$)`, "y");
  const records = [];
  let line = 1;
  let record = { line, cells: [] };
  while (cell.lastIndex < text.length) {
    const [whole, quoted, rest, plain, end] = cell.exec(text);
    record.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (rest || plain?.startsWith('"')) record.fault = "a quoted cell does not end where it should";
    line += (whole.match(/\r\n|\n|\r/g) ?? []).length;
    if (end === delimiter && cell.lastIndex < text.length) continue;
    if (end === delimiter) record.cells.push("");
    if (record.cells.length > 1 || record.cells[0] !== "") records.push(record);
    record = { line, cells: [] };
  }
  return records;
}

function check(line, { id, name, tag }, fault) {
  const plant = { id: typeof id === "string" ? id.trim() : id, name };
  if (tag !== undefined && tag !== "") plant.tag = tag;
  if (plant.id !== undefined && typeof plant.id !== "string")
    fault ??= "id must be a whole number in plain digits";
  if (tag === null) fault ??= "tag must be text or left out";
  fault ??= findFault(plant) ?? undefined;
  return { line, plant, fault };
}

function markRepeated(rows) {
  const lines = new Map();
  for (const row of rows) {
    if (row.fault) continue;
    const earlier = lines.get(row.plant.id);
    if (earlier) row.fault = `id ${row.plant.id} stands in line ${earlier} already`;
    else lines.set(row.plant.id, row.line);
  }
}

const quote = (cell) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const writeCsvLine = (cells) => `${cells.map((cell) => quote(cell ?? "")).join(",")}\r\n`;

export const writeCsv = (plants) => [
  writeCsvLine(COLUMNS),
  ...plants.map(({ id, name, tag }) => writeCsvLine([id, name, tag])),
];
