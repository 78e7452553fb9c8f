// What happens in the store, as it happens: the stream of its events, resumed where it broke off.
// A hidden tab has none: browsers allow few connections, and it catches up when it is shown again.

import { isBarred, isPassing } from "./api.js";
import { pause } from "./dom.js";
import { parseExactly } from "./plant.js";

const START = 2_000; // milliseconds; a proxy may keep a stream back
const PAUSE = 1_000;
const MAX_DOUBLINGS = 5;

export class Live {
  #end = new AbortController();
  #stream = new AbortController();
  #begun = Promise.withResolvers();
  /** @type {string | null} */ position = null; // the revision of the last event that was heard
  #unread = "";

  // `on.hear(events)` gets what happens; after `on.lose()` it gets no more, and has missed some.
  /** @param {Store} store @param {{hear: (events: StoreEvent[]) => void, lose: () => void}} on */
  constructor(store, on) {
    this.store = store;
    this.on = on;
  }

  // Whether all that happens from now on will be heard: false where the stream does not begin soon.
  async start() {
    const turn = () => (document.hidden ? this.#stream.abort() : this.#stream.signal.aborted && this.#run());
    document.addEventListener("visibilitychange", turn, { signal: this.#end.signal });
    this.#run();
    if (!(await Promise.race([this.#begun.promise, pause(START)]))) this.stop();
    return !this.isOver;
  }

  stop() {
    this.#end.abort();
    this.#stream.abort();
    this.#begun.resolve(false);
  }

  get isOver() {
    return this.#end.signal.aborted;
  }

  async #run() {
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        this.#unread = "";
        await this.store.listen(this.position, signal, (text) => {
          failures = 0;
          this.#take(text);
        });
      } catch (error) {
        if (signal.aborted) return;
        if (this.position === null || !isPassing(error)) this.stop();
        if (this.position !== null && !isPassing(error) && !isBarred(error)) this.on.lose();
      }
      await pause(PAUSE * 2 ** Math.min(failures, MAX_DOUBLINGS), signal).catch(() => undefined);
    }
  }

  // Server-sent events: the first only has the position.
  /** @param {string} text */
  #take(text) {
    const blocks = (this.#unread + text).split("\n\n");
    this.#unread = blocks.pop() ?? "";
    const events = blocks.flatMap((block) => /^data: ([^\n]+)/m.exec(block)?.slice(1).map(parseExactly) ?? []);
    for (const block of blocks) this.position = /^id: (\d+)/m.exec(block)?.[1] ?? this.position;
    this.#begun.resolve(true);
    if (events.length) this.on.hear(events);
  }
}
