// The plants of the open store: which are loaded, which are found in which order, and which are selected.

import { announceLast } from "./dom.js";
import { Loading } from "./loading.js";
import { exchange, number, Plants, View } from "./plant.js";
import { added, drafts, idOf, onDraw, queue, redraw } from "./state.js";
import { t } from "./texts.js";

const REST = 5_000; // milliseconds
/** @type {Search} */ export const ALL = { text: "", tags: [], order: "id" };

class PlantList {
  /** @type {Loading | null} */ #loading = null;
  /** @type {Promise<void> | undefined} */ #loaded;
  /** @type {string[]} */ scopes = []; // what the user may do in the store
  /** @type {ListState} */ state = "none";
  /** @type {Store | null} */ store = null;
  plants = new Plants();
  view = new View(ALL, []);
  /** @type {Plant[]} */ rows = []; // as drawn
  /** @type {Set<string>} */ leaving = new Set(); // rows whose plants are deleted, or being deleted
  isHeld = false; // rows stay where they are
  #timer = 0;
  /** @type {Error | null} */ error = null;
  /** @type {Set<string>} */ selected = new Set();
  /** @type {Set<string>} */ fresh = new Set(); // plants that have just changed

  may = (/** @type {string} */ scope) => this.scopes.includes(scope);

  /** Opens a store. @param {Store} store @param {Search} search */
  open(store, search) {
    if (this.store !== store) this.forget();
    this.store = store;
    this.show(search);
    this.load();
  }

  forget() {
    this.stop();
    this.store = null;
    this.plants = new Plants();
    this.view = new View(ALL, []);
    this.setState("none");
    this.show(ALL);
  }

  stop() {
    this.#loading?.stop();
    this.#loading = null;
  }

  /** Loads from the first page; the plants on show stay, and are brought up to date. */
  load() {
    const { store } = this;
    if (!this.may("list") || !store) return this.setState("none");
    this.stop();
    const hear = (/** @type {Changes} */ changes) => {
      for (const item of queue) if (item.action.store === store && changes.has(idOf(item))) item.isHeard = true;
      this.apply(store, changes);
    };
    this.#loading = new Loading(store, { hear, lose: () => this.load() });
    this.setState("loading");
    this.#loaded = this.#read(this.#loading);
  }

  /** @param {Loading} loading */
  async #read(loading) {
    try {
      for await (const changes of loading.pages(this.plants.items)) {
        if (loading !== this.#loading) return;
        this.isHeld &&= this.plants.isComplete;
        this.plants.isComplete ||= loading.isDone;
        this.#change(changes);
        this.setState(this.plants.isComplete ? "ready" : "loading");
      }
    } catch (error) {
      if (loading === this.#loading) this.setState("error", error);
    }
  }

  /** Waits until all plants are loaded, or loading fails; returns whether they are loaded. */
  async loadWhole() {
    if (!this.plants.isComplete) await this.#loaded;
    return this.plants.isComplete;
  }

  /** @param {Changes} changes */
  #change(changes) {
    const made = this.plants.apply(changes);
    if (!made.length) return;
    const all = number(exchange(this.view.all, this.view.compare, made));
    this.view = new View(this.view.search, this.plants.items, all);
    redraw();
  }

  /** Shows the list from its top: its search is a new object. @param {Search} search */
  show(search) {
    const isSorted = search.order === this.view.search.order;
    this.view = new View({ ...search }, this.plants.items, isSorted ? this.view.all : undefined);
    const adding = queue.filter(({ action }) => action.store === this.store && action.kind === "add");
    added.splice(0, added.length, ...adding.reverse());
    this.selected = new Set();
    this.isHeld = false;
    redraw();
  }

