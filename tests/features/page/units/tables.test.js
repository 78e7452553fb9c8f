// Files: reading and writing sheets, guessing their columns, and checking their rows against a store.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.js";
import { FIELDS, Plants } from "../../../../src/plantstore/features/page/static/plant.js";
import { checkRows, countTwins, readTable, writeCsv } from "../../../../src/plantstore/features/page/static/tables.js";
import { makeOddPlants } from "./odd_plants.js";

const MAX_ID = "9223372036854775807";
const read = (text) => readTable(typeof text === "string" ? new TextEncoder().encode(text).buffer : text);
const store = (...rows) => {
  const plants = new Plants();
  plants.apply(new Map(rows.map(([id, name, tag]) => [id, { id, name, ...(tag && { tag }) }])));
  plants.isComplete = true;
  return plants;
};
const check = (table, plants = store()) => {
  const { rows } = table;
  checkRows(rows, plants);
  return rows;
};
const show = (rows) => rows.map(({ plant: { id, name, tag }, reason }) => reason ?? [id, name, tag ?? ""].join("|"));

test("rows without an id get ids after the highest of the store and the file", () => {
  for (const text of ["Fern\nAloe\n", "name\nFern\nAloe"])
    assert.deepEqual(show(check(read(text), store(["7", "Basil"]))), ["8|Fern|", "9|Aloe|"], text);
  const mixed = check(read("id,name\n,Fern\n20,Aloe\n,Basil\n,\n"), store(["7", "Erica"]));
  assert.deepEqual(show(mixed), ["21|Fern|", "20|Aloe|", "22|Basil|"]);
});

test("rows get no ids while the store's plants are not all loaded", () => {
  const plants = store();
  plants.isComplete = false;
  assert.deepEqual(show(check(read("Fern\n"), plants)), ["ID is missing"]);
});

for (const [text, header, id, name, tag] of [
  ["id,name,tag\n1,Fern,herb", true, 0, 1, 2],
  ["Tag;Name;ID\nherb;Fern;1", true, 2, 1, 0],
  ["Naam\tSoort\nVaren\tkruid", true, -1, 0, 1],
  ["Planta,Categoría,Precio\nHelecho,hierba,3", true, -1, 0, 1],
  ["Ort,Pflanze\nHaus,Farn", true, -1, 1, 0],
  ["1,Plant\n2,Plant", false, 0, 1, -1],
  ["1,Fern,herb\n2,Aloe", false, 0, 1, 2],
  ["Nummer;Bezeichnung;Familie\n1;Farn;Kraut", true, 0, 1, 2],
  ["Fern,herb\nAloe,succulent", false, -1, 0, 1],
  ["Fern\nAloe", false, -1, 0, -1],
])
  test(`columns are guessed: ${text.split("\n")[0]}`, () => {
    const { hasHeader, columns } = read(text);
    assert.deepEqual([hasHeader, ...FIELDS.map((field) => columns[field][0] ?? -1)], [header, id, name, tag]);
  });

for (const [text, first, ignored] of [
  ["Bezeichnung;Standort;Art.Nr;Menge\nFarn;Haus;A1;3\nAloe;Haus;A2;4", "1|Farn|Haus", ["Art.Nr", "Menge"]],
  ["Genus,Species,Cultivar,Location\nRosa,rugosa,‘Hansa’,bed 1\nAcer,griseum,,bed 2", "1|Rosa rugosa ‘Hansa’|bed 1", []],
  ["Gattung;Art;Sorte\nAcer;palmatum; Osakazuki ", "1|Acer palmatum 'Osakazuki'|", []],
  ["Genus,Species,Variety\nAcer,palmatum,dissectum", "1|Acer palmatum dissectum|", []],
  ["Genus,Species,Cultivar\nAcer,palmatum,", "1|Acer palmatum|", []],
  ["Botanischer Name;Kultivar;Beet\nRosa rugosa;‘Hansa’;3", "1|Rosa rugosa ‘Hansa’|3", []],
  ["Kasvi,Paikka\nSaniainen,talo\nAaloe,talo\nRuusu,talo\nVaahtera,talo", "1|Saniainen|talo", []],
])
  test(`columns are joined or ignored: ${text.split("\n")[0]}`, () => {
    const sheet = read(text);
    assert.equal(show(check(sheet))[0], first);
    assert.deepEqual(sheet.ignored, ignored);
  });

test("rows are compared with the stored plants of the same ids", () => {
  const rows = read("id,name,tag\n1,Fern,bed 1\n2,Aloe vera,\n3,New,\n");
  const checked = rows.rows;
  checkRows(checked, store(["1", "Fern", "bed 1"], ["2", "Aloe"]), true);
  assert.deepEqual(checked.map(({ isStored, before }) => [isStored ?? false, before?.name]), [[true, undefined], [false, "Aloe"], [false, undefined]]);
});

test("the user's choice of columns replaces the guess", () => {
  const sheet = read("Loc,Latin,Group\nA1,Fern,herb\nA2,Aloe,\n");
  Object.assign(sheet, { hasHeader: true, columns: { id: [], name: [1], tag: [2] } });
  assert.deepEqual(show(check(sheet)), ["1|Fern|herb", "2|Aloe|"]);
});

