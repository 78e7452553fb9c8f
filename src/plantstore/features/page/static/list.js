// The plants of the chosen store as they are shown: what is loaded, filtered and selected, and the
// state of loading.

import { clearAddress, readAddress, writeAddress } from "./address.js";
import { $, all, announceLast, count, figures, focusPlants } from "./dom.js";
import { Grid } from "./grid.js";
import { Loading } from "./loading.js";
import { FEW, Plants } from "./plant.js";
import { Tags } from "./tags.js";
import { fail } from "./toasts.js";
import { View } from "./view.js";

const LOOK_EVERY = 15_000; // milliseconds, where what happens is not heard
const ALL = { text: "", tag: null, order: "id" };

class PlantList {
  // What is notified when the next free id may differ, and of what the user asks for.
  /** @type {ListEvents} */ on = { changed() {}, moved() {}, remove() {}, open() {} };
  /** @type {Loading | null} */ #loading = null;
  /** @type {Promise<void> | undefined} */ #loaded;
  /** @type {ListState} */ #state = "none";
  /** @type {Store | null} */ store = null;
  plants = new Plants();
  view = new View(ALL, []);
  /** @type {Error | null} */ error = null;
  /** @type {string[]} */ #scopes = [];
  failures = 0; // of loading, since the last success

  constructor() {
    this.grid = new Grid({
      moved: () => this.on.moved(),
      remove: (ids) => this.on.remove(ids),
      open: (plant, field) => this.on.open(plant, field),
      select: () => this.#tellSelection(),
      filter: (tag) => this.#look({ tag }),
      near: () => this.#want(this.plants.items.length + 1),
    });
    this.tags = new Tags((tag) => this.#look({ tag }));
    $("find").addEventListener("input", () => this.#look({}));
    for (const id of ["clear-filter", "nothing-clear"]) $(id).addEventListener("click", () => this.clearFilter());
    $("delete-selected").addEventListener("click", () => this.on.remove([...this.grid.selected]));
    $("clear-selected").addEventListener("click", () => {
      this.grid.clear();
      $("grid").focus();
    });
    for (const one of all("[data-order]")) one.addEventListener("click", () => this.#sort(one.dataset.order ?? "id"));
    addEventListener("popstate", () => this.store && this.#showAddress());
    $("retry").addEventListener("click", () => this.load());
    setInterval(() => document.hidden || this.refresh(), LOOK_EVERY);
  }

  /** @param {string[]} scopes */
  allow(scopes) {
    this.#scopes = scopes;
    this.grid.allow(this.may("update") || this.may("delete"));
  }

  /** @param {string} scope */
  may(scope) {
    return this.#scopes.includes(scope);
  }

  // Shows the plants of this store from now on.
  /** @param {Store} store */
  open(store) {
    if (this.store && this.store !== store) {
      this.forget();
      clearAddress();
    }
    this.store = store;
    this.grid.busy = store.busy;
    this.#showAddress();
    this.#tellAddress();
    this.load();
  }

  forget() {
    this.stop();
    this.plants = new Plants();
    this.failures = 0;
    $("find").value = "";
    this.grid.clear();
    this.#setState("none");
    this.#show({ ...ALL, order: this.view.order });
    this.on.changed();
  }

  stop() {
    this.#loading?.stop();
    this.#loading = null;
  }

  showLoading() {
    this.#setState("loading");
  }

  // From the first page on; the plants on show stay until newer ones replace them.
  load() {
    if (!this.may("list") || !this.store) return this.forget();
    this.stop();
    const loading = new Loading(this.store, {
      hear: (events) => this.#hear(loading.store, events),
      lose: () => this.load(),
    });
    this.#loading = loading;
    const had = this.plants.items.length;
    this.#want(this.view.isWhole ? had : Number.POSITIVE_INFINITY);
    if (!had) this.plants = loading.plants;
    this.#setState("loading");
    this.#show(this.view, { keepPlace: true });
    this.#loaded = this.#read(loading);
  }

  /** @param {Loading} loading */
  async #read(loading) {
    try {
      for await (const added of loading.pages()) this.#take(loading, added);
    } catch (error) {
      if (loading !== this.#loading) return;
      this.failures += 1;
      this.#setState("error", error);
    }
  }

  // So many plants, at least.
  /** @param {number} number */
  #want(number) {
    if (this.#loading) this.#loading.wanted = Math.max(this.#loading.wanted, number);
  }

  // Whether all plants are loaded, when they are, or cannot be.
  async loadWhole() {
    this.#want(Number.POSITIVE_INFINITY);
    if (!this.plants.isComplete) await this.#loaded;
    return this.plants.isComplete;
  }

  // The selected plants, or all on show where there are none.
  get chosen() {
    const { selected } = this.grid;
    return selected.size ? this.view.items.filter(({ id }) => selected.has(id)) : this.view.items;
  }

  // New pages are not shown until they reach as far as the older list on show.
  /** @param {Loading} loading @param {Plant[] | null} added */
  #take(loading, added) {
    const { plants, hasEnough } = loading;
    if (loading !== this.#loading || (plants !== this.plants && !hasEnough)) return;
    const isNext = plants === this.plants && !plants.isComplete && this.view.order === "id";
    this.plants = plants;
    if (added && isNext) this.view.append(added);
    this.#show(added && isNext ? null : this.view, { keepPlace: true });
    if (hasEnough) this.failures = 0;
    this.#setState(plants.isComplete ? "ready" : "loading");
    if (plants.isComplete) this.on.changed();
  }

  /** @param {Store} store @param {StoreEvent[]} events */
  #hear(store, events) {
    const { length } = this.plants.items;
    const after = events.map(({ kind, plant }) => /** @type {const} */ ([plant.id, kind === "plant.deleted" ? null : plant]));
    this.apply(store, new Map(after));
    if (this.plants.items.length !== length) announceLast($("count").textContent);
  }

  // Where what happens is not heard: reloads the list if the store was changed since it was loaded.
  async refresh() {
    const loading = this.#loading;
    const failed = this.#state === "error"; // the plants on show are older than the etag
    if (!loading || !(failed || (loading.hasEnough && loading.live.isOver))) return;
    const looked = await loading.store.look(failed ? null : loading.etag).catch(() => null); // which nobody asked for
    if (looked?.isSame === false && loading === this.#loading) this.load();
  }

  // All anew; without `looked` as the view is by now.
  /** @param {Looked | null} looked @param {{keepPlace?: boolean, fresh?: Set<string>}} [options] */
  #show(looked, options) {
    if (looked) this.view = new View(looked, this.plants.items);
    const { order } = this.view;
    const direction = order.startsWith("-") ? "descending" : "ascending";
    for (const button of all("[data-order]"))
      button.parentElement?.setAttribute("aria-sort", button.dataset.order === order.replace("-", "") ? direction : "none");
    this.grid.show(this.view.items, options);
    this.tags.show(this.view.tags, this.view.tag);
    this.#tellCount();
  }

  clearFilter() {
    $("find").value = "";
    this.#look({ tag: null });
    $("find").focus();
  }

  /** @param {{tag?: string | null, order?: string}} change */
  #look({ tag = this.view.tag, order = this.view.order }) {
    this.#show({ text: $("find").value, tag, order });
    this.grid.clear();
    if (!this.view.isWhole) this.#want(Number.POSITIVE_INFINITY);
    this.#tellAddress();
    announceLast($("count").textContent);
  }

  // The other way round where it is in that order already.
  /** @param {string} order */
  #sort(order) {
    const { selected } = this.grid;
    this.#look({ order: this.view.order === order ? `-${order}` : order });
    this.grid.select(selected);
  }

  #tellAddress() {
    const { tag, order } = this.view;
    const [find, sort] = [$("find").value || null, order === "id" ? null : order];
    writeAddress({ store: this.store?.name, find, tag, sort });
  }

