// The number of plants by tag: bars that are buttons, and the same tags as a select beside the search.

import { $, all, bdi, colour, figures, make, makeButton } from "./dom.js";

const FEW = 12;
const MAX_CHOICES = 500;
const NONE = "No tag";
const { compare: inOrder } = new Intl.Collator(undefined, { numeric: true });

export class Tags {
  /** @type {Map<string, number>} */ #counts = new Map();
  /** @type {string | null} */ #chosen = null;
  #isOpen = false;
  #drawn = "";
  #cost = 0; // milliseconds
  #timer = 0;

  // `choose` gets a tag, "" for none, null for all.
  /** @param {(tag: string | null) => void} choose */
  constructor(choose) {
    this.choose = choose;
    $("tag-filter").addEventListener("change", () => choose(/=(.*)/.exec($("tag-filter").value)?.[1] ?? null));
    $("tags-more").addEventListener("click", () => {
      this.#isOpen = !this.#isOpen;
      this.#draw();
    });
  }

  // With so many tags that drawing is slow, it is done less often.
  /** @param {Map<string, number>} counts @param {string | null} chosen */
  show(counts, chosen) {
    const isUrgent = chosen !== this.#chosen || !counts.size;
    this.#counts = counts;
    this.#chosen = chosen;
    if (isUrgent || this.#cost < 5) this.#draw();
    else this.#timer ||= setTimeout(() => this.#draw(), 10 * this.#cost);
  }

  #draw() {
    const start = performance.now();
    clearTimeout(this.#timer);
    this.#timer = 0;
    const sorted = [...this.#counts].sort(([a, x], [b, y]) => y - x || inOrder(a, b));
    const shown = [...sorted.filter(([tag]) => tag).slice(0, MAX_CHOICES), ...sorted.filter(([tag]) => !tag)];
    const drawn = JSON.stringify([shown, sorted.length, this.#chosen, this.#isOpen]);
    if (drawn !== this.#drawn) {
      this.#drawBars(shown, sorted.length);
      this.#drawChoices(shown.map(([tag]) => tag));
    }
    this.#drawn = drawn;
    this.#cost = performance.now() - start;
  }

  /** @param {[string, number][]} shown @param {number} number of all tags */
  #drawBars(shown, number) {
    const bars = this.#isOpen ? shown : shown.slice(0, FEW);
    const max = Math.max(...bars.map(([, count]) => count), this.#counts.get("") ?? 0);
    const focused = document.activeElement?.getAttribute("data-tag");
    $("tag-bars").replaceChildren(...bars.map(([tag, count]) => this.#makeBar(tag, count, count / max)));
    [...all("#tag-bars button")].find(({ dataset }) => dataset.tag === focused)?.focus();
    $("tags-more").hidden = number <= FEW;
    $("tags-more").textContent = this.#isOpen ? "Show fewer" : `Show ${figures(number - FEW)} more`;
    $("tags-more").ariaExpanded = `${this.#isOpen}`;
    $("tags-empty").hidden = number > 0;
  }

  /** @param {string} tag @param {number} count @param {number} share */
  #makeBar(tag, count, share) {
    const isChosen = this.#chosen === tag;
    const properties = { className: "tag-bar", title: tag || NONE, ariaPressed: `${isChosen}`, "data-tag": tag };
    const button = makeButton("", () => this.choose(isChosen ? null : tag), properties);
    button.append(
      make("span", { className: "label" }, tag ? bdi(tag) : NONE),
      make("span", { className: "figure", textContent: figures(count) }),
      make("span", { className: "bar", style: `--share: ${share}` }),
    );
    if (tag) colour(button, tag);
    return make("li", {}, button);
  }

  /** @param {string[]} shown */
  #drawChoices(shown) {
    const isLeftOut = this.#chosen !== null && !shown.includes(this.#chosen);
    const options = [...shown, ...(isLeftOut ? [`${this.#chosen}`] : [])].map((tag) => {
      const textContent = `${tag ? `\u2068${tag}\u2069` : NONE} (${figures(this.#counts.get(tag) ?? 0)})`;
      return make("option", { value: `=${tag}`, textContent });
    });
    $("tag-filter").replaceChildren(make("option", { value: "", textContent: "All tags" }), ...options);
    $("tag-filter").value = this.#chosen === null ? "" : `=${this.#chosen}`;
    const known = shown.filter((tag) => tag).slice(0, FEW * 4);
    $("known-tags").replaceChildren(...known.map((value) => make("option", { value })));
  }
}
