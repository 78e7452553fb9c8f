// The public interface, and nothing else, as promises. An answer that is an error is a Refusal
// with the service's own number and message; no answer at all is Unreachable. Addresses are
// relative to the page's: a proxy may have put the service below any path.

import { pause } from "./dom.js";
import { parseExactly, writePlant } from "./plant.js";

const PATIENCE = 60_000; // milliseconds without a word from the server
const SLOW = 4_000;
const TRIES = 8;
const LONGEST_PAUSE = 30; // seconds

// The numbers of the errors that mean something to the page.
export const NO_NEW_PLANT = 40002;
export const ID_TAKEN = 40003;
export const ALREADY_STORED = 40004;
export const NO_PLANT = 40401;
const NO_STORE = 40403;

export class Refusal extends Error {
  /** @param {number} status @param {number} number @param {string} message @param {number} [retryAfter] */
  constructor(status, number, message, retryAfter) {
    super(message);
    this.status = status;
    this.number = number;
    this.retryAfter = retryAfter;
  }
}

class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

// Whoever asked has signed out since: nobody is left to tell.
export class SignedOut extends Error {
  constructor() {
    super("You were signed out.");
  }
}

/** @param {Failure} error */
const isPassing = (error) =>
  error instanceof Unreachable || [429, 503, 409].includes(error.status ?? 0);

/** @param {Failure} error */
export const isBarred = (error) => error.status === 403 || error.number === NO_STORE;

// Every further request would fail alike.
/** @param {Failure} error */
export const isFinal = (error) =>
  error instanceof SignedOut || isPassing(error) || isBarred(error) || error.status === 401;

// Not crypto.randomUUID: browsers keep that from pages without TLS, as in a local network.
export const makeKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

// All requests of this page; those of one token end with it.
export class Api {
  /** @type {string | null} */
  #token = null;
  #session = new AbortController();
  #slow = 0;

  // `on` hears of what concerns the whole page: refused, barred, unreachable, reached, slow.
  /**
   * @param {{refused: (message: string) => void, barred: () => void, unreachable: () => void,
   *   reached: () => void, slow: (isSlow: boolean) => void}} on
   */
  constructor(on) {
    this.on = on;
  }

  get isSignedIn() {
    return this.#token !== null;
  }

  /** @param {string} token */
  begin(token) {
    this.end();
    this.#token = token;
    this.#session = new AbortController();
  }

  end() {
    this.#token = null;
    this.#session.abort(new SignedOut());
  }

  /** @param {string} name */
  store(name) {
    return new Store(this, name);
  }

  /** @returns {Promise<Me>} */
  async getMe() {
    return parse(await this.ask("GET", "me"), JSON.parse);
  }

  async isLive() {
    try {
      const signal = AbortSignal.timeout(SLOW);
      return (await fetch("livez", { cache: "no-store", signal })).ok;
    } catch {
      return false;
    }
  }

  // Again and again while the failure may pass: for what is safe to repeat.
  /**
   * @template Value @param {() => Promise<Value>} attempt @param {AbortSignal} [signal]
   * @param {(error: Failure) => boolean} mayPass
   */
  async insist(attempt, signal, mayPass = isPassing) {
    const ended = this.#endedBy(signal);
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!mayPass(error) || tries === TRIES) throw error;
        const seconds = Math.min(error.retryAfter ?? Math.min(tries, 5), LONGEST_PAUSE);
        await pause(1000 * seconds, ended);
      }
    }
  }

  /**
   * @param {string} method @param {string} target
   * @param {{headers?: Record<string, string>, body?: string, signal?: AbortSignal}} options
   */
  async ask(method, target, { headers = {}, body, signal } = {}) {
    headers = { Authorization: `Bearer ${this.#token}`, ...headers };
    const answer = await this.#fetch(target, { method, body, headers, signal });
    this.on.reached();
    if (isSuccess(answer)) return answer;
    const refusal = readRefusal(answer);
    if (refusal.status === 401) this.on.refused(refusal.message);
    else if (isBarred(refusal)) this.on.barred();
    throw refusal;
  }

  // The whole answer, unless the server falls silent.
  /** @param {string} target @param {RequestInit & {method: string, signal?: AbortSignal}} options */
  async #fetch(target, { signal, ...options }) {
    const ended = this.#endedBy(signal);
    ended.throwIfAborted();
    const silence = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let deadline;
    const hear = () => {
      clearTimeout(deadline);
      deadline = setTimeout(() => silence.abort(), PATIENCE);
    };
    hear();
    const watch = this.#watchSlowness();
    try {
      const either = AbortSignal.any([ended, silence.signal]);
      const answer = await fetch(target, { ...options, signal: either, cache: "no-store" });
      const { status, headers } = answer;
      return { method: options.method, status, headers, text: await readText(answer, hear) };
    } catch {
      ended.throwIfAborted();
      this.on.unreachable();
      throw new Unreachable();
    } finally {
      clearTimeout(deadline);
      watch.end();
    }
  }

  // Whatever is asked ends with the token that it was asked with.
  /** @param {AbortSignal} [signal] */
  #endedBy(signal) {
    const { signal: session } = this.#session;
    return signal ? AbortSignal.any([session, signal]) : session;
  }

  #watchSlowness() {
    let isSlow = false;
    /** @param {number} change */
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

