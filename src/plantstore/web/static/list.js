// The plants of the chosen store as they are shown: what is loaded, filtered and selected, and the
// state of loading.

import { clearAddress, readAddress, writeAddress } from "./address.js";
import { SignedOut } from "./api.js";
import { $, announceLast, count, figures, focusPlants, pause } from "./dom.js";
import { Filter } from "./filter.js";
import { Grid } from "./grid.js";
import { Loading } from "./loading.js";
import { FEW, Plants } from "./plant.js";
import { Tags } from "./tags.js";
import { tell } from "./toasts.js";
import { View } from "./view.js";

// The rest is loaded when the user scrolls, searches, filters or imports.
const AT_FIRST = 200_000;
const LOOK_EVERY = 15_000; // milliseconds, where what happens is not heard

export class PlantList {
  /** @type {Loading | null} */
  #loading = null;
  /** @type {Promise<void> | null} */
  #refreshing = null;
  /** @type {ListState} */
  #state = "none";
  /** @type {Store | null} */
  store = null;
  plants = new Plants();
  filter = new Filter();
  view = new View(this.filter, "id", []);
  /** @type {Error | null} */
  error = null;
  /** @type {string[]} */
  #scopes = [];
  failures = 0; // of loading, since the last success
  #wanted = AT_FIRST; // plants to load, where nothing is looked for

