// The plants of the chosen store: loaded page by page behind what is shown, found, filtered,
// counted, added and deleted.

import { $, announce, count, figures, saveFile } from "./dom.js";
import { Grid } from "./grid.js";
import { fold, Plants, writePlant } from "./plant.js";
import { Removal } from "./removal.js";
import { writeCsv } from "./tables.js";
import { Tags } from "./tags.js";

const PAGE = 1000;
// Beyond these the rest is loaded as one scrolls, finds or filters.
const AT_FIRST = 200_000;

const isBusy = (error) => error.status === 429;

export class PlantList {
  #run = null;
  #etag = null;
  #shown = [];
  #changes = new Map(); // by id, of this page while it loads: pages may be older than they
  #wake = () => {};

  // `changed()` hears when another id may be the next free one.
  constructor(changed) {
    this.changed = changed;
    this.store = null;
    this.plants = new Plants();
    this.filter = { text: "", tag: null };
    const removal = new Removal(this);
    this.grid = new Grid({
      select: () => this.#tellSelection(),
      remove: (ids) => removal.remove(ids),
      near: () => this.#wake(),
    });
    this.tags = new Tags((tag) => this.#setFilter({ tag }));
    $("find").addEventListener("input", () => this.#setFilter({ text: $("find").value }));
    $("clear-filter").addEventListener("click", () => this.clearFilter());
    $("retry").addEventListener("click", () => this.load({ keepPlace: true }));
    $("delete-selected").addEventListener("click", () => removal.remove([...this.grid.selected]));
    $("clear-selected").addEventListener("click", () => {
      this.grid.clear();
      $("grid").focus();
    });
  }

  allow(scopes) {
    this.canList = scopes.includes("list");
    this.canCreate = scopes.includes("create");
    this.grid.allow(scopes.includes("delete"));
  }

  clearFilter() {
    $("find").value = "";
    this.#setFilter({ text: "", tag: null });
    $("find").focus();
  }

  stop() {
    this.#run?.abort();
    this.#run = null;
  }

  forget() {
    this.stop();
    this.plants = new Plants();
    this.#setState("none");
    this.#showAll();
    this.changed();
  }

  // Whose plants are shown, from now on.
  open(store) {
    if (this.store?.name !== store.name) this.forget();
    this.store = store;
    return this.load({ keepPlace: true });
  }

  // From the first page on; what is shown stays until there is something newer.
  async load({ keepPlace = false } = {}) {
    this.stop();
    if (!this.canList) {
      this.forget();
      return;
    }
    const run = new AbortController();
    this.#run = run;
    keepPlace &&= this.plants.items.length > 0;
    this.#changes.clear();
    this.#setState(keepPlace ? "more" : "loading");
    if (!keepPlace) {
      this.plants = new Plants();
      this.#showAll();
    }
    try {
      this.#etag = (await this.store.look(null)).etag;
      await this.#loadPages(run.signal, keepPlace);
    } catch (error) {
      if (run.signal.aborted || error.status === 401) return;
      this.#setState("error", error);
    }
  }

  // Pages go to a list of their own where another is in sight, which they replace at the end.
  async #loadPages(signal, keepPlace) {
    const plants = keepPlace ? new Plants() : this.plants;
    const { store } = this;
    let read = () => store.list(`&limit=${PAGE}`, signal);
    while (read) {
      const page = await store.api.insist(read, signal, isBusy);
      plants.append(page.plants);
      read = page.next;
      plants.isComplete = !read;
      if (!read) this.#applyChanges(plants);
      if (plants === this.plants) this.#showMore(page.plants, read ? "more" : "ready");
      if (read && plants.items.length >= AT_FIRST) {
        if (plants !== this.plants) this.#replace(plants, "more");
        await this.#untilWanted(signal);
      }
    }
    if (plants !== this.plants) this.#replace(plants, "ready");
    this.changed();
  }

  #applyChanges(plants) {
    plants.remove(new Set(this.#changes.keys()));
    for (const plant of this.#changes.values()) if (plant) plants.insert(plant);
    this.#changes.clear();
  }

  #untilWanted(signal) {
    const { text, tag } = this.filter;
    if (text || tag !== null) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }

  // Whether anybody has changed the store since it was loaded.
  async refresh() {
    if (this.#state !== "ready") return;
    const { isSame } = await this.store.look(this.#etag);
    if (!isSame) await this.load({ keepPlace: true });
  }

  #replace(plants, state) {
    this.plants = plants;
    this.#setState(state);
    this.#showAll({ keepPlace: true });
  }

  #showMore(added, state) {
    if (this.#matchesAll) this.#shown = this.plants.items;
    else this.#shown.push(...added.filter((plant) => this.#matches(plant)));
    this.grid.items = this.#shown;
    this.grid.grow();
    this.tags.show(this.plants.tags, this.filter.tag);
    this.#setState(state);
  }

  #showAll(options) {
    this.#shown = this.#matchesAll
      ? this.plants.items
      : this.plants.items.filter((plant) => this.#matches(plant));
    this.grid.show(this.#shown, options);
    this.tags.show(this.plants.tags, this.filter.tag);
    this.#tellCount();
  }

  get #matchesAll() {
    return !this.filter.text && this.filter.tag === null;
  }

  #matches(plant) {
    const { text, tag } = this.filter;
    if (tag !== null && (plant.tag ?? "") !== tag) return false;
    return plant.folded.includes(text) || plant.id === text;
  }

  #setFilter({ text = this.filter.text, tag = this.filter.tag }) {
    this.filter = { text: fold(text.trim()), tag };
    this.grid.selected.clear();
    this.#wake();
    this.#showAll();
    this.#tellSelection();
    announce($("count").textContent);
  }

  #state = "loading";

  #setState(state, error) {
    this.#state = state;
    this.error = error;
    this.#tellCount();
  }

