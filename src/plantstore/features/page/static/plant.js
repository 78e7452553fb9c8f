// Plants as in the interface, and those on show. An id has 64 bits, which a Number cannot hold: ids are text in
// memory, and numbers only in JSON.

import { t } from "./texts.js";

const ID_IN_JSON = /([{,]\s*"id"\s*:\s*)(-?\d+)(?=\s*[,}])/g;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u;

// A plant's fields besides its id, in order, with the limits of the service.
export const TEXTS = {
  name: { min: 1, max: 1000, isOptional: false },
  tag: { min: 0, max: 256, isOptional: true },
};
export const CONTENTS = /** @type {TextField[]} */ (Object.keys(TEXTS));
/** @type {Field[]} */ export const FIELDS = ["id", ...CONTENTS];

export const listContents = (/** @type {Plant} */ plant) => CONTENTS.map((field) => plant[field] ?? "");

/** A plant as it was typed, without empty fields. @param {Record<Field, string>} typed @returns {any} a Plant */
export const makePlant = (typed) =>
  Object.fromEntries(FIELDS.filter((field) => typed[field]).map((field) => [field, typed[field]]));

/** In a string every quote is escaped: `"id":` after a brace or comma is always a key. @param {string} json */
export const parseExactly = (json) => JSON.parse(json.replace(ID_IN_JSON, '$1"$2"'));

/** An id that is not an integer is sent as text: the service says what is wrong with it. @param {Draft} plant */
export function writePlant(plant) {
  const fields = FIELDS.filter((field) => plant[field] !== undefined).map((field) => {
    const value = plant[field] ?? "";
    return `"${field}":${field === "id" && INTEGER.test(value) ? value : JSON.stringify(value)}`;
  });
  return `{${fields}}`;
}

/** People may type -0: the service knows only 0. @param {string} text */
export const readId = (text) => text.trim().replace(/^-0$/, "0");

/** Without BigInt, which is ten times slower. @param {string} one @param {string} other */
export function compareIds(one, other) {
  if (one === other) return 0;
  const isNegative = one.startsWith("-");
  if (isNegative !== other.startsWith("-")) return isNegative ? -1 : 1;
  const isNearer = one.length === other.length ? one < other : one.length < other.length;
  return isNearer === isNegative ? 1 : -1;
}

/** @type {Order} */ export const byId = (a, b) => compareIds(a.id, b.id);

/** Applies changes to plants that are in this order. @param {Plant[]} plants @param {Order} order @param {Difference[]} changes */
export function exchange(plants, order, changes) {
  const gone = new Set(changes.map(([old]) => old));
  const kept = plants.filter((plant) => !gone.has(plant));
  const parts = [];
  let from = 0;
  for (const plant of changes.flatMap(([, changed]) => changed ?? []).sort(order)) {
    let [low, place] = [from, kept.length];
    while (low < place) {
      const middle = (low + place) >> 1;
      if (order(kept[middle], plant) < 0) low = middle + 1;
      else place = middle;
    }
    parts.push(kept.slice(from, place), plant);
    from = place;
  }
  return [...parts, kept.slice(from)].flat();
}

/** @param {Plant} one @param {Plant} other */
export const isSame = (one, other) => FIELDS.every((field) => one[field] === other[field]);

/** The rule of the service that a plant breaks, and its field. @param {Draft} plant @returns {{field: Field, reason: string} | null} */
export function findBrokenRule({ id = "", ...contents }) {
  const range = { min: `${INT64_MIN}`, max: `${INT64_MAX}` };
  if (!id) return { field: "id", reason: t("rule.missing", { field: t("id") }) };
  if (!INTEGER.test(id)) return { field: "id", reason: t("rule.whole") };
  if (BigInt(id) < INT64_MIN || BigInt(id) > INT64_MAX) return { field: "id", reason: t("rule.range", range) };
  for (const field of CONTENTS) {
    const { [field]: text = "" } = contents;
    const { min, max, isOptional } = TEXTS[field];
    const values = { field: t(field), min, max, length: [...text].length };
    const isBlank = text.replaceAll("\ufeff", "x").trim() === ""; // the service does not count U+FEFF as white space
    if (!text && isOptional) continue;
    if (!text) return { field, reason: t("rule.missing", values) };
    if (values.length > max) return { field, reason: t("rule.length", values) };
    if (FORBIDDEN.test(text)) return { field, reason: t("rule.characters", values) };
    if (min && isBlank) return { field, reason: t("rule.blank", values) };
  }
  return null;
}

/** @type {Record<string, string>} */
const LETTERS = { æ: "ae", œ: "oe", ß: "ss", ø: "o", đ: "d", ł: "l", ς: "σ", "×": "x" };

