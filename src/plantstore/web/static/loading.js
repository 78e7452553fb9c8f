// Loads a store's plants once, page by page, to the last one or until it is stopped.

import { pause } from "./dom.js";
import { Live } from "./live.js";
import { Plants } from "./plant.js";

const PAGE = 1000;
const LOOK_EVERY = 100; // milliseconds, whether more is needed

/** @param {{status?: number}} error */
const isBusy = (error) => error.status === 429;

export class Loading {
  #control = new AbortController();
  /** @type {Map<string, Plant | null>} */
  #changes = new Map();
  plants = new Plants();
  /** @type {string | null} */
  etag = null; // of the store before it was loaded, where what happens is not heard

  // `on` gets what happens in the store from then on: see `Live`.
  /** @param {Store} store @param {ConstructorParameters<typeof Live>[1]} on */
  constructor(store, on) {
    this.store = store;
    this.live = new Live(store, on);
    this.#control.signal.addEventListener("abort", () => this.live.stop());
  }

  stop() {
    this.#control.abort();
  }

  get isStopped() {
    return this.#control.signal.aborted;
  }

  // Changes since then; null for a deleted plant. Pages may be older.
  /** @param {Map<string, Plant | null>} changes */
  apply(changes) {
    if (!this.plants.isComplete) for (const [id, plant] of changes) this.#changes.set(id, plant);
    return this.plants.apply(changes);
  }

  // Adds page after page to the plants and yields each, or null where more differs.
  /** @param {() => boolean} hasEnough */
  async *pages(hasEnough) {
    const { signal } = this.#control;
    const { api } = this.store;
    if (!(await this.live.start())) {
      const looked = await api.insist(() => this.store.look(null, signal), signal, isBusy);
      this.etag = looked.etag;
    }
    /** @type {Page["next"]} */
    let read = () => this.store.list(`&limit=${PAGE}`, signal);
    while (read) {
      /** @type {Page} */
      const page = await api.insist(read, signal, isBusy);
      read = page.next;
      this.plants.append(page.plants);
      this.plants.isComplete = !read;
      this.plants.apply(this.#changes);
      yield this.#changes.size ? null : page.plants;
      while (read && hasEnough()) await pause(LOOK_EVERY, signal);
    }
  }
}
