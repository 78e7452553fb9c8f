// Which columns of a sheet have the fields of plants: a guess, for people to change.

import { FIELDS, fold } from "./plant.js";

/** @type {Record<Field, RegExp>} */
const TITLES = {
  id: /^(plant )?id$/,
  name: /name$|^(names|plants?|species|pflanzen?|nom|plante|nombre|planta|nome|pianta|naam)$/,
  tag: /^(tags?|type|kind|category|group|typ|kategorie|gruppe|categorie|groupe|tipo|categoria|grupo|gruppo|soort|groep)$/,
};
const LOOKED_AT = 100; // lines

// By known titles; without them ids may come first, then names, then what else plants have.
/** @param {string[][]} lines @returns {{hasHeader: boolean, columns: Columns}} */
export function guessColumns([first = [], ...others]) {
  const titles = first.map((cell) => fold(cell.trim()));
  /** @param {Field} field */
  const find = (field) => titles.findIndex((title) => TITLES[field].test(title));
  const columns = placeFields(find);
  if (first.some(isNumber) || (columns.id < 0 && columns.name < 0)) return guessByContent(first, others);
  if (columns.name < 0) columns.name = titles.findIndex((_, index) => !Object.values(columns).includes(index));
  return { hasHeader: true, columns };
}

/** @param {string[]} first @param {string[][]} others */
function guessByContent(first, others) {
  const looked = others.slice(0, LOOKED_AT);
  const hasIds = first.length > 1 && looked.concat(looked.length ? [] : [first]).every(([cell]) => isNumber(cell));
  const id = hasIds ? 0 : -1;
  const columns = placeFields((field) => {
    const place = FIELDS.indexOf(field) + id;
    return place < first.length ? place : -1;
  });
  return { hasHeader: hasIds && !isNumber(first[0]), columns };
}

/** @param {(field: Field) => number} find */
const placeFields = (find) => /** @type {Columns} */ (Object.fromEntries(FIELDS.map((field) => [field, find(field)])));

/** @param {string} cell */
const isNumber = (cell) => /^\s*-?\d+\s*$/.test(cell);
