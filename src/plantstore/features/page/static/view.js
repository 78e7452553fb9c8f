// The plants on show: those that have all the words that are looked for, and one of the tags, in an order.

import { byId, fold } from "./plant.js";

/** Numbers in a text are in their order: "bed 9" is before "bed 10". @param {string} text */
const makeKey = (text) => fold(text).replace(/\d+/g, (digits) => digits.padStart(12, "0"));

/** Made once: to compare two texts by the rules of a language takes twenty times as long. @param {Plant} plant */
function keysOf(plant) {
  plant.keys ??= [makeKey(plant.name), plant.tag ? makeKey(plant.tag) : "\uffff"];
  return plant.keys;
}

/** By one of the keys; those with the same one by another order. @param {0 | 1} at @param {Order} next @returns {Order} */
const by = (at, next) => (a, b) => {
  const [one, other] = [keysOf(a)[at], keysOf(b)[at]];
  return one < other ? -1 : one > other ? 1 : next(a, b);
};
const byName = by(0, byId);
/** @type {Record<string, Order>} */
const ORDERS = { id: byId, name: byName, tag: by(1, byName) };

/** Each of them knows its place. @param {Plant[]} plants */
export function number(plants) {
  for (const [place, plant] of plants.entries()) plant.place = place;
  return plants;
}

export class View {
  // `order` is a field, with a minus before it for the other way round; "" is the tag of plants without.
  /** @param {Looked} looked @param {Plant[]} plants @param {Plant[]} [all] the same ones in this order, if it is known */
  constructor({ text, tags, order }, plants, all) {
    this.text = text;
    this.tags = tags;
    this.order = order;
    this.words = splitWords(text);
    const compare = ORDERS[order.replace("-", "")] ?? byId;
    /** @type {Order} */ this.compare = order.startsWith("-") ? (a, b) => compare(b, a) : compare;
    this.all = all ?? number([...plants].sort(this.compare));
    this.isWhole = !this.words.length && !tags.length;
    this.items = this.isWhole ? this.all : this.#find(plants);
  }

  /** As they came into memory: in another order it takes five times as long. @param {Plant[]} plants */
  #find(plants) {
    /** @type {Plant[]} */ const found = new Array(plants.length);
    for (const plant of plants) if (this.matches(plant)) found[plant.place ?? 0] = plant;
    return found.filter(Boolean);
  }

  /** @param {Plant} plant */
  matches({ id, name, tag = "", folded = fold(`${name} ${tag}`) }) {
    for (const word of this.words) if (!folded.includes(word) && id !== word) return false;
    return !this.tags.length || this.tags.includes(tag);
  }
}

/** @param {string} text */
export const splitWords = (text) => fold(text).split(/\s+/).filter(Boolean);

/** The number of plants of each tag, the most frequent first; "" is none. @param {Plant[]} plants */
export function countTags(plants) {
  /** @type {Map<string, number>} */ const counts = new Map();
  for (const { tag = "" } of plants) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}
