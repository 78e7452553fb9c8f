// Loads a store's plants once, page by page, and follows its changes from then on: by its stream of events, which is
// resumed after a lost connection. A page, too, is changes to the plants that are known. A hidden tab has no stream, because browsers allow few connections; it catches up
// when it is shown again.

import { isBarred, isPassing, STREAM } from "./api.js";
import { pause } from "./dom.js";
import { parseExactly } from "./plant.js";

const PAGE = 5000; // most lists are one page, and only pages of over 1,000 plants are compressed
const START = 2_000; // milliseconds; a proxy may hold a stream back
const PAUSE = 1_000;
const MAX_DOUBLINGS = 5;

export class Loading {
  #end = new AbortController(); // stops loading
  #stream = new AbortController();
  #begun = Promise.withResolvers();
  /** @type {string | null} */ #position = null; // the revision of the last event received
  #unread = "";
  /** @type {Changes} */ changes = new Map(); // made while pages load: pages may be older
  isDone = false; // all pages are loaded
  isPolling = false; // there is no stream of events
  revision = 0; // of the store before it was loaded, if there is no stream

  /** After `on.lose` no events follow, and some were missed. @param {Store} store @param {LiveEvents} on */
  constructor(store, on) {
    this.store = store;
    this.on = on;
  }

  stop() {
    this.#end.abort();
    this.#stopLive();
  }

  /** The changes that bring known plants up to date, page by page. @param {Plant[]} known */
  async *pages(known) {
    const { signal } = this.#end;
    const { store } = this;
    const isBusy = (/** @type {Failure} */ { status }) => status === 429;
    if (!(await this.#startLive()))
      this.revision = await store.api.retry(() => store.readRevision(signal), signal, isBusy);
    /** @type {Changes} */ const gone = new Map(known.map(({ id }) => [id, null]));
    for await (const { plants, isLast } of store.pages(`?include=id&limit=${PAGE}`, signal, isBusy)) {
      /** @type {Changes} */ const changes = new Map(plants.map((plant) => [plant.id, plant]));
      for (const id of changes.keys()) gone.delete(id);
      this.isDone = isLast;
      yield new Map([...changes, ...(isLast ? gone : []), ...this.changes]);
    }
  }

  /** Whether all events from now on will be received: false if the stream does not begin soon. */
  async #startLive() {
    const turn = () => (document.hidden ? this.#stream.abort() : this.#stream.signal.aborted && this.#listen());
    document.addEventListener("visibilitychange", () => this.isPolling || turn(), { signal: this.#end.signal });
    this.#listen();
    if (!(await Promise.race([this.#begun.promise, pause(START)]))) this.#stopLive();
    return !this.isPolling;
  }

  #stopLive() {
    this.isPolling = true;
    this.#stream.abort();
    this.#begun.resolve(false);
  }

  async #listen() {
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        this.#unread = "";
        const position = this.#position === null ? undefined : { "Last-Event-ID": this.#position };
        const hear = (/** @type {string} */ text) => {
          failures = 0;
          this.#take(text);
        };
        const { api, path } = this.store;
        await api.ask("GET", `${path}/events`, { headers: { Accept: STREAM, ...position }, signal, hear });
      } catch (error) {
        if (signal.aborted) return;
        if (this.#position === null || !isPassing(error)) this.#stopLive();
        if (this.#position !== null && !isPassing(error) && !isBarred(error)) this.on.lose();
      }
      await pause(PAUSE * 2 ** Math.min(failures, MAX_DOUBLINGS), signal).catch(() => undefined);
    }
  }

  /** Reads server-sent events; the first has only the position. @param {string} text */
  #take(text) {
    const blocks = (this.#unread + text).split("\n\n");
    this.#unread = blocks.pop() ?? "";
    /** @type {Changes} */ const changes = new Map();
    for (const block of blocks) {
      this.#position = /^id: (\d+)/m.exec(block)?.[1] ?? this.#position;
      const [, data] = /^data: ([^\n]+)/m.exec(block) ?? [];
      const { kind, plant } = parseExactly(data ?? "{}");
      if (plant) changes.set(plant.id, kind === "plant.deleted" ? null : plant);
    }
    this.#begun.resolve(true);
    this.on.hear(changes);
  }
}
