// The public interface, and nothing else, as promises. An error response is a Refusal with the
// service's number and message; no response at all is Unreachable. Addresses are relative to the
// page's: a proxy may serve it under any path.

import { pause } from "./dom.js";
import { parseExactly, writePlant } from "./plant.js";

const TIMEOUT = 60_000; // milliseconds without a byte from the server
const SLOW = 4_000;
const MAX_TRIES = 8;
const MAX_PAUSE = 30; // seconds
const TYPES = ["application/json", "application/x-ndjson", "text/event-stream"];

// The error numbers that the page handles.
export const NO_NEW_PLANT = 40002;
export const ID_TAKEN = 40003;
export const ALREADY_STORED = 40004;
export const NO_PLANT = 40401;
export const TRIMMED = 41001;
export const NOT_AS_EXPECTED = 41201;
const NO_STORE = 40403;
const OF_ONE_LINE = [40001, 40002, ID_TAKEN, ALREADY_STORED, 40302, 41301];

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

// The user has signed out since: there is nobody to notify.
export class SignedOut extends Error {
  constructor() {
    super("You were signed out.");
  }
}

/** @param {Failure} error */
export const isPassing = (error) =>
  error instanceof Unreachable || [429, 503, 409].includes(error.status ?? 0);

/** @param {Failure} error */
export const isBarred = (error) => error.status === 403 || error.number === NO_STORE;

// Every further request would fail the same way.
/** @param {Failure} error */
export const isFinal = (error) =>
  error instanceof SignedOut || isPassing(error) || isBarred(error) || error.status === 401;

// Not crypto.randomUUID, which browsers offer only with TLS.
export const makeKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

// All requests of this page; signing out aborts those of the token.
export class Api {
  /** @type {string | null} */
  #token = null;
  #session = new AbortController();
  #slow = new Set();

  // `on` is notified of what concerns the whole page: refused, barred, unreachable, reached, slow;
  // it knows whether the server isAway.
  /** @param {ApiEvents} on */
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

  // What JSON is answered with, null where there is no body.
  /** @param {string} method @param {string} target @param {object} [body] @returns {Promise<any>} */
  async send(method, target, body) {
    const headers = { "Content-Type": "application/json" };
    const response = await this.ask(method, target, body && { headers, body: JSON.stringify(body) });
    return response.text ? parse(response, JSON.parse) : null;
  }

  async isLive() {
    try {
      const signal = AbortSignal.timeout(SLOW);
      return (await fetch("livez", { cache: "no-store", signal })).ok;
    } catch {
      return false;
    }
  }

