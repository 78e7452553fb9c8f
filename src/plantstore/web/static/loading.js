// Loads a store's plants once, page by page, to the last one or until it is stopped.

import { Plants } from "./plant.js";

const PAGE = 1000;
// Beyond these the rest is loaded when the user scrolls, searches or filters.
const AT_FIRST = 200_000;

/** @param {{status?: number}} error */
const isBusy = (error) => error.status === 429;

export class Loading {
  #control = new AbortController();
  /** @type {Map<string, Plant | null>} */
  #changes = new Map();
  /** @type {(() => void) | null} */
  #wake = null;
  plants = new Plants();
  /** @type {string | null} */
  etag = null;

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.#control.signal.addEventListener("abort", () => this.wake());
  }

  stop() {
    this.#control.abort();
  }

  get isStopped() {
    return this.#control.signal.aborted;
  }

  // Enough plants are loaded to begin with.
  get isFull() {
    return this.plants.isComplete || this.plants.items.length >= AT_FIRST;
  }

  get isWaiting() {
    return this.#wake !== null;
  }

  wake() {
    this.#wake?.();
  }

  // A change that this page made meanwhile; null for a deleted plant. Pages may be older.
  /** @param {string} id @param {Plant | null} plant */
  note(id, plant) {
    if (!this.plants.isComplete) this.#changes.set(id, plant);
  }

  // Adds page after page to the plants and yields each; once it has enough it waits until more are
  // needed, unless all are.
  /** @param {() => boolean} wantsAll */
  async *pages(wantsAll) {
    const { signal } = this.#control;
    const { api } = this.store;
    const looked = await api.insist(() => this.store.look(null, signal), signal, isBusy);
    this.etag = looked.etag;
    /** @type {Page["next"]} */
    let read = () => this.store.list(`&limit=${PAGE}`, signal);
    while (read) {
      /** @type {Page} */
      const page = await api.insist(read, signal, isBusy);
      read = page.next;
      this.#take(page.plants, !read);
      yield page.plants;
      if (read && this.isFull && !wantsAll()) await this.#untilWoken();
    }
  }

  /** @param {Plant[]} plants @param {boolean} isLast */
  #take(plants, isLast) {
    this.plants.append(plants);
    this.plants.isComplete = isLast;
    if (!this.#changes.size) return;
    this.plants.remove(new Set(this.#changes.keys()));
    for (const plant of this.#changes.values()) if (plant) this.plants.insert(plant);
  }

  async #untilWoken() {
    await /** @type {Promise<void>} */ (new Promise((resolve) => {
      this.#wake = resolve;
    }));
    this.#wake = null;
    this.#control.signal.throwIfAborted();
  }
}