  // `on` is notified of changed(), when the next free id may differ, and of what the user asks for:
  // remove(ids) and open(plant, field); it knows isBusy(store, id).
  /**
   * @param {{changed: () => void, remove: (ids: string[]) => void,
   *   open: (plant: Plant, field: Field | null) => void, moved: () => void,
   *   isBusy: (store: Store | null, id: string) => boolean}} on
   */
  constructor(on) {
    this.on = on;
    this.grid = new Grid({
      select: () => this.#tellSelection(),
      remove: on.remove,
      open: on.open,
      filter: (tag) => this.#setFilter($("find").value, tag),
      moved: on.moved,
      near: () => {
        this.#wanted = Math.max(this.#wanted, this.plants.items.length + 1);
      },
      isBusy: (id) => on.isBusy(this.store, id),
    });
    this.tags = new Tags((tag) => this.#setFilter($("find").value, tag));
    $("find").addEventListener("input", () => this.#setFilter($("find").value, this.filter.tag));
    $("clear-filter").addEventListener("click", () => this.clearFilter());
    $("nothing-clear").addEventListener("click", () => this.clearFilter());
    $("delete-selected").addEventListener("click", () => on.remove([...this.grid.selected]));
    $("clear-selected").addEventListener("click", () => {
      this.grid.clear();
      $("grid").focus();
    });
    for (const button of orderButtons())
      button.addEventListener("click", () => this.#setOrder(button.dataset.order ?? "id"));
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
    if (this.store && this.store.name !== store.name) {
      this.forget();
      clearAddress();
    }
    this.store = store;
    this.#showAddress();
    this.#tellAddress();
    return this.load();
  }

  forget() {
    this.stop();
    this.plants = new Plants();
    this.filter = new Filter();
    this.failures = 0;
    $("find").value = "";
    this.grid.clear();
    this.#setState("none");
    this.#showAll();
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
  async load() {
    if (!this.may("list") || !this.store) return this.forget();
    this.stop();
    const loading = new Loading(this.store, {
      hear: (events) => this.#hear(loading, events),
      lose: () => this.load(),
    });
    this.#loading = loading;
    const had = this.plants.items.length;
    this.#wanted = Math.max(AT_FIRST, had);
    if (!had) this.plants = loading.plants;
    this.#setState(this.plants === loading.plants ? "loading" : "more");
    this.#showAll({ keepPlace: true });
    try {
      for await (const added of loading.pages(() => this.#hasEnough(loading))) this.#take(loading, added);
    } catch (error) {
      if (loading.isStopped) return;
      this.failures += 1;
      this.#setState("error", error);
    }
  }

  // Whether all plants are loaded, when they are, or cannot be.
  async loadWhole() {
    while (this.may("list") && !this.plants.isComplete && !this.error) {
      this.#wanted = Number.POSITIVE_INFINITY;
      await pause(100);
    }
    return this.plants.isComplete;
  }

  // The selected plants, or all on show where there are none.
  get chosen() {
    const { selected } = this.grid;
    return selected.size ? this.view.items.filter(({ id }) => selected.has(id)) : this.view.items;
  }

  /** @param {Loading} loading */
  #hasEnough({ plants }) {
    return plants.isComplete || (this.filter.isOff && plants.items.length >= this.#wanted);
  }

  // New pages are not shown until they reach as far as the older list on show.
  /** @param {Loading} loading @param {Plant[] | null} added */
  #take(loading, added) {
    const { isComplete } = loading.plants;
    const hasEnough = this.#hasEnough(loading);
    if (loading !== this.#loading || (loading.plants !== this.plants && !hasEnough)) return;
    const isNext = loading.plants === this.plants && !isComplete && this.view.order === "id";
    this.plants = loading.plants;
    if (!isNext || !added) this.#showAll({ keepPlace: true });
    else {
      this.view.append(added);
      this.#showView({ keepPlace: true });
    }
    this.#setState(isComplete ? "ready" : "more");
    if (hasEnough) this.failures = 0;
    if (isComplete) this.on.changed();
  }

  /** @param {Loading} loading @param {StoreEvent[]} events */
  #hear(loading, events) {
    const { length } = this.plants.items;
    const isGone = (/** @type {StoreEvent} */ { kind }) => kind === "plant.deleted";
    this.#apply(loading, new Map(events.map((event) => [event.plant.id, isGone(event) ? null : event.plant])));
    if (this.plants.items.length !== length) announceLast($("count").textContent);
  }

  // Where what happens is not heard: reloads the list if the store was changed since it was loaded.
  refresh() {
    const isAtRest = this.#state === "error" || (this.#loading && this.#hasEnough(this.#loading));
    const isHeard = this.#state !== "error" && this.#loading?.live.isOver === false;
    if (!isAtRest || isHeard || !this.store?.api.isSignedIn) return Promise.resolve();
    // The user did not ask for it: a failure is not shown, and the next check may work.
    this.#refreshing ??= this.#lookAgain().catch(() => undefined).finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #lookAgain() {
    const loading = this.#loading;
    const etag = this.#state === "error" ? null : (loading?.etag ?? null); // the plants on show are older
    const looked = await this.store?.look(etag);
    if (!looked?.isSame && loading === this.#loading) await this.load();
  }

  /** @param {{keepPlace?: boolean}} [options] @param {string} [order] */
  #showAll(options, order = this.view.order) {
    this.view = new View(this.filter, order, this.plants.items);
    for (const button of orderButtons()) {
      const isThis = button.dataset.order === order.replace("-", "");
      const direction = order.startsWith("-") ? "descending" : "ascending";
      button.parentElement?.setAttribute("aria-sort", isThis ? direction : "none");
    }
    this.#showView(options);
  }

  /** @param {{keepPlace?: boolean, fresh?: Set<string>}} [options] */
  #showView(options) {
    this.grid.show(this.view.items, options);
    this.tags.show(this.view.tags, this.filter.tag);
    this.#tellCount();
  }

  clearFilter() {
    $("find").value = "";
    this.#setFilter("", null);
    $("find").focus();
  }

  /** @param {string} text @param {string | null} tag @param {string} order */
  #setFilter(text, tag, order = this.view.order) {
    this.filter = new Filter(text, tag);
    this.grid.selected.clear();
    this.#showAll(undefined, order);
    this.#tellSelection();
    this.#tellAddress();
    announceLast($("count").textContent);
  }

  // The other way round where it is in that order already.
  /** @param {string} order */
  #setOrder(order) {
    const selected = new Set(this.grid.selected);
    this.#setFilter($("find").value, this.filter.tag, this.view.order === order ? `-${order}` : order);
    this.grid.select(selected);
  }

  #tellAddress() {
    const { order } = this.view;
    const [find, sort] = [$("find").value || null, order === "id" ? null : order];
    writeAddress({ store: this.store?.name, find, tag: this.filter.tag, sort });
  }

  #showAddress() {
    const { store, find, tag = null, sort, plant } = readAddress();
    if (store && store !== this.store?.name) return;
    $("find").value = find ?? "";
    this.#setFilter(find ?? "", tag, sort ?? "id");
    if (plant && this.store) this.#openPlant(this.store, plant);
  }

