// How the store divides by tag: bars that are buttons, and the same as a choice beside the search.

import { $, bdi, figures, make } from "./dom.js";

const FEW = 12;
const MOST_CHOICES = 500;
const NONE = "No tag";

export class Tags {
  #isOpen = false;
  #drawn = "";

  // `choose` gets a tag, "" for none, null for all.
  constructor(choose) {
    this.choose = choose;
    this.chosen = null;
    $("tag-filter").addEventListener("change", ({ target }) => choose(readChoice(target.value)));
    $("tags-more").addEventListener("click", () => {
      this.#isOpen = !this.#isOpen;
      this.show(this.counts, this.chosen);
    });
  }

  show(counts, chosen) {
    Object.assign(this, { counts, chosen });
    const sorted = [...counts].sort(([a, x], [b, y]) => !a - !b || y - x || a.localeCompare(b));
    this.#drawBars(sorted);
    this.#drawChoices(sorted);
    $("known-tags").replaceChildren(
      ...sorted.filter(([tag]) => tag).slice(0, FEW * 4).map(([value]) => make("option", { value })),
    );
  }

  #drawBars(sorted) {
    const shown = this.#isOpen ? sorted.slice(0, MOST_CHOICES) : sorted.slice(0, FEW);
    const most = Math.max(1, ...sorted.map(([, number]) => number));
    const focused = document.activeElement?.dataset?.tag;
    $("tag-bars").replaceChildren(...shown.map(([tag, number]) => this.#makeBar(tag, number, most)));
    if (focused !== undefined)
      [...$("tag-bars").querySelectorAll("button")].find((b) => b.dataset.tag === focused)?.focus();
    const hidden = sorted.length - FEW;
    $("tags-more").hidden = hidden <= 0;
    $("tags-more").textContent = this.#isOpen ? "Show fewer" : `Show ${figures(hidden)} more`;
    $("tags-more").setAttribute("aria-expanded", this.#isOpen);
    $("tags-empty").hidden = sorted.length > 0;
  }

  #makeBar(tag, number, most) {
    const bar = make("span", { className: "bar" });
    bar.style.setProperty("--share", number / most);
    const button = make(
      "button",
      { type: "button", className: "tag-bar", title: tag || NONE },
      make("span", { className: "label" }, tag ? bdi(tag) : NONE),
      make("span", { className: "figure", textContent: figures(number) }),
      bar,
    );
    button.dataset.tag = tag;
    button.classList.toggle("untagged", !tag);
    button.setAttribute("aria-pressed", this.chosen === tag);
    button.addEventListener("click", () => this.choose(this.chosen === tag ? null : tag));
    return make("li", {}, button);
  }

  #drawChoices(sorted) {
    const shown = sorted.slice(0, MOST_CHOICES);
    if (this.chosen !== null && !shown.some(([tag]) => tag === this.chosen))
      shown.push([this.chosen, 0]);
    const labels = JSON.stringify([shown, this.chosen]);
    if (labels === this.#drawn) return;
    this.#drawn = labels;
    const options = shown.map(([tag, number]) =>
      make("option", { value: `=${tag}`, textContent: `${tag || NONE} (${figures(number)})` }),
    );
    const all = make("option", { value: "", textContent: "All tags" });
    $("tag-filter").replaceChildren(all, ...options);
    $("tag-filter").value = this.chosen === null ? "" : `=${this.chosen}`;
  }
}

const readChoice = (value) => (value === "" ? null : value.slice(1));
