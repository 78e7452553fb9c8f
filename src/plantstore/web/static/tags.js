// The number of plants by tag: bars that are buttons, and the same tags as a select beside the search.

import { $, bdi, colour, figures, isolate, make } from "./dom.js";

const FEW = 12;
const MAX_CHOICES = 500;
const NONE = "No tag";
const CHEAP = 5; // milliseconds
const { compare: inOrder } = new Intl.Collator(undefined, { numeric: true });

export class Tags {
  /** @type {Map<string, number>} */
  #counts = new Map();
  /** @type {string | null} */
  #chosen = null;
  #isOpen = false;
  #drawn = "";
  #cost = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;

  // `choose` gets a tag, "" for none, null for all.
  /** @param {(tag: string | null) => void} choose */
  constructor(choose) {
    this.choose = choose;
    $("tag-filter").addEventListener("change", () => choose(readChoice($("tag-filter").value)));
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
    if (isUrgent || this.#cost < CHEAP) this.#draw();
    else this.#waiting ??= setTimeout(() => this.#draw(), 10 * this.#cost);
  }

  #draw() {
    const start = performance.now();
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    const sorted = [...this.#counts].sort(([a, x], [b, y]) => +!a - +!b || y - x || inOrder(a, b));
    const shown = sorted.slice(0, MAX_CHOICES);
    const drawn = JSON.stringify([shown, sorted.length, this.#chosen, this.#isOpen]);
    if (drawn !== this.#drawn) {
      this.#drawBars(shown, sorted);
      this.#drawChoices(shown);
    }
    this.#drawn = drawn;
    this.#cost = performance.now() - start;
  }

  /** @param {[string, number][]} shown @param {[string, number][]} sorted */
  #drawBars(shown, sorted) {
    const bars = this.#isOpen ? shown : shown.slice(0, FEW);
    // The first bar is the longest, except maybe the last one, of plants without a tag.
    const max = Math.max(sorted[0]?.[1] ?? 0, sorted.at(-1)?.[1] ?? 0);
    const focused = document.activeElement?.getAttribute("data-tag");
    $("tag-bars").replaceChildren(...bars.map(([tag, number]) => this.#makeBar(tag, number / max)));
    [...$("tag-bars").querySelectorAll("button")].find((b) => b.dataset.tag === focused)?.focus();
    const hidden = sorted.length - FEW;
    $("tags-more").hidden = hidden <= 0;
    $("tags-more").textContent = this.#isOpen ? "Show fewer" : `Show ${figures(hidden)} more`;
    $("tags-more").setAttribute("aria-expanded", `${this.#isOpen}`);
    $("tags-empty").hidden = sorted.length > 0;
  }

  /** @param {string} tag @param {number} share */
  #makeBar(tag, share) {
    const bar = make("span", { className: "bar" });
    bar.style.setProperty("--share", `${share}`);
    const button = make(
      "button",
      { type: "button", className: "tag-bar", title: tag || NONE },
      make("span", { className: "label" }, tag ? bdi(tag) : NONE),
      make("span", { className: "figure", textContent: figures(this.#counts.get(tag) ?? 0) }),
      bar,
    );
    button.dataset.tag = tag;
    if (tag) colour(button, tag);
    button.classList.toggle("untagged", !tag);
    button.setAttribute("aria-pressed", `${this.#chosen === tag}`);
    button.addEventListener("click", () => this.choose(this.#chosen === tag ? null : tag));
    return make("li", {}, button);
  }

  /** @param {[string, number][]} shown */
  #drawChoices(shown) {
    const choices = shown.map(([tag]) => tag);
    if (this.#chosen !== null && !choices.includes(this.#chosen)) choices.push(this.#chosen);
    const options = choices.map((tag) => {
      const textContent = `${tag ? isolate(tag) : NONE} (${figures(this.#counts.get(tag) ?? 0)})`;
      return make("option", { value: `=${tag}`, textContent });
    });
    const all = make("option", { value: "", textContent: "All tags" });
    $("tag-filter").replaceChildren(all, ...options);
    $("tag-filter").value = this.#chosen === null ? "" : `=${this.#chosen}`;
    const known = choices.filter((tag) => tag).slice(0, FEW * 4);
    $("known-tags").replaceChildren(...known.map((value) => make("option", { value })));
  }
}

/** @param {string} value */
const readChoice = (value) => (value === "" ? null : value.slice(1));
