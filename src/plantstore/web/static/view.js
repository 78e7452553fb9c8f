// The plants on show: those that match the filter, in an order; and the number of each tag among
// those that match its text.

import { bisect, compareIds, countTag } from "./plant.js";

const { compare } = new Intl.Collator(undefined, { numeric: true });
/** @param {Plant} a @param {Plant} b */
const byId = (a, b) => compareIds(a.id, b.id);
/** @param {Plant} a @param {Plant} b */
const byName = (a, b) => compare(a.name, b.name) || byId(a, b);
/** @type {Record<string, (a: Plant, b: Plant) => number>} */
const ORDERS = {
  id: byId,
  name: byName,
  tag: (a, b) => +!a.tag - +!b.tag || compare(a.tag ?? "", b.tag ?? "") || byName(a, b),
};

export class View {
  /** @type {Plant[]} */
  items = [];
  /** @type {Map<string, number>} */
  tags = new Map();

  // `order` is the name of a field, with a minus before it for the other way round.
  /** @param {Filter} filter @param {string} order @param {Plant[]} plants */
  constructor(filter, order, plants) {
    const sign = order.startsWith("-") ? -1 : 1;
    const field = ORDERS[order.replace("-", "")] ?? byId;
    this.filter = filter;
    this.order = order;
    /** @param {Plant} a @param {Plant} b */
    this.compare = (a, b) => sign * field(a, b);
    this.append(plants);
  }

  // Those that follow all others by id.
  /** @param {Plant[]} plants */
  append(plants) {
    for (const plant of plants) if (this.#count(plant, 1)) this.items.push(plant);
    if (this.order !== "id") this.items.sort(this.compare);
  }

  /** @param {[Plant | undefined, Plant | null][]} changes */
  change(changes) {
    for (const [old, plant] of changes) {
      if (old && this.#count(old, -1)) this.items.splice(this.#placeOf(old), 1);
      if (plant && this.#count(plant, 1)) this.items.splice(this.#placeOf(plant), 0, plant);
    }
  }

  // Whether it is shown.
  /** @param {Plant} plant @param {number} change */
  #count(plant, change) {
    if (!this.filter.matchesText(plant)) return false;
    countTag(this.tags, plant, change);
    return this.filter.matchesTag(plant);
  }

  /** @param {Plant} plant */
  #placeOf(plant) {
    return bisect(this.items, (one) => this.compare(one, plant) < 0);
  }
}