// For searching: without case, accents and ligatures, and with plain quotes and x. Only accents of Latin, Greek and
// Cyrillic are removed; marks of other scripts are vowels. Numbers have a mark, so that 3 is not found in 13.
export const fold = (/** @type {string} */ text) =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase() // ı becomes I
    .toLowerCase()
    .replace(/[æœßøđłς×]/g, (letter) => LETTERS[letter])
    .replace(/["‘’‚‛“”„‟‹›«»´`]/g, "'")
    .replace(/\d+/g, "\u0001$&");

/** All loaded plants of one store, by their ids. @extends {Map<string, Plant>} */
export class Plants extends Map {
  /** @type {Plant[]} */ items = []; // in the order of their ids
  isComplete = false;

  /** Applies changes, null for a deleted plant. Returns each plant that differs, before and after. @param {Changes} changes */
  apply(changes) {
    /** @type {Difference[]} */ const made = [];
    for (const [id, plant] of changes) {
      const old = this.get(id);
      if (old && plant ? isSame(old, plant) : !old && !plant) continue;
      const changed = plant && { ...plant, keys: undefined, folded: fold(`${plant.name} ${plant.tag ?? ""}`) };
      made.push([old, changed]);
      if (changed) this.set(id, changed);
      else this.delete(id);
    }
    if (made.length) this.items = exchange(this.items, byId, made);
    return made;
  }

  /** The id after the highest of the plants and the others; int64's maximum does not count. @param {string[]} [others] */
  proposeId(others = []) {
    const hasNext = (/** @type {string} */ id) => INTEGER.test(id) && BigInt(id) < INT64_MAX;
    const last = this.items.findLast(({ id }) => hasNext(id))?.id ?? "0";
    const highest = BigInt([...others.filter(hasNext), last].sort(compareIds).at(-1) ?? 0);
    return `${highest < 0n ? 1n : highest + 1n}`;
  }
}

/** Numbers in a text are in their order: "bed 9" is before "bed 10". @param {string} text */
const makeKey = (text) => fold(text).replace(/\d+/g, (digits) => digits.padStart(12, "0"));

/** Made once: comparing texts by the rules of a language is twenty times slower. @param {Plant} plant */
function keysOf(plant) {
  plant.keys ??= [makeKey(plant.name), plant.tag ? makeKey(plant.tag) : "\uffff"];
  return plant.keys;
}

/** Orders by one of the keys, then by another order. @param {0 | 1} at @param {Order} next @returns {Order} */
const by = (at, next) => (a, b) => {
  const [one, other] = [keysOf(a)[at], keysOf(b)[at]];
  return one < other ? -1 : one > other ? 1 : next(a, b);
};
/** @type {Record<string, Order>} */ const ORDERS = { id: byId, name: by(0, byId), tag: by(1, by(0, byId)) };

/** Stores each plant's place in it. @param {Plant[]} plants */
export function number(plants) {
  for (const [place, plant] of plants.entries()) plant.place = place;
  return plants;
}

/** The plants found: those with all the words and one of the tags, in an order. */
export class View {
  // `order` is a field, after a minus if descending; the tag "" stands for plants without a tag.
  /** @param {Search} search @param {Plant[]} plants @param {Plant[]} [all] the plants in this order, if known */
  constructor(search, plants, all) {
    const { text, tags, order } = search;
    this.search = search;
    this.words = text.match(/\S+/g)?.map((word) => ({ word, folded: fold(word) })) ?? [];
    const compare = ORDERS[order.replace("-", "")] ?? byId;
    /** @type {Order} */ this.compare = order.startsWith("-") ? (a, b) => compare(b, a) : compare;
    this.all = all ?? number([...plants].sort(this.compare));
    this.isWhole = !this.words.length && !tags.length;
    this.items = this.all;
    if (this.isWhole) return;
    /** @type {Plant[]} */ const found = new Array(plants.length);
    // In the order of memory: any other order is five times slower.
    for (const plant of plants) if (this.matches(plant)) found[plant.place ?? 0] = plant;
    this.items = found.filter(Boolean);
  }

  /** @param {Plant} plant */
  matches({ id, name, tag = "", folded = fold(`${name} ${tag}`) }) {
    for (const typed of this.words) if (!folded.includes(typed.folded) && id !== typed.word) return false;
    const { tags } = this.search;
    return !tags.length || tags.includes(tag);
  }
}

export const splitWords = (/** @type {string} */ text) => fold(text).split(/\s+/).filter(Boolean);

/** The number of plants of each tag, and its key: the most frequent first; "" is no tag. @param {Plant[]} plants */
export function countTags(plants) {
  /** @type {Map<string, number>} */ const counts = new Map();
  for (const { tag = "" } of plants) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const keyed = [...counts].map(([tag, n]) => /** @type {const} */ ([tag, n, makeKey(tag)]));
  return keyed.sort(([, x, a], [, y, b]) => y - x || (a < b ? -1 : 1));
}
