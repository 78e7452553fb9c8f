// What is looked for: the words in the bar, the tags as chips and in the filter menu, and the order.

import { readAddress, writeAddress } from "./address.js";
import { $, all, announceLast, bdi, colour, make, makeButton, makePill } from "./dom.js";
import { grid } from "./grid.js";
import { ALL, list } from "./list.js";
import { onDraw, redraw, shown } from "./state.js";
import { figures, t } from "./texts.js";
import { countTags } from "./view.js";

const MAX_TAGS = 300;

/** @param {Partial<Looked>} change */
export function look(change) {
  const { text, tags, order } = list.view;
  const { selected } = list;
  list.show({ text, tags, order, ...change });
  if (Object.keys(change).join() === "order") list.selected = selected;
  tellAddress();
  announceLast(t("count.found", { n: list.view.items.length }));
}

export const clearSearch = () => look({ text: "", tags: [] });

function tellAddress() {
  const { text, tags, order } = list.view;
  if (list.store) writeAddress({ store: list.store.name, text, tags, order, ...shown });
}

// The panel's plant, in the address too.
/** @param {string | null} id */
export function showPlant(id) {
  shown.plant = id;
  tellAddress();
  redraw();
}

/** @param {string | null} name */
export function showPage(name) {
  if (name === shown.page) return;
  shown.page = name;
  showPlant(name ? null : shown.plant);
}

// As the address says, if it is of this store.
/** @param {Store} store */
export function openAddress(store) {
  const { store: named, plant = null, page = null, ...looked } = readAddress();
  const isHere = named === store.name;
  Object.assign(shown, isHere ? { plant, page } : { plant: null, page: null });
  list.open(store, isHere ? looked : ALL);
  tellAddress();
}

/** @param {string} tag */
export function filter(tag) {
  const { tags } = list.view;
  look({ tags: tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag] });
}

function draw() {
  const { text, tags, order } = list.view;
  if ($("find").value !== text) $("find").value = text;
  const key = JSON.stringify(tags);
  if ($("chips").dataset.key !== key) {
    $("chips").dataset.key = key;
    $("chips").replaceChildren(...tags.map(makeChip));
  }
  for (const button of all("#grid [data-order]")) {
    const isThis = button.dataset.order === order.replace("-", "");
    const direction = order.startsWith("-") ? "descending" : "ascending";
    button.parentElement?.setAttribute("aria-sort", isThis ? direction : "none");
  }
  for (const button of all("#sort-menu [data-order]")) button.ariaPressed = `${button.dataset.order === order}`;
  document.title = [shown.page && t(shown.page), list.store?.name, "Plant Store"].filter(Boolean).join(" · ");
}

/** @param {string} tag */
function makeChip(tag) {
  const chip = makeButton("", () => filter(tag), { className: "pill chip", "aria-label": t("filter.remove", { tag: tag || t("tag.none") }) });
  chip.append(tag ? bdi(tag) : t("tag.none"), make("span", { "aria-hidden": "true", textContent: " ×" }));
  if (tag) colour(chip, tag);
  return chip;
}

// When it opens, and after each choice.
function drawTags() {
  const { text, tags } = list.view;
  const words = text ? list.plants.items.filter((one) => list.view.matches({ ...one, tag: tags[0] ?? one.tag })) : list.plants.items;
  const counts = countTags(words).slice(0, MAX_TAGS);
  const items = counts.map(([tag, number], at) => {
    const item = makeButton("", () => filter(tag), { autofocus: at === 0, "aria-pressed": `${tags.includes(tag)}`, "data-stays": "" });
    item.append(tag ? makePill(tag) : t("tag.none"), make("span", { className: "hint", textContent: figures(number) }));
    item.addEventListener("click", drawTags);
    return item;
  });
  const focused = [...$("filter-menu").children].indexOf(/** @type {Element} */ (document.activeElement));
  $("filter-menu").replaceChildren(...(items.length ? items : [make("p", { className: "hint", textContent: t("tags.none") })]));
  if (focused >= 0) /** @type {HTMLElement} */ ($("filter-menu").children[focused])?.focus();
}

$("filter-menu").addEventListener("beforetoggle", (event) => event.newState === "open" && drawTags());
$("find").addEventListener("input", () => look({ text: $("find").value }));
$("find").addEventListener("keydown", (event) => {
  if (event.key === "Escape" && $("find").value) look({ text: "" });
  else if (["Enter", "ArrowDown", "Escape"].includes(event.key)) grid.root.focus({ preventScroll: true });
  else return;
  event.preventDefault();
});
$("clear-search").addEventListener("click", () => {
  clearSearch();
  $("find").focus();
});
for (const button of all("#grid [data-order]"))
  button.addEventListener("click", () => {
    const order = button.dataset.order ?? "id";
    look({ order: list.view.order === order ? `-${order}` : order });
  });
for (const button of all("#sort-menu [data-order]"))
  button.addEventListener("click", () => look({ order: button.dataset.order }));
addEventListener("popstate", () => {
  const { store, plant = null, page = null, ...looked } = readAddress();
  if (!list.store || store !== list.store.name) return;
  const { text, tags, order } = list.view;
  if (JSON.stringify(looked) !== JSON.stringify({ text, tags, order })) list.show(looked);
  shown.page = page;
  showPlant(plant);
});
onDraw(draw);
