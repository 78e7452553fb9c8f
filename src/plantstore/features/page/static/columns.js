// Guesses which columns of a sheet hold the fields of plants; the user can change the guess.

import { FIELDS, fold } from "./plant.js";

/** @type {Record<Field, RegExp>} */ const TITLES = {
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

// Guesses by known titles. Without them, ids may come first, then names, then tags.
/** @param {string[][]} lines */
export function guessColumns([first = [], ...others]) {
  const titles = first.map((cell) => fold(cell.trim()));
  const find = (/** @type {RegExp} */ known) =>
    titles.flatMap((title, index) => (known.test(title) ? index : [])).slice(0, 1);
  const columns = placeFields((field) => find(TITLES[field]));
  const parts = PARTS.flatMap(find);
  if (parts.length > 1) columns.name = parts;
  const [hasId, hasName, hasTag] = FIELDS.map((field) => columns[field].length > 0);
  const isKnown = hasId || (hasName && (hasTag || !others.every(([cell]) => isNumber(cell))));
  if (first.some(isNumber) || !isKnown) return guessByContent(first, others);
  const taken = Object.values(columns).flat();
  if (!hasName) columns.name = [titles.findIndex((_, index) => !taken.includes(index))];
  return { hasHeader: true, columns, cultivar: find(CULTIVAR)[0] };
}

/** @param {string[]} first @param {string[][]} others */
function guessByContent(first, others) {
  const sample = others.slice(0, SAMPLE);
  const hasIds = first.length > 1 && (sample.length ? sample : [first]).every(([cell]) => isNumber(cell));
  const columns = placeFields((field) => [FIELDS.indexOf(field) - (hasIds ? 0 : 1)].filter((place) => place in first));
  // In any language: the cells below are numbers, or few values that repeat, and the title is not among them.
  const looksLikeHeader = first.some((title, index) => {
    const cells = sample.flatMap((line) => line[index]?.trim() || []);
    const areNumbers = cells.length > 0 && cells.every(isNumber) && !isNumber(title);
    const comeAgain = cells.length >= 3 && new Set(cells).size <= cells.length / 2 && !cells.includes(title.trim());
    return title.trim() !== "" && (areNumbers || comeAgain);
  });
  const hasHeader = hasIds ? !isNumber(first[0]) : !first.some(isNumber) && looksLikeHeader;
  return { hasHeader, columns, cultivar: undefined };
}

/** @param {(field: Field) => number[]} find */
const placeFields = (find) => /** @type {Columns} */ (Object.fromEntries(FIELDS.map((field) => [field, find(field)])));
const isNumber = (/** @type {string} */ cell) => /^\s*-?\d+\s*$/.test(cell);