  /** @param {Store} store @param {string} id */
  async #openPlant(store, id) {
    try {
      const { plant } = await store.get(id);
      if (this.shows(store)) this.on.open(plant, null);
    } catch (error) {
      if (!(error instanceof SignedOut)) tell([`${error.message}: ${id}`], { kind: "failed" });
    }
  }

  /** @param {ListState} state @param {Error | null} error */
  #setState(state, error = null) {
    this.#state = state;
    this.error = error;
    this.#tellCount();
    if (state !== "ready") return;
    announceLast(this.plants.items.length ? $("count").textContent : "No plants yet");
  }

  #tellCount() {
    const [shown, all] = [this.view.items.length, this.plants.items.length];
    const soFar = this.#state !== "none" && !this.plants.isComplete ? " so far" : "";
    $("count").textContent = this.filter.isOff
      ? `${count(all, "plant")}${soFar}`
      : `${figures(shown)} of ${count(all, "plant")}${soFar}`;
    $("count").hidden = all === 0;
    $("clear-filter").hidden = this.filter.isOff;
    $("grid").setAttribute("aria-busy", `${this.#state === "loading"}`);
    this.grid.tellRows(this.plants.isComplete);
    this.#tellState(shown, all);
  }

  /** @param {number} shown @param {number} all */
  #tellState(shown, all) {
    const failed = this.#state === "error";
    const isSearching = ["loading", "more"].includes(this.#state) && !this.plants.isComplete;
    const which = {
      "state-loading": isSearching && shown === 0,
      "state-empty": this.#state === "ready" && all === 0,
      "state-nothing": shown === 0 && all > 0 && !failed && !isSearching,
      "state-error": failed,
    };
    /** @type {HTMLElement | null | undefined} */
    const focused = document.activeElement?.closest(".state");
    for (const [id, isShown] of Object.entries(which)) $(id).hidden = !isShown;
    $("state-error").classList.toggle("partial", all > 0);
    $("error-title").textContent = describeError(this.plants);
    if (failed) $("error-text").textContent = this.error?.message ?? "";
    $("grid").hidden = shown === 0;
    if (focused?.hidden) focusPlants();
  }

  #tellSelection() {
    const number = this.grid.selected.size;
    $("selection").hidden = number === 0;
    $("selection-count").textContent = `${figures(number)} selected`;
    $("export-what").textContent = number ? "the selected plants" : this.filter.isOff ? "all plants" : "what is shown";
    if (number) announceLast(`${figures(number)} selected`);
  }

  // The store's, where it is known.
  get revision() {
    const position = this.#loading?.live.position;
    return position == null ? null : Number(position);
  }

  // Another store may be shown by now than the one an operation began in.
  /** @param {Store} store */
  shows(store) {
    return this.store?.name === store.name;
  }

  // What this page has changed: plants by their ids, null for one that is gone.
  /** @param {Store} store @param {Map<string, Plant | null>} changes */
  apply(store, changes) {
    if (!this.shows(store) || !this.#loading) return;
    this.#apply(this.#loading, changes);
    this.on.changed();
  }

  /** @param {Loading} loading @param {Map<string, Plant | null>} changes */
  #apply(loading, changes) {
    const made = loading.apply(changes);
    if (loading !== this.#loading) return;
    const shown = loading.plants === this.plants ? made : this.plants.apply(changes);
    if (!shown.length) return;
    if (shown.length > FEW) this.#showAll({ keepPlace: true });
    else {
      this.view.change(shown);
      this.#showView({ keepPlace: true, fresh: new Set(shown.map(([, plant]) => plant?.id ?? "")) });
    }
    this.on.changed();
  }
}

/** @returns {NodeListOf<HTMLButtonElement>} */
const orderButtons = () => document.querySelectorAll("[data-order]");

/** @param {Plants} plants */
function describeError({ isComplete, items }) {
  if (isComplete) return "The list may be out of date";
  return items.length ? "Only part of the list was loaded" : "The list could not be loaded";
}
