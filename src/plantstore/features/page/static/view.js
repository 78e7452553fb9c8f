// The plants on show: those that match a text and a tag, in an order; and the number of each tag among
// those that match the text.

import { byId, exchange, fold } from "./plant.js";

const { compare } = new Intl.Collator(undefined, { numeric: true });
/** @type {Order} */ const byName = (a, b) => compare(a.name, b.name) || byId(a, b);
/** @type {Record<string, Order>} */
const ORDERS = {
  id: byId,
  name: byName,
  tag: (a, b) => +!a.tag - +!b.tag || compare(a.tag ?? "", b.tag ?? "") || byName(a, b),
};

export class View {
  /** @type {Plant[]} */ items = [];
  /** @type {Map<string, number>} */ tags = new Map();

  // The text is a part of the name, or the id; the tag is "" for none, null for all; `order` is the name of
  // a field, with a minus before it for the other way round.
  /** @param {Looked} looked @param {Plant[]} plants */
  constructor({ text, tag, order }, plants) {
    this.text = fold(text.trim());
    this.tag = tag;
    this.order = order;
    this.append(plants);
  }

  get isWhole() {
    return !this.text && this.tag === null;
  }

  // Those that follow all others by id.
  /** @param {Plant[]} plants */
  append(plants) {
    for (const plant of plants) if (this.#count(plant, 1)) this.items.push(plant);
    if (this.order !== "id") this.items.sort(this.#compare);
  }

  /** @param {[Plant | undefined, Plant | null][]} changes */
  change(changes) {
    for (const [old, plant] of changes) {
      const [wasShown, isShown] = [old && this.#count(old, -1), plant && this.#count(plant, 1)];
      exchange(this.items, this.#compare, wasShown ? old : null, isShown ? plant : null);
    }
  }

  // Whether it is shown.
  /** @param {Plant} plant @param {number} change */
  #count(plant, change) {
    const { id, name, tag = "", folded = fold(name) } = plant;
    if (!folded.includes(this.text) && id !== this.text) return false;
    const left = (this.tags.get(tag) ?? 0) + change;
    if (left) this.tags.set(tag, left);
    else this.tags.delete(tag);
    return this.tag === null || tag === this.tag;
  }

  /** @type {Order} */
  #compare = (a, b) => {
    const compareField = ORDERS[this.order.replace("-", "")] ?? byId;
    return this.order.startsWith("-") ? compareField(b, a) : compareField(a, b);
  };
}