test("a stored plant is told from a row whose id belongs to another plant", () => {
  const plants = store(["1", "Fern"], ["2", "Known", "herb"]);
  const rows = check(read("id,name,tag\n1,Other\n2,Known,herb\n3,New\n"), plants);
  assert.deepEqual(rows.map(({ isStored, reason }) => isStored ?? reason), [
    "ID 1 belongs to another plant, Fern", true, undefined,
  ]);
});

test("rows without an id that repeat stored plants or earlier rows are counted", () => {
  const plants = store(["1", "Fern", "herb"], ["2", "Aloe"]);
  const twins = countTwins(check(read("name,tag\nFern,herb\nAloe,x\nAloe,\nAloe,x\n"), plants), plants);
  assert.deepEqual(twins, { twins: 2, equal: 1 });
});

test("invalid rows have the reason and their line number", () => {
  const rows = check(read(`id,name,tag
1,Fern,herb
x,No number,
2,,
3,${"n".repeat(1001)},
1,Twice,
9223372036854775808,Too great,
4,Good,
5,"Quoted, with ""quotes""
and a second line",tag
6,Six,a,b
7,"With ""quotes"", and a comma",
`));
  assert.deepEqual(rows.filter(({ reason }) => reason).map(({ line, reason }) => `${line} ${reason}`), [
    "3 ID must be a whole number, such as 7",
    "4 Name is missing",
    "5 Name must be 1 to 1,000 characters long, not 1,001",
    "6 ID 1 is already in line 2",
    `7 ID must be from -9223372036854775808 to ${MAX_ID}`,
    "9 Name must not contain control characters or text direction overrides",
    "11 The line has too many columns",
  ]);
  assert.deepEqual(show(rows.filter(({ reason }) => !reason)), [
    "1|Fern|herb", "4|Good|", '7|With "quotes", and a comma|',
  ]);
});

test("files in the formats of spreadsheets are read", () => {
  const sheet = "\ufeffid\tname\ttag\r\n1\tFern\therb\r\n9007199254740993\tAloe\t\r\n";
  const wide = Uint16Array.from(sheet, (letter) => letter.charCodeAt(0)).buffer;
  const expected = ["1|Fern|herb", "9007199254740993|Aloe|"];
  for (const content of [sheet, wide, "sep=;\r\ntag;name;id\r\nherb;Fern;1\r\n;Aloe;9007199254740993\r\n",
    '\r\n"id","name","tag"\n"1","Fern","herb"\n,, \n"9007199254740993","Aloe",""\n'])
    assert.deepEqual(show(check(read(content))), expected);
});

test("spaces around a cell are removed unless the cell is in quotes", () => {
  assert.deepEqual(show(check(read('id , name , tag\n 1 , Fern ," herb "\n2\t,Aloe\u00a0,  \n'))), ["1|Fern| herb ", "2|Aloe|"]);
});

test("a file in Latin-1 with only names is read", () => {
  const text = "Pflanzenname\r\nB\xe4rlauch\r\nRosa, syn. canina; wild\r\n";
  const sheet = read(Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
  assert.ok(sheet.isGuessed);
  assert.deepEqual(show(check(sheet)), ["1|Bärlauch|", "2|Rosa, syn. canina; wild|"]);
});

test("workbooks and binary files are refused, and empty files have no rows", () => {
  assert.throws(() => read(Uint8Array.from([80, 75, 3, 4]).buffer), /workbook: save it as “CSV UTF-8”/);
  assert.throws(() => read(Uint8Array.from([0, 228, 114]).buffer), /not a text file/);
  assert.deepEqual(read("id,name,tag\n").rows, []);
  assert.deepEqual(read("").rows, []);
});

test("an unclosed quote invalidates only its line, in a file of any size", () => {
  const [, second, third] = check(read(`id,name,tag\n1,Fern\n2,"Aloe\n${"3,Basil\n".repeat(1000)}`));
  assert.equal(second.reason, "A quoted cell has no closing quote");
  assert.equal(check(read('id,name\n1,"a"b\n'))[0].reason, "A quoted cell has text after its closing quote");
  assert.equal(third.line, 4);
  assert.match(check(read(`id,name\n1,"${"x".repeat(9_000_000)}"`))[0].reason, /not 9,000,000/);
});

test("a written file has all fields of a plant", () => {
  const plant = { ...Object.fromEntries(FIELDS.map((field) => [field, field])), id: "7" };
  assert.deepEqual(read(writeCsv([plant]).join("")).rows.map((row) => row.plant), [plant]);
});

test("a written file can be read again, and no cell of it is a formula", () => {
  const formulas = ["=1+1", "+1", "-1", "@x", "'=1", "'a", "a=1"].map((name, index) => ({ id: `${-1 - index}`, name, tag: name }));
  const plants = [...formulas, ...makeOddPlants(2).slice(2), { id: "1", name: ' "spaces", ; \t ' }];
  const text = writeCsv(plants).join("");
  assert.deepEqual(check(read(text)).map(({ plant }) => plant), plants);
  const cells = text.split("\r\n").slice(1, 8).map((line) => line.split(",")[1]);
  assert.deepEqual(cells, ["'=1+1", "'+1", "'-1", "'@x", "''=1", "'a", "a=1"]);
});