  #showAddress() {
    const { store, find, tag = null, sort, plant } = readAddress();
    if (store && store !== this.store?.name) return;
    $("find").value = find ?? "";
    this.#look({ tag, order: sort ?? "id" });
    if (plant && this.store) this.#openPlant(this.store, plant);
  }

  /** @param {Store} store @param {string} id */
  async #openPlant(store, id) {
    try {
      const { plant } = await store.get(id);
      if (this.store === store) this.on.open(plant, null);
    } catch (error) {
      fail([`${error.message}: ${id}`]);
    }
  }

  /** @param {ListState} state @param {Error | null} error */
  #setState(state, error = null) {
    this.#state = state;
    this.error = error;
    this.#tellCount();
    if (state === "ready") announceLast(this.plants.items.length ? $("count").textContent : "No plants yet");
  }

  #tellCount() {
    const { length } = this.plants.items;
    const whole = count(length, "plant");
    const shown = this.view.isWhole ? whole : `${figures(this.view.items.length)} of ${whole}`;
    const isPart = this.#state !== "none" && !this.plants.isComplete;
    $("count").textContent = isPart ? `${shown} so far` : shown;
    $("count").hidden = length === 0;
    $("clear-filter").hidden = this.view.isWhole;
    $("grid").ariaBusy = `${this.#state === "loading" && !length}`;
    $("grid").ariaRowCount = `${this.plants.isComplete ? this.view.items.length + 1 : -1}`;
    this.#tellState(this.view.items.length === 0, length === 0);
  }

  /** @param {boolean} showsNone @param {boolean} hasNone */
  #tellState(showsNone, hasNone) {
    const failed = this.#state === "error";
    const isSearching = this.#state === "loading" && !this.plants.isComplete;
    /** @type {HTMLElement | null | undefined} */ const focused = document.activeElement?.closest(".state");
    $("state-loading").hidden = !isSearching || !showsNone;
    $("state-empty").hidden = this.#state !== "ready" || !hasNone;
    $("state-nothing").hidden = !showsNone || hasNone || failed || isSearching;
    $("state-error").hidden = !failed;
    $("state-error").classList.toggle("partial", !hasNone);
    const title = hasNone ? "The list could not be loaded" : "Only part of the list was loaded";
    $("error-title").textContent = this.plants.isComplete ? "The list may be out of date" : title;
    if (failed) $("error-text").textContent = this.error?.message ?? "";
    $("grid").hidden = showsNone;
    if (focused?.hidden) focusPlants();
  }

  #tellSelection() {
    const number = this.grid.selected.size;
    $("selection").hidden = number === 0;
    $("selection-count").textContent = `${figures(number)} selected`;
    $("export-what").textContent = number ? "the selected plants" : this.view.isWhole ? "all plants" : "what is shown";
    if (number) announceLast(`${figures(number)} selected`);
  }

  // The store's, where it is known.
  get revision() {
    const position = this.#loading?.live.position;
    return position == null ? null : Number(position);
  }

  // What has changed: plants by their ids, null for one that is gone. Another store may be shown by now
  // than the one an operation began in.
  /** @param {Store} store @param {Map<string, Plant | null>} changes */
  apply(store, changes) {
    const loading = this.#loading;
    if (this.store !== store || !loading) return;
    const made = loading.apply(changes);
    const shown = loading.plants === this.plants ? made : this.plants.apply(changes);
    if (shown.length <= FEW) this.view.change(shown);
    const fresh = new Set(shown.map(([, plant]) => plant?.id ?? ""));
    if (shown.length) this.#show(shown.length > FEW ? this.view : null, { keepPlace: true, fresh });
    this.on.changed();
  }
}

export const list = new PlantList();