  #tellCount() {
    const [shown, all] = [this.#shown.length, this.plants.items.length];
    const soFar = this.#state === "more" && !this.plants.isComplete ? " so far" : "";
    $("count").textContent = this.#matchesAll
      ? `${count(all, "plant")}${soFar}`
      : `${figures(shown)} of ${count(all, "plant")}${soFar}`;
    $("count").hidden = all === 0;
    $("clear-filter").hidden = this.#matchesAll;
    $("grid").ariaBusy = this.#state === "loading" || this.#state === "more" ? "true" : "false";
    this.#tellState(shown, all);
  }

  #tellState(shown, all) {
    const failed = this.#state === "error";
    const which = {
      "state-loading": this.#state === "loading" && all === 0,
      "state-empty": this.#state === "ready" && all === 0,
      "state-nothing": shown === 0 && all > 0 && !failed,
      "state-error": failed,
    };
    for (const [id, isShown] of Object.entries(which)) $(id).hidden = !isShown;
    $("state-error").classList.toggle("partial", all > 0);
    if (failed) $("error-text").textContent = this.error.message;
    $("grid").hidden = shown === 0;
    $("empty-create").hidden = !this.canCreate;
    $("empty-read").hidden = this.canCreate;
  }

  #tellSelection() {
    const number = this.grid.selected.size;
    $("selection").hidden = number === 0;
    $("selection-count").textContent = `${figures(number)} selected`;
    if (number) announce(`${figures(number)} selected`);
  }

  // Another may be in sight by now than where something began.
  #shows(store) {
    return this.store.name === store.name;
  }

  add(store, plant) {
    if (!this.#shows(store)) return;
    this.#changes.set(plant.id, plant);
    if (this.plants.insert(plant)) {
      this.#showAll({ keepPlace: true });
      this.#reveal(plant);
    }
    this.changed();
  }

  #reveal(plant) {
    const index = this.#shown.findIndex(({ id }) => id === plant.id);
    if (index >= 0) this.grid.reveal(index);
  }

  drop(store, plants) {
    if (!this.#shows(store)) return;
    for (const { id } of plants) {
      this.#changes.set(id, null);
      this.grid.selected.delete(id);
    }
    this.plants.remove(new Set(plants.map(({ id }) => id)));
    this.#showAll({ keepPlace: true });
    this.#tellSelection();
    this.changed();
    this.#takeFocus();
  }

  putBack(store, plants) {
    if (!this.#shows(store)) return;
    for (const plant of plants) {
      this.#changes.set(plant.id, plant);
      this.plants.insert(plant);
    }
    this.#showAll({ keepPlace: true });
    this.changed();
    if (plants.length === 1) this.#reveal(plants[0]);
    this.#takeFocus();
  }

  // From what was clicked and is gone, not from somebody who types.
  #takeFocus() {
    if (!document.activeElement.matches("body, #plants *")) return;
    if ($("grid").hidden) $("find").focus();
    else $("grid").focus();
  }

  // The store at one moment, whatever was loaded when.
  async save(form) {
    const { tag } = this.filter;
    const query = tag ? `&tag=${encodeURIComponent(tag)}` : "";
    const { name: storeName } = this.store;
    const { plants } = await this.store.list(query);
    for (const plant of plants) plant.folded = fold(plant.name);
    const chosen = plants.filter((plant) => this.#matches(plant));
    const name = `${storeName}.${form}`;
    if (form === "csv") saveFile(name, "text/csv", writeCsv(chosen));
    else saveFile(name, "application/x-ndjson", chosen.map((plant) => `${writePlant(plant)}\n`));
    announce(`Exported ${count(chosen.length, "plant")}`);
  }
}
