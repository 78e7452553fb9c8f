// The search: the words in the bar, the tags as chips and in the filter menu, and the order. The address has it, with
// the store, the plant in the panel and the page: in the fragment, which browsers do not send. So reloading, going
// back and a copied link show the same.

import { $, all, announceLast, colour, focusPlants, make, makeButton, makeHint, makePill, onClick } from "./dom.js";
import { ALL, list } from "./list.js";
import { countTags } from "./plant.js";
import { onDraw, redraw, shown } from "./state.js";
import { figures, t } from "./texts.js";

const MAX_TAGS = 300;
/** @type {string[] | undefined} */ let drawn; // the tags whose chips are drawn
/** @returns {Shown} */
export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const [store, text, order, plant, page] = ["store", "find", "sort", "plant", "page"].map((name) => given.get(name));
  return { store, plant, page, search: { text: text ?? "", tags: given.getAll("tag"), order: order ?? "id" } };
}

/** The code of a sign-in link that was opened in this tab. */
export const findCode = () => new URLSearchParams(location.hash.slice(1)).get("code");

export const clearAddress = () => history.replaceState(null, "", location.pathname + location.search);

/** The address that shows the plant, in any browser. @param {string} store @param {string} plant */
export const plantAddress = (store, plant) =>
  `${location.origin}${location.pathname}#${new URLSearchParams({ store, plant })}`;

/** Adds a step to the browser's history; further typing stays in the same step. */
function writeAddress() {
  const before = readAddress();
  const { search } = list.view;
  const store = list.store?.name;
  if (!store || findCode() || JSON.stringify({ store, ...shown, search }) === JSON.stringify(before)) return;
  const { text, tags, order } = search;
  const named = { store, find: text, sort: order === "id" ? null : order, ...shown };
  const given = new URLSearchParams(Object.entries(named).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  for (const tag of tags) given.append("tag", tag);
  const isTyping = before.search.text && text && text !== before.search.text;
  const isSameStep = isTyping || before.store !== store || (before.plant && shown.plant);
  history[isSameStep ? "replaceState" : "pushState"](null, "", `#${given}`);
}

/** @param {Partial<Search>} change */
export function look(change) {
  const { selected } = list;
  list.show({ ...list.view.search, ...change });
  if (Object.keys(change).join() === "order") list.selected = selected;
  writeAddress();
  announceLast(t("count.found", { n: list.view.items.length }));
}

export const clearSearch = () => look({ text: "", tags: [] });

/** Shows a plant in the panel, and in the address. @param {string | null} id */
export function showPlant(id) {
  shown.plant = id;
  writeAddress();
  redraw();
}

/** @param {string | null} name */
export function showPage(name) {
  if (name === shown.page) return;
  shown.page = name;
  showPlant(name ? null : shown.plant);
}

/** Opens a store; with what the address says, if it names this store. @param {Store} store */
export function openAddress(store) {
  const { store: named, plant, page, search } = readAddress();
  const isHere = named === store.name;
  Object.assign(shown, isHere ? { plant, page } : { plant: null, page: null });
  list.open(store, isHere ? search : ALL);
  writeAddress();
}

/** Adds the tag to the filter, or removes it; returns whether it was added. @param {string} tag */
function filter(tag) {
  const { tags } = list.view.search;
  const isNew = !tags.includes(tag);
  look({ tags: isNew ? [...tags, tag] : tags.filter((other) => other !== tag) });
  return isNew;
}

onDraw(() => {
  const { text, tags, order } = list.view.search;
  if ($("find").value !== text) $("find").value = text;
  if (drawn !== tags) $("chips").replaceChildren(...tags.map(makeChip));
  drawn = tags;
  const direction = order.startsWith("-") ? "descending" : "ascending";
  for (const { parentElement, dataset } of all("#grid [data-order]"))
    parentElement?.setAttribute("aria-sort", dataset.order === order.replace("-", "") ? direction : "none");
  for (const button of all("#sort-menu [data-order]")) button.ariaPressed = `${button.dataset.order === order}`;
  const n = list.plants.items.length;
  const whole = n || list.plants.isComplete ? t("plants", { n }) : "";
  const part = list.view.isWhole ? whole : t("count.part", { shown: list.view.items.length, whole });
  $("count").textContent = list.plants.isComplete || !whole ? part : t("count.loading", { shown: part });
  const name = list.plants.get(shown.plant ?? "")?.name;
  const titles = [name ?? (shown.page && t(shown.page)), list.store?.name, name ? "" : "Plant Store"];
  document.title = titles.filter(Boolean).join(" · ");
});

/** @param {string} tag */
function makeChip(tag) {
  const name = tag || t("tag.none");
  const chip = makeButton("", () => filter(tag), t("filter.remove", { tag: name }), "pill chip");
  chip.append(make("bdi", {}, name), " ×");
  if (tag) colour(chip, tag);
  return chip;
}

/** Fills the filter menu. */
function drawTags() {
  const { text, tags } = list.view.search;
  const { items } = list.plants;
  // Plants with the words, whatever their tag.
  const found = text ? items.filter((plant) => list.view.matches({ ...plant, tag: tags[0] ?? plant.tag })) : items;
  const counts = countTags(found).slice(0, MAX_TAGS);
  const buttons = counts.map(([tag, number], at) => {
    /** @type {HTMLButtonElement} */
    const button = makeButton("", () => Object.assign(button, { ariaPressed: `${filter(tag)}` }), "", "");
    Object.assign(button, { autofocus: at === 0, ariaPressed: `${tags.includes(tag)}` });
    button.dataset.stays = "";
    button.append(tag ? makePill(tag) : t("tag.none"), makeHint(figures(number)));
    return button;
  });
  const none = make("p", { className: "hint" }, t("tags.none"));
  $("filter-menu").replaceChildren(...(buttons.length ? buttons : [none]));
}

$("filter-menu").addEventListener("beforetoggle", (event) => event.newState === "open" && drawTags());
$("find").addEventListener("input", () => look({ text: $("find").value }));
$("find").addEventListener("keydown", (event) => {
  if (event.key === "Escape" && $("find").value) look({ text: "" });
  else if (["Enter", "ArrowDown", "Escape"].includes(event.key)) focusPlants();
  else return;
  event.preventDefault();
});
onClick("clear-search", () => {
  clearSearch();
  $("find").focus();
});
for (const button of all("[data-order]"))
  button.addEventListener("click", () => {
    const { order = "id" } = button.dataset;
    const isAgain = list.view.search.order === order && button.closest("#grid");
    look({ order: isAgain ? `-${order}` : order });
  });
addEventListener("popstate", () => {
  const { store, plant, page, search } = readAddress();
  if (!list.store || store !== list.store.name) return;
  if (JSON.stringify(search) !== JSON.stringify(list.view.search)) list.show(search);
  shown.page = page;
  showPlant(plant);
});