  // Retries while the failure may be temporary, and as long as the server is away: for requests that
  // are safe to repeat.
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
        if (!mayPass(error) || tries === MAX_TRIES) throw error;
        const seconds = Math.min(error.retryAfter ?? Math.min(tries, 5), MAX_PAUSE);
        do await pause(1000 * seconds, ended);
        while (this.on.isAway());
      }
    }
  }

  // With `hear`, which gets a stream of events piece by piece, the response is at its end.
  /**
   * @param {string} method @param {string} target
   * @param {{headers?: Record<string, string>, body?: string, signal?: AbortSignal,
   *   hear?: (text: string) => void}} options
   */
  async ask(method, target, { headers = {}, body, signal, hear } = {}) {
    if (this.#token) headers = { Authorization: `Bearer ${this.#token}`, ...headers };
    const response = await this.#fetch(target, { method, body, headers, signal }, hear);
    this.on.reached();
    if (isSuccess(response)) return response;
    const refusal = readRefusal(response);
    if (refusal.status === 401) this.on.refused(refusal.message);
    else if (this.#token && isBarred(refusal)) this.on.barred();
    throw refusal;
  }

  // The complete response, unless the server stops sending.
  /**
   * @param {string} target @param {RequestInit & {method: string, signal?: AbortSignal}} options
   * @param {(text: string) => void} [hear]
   */
  async #fetch(target, { signal, ...options }, hear) {
    const ended = this.#endedBy(signal);
    ended.throwIfAborted();
    const silence = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let deadline;
    const wait = () => {
      clearTimeout(deadline);
      deadline = setTimeout(() => silence.abort(), TIMEOUT);
    };
    wait();
    const endWatch = this.#watchSlowness();
    let isStream = false;
    try {
      const either = AbortSignal.any([ended, silence.signal]);
      const response = await fetch(target, { ...options, signal: either, cache: "no-store" });
      const { status, headers } = response;
      isStream = hear !== undefined && isOfType(headers, "text/event-stream");
      if (isStream) endWatch();
      const text = await readText(response, (part) => {
        wait();
        if (isStream) hear?.(part);
        return isStream ? "" : part;
      });
      return { method: options.method, status, headers, text };
    } catch {
      ended.throwIfAborted();
      if (!isStream) this.on.unreachable(); // it may have been cut off by a proxy
      throw new Unreachable();
    } finally {
      clearTimeout(deadline);
      endWatch();
    }
  }

  // A request is aborted when its user signs out.
  /** @param {AbortSignal} [signal] */
  #endedBy(signal) {
    const { signal: session } = this.#session;
    return signal ? AbortSignal.any([session, signal]) : session;
  }

  #watchSlowness() {
    const timer = setTimeout(() => this.on.slow(this.#slow.add(timer).size > 0), SLOW);
    return () => {
      clearTimeout(timer);
      if (this.#slow.delete(timer)) this.on.slow(this.#slow.size > 0);
    };
  }
}

// The plants of one store. Its operations continue when another store is shown.
export class Store {
  #plants;
  #events;

  /** @param {Api} api @param {string} name */
  constructor(api, name) {
    this.api = api;
    this.name = name;
    this.#plants = `stores/${name}/plants`;
    this.#events = `stores/${name}/events`;
  }

  // A page of plants, and a function that reads the next one, if there is one.
  /** @param {string} query @param {AbortSignal} [signal] @returns {Promise<Page>} */
  list(query, signal) {
    return this.#read(`${this.#plants}?include=id${query}`, signal);
  }

  /** @param {string} target @param {AbortSignal} [signal] @returns {Promise<Page>} */
  async #read(target, signal) {
    const response = await this.api.ask("GET", target, { signal });
    const link = /^<[^>?]*(\?[^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "");
    const next = link && (() => this.#read(this.#plants + link[1], signal));
    return { plants: parse(response, parseExactly), next };
  }

  // Whether the store still has this `etag`, and its current one.
  /** @param {string | null} etag @param {AbortSignal} [signal] */
  async look(etag, signal) {
    const headers = etag ? { "If-None-Match": etag } : undefined;
    const response = await this.api.ask("GET", `${this.#plants}?limit=0`, { headers, signal });
    return { etag: response.headers.get("etag"), isSame: response.status === 304 };
  }

  /** @param {Draft} plant @param {string} key @param {AbortSignal} [signal] */
  create(plant, key, signal) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    return this.api.ask("POST", this.#plants, { headers, body: writePlant(plant), signal });
  }

  // The error of each plant, null for one that is stored; shorter where the response ended early: the rest was stored or
  // not, and may be sent again.
  /** @param {Plant[]} plants @param {AbortSignal} [signal] @returns {Promise<(Refusal | null)[]>} */
  async createMany(plants, signal) {
    const headers = { "Content-Type": "application/x-ndjson" };
    const body = plants.map((plant) => `${writePlant(plant)}\n`).join("");
    const response = await this.api.ask("POST", this.#plants, { headers, body, signal });
    /** @type {(Refusal | null)[]} */
    const outcomes = [];
    for (const { status, error, message } of parse(response, readLines)) {
      if (error && !OF_ONE_LINE.includes(error)) break;
      outcomes.push(error && error !== ALREADY_STORED ? new Refusal(status, error, message) : null);
    }
    return outcomes;
  }

  /** @param {string} id @param {AbortSignal} [signal] */
  delete(id, signal) {
    return this.api.ask("DELETE", `${this.#plants}/${id}`, { signal });
  }

  // A plant as it is now, and its entity tag.
  /** @param {string} id @param {AbortSignal} [signal] @returns {Promise<{plant: Plant, etag: string}>} */
  async get(id, signal) {
    const response = await this.api.ask("GET", `${this.#plants}/${id}`, { signal });
    return { plant: { id, ...parse(response, JSON.parse) }, etag: response.headers.get("etag") ?? "" };
  }

  // Unless the plant is another one than `etag` names.
  /** @param {Plant} plant @param {string} etag @param {AbortSignal} [signal] */
  replace(plant, etag, signal) {
    const headers = { "Content-Type": "application/json", "If-Match": etag };
    const { id, ...body } = plant;
    return this.api.ask("PUT", `${this.#plants}/${id}`, { headers, body: writePlant(body), signal });
  }

  // The events after a revision, or the oldest ones that are kept.
  /** @param {number | null} after @param {number} limit @returns {Promise<StoreEvent[]>} */
  async events(after, limit) {
    const query = after === null ? "" : `&after=${after}`;
    return parse(await this.api.ask("GET", `${this.#events}?limit=${limit}${query}`), parseExactly);
  }

  // The events after a revision, or from now on, until the stream ends.
  /** @param {string | null} after @param {AbortSignal} signal @param {(text: string) => void} hear */
  listen(after, signal, hear) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "text/event-stream" };
    if (after !== null) headers["Last-Event-ID"] = after;
    return this.api.ask("GET", this.#events, { headers, signal, hear });
  }
}

/** @param {string} text */
const readLines = (text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** @param {Headers} headers @param {string} type */
const isOfType = (headers, type) => (headers.get("content-type") ?? "").startsWith(type);

/** @param {Response} response @param {(part: string) => string} take */
async function readText({ body }, take) {
  if (!body) return "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += take(value);
  }
}

// A proxy's response may look like the service's.
/** @param {ApiResponse} response */
function isSuccess({ method, status, headers }) {
  if (method === "DELETE") return status === 204;
  if (status === 304) return true;
  if (status === 201) return isOfType(headers, "application/json");
  return status === 200 && TYPES.some((type) => isOfType(headers, type));
}

/** @param {ApiResponse} response @param {(text: string) => any} read */
function parse(response, read) {
  try {
    return read(response.text);
  } catch {
    throw makeStrange(response);
  }
}

/** @param {ApiResponse} response */
function readRefusal(response) {
  const retryAfter = Number(response.headers.get("retry-after")) || undefined;
  try {
    const { error, message } = JSON.parse(response.text);
    if (typeof message === "string" && message && response.status >= 400)
      return new Refusal(response.status, error, message, retryAfter);
  } catch {
    // Only the status is left.
  }
  return makeStrange(response, retryAfter);
}

/** @param {ApiResponse} response @param {number} [retryAfter] */
const makeStrange = ({ status }, retryAfter) =>
  new Refusal(status, 0, `the server answered with status ${status}, but not like this service`, retryAfter);
