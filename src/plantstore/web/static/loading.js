// One reading of a store's plants, page by page, from first to last or until it is stopped.

import { Plants } from "./plant.js";

const PAGE = 1000;
// Beyond these the rest is loaded as one scrolls, finds or filters.
const AT_FIRST = 200_000;

const isBusy = (error) => error.status === 429;

export class Loading {
  #control = new AbortController();
  #changes = new Map();
  #wake = null;
  plants = new Plants();
  etag = null;

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

  // Enough is here to begin with.
  get isFull() {
    return this.plants.isComplete || this.plants.items.length >= AT_FIRST;
  }

  get isWaiting() {
    return this.#wake !== null;
  }

  wake() {
    this.#wake?.();
  }

  // A change that this page made meanwhile; null is for a plant that is gone. Answers may be older.
  note(id, plant) {
    if (!this.plants.isComplete) this.#changes.set(id, plant);
  }

  // Adds page after page to the plants and gives each; with enough of them it waits for who wants
  // more, unless all are wanted.
  async *pages(wantsAll) {
    const { signal } = this.#control;
    const insist = (attempt) => this.store.api.insist(attempt, signal, isBusy);
    this.etag = (await insist(() => this.store.look(null, signal))).etag;
    let read = () => this.store.list(`&limit=${PAGE}`, signal);
    while (read) {
      const page = await insist(read);
      read = page.next;
      this.#take(page.plants, !read);
      yield page.plants;
      if (read && this.isFull && !wantsAll()) await this.#untilWoken();
    }
  }

  #take(plants, isLast) {
    this.plants.append(plants);
    this.plants.isComplete = isLast;
    if (!this.#changes.size) return;
    this.plants.remove(new Set(this.#changes.keys()));
    for (const plant of this.#changes.values()) if (plant) this.plants.insert(plant);
  }

  async #untilWoken() {
    await new Promise((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
    this.#control.signal.throwIfAborted();
  }
}
