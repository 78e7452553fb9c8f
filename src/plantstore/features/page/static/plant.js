// Plants as in the interface. An id has 64 bits, which a Number cannot hold: ids are text in memory,
// and numbers only in JSON.

import { t } from "./texts.js";

const ID_IN_JSON = /([{,]\s*"id"\s*:\s*)(-?\d+)(?=\s*[,}])/g;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u;

// What a plant has besides its id, in order, by the rules of the service.
export const TEXTS = {
  name: { min: 1, max: 1000, isOptional: false },
  tag: { min: 0, max: 256, isOptional: true },
};
export const CONTENTS = /** @type {TextField[]} */ (Object.keys(TEXTS));
/** @type {Field[]} */ export const FIELDS = ["id", ...CONTENTS];

/** @param {Plant} plant */
export const listContents = (plant) => CONTENTS.map((field) => plant[field] ?? "");

// A plant as it was typed, without empty fields: the service checks what is required.
/** @param {Record<Field, string>} typed @returns {any} a Plant */
export const makePlant = (typed) => Object.fromEntries(FIELDS.filter((field) => typed[field]).map((field) => [field, typed[field]]));

// Within a string every quote is escaped, so that `"id":` after a brace or comma is always a key.
/** @param {string} json */
export const parseExactly = (json) => JSON.parse(json.replace(ID_IN_JSON, '$1"$2"'));

// An id that is not an integer is sent as text: the service says what is wrong with it.
/** @param {Draft} plant */
export function writePlant(plant) {
  const given = FIELDS.filter((field) => plant[field] !== undefined);
  return `{${given.map((field) => `"${field}":${writeValue(field, plant[field] ?? "")}`)}}`;
}

/** @param {Field} field @param {string} value */
const writeValue = (field, value) => (field === "id" && INTEGER.test(value) ? value : JSON.stringify(value));

// People may type -0: the service knows only 0.
/** @param {string} text */
export function readId(text) {
  const id = text.trim();
  return id === "-0" ? "0" : id;
}

// Without BigInt, which takes ten times as long.
/** @param {string} one @param {string} other */
export function compareIds(one, other) {
  if (one === other) return 0;
  const isNegative = one.startsWith("-");
  if (isNegative !== other.startsWith("-")) return isNegative ? -1 : 1;
  const isShorter = one.length < other.length;
  const isNearer = one.length === other.length ? one < other : isShorter;
  return isNearer === isNegative ? 1 : -1;
}

/** @type {Order} */
export const byId = (a, b) => compareIds(a.id, b.id);

// The index that a plant has, or would have, among those in this order.
/** @param {Plant[]} plants @param {Order} order @param {Plant} plant */
function findPlace(plants, order, plant) {
  let [low, high] = [0, plants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(plants[middle], plant) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Plants in this order, without those that are gone and with those that are new.
/** @param {Plant[]} plants @param {Order} order @param {[Plant | undefined, Plant | null][]} changes each as it was and as it is */
export function exchange(plants, order, changes) {
  const gone = new Set(changes.map(([old]) => old));
  const kept = plants.filter((plant) => !gone.has(plant));
  const parts = [];
  let from = 0;
  for (const plant of changes.flatMap(([, one]) => one ?? []).sort(order)) {
    const place = findPlace(kept, order, plant);
    parts.push(kept.slice(from, place), plant);
    from = place;
  }
  return [...parts, kept.slice(from)].flat();
}

/** @param {Plant} one @param {Plant} other */
export const isSame = (one, other) => FIELDS.every((field) => one[field] === other[field]);

// The rule of the service that a plant breaks, and its field; or null.
/** @param {Draft} plant @returns {{field: Field, reason: string} | null} */
export function findBrokenRule({ id, ...contents }) {
  if (!id) return { field: "id", reason: t("rule.missing", { field: t("id") }) };
  if (!INTEGER.test(id)) return { field: "id", reason: t("rule.whole") };
  if (BigInt(id) < INT64_MIN || BigInt(id) > INT64_MAX) return { field: "id", reason: t("rule.range", { min: `${INT64_MIN}`, max: `${INT64_MAX}` }) };
  for (const field of CONTENTS) {
    const reason = findBrokenTextRule(field, contents[field]);
    if (reason) return { field, reason };
  }
  return null;
}

/** @param {TextField} name @param {string | undefined} text */
function findBrokenTextRule(name, text = "") {
  const { min, max, isOptional } = TEXTS[name];
  const [field, { length }] = [t(name), [...text]];
  if (!text) return isOptional ? null : t("rule.missing", { field });
  if (length > max) return t("rule.length", { field, min, max, length });
  if (FORBIDDEN.test(text)) return t("rule.characters", { field });
  // JavaScript counts U+FEFF as white space, the service does not.
  return min && text.replaceAll("\ufeff", "x").trim() === "" ? t("rule.blank", { field }) : null;
}

/** @type {Record<string, string>} */
const LETTERS = { æ: "ae", œ: "oe", ß: "ss", ø: "o", đ: "d", ł: "l", ς: "σ", "×": "x" };

// For searching: without case, accents and ligatures, and with plain quotes and x. Only accents of
// Latin, Greek and Cyrillic are removed; marks of other scripts are vowels.
/** @param {string} text */
export const fold = (text) =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase() // ı becomes I
    .toLowerCase()
    .replace(/[æœßøđłς×]/g, (letter) => LETTERS[letter])
    .replace(/["‘’‚‛“”„‟‹›«»´`]/g, "'");

// With what is looked for in it: its words, and its id.
/** @param {Plant} plant */
const index = (plant) => Object.assign(plant, { folded: fold(`${plant.name} ${plant.tag ?? ""}`) });

// All loaded plants of one store, in the order of their ids.
export class Plants {
  /** @type {Plant[]} */ items = [];
  /** @type {Map<string, Plant>} */ #byId = new Map();
  isComplete = false;

  /** @param {Plant[]} plants */
  append(plants) {
    for (const plant of plants) this.items.push(index(plant));
    for (const plant of plants) this.#byId.set(plant.id, plant);
  }

  // Plants by their ids, null for one that is gone. Returns what differs, each as it was and as it
  // is. Plants beyond what is loaded will be loaded with the rest.
  /** @param {Map<string, Plant | null>} changes @returns {[Plant | undefined, Plant | null][]} */
  apply(changes) {
    const last = this.items.at(-1);
    /** @type {[Plant | undefined, Plant | null][]} */ const made = [];
    for (const [id, plant] of changes) {
      const old = this.get(id);
      const isBeyond = !this.isComplete && !(last && compareIds(id, last.id) <= 0);
      if (isBeyond || (old && plant ? isSame(old, plant) : !old && !plant)) continue;
      const changed = plant && index({ ...plant });
      made.push([old, changed]);
      if (changed) this.#byId.set(id, changed);
      else this.#byId.delete(id);
    }
    if (made.length) this.items = exchange(this.items, byId, made);
    return made;
  }

  /** @param {string} id */
  get(id) {
    return this.#byId.get(id);
  }

  // The id after the last. Null while it is not known.
  proposeId() {
    if (!this.isComplete) return null;
    const last = BigInt(this.items.at(-1)?.id ?? 0);
    return `${last < 0n ? 1n : last + 1n}`;
  }
}
