// Suggests the store's tags below a field, with their colours and counts, filtered by the typed text.

import { $, all, make, makeHint, makePill, onClick, placeAt, targetOf } from "./dom.js";
import { list } from "./list.js";
import { countTags, fold, splitWords } from "./plant.js";
import { figures } from "./texts.js";

const MAX_OPTIONS = 8;
/** @type {HTMLInputElement | null} */ let field = null;
/** @type {ReturnType<typeof countTags>} */ let known = [];
let marked = -1;

// A tag that was clicked, or marked at Enter, is the field's event "pick".
for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (all("[aria-controls=picker]"))) {
  input.addEventListener("focus", () => {
    field = input;
    known = countTags(list.plants.items).filter(([tag]) => tag);
    show(""); // all tags, until something is typed
  });
  input.addEventListener("input", () => show(input.value));
  input.addEventListener("blur", closePicker);
  input.addEventListener("keydown", press);
}

const options = () => /** @type {HTMLElement[]} */ ([...$("picker").children]);

/** @param {string} text */
function show(text) {
  const words = splitWords(text);
  const isFull = (/** @type {string} */ tag) => Number(words.every((word) => splitWords(tag).includes(word)));
  const matching = known.filter(([tag]) => words.every((word) => fold(tag).includes(word)));
  matching.sort(([one], [other]) => isFull(other) - isFull(one)); // "bed 3" is before "bed 13"
  const made = matching.slice(0, MAX_OPTIONS).map(([tag, number], at) => {
    return make("li", { id: `picker-${at}`, role: "option", ariaLabel: tag }, makePill(tag), makeHint(figures(number)));
  });
  $("picker").replaceChildren(...made);
  $("picker").hidden = !made.length || (made.length === 1 && made[0].ariaLabel === field?.value);
  if (field) placeAt($("picker"), field);
  mark(-1);
}

// On click, not on press: the element below the picker would get the rest of a tap.
onClick("picker", (event) => {
  const tag = targetOf(event).closest("li")?.ariaLabel;
  if (tag) take(tag);
});
$("picker").addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
addEventListener("resize", () => $("picker").hidden || !field || placeAt($("picker"), field));

/** @param {number} place */
function mark(place) {
  marked = place;
  field?.setAttribute("aria-expanded", `${!$("picker").hidden}`);
  field?.setAttribute("aria-activedescendant", place < 0 ? "" : `picker-${place}`);
  for (const [at, option] of options().entries()) option.ariaSelected = `${at === place}`;
}

/** @param {string} tag */
function take(tag, isChosen = true) {
  if (!field) return;
  field.value = tag;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  closePicker();
  if (isChosen) field.dispatchEvent(new Event("pick"));
}

/** @param {KeyboardEvent} event */
function press(event) {
  if ($("picker").hidden || event.isComposing) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const tag = options()[marked]?.ariaLabel;
  const places = options().length + 1; // with none
  if (step) mark(((marked + 1 + step + places) % places) - 1);
  else if (event.key === "Enter" && tag) take(tag);
  else if (event.key === "Tab" && tag) return take(tag, false);
  else return;
  event.preventDefault();
}

export function closePicker() {
  if ($("picker").hidden) return;
  $("picker").hidden = true;
  mark(-1);
}