// The plants of one store. What began with it goes on with it, whichever store is in sight.
export class Store {
  #plants;

  /** @param {Api} api @param {string} name */
  constructor(api, name) {
    this.api = api;
    this.name = name;
    this.#plants = `stores/${name}/plants`;
  }

  // A page of plants, and what reads the next one, if there is one.
  /** @param {string} query @param {AbortSignal} [signal] @returns {Promise<Page>} */
  list(query, signal) {
    return this.#read(`${this.#plants}?include=id${query}`, signal);
  }

  /** @param {string} target @param {AbortSignal} [signal] @returns {Promise<Page>} */
  async #read(target, signal) {
    const answer = await this.api.ask("GET", target, { signal });
    const link = /^<[^>?]*(\?[^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "");
    const next = link && (() => this.#read(this.#plants + link[1], signal));
    return { plants: parse(answer, parseExactly), next };
  }

  // Whether the store is as it was when `etag` was given, and its tag now.
  /** @param {string | null} etag @param {AbortSignal} [signal] */
  async look(etag, signal) {
    const headers = etag ? { "If-None-Match": etag } : undefined;
    const answer = await this.api.ask("GET", `${this.#plants}?limit=0`, { headers, signal });
    return { etag: answer.headers.get("etag"), isSame: answer.status === 304 };
  }

  /** @param {Draft} plant @param {string} key @param {AbortSignal} [signal] */
  create(plant, key, signal) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    return this.api.ask("POST", this.#plants, { headers, body: writePlant(plant), signal });
  }

  /** @param {string} id @param {AbortSignal} [signal] */
  delete(id, signal) {
    return this.api.ask("DELETE", `${this.#plants}/${id}`, { signal });
  }
}

/** @param {Response} response @param {() => void} hear */
async function readText({ body }, hear) {
  if (!body) return "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    hear();
  }
}

// What comes from a proxy in between may look like an answer, and be none.
/** @param {Answer} answer */
function isSuccess({ method, status, headers }) {
  if (method === "DELETE") return status === 204;
  if (status === 304) return true;
  return status === 200 && headers.get("content-type")?.startsWith("application/json");
}

/** @param {Answer} answer @param {(text: string) => any} read */
function parse(answer, read) {
  try {
    return read(answer.text);
  } catch {
    throw makeStrange(answer);
  }
}

/** @param {Answer} answer */
function readRefusal(answer) {
  const retryAfter = Number(answer.headers.get("retry-after")) || undefined;
  try {
    const { error, message } = JSON.parse(answer.text);
    if (typeof message === "string" && message && answer.status >= 400)
      return new Refusal(answer.status, error, message, retryAfter);
  } catch {
    // Then the status alone has to do.
  }
  return makeStrange(answer, retryAfter);
}

/** @param {Answer} answer @param {number} [retryAfter] */
const makeStrange = ({ status }, retryAfter) =>
  new Refusal(status, 0, `the server answered with status ${status}, not as this service does`, retryAfter);
