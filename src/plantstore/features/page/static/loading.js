// Loads a store's plants once, page by page, unless it is stopped.

import { Live } from "./live.js";
import { Plants } from "./plant.js";

const PAGE = 2000; // larger lists are sent compressed

/** @param {Failure} error */
const isBusy = ({ status }) => status === 429;

export class Loading {
  #control = new AbortController();
  /** @type {Map<string, Plant | null>} */ #changes = new Map();
  plants = new Plants();
  /** @type {string | null} */ etag = null; // of the store before it was loaded, where what happens is not heard

  // `on` gets what happens in the store from then on: see `Live`.
  /** @param {Store} store @param {ConstructorParameters<typeof Live>[1]} on */
  constructor(store, on) {
    this.store = store;
    this.live = new Live(store, on);
  }

  stop() {
    this.#control.abort();
    this.live.stop();
  }

  // Changes since then; null for a deleted plant. Pages may be older.
  /** @param {Map<string, Plant | null>} changes */
  apply(changes) {
    if (!this.plants.isComplete) for (const [id, plant] of changes) this.#changes.set(id, plant);
    return this.plants.apply(changes);
  }

  // Adds page after page to the plants and yields each, or null where more differs.
  async *pages() {
    const { signal } = this.#control;
    const { api } = this.store;
    if (!(await this.live.start()))
      this.etag = (await api.insist(() => this.store.look(null, signal), signal, isBusy)).etag;
    /** @type {Page["next"]} */ let read = () => this.store.list(`?include=id&limit=${PAGE}`, signal);
    while (read) {
      /** @type {Page} */ const page = await api.insist(read, signal, isBusy);
      read = page.next;
      this.plants.append(page.plants);
      this.plants.isComplete = !read;
      this.plants.apply(this.#changes);
      yield this.#changes.size ? null : page.plants;
    }
  }
}
