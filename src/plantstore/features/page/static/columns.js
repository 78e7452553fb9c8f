// Guesses which columns of a sheet hold the fields of plants; the user can change the guess.

import { FIELDS, fold } from "./plant.js";

/** @type {Record<Field, RegExp>} */
const TITLES = {
  id: /^(plant )?id$/,
  name: /name$|^(names|plants?|species|pflanzen?|bezeichnung|nom|plante|nombre|planta|nome|pianta|naam)$/,
  tag: /^(tags?|type|kind|category|group|typ|kategorie|gruppe|categorie|groupe|tipo|categoria|grupo|gruppo|soort|groep|location|bed|place|standort|beet|ort|etikett|emplacement|ubicacion|posizione|plaats)$/,
};
// A name may be split into columns. Its parts, in order:
const PARTS = [
  /^(genus|gattung|genre|genero|genere|geslacht|(botanical|botanischer|latin|lateinischer) name)$/,
  /^(species|art|epithet(on)?|espece|especie|specie)$/,
  /^(cultivars?|kultivar|sorte|variety|variete|variedad|varieta)$/,
];
const CULTIVAR = /^(cultivars?|kultivar|sorte)$/; // not a variety: its name is not quoted
const SAMPLE = 100; // lines

// Guesses by known titles. Without them, ids may come first, then names, then tags. The columns of `joined` form one
// name together.
/** @param {string[][]} lines */
export function guessColumns([first = [], ...others]) {
  const titles = first.map((cell) => fold(cell.trim()));
  const columns = placeFields((field) => titles.findIndex((title) => TITLES[field].test(title)));
  const parts = PARTS.map((part) => titles.findIndex((title) => part.test(title))).filter((index) => index >= 0);
  const joined = parts.length > 1 ? parts : [];
  if (joined.length) columns.name = joined[0];
  const { id, name, tag } = columns;
  const isKnown = id >= 0 || tag >= 0 || (name >= 0 && !others.every(([cell]) => isNumber(cell)));
  if (first.some(isNumber) || !isKnown || (id < 0 && name < 0)) return guessByContent(first, others);
  if (name < 0) columns.name = titles.findIndex((_, index) => !Object.values(columns).includes(index));
  const cultivar = titles.findIndex((title) => CULTIVAR.test(title));
  return { hasHeader: true, columns, joined, cultivar };
}

/** @param {string[]} first @param {string[][]} others */
function guessByContent(first, others) {
  const sample = others.slice(0, SAMPLE);
  const hasIds = first.length > 1 && (sample.length ? sample : [first]).every(([cell]) => isNumber(cell));
  const columns = placeFields((field) => {
    const place = FIELDS.indexOf(field) - (hasIds ? 0 : 1);
    return place < first.length ? place : -1;
  });
  // In any language: the cells below are numbers, or few values that repeat, and the title is not among them.
  const looksLikeHeader = first.some((title, index) => {
    const cells = sample.flatMap((line) => line[index]?.trim() || []);
    const areNumbers = cells.length > 0 && cells.every(isNumber) && !isNumber(title);
    const comeAgain = cells.length >= 3 && new Set(cells).size <= cells.length / 2 && !cells.includes(title.trim());
    return title.trim() !== "" && (areNumbers || comeAgain);
  });
  const hasHeader = hasIds ? !isNumber(first[0]) : !first.some(isNumber) && looksLikeHeader;
  return { hasHeader, columns, joined: [], cultivar: -1 };
}

/** @param {(field: Field) => number} find */
const placeFields = (find) => /** @type {Columns} */ (Object.fromEntries(FIELDS.map((field) => [field, find(field)])));
/** @param {string} cell */
const isNumber = (cell) => /^\s*-?\d+\s*$/.test(cell);
