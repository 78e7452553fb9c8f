// Which plants are shown: a text in the name, or an id; and a tag, "" for none, null for all.

import { fold } from "./plant.js";

export class Filter {
  /** @param {string} text @param {string | null} tag */
  constructor(text = "", tag = null) {
    this.text = fold(text.trim());
    this.tag = tag;
  }

  get isOff() {
    return !this.text && this.tag === null;
  }

  /** @param {Plant} plant */
  matches(plant) {
    return this.matchesTag(plant) && this.matchesText(plant);
  }

  /** @param {Plant} plant */
  matchesTag({ tag = "" }) {
    return this.tag === null || tag === this.tag;
  }

  /** @param {Plant} plant */
  matchesText({ id, name, folded = fold(name) }) {
    return folded.includes(this.text) || id === this.text;
  }
}
