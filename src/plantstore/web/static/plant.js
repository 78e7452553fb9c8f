// Plants as the interface has them. An id takes all of 64 bits, which a Number does not hold: ids
// are text from the answer's bytes to the request's, and BigInts only while they are compared.

const ID_IN_JSON = /([{,]\s*"id"\s*:\s*)(-?\d+)(?=\s*[,}])/g;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;
export const NAME_MOST = 256;
export const TAG_MOST = 64;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

// Within a string every quote is escaped, so that `"id":` after a brace or comma is always a key.
export const parseExactly = (json) => JSON.parse(json.replace(ID_IN_JSON, '$1"$2"'));

// An id that is no integer goes as text: the service says best what is wrong with it.
export function writePlant({ id, name, tag }) {
  const fields = [`"id":${INTEGER.test(id) ? id : JSON.stringify(id)}`];
  fields.push(`"name":${JSON.stringify(name)}`);
  if (tag) fields.push(`"tag":${JSON.stringify(tag)}`);
  return `{${fields.join(",")}}`;
}

export function compareIds(one, other) {
  if (one === other) return 0;
  return BigInt(one) < BigInt(other) ? -1 : 1;
}

// The fault of an id, name or tag, as the service would find it, or null.
export function findFault({ id, name, tag }) {
  if (id === undefined || id === "") return "id is missing";
  if (!INTEGER.test(id)) return "id must be a whole number in plain digits";
  if (BigInt(id) < LEAST || BigInt(id) > GREATEST) return `id must be from ${LEAST} to ${GREATEST}`;
  if (name === undefined || name === "") return "name is missing";
  return findTextFault("name", name, NAME_MOST) ?? (tag ? findTextFault("tag", tag, TAG_MOST) : null);
}

function findTextFault(field, text, most) {
  if (typeof text !== "string") return `${field} must be text`;
  const length = [...text].length;
  if (length > most) return `${field} must be 1 to ${most} characters long, not ${length}`;
  if (CONTROL.test(text) || !text.isWellFormed()) return `${field} must not have control characters`;
  return text.trim() === "" ? `${field} must not be only white space` : null;
}

// For finding: without case and accents.
export const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// All plants that were loaded of one store, in the order of their ids.
export class Plants {
  items = [];
  tags = new Map();
  isComplete = false;

  append(plants) {
    for (const plant of plants) {
      plant.folded = fold(plant.name);
      this.items.push(plant);
      this.#count(plant, 1);
    }
  }

  // False where the plant lies beyond what is loaded, and will come with the rest.
  insert(plant) {
    const place = this.#find(plant.id);
    if (place === this.items.length && !this.isComplete) return false;
    if (this.items[place]?.id === plant.id) return false;
    plant.folded = fold(plant.name);
    this.items.splice(place, 0, plant);
    this.#count(plant, 1);
    return true;
  }

  remove(ids) {
    this.items = this.items.filter((plant) => {
      if (ids.has(plant.id)) this.#count(plant, -1);
      return !ids.has(plant.id);
    });
  }

  pick(ids) {
    const wanted = new Set(ids);
    return this.items.filter(({ id }) => wanted.has(id));
  }

  has(id) {
    return this.items[this.#find(id)]?.id === id;
  }

  // The one after the last; where that is the greatest, the first gap. Null while it is not known.
  proposeId() {
    const last = this.items.at(-1);
    if (!this.isComplete) return null;
    if (last === undefined || BigInt(last.id) < 0n) return "1";
    if (BigInt(last.id) < GREATEST) return `${BigInt(last.id) + 1n}`;
    let free = 1n;
    for (const { id } of this.items) {
      if (BigInt(id) === free) free += 1n;
    }
    return `${free}`;
  }

  #count(plant, change) {
    const tag = plant.tag ?? "";
    const left = (this.tags.get(tag) ?? 0) + change;
    if (left) this.tags.set(tag, left);
    else this.tags.delete(tag);
  }

  #find(id) {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareIds(this.items[middle].id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