  /** Nothing moves under a mouse in use: another plant would be clicked. */
  hold(isHeld = true) {
    clearTimeout(this.#timer);
    if (isHeld) this.#timer = setTimeout(() => this.hold(false), REST);
    else if (this.isHeld) redraw();
    this.isHeld = isHeld;
  }

  /** Added plants on top, then refused edits of plants that are gone, then the plants found. */
  arrange() {
    const { plants, store } = this;
    const edits = queue.filter(({ action, state, before }) => action.store === store && state === "refused" && before);
    const gone = edits.flatMap(({ after }) => (after && plants.isComplete && !plants.get(after.id) ? after : []));
    // The row of a plant that is not stored yet has its own id: the plant's id may be another's.
    const top = added.flatMap(({ state, after, rowId }) => {
      if (state === "stored") return plants.get(after?.id ?? "") ?? [];
      return after ? { ...after, id: rowId } : [];
    });
    top.push(...gone);
    const ids = new Set(top.map(({ id }) => id));
    const edited = drafts.cell?.place === "cell" && plants.get(drafts.cell.id);
    const isLeft = edited && !this.view.matches(edited); // it stays until it is saved or discarded
    const items = isLeft ? exchange(this.view.items, this.view.compare, [[undefined, edited]]) : this.view.items;
    const rows = top.length ? [...top, ...items.filter(({ id }) => !ids.has(id))] : items;
    this.leaving.clear();
    for (const { action, state, after, rowId } of queue)
      if (action.store === store && state !== "refused") this.leaving[after ? "delete" : "add"](rowId);
    this.rows = this.isHeld ? this.#keep(rows) : rows;
    if (this.selected.size) this.selected = new Set(idsOf(rows)).intersection(this.selected).difference(this.leaving);
  }

  /** The rows as they were, with their plants as they are now. @param {Plant[]} rows */
  #keep(rows) {
    const stored = added.map(({ rowId, after }) => /** @type {const} */ ([rowId, this.plants.get(after?.id ?? "")]));
    const now = new Map([...stored, ...rows.map((plant) => /** @type {const} */ ([plant.id, plant]))]);
    return this.rows.map((old) => {
      const plant = now.get(old.id) ?? this.plants.get(old.id);
      if (!plant) this.leaving.add(old.id);
      return plant ?? old;
    });
  }

  /** The last pending change of a row's plant. @param {string} id of the row */
  findPending(id) {
    return queue.findLast(({ action, rowId }) => action.store === this.store && rowId === id);
  }

  /** The selected plants; if none is selected, all plants found. */
  get chosen() {
    return this.selected.size ? this.rows.filter(({ id }) => this.selected.has(id)) : this.view.items;
  }

  /** @param {Iterable<string>} ids */
  select(ids) {
    this.selected = new Set(ids);
    redraw();
    if (this.selected.size) announceLast(t("selected", { n: this.selected.size }));
  }

  /** Without a stream of events: reloads the list on show if the store has changed since it was loaded. */
  async refresh() {
    const loading = this.#loading;
    const failed = this.state === "error"; // the plants on show are older than its revision
    if (document.hidden || !loading || !(failed || (loading.isDone && loading.isPolling))) return;
    const revision = await loading.store.readRevision().catch(() => null); // no message: the user did not ask for it
    const isOld = revision !== null && (failed || revision !== loading.revision);
    if (isOld && loading === this.#loading) this.load();
  }

  /** @param {ListState} state @param {Error | null} error */
  setState(state, error = null) {
    Object.assign(this, { state, error });
    redraw();
  }

  /** Applies changes to a store, unless another store is open by now. @param {Store} store @param {Changes} changes */
  apply(store, changes) {
    if (this.store !== store || !this.#loading) return;
    if (!this.#loading.isDone) for (const [id, plant] of changes) this.#loading.changes.set(id, plant);
    this.fresh = new Set(changes.keys());
    this.#change(changes);
  }
}

export const idsOf = (/** @type {Plant[]} */ plants) => plants.map(({ id }) => id);

export const list = new PlantList();
onDraw(() => list.arrange());
