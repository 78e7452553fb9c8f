// The public interface, and nothing else, as promises. An answer that is an error is a Refusal
// with the service's own number and message; no answer at all is Unreachable.

import { pause } from "./dom.js";
import { parseExactly, writePlant } from "./plant.js";

const PATIENCE = 60_000;
const SLOW = 4_000;
const TRIES = 8;

export class Refusal extends Error {
  constructor(status, number, message, retryAfter) {
    super(message);
    Object.assign(this, { status, number, retryAfter });
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

export const isPassing = (error) =>
  error instanceof Unreachable || [429, 503, 409].includes(error.status);

// Not crypto.randomUUID: browsers keep that from pages without TLS, as in a local network.
export const makeKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

export class Api {
  #slow = 0;

  // `on` hears of what concerns the whole page: refused, unreachable, reached, slow.
  constructor(on) {
    this.on = on;
    this.token = null;
    this.base = "";
  }

  async getMe() {
    return JSON.parse((await this.#ask("GET", "/me")).text);
  }

  async isLive() {
    try {
      return (await fetch("/livez", { cache: "no-store" })).ok;
    } catch {
      return false;
    }
  }

  // A page of plants, and the target of the next.
  async list(target, signal) {
    const answer = await this.#ask("GET", target, { signal });
    const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "");
    return { plants: parseExactly(answer.text), next: next && next[1] };
  }

  // Whether the store is as it was when `etag` was given, and its tag now.
  async look(etag) {
    const headers = etag ? { "If-None-Match": etag } : {};
    const answer = await this.#ask("GET", `${this.base}/plants?limit=0`, { headers });
    return { etag: answer.headers.get("etag"), isSame: answer.status === 304 };
  }

  create(plant, key, signal) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const body = writePlant(plant);
    return this.#ask("POST", `${this.base}/plants`, { headers, body, signal });
  }

  delete(id, signal) {
    return this.#ask("DELETE", `${this.base}/plants/${id}`, { signal });
  }

  // Again and again while the failure may pass: for what is safe to repeat.
  async insist(attempt, signal, mayPass = isPassing) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!mayPass(error) || tries === TRIES) throw error;
        await pause(1000 * (error.retryAfter ?? Math.min(tries, 5)), signal);
      }
    }
  }

  async #ask(method, target, { headers = {}, body, signal } = {}) {
    headers = { Authorization: `Bearer ${this.token}`, ...headers };
    const answer = await this.#fetch(target, { method, body, headers, signal });
    this.on.reached();
    if (answer.status < 300 || answer.status === 304) return answer;
    const { error, message } = readError(answer);
    const retryAfter = Number(answer.headers.get("retry-after")) || undefined;
    if (answer.status === 401) this.on.refused(message);
    throw new Refusal(answer.status, error, message, retryAfter);
  }

  // The whole answer, within the deadline.
  async #fetch(target, { signal, ...options }) {
    const own = new AbortController();
    const abort = () => own.abort();
    signal?.addEventListener("abort", abort);
    const deadline = setTimeout(abort, PATIENCE);
    const watch = this.#watchSlowness();
    try {
      const answer = await fetch(target, { ...options, signal: own.signal, cache: "no-store" });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch {
      signal?.throwIfAborted();
      this.on.unreachable();
      throw new Unreachable();
    } finally {
      signal?.removeEventListener("abort", abort);
      clearTimeout(deadline);
      watch.end();
    }
  }

  #watchSlowness() {
    let isSlow = false;
    const tell = (change) => {
      this.#slow += change;
      this.on.slow(this.#slow > 0);
    };
    const timer = setTimeout(() => {
      isSlow = true;
      tell(1);
    }, SLOW);
    const end = () => {
      clearTimeout(timer);
      if (isSlow) tell(-1);
    };
    return { end };
  }
}

// A proxy in between may answer in words of its own.
function readError({ status, text }) {
  try {
    return JSON.parse(text);
  } catch {
    return { error: 0, message: `the server answered with status ${status}` };
  }
}
