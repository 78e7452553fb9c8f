// Calls the public interface, and nothing else. Every failure is an ApiError with the response's status:
// 0 if there was no response; 401 also if the user has signed out since. Addresses are relative to the
// page's: a proxy may serve it under any path.

import { pause } from "./dom.js";
import { parseExactly, writePlant } from "./plant.js";
import { explainError, t } from "./texts.js";

const TIMEOUT = 60_000; // milliseconds without a byte from the server
const PING = 2_000; // milliseconds
const MAX_TRIES = 8;
const MAX_PAUSE = 30; // seconds
export const STREAM = "text/event-stream";
const TYPES = /^(application\/(json|x-ndjson)|text\/event-stream)/;

// The error numbers that the page handles.
export const ID_TAKEN = 40003;
export const ALREADY_STORED = 40004;
export const NO_PLANT = 40401;
export const NO_PATH = 40402;
export const TRIMMED = 41001;
export const NOT_AS_EXPECTED = 41201;
const NO_STORE = 40403;
const OF_ONE_LINE = [40001, 40002, ID_TAKEN, ALREADY_STORED, 40302, NO_PLANT, NOT_AS_EXPECTED, 41301];

/** `number` is the service's; the message too, if the page has no text for the number. */
export class ApiError extends Error {
  /** @param {number} status @param {number} number @param {string} message @param {number} [retryAfter] seconds */
  constructor(status, number, message, retryAfter) {
    super(explainError(number, message));
    this.status = status;
    this.number = number;
    this.retryAfter = retryAfter;
  }
}

export const isPassing = (/** @type {Failure} */ { status }) => [0, 409, 429, 503].includes(status ?? -1);
export const isBarred = (/** @type {Failure} */ { status, number }) => status === 403 || number === NO_STORE;

/** Sends all requests of this page; signing out aborts them. */
export class Api {
  /** @type {string | null} */ token = null; // of the signed-in user
  #session = new AbortController();
  /** @type {Map<string, Store>} */ #stores = new Map();
  #isAway = false; // the server is unreachable, and is pinged

  /** `on` is notified of what concerns the whole page. @param {ApiEvents} on */
  constructor(on) {
    this.on = on;
  }

  /** @param {string | null} token null for requests that need no token */
  begin(token) {
    this.end();
    this.token = token;
    this.#session = new AbortController();
  }

  end() {
    this.token = null;
    this.#session.abort(new ApiError(401, 0, t("error.ended")));
  }

  /** The token's id: the beginning of its hash, which browsers calculate only with TLS. */
  async findTokenId() {
    const hash = await crypto.subtle?.digest("SHA-256", new TextEncoder().encode(this.token ?? ""));
    return hash && Array.from(new Uint8Array(hash, 0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /** The same object for a name each time. @param {string} name */
  store(name) {
    const store = this.#stores.get(name) ?? new Store(this, name);
    this.#stores.set(name, store);
    return store;
  }

  /** Sends JSON; returns the response's JSON, or null if it has no body. @param {string} method @param {string} target @param {object} [body] */
  async send(method, target, body) {
    const headers = { "Content-Type": "application/json" };
    const response = await this.ask(method, target, body && { headers, body: JSON.stringify(body) });
    return response.text ? parse(response, JSON.parse) : null;
  }

  /** Whether the server responds; if not, it is pinged until it does. */
  async isUp() {
    const asked = fetch("livez", { cache: "no-store", signal: AbortSignal.timeout(2 * PING) });
    const isUp = await asked.then(({ ok }) => ok).catch(() => false);
    if (!isUp) this.#ping();
    return isUp;
  }

  async #ping() {
    if (this.#isAway) return;
    this.#setAway(true);
    while (this.#isAway) {
      await pause(PING);
      if (await this.isUp()) this.#setAway(false);
    }
  }

  /** @param {boolean} isAway */
  #setAway(isAway) {
    if (this.#isAway === isAway) return;
    this.#isAway = isAway;
    this.on.away(isAway);
  }

  // Retries while the failure may be temporary, and while the server is away. Only for requests that
  // are safe to repeat.
  /** @template T @param {() => Promise<T>} attempt @param {AbortSignal} [signal] @param {(error: Failure) => boolean} mayPass */
  async retry(attempt, signal, mayPass = isPassing) {
    const ended = this.#endedBy(signal);
    for (let tries = 1; ; tries += 1) {
      try {
        ended.throwIfAborted();
        return await attempt();
      } catch (error) {
        if (!mayPass(error) || tries === MAX_TRIES) throw error;
        const seconds = Math.min(error.retryAfter ?? Math.min(tries, 5), MAX_PAUSE);
        do await pause(1000 * seconds, ended);
        while (this.#isAway);
      }
    }
  }

  // `hear` gets a stream of events piece by piece; then the response comes when the stream ends. A 200 of another
  // type is a proxy's, not the service's.
  /** @param {string} method @param {string} target @param {RequestOptions} asked @returns {Promise<ApiResponse>} */
  async ask(method, target, { headers, hear, signal, body } = {}) {
    const authorization = this.token ? { Authorization: `Bearer ${this.token}` } : undefined;
    const options = { method, body, headers: { ...authorization, ...headers } };
    const response = await this.#fetch(target, options, this.#endedBy(signal), hear);
    const { status } = response;
    this.#setAway(false);
    if (status === 204 || (status < 202 && TYPES.test(response.headers.get("content-type") ?? ""))) return response;
    throw this.tell(readRefusal(response));
  }

  /** Notifies the page of a refusal that concerns the whole page. @param {ApiError} refusal */
  tell(refusal) {
    if (refusal.status === 401) this.on.refused(refusal.message);
    else if (this.token && isBarred(refusal)) this.on.barred();
    return refusal;
  }

  // The complete response, unless the server stops sending.
  /** @param {string} target @param {RequestInit} options @param {AbortSignal} ended @param {RequestOptions["hear"]} hear */
  async #fetch(target, options, ended, hear) {
    ended.throwIfAborted();
    const silence = new AbortController();
    const signal = AbortSignal.any([ended, silence.signal]);
    let deadline = setTimeout(() => silence.abort(), TIMEOUT);
    let isStream = false;
    try {
      const { status, headers, body } = await fetch(target, { ...options, signal, cache: "no-store" });
      isStream = hear !== undefined && headers.get("content-type")?.startsWith(STREAM) === true;
      let text = "";
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        clearTimeout(deadline);
        deadline = setTimeout(() => silence.abort(), TIMEOUT);
        if (isStream) hear?.(part.value);
        else text += part.value;
      }
      return { status, headers, text };
    } catch {
      ended.throwIfAborted();
      if (!isStream) this.#ping(); // a proxy may cut off a stream
      throw new ApiError(0, 0, t("error.away"));
    } finally {
      clearTimeout(deadline);
    }
  }

  /** A request is aborted when its user signs out. @param {AbortSignal} [signal] */
  #endedBy(signal) {
    return signal ? AbortSignal.any([this.#session.signal, signal]) : this.#session.signal;
  }
}

/** The plants of one store. Its operations continue when another store is shown. */
export class Store {
  /** @param {Api} api @param {string} name */
  constructor(api, name) {
    this.api = api;
    this.name = name;
    this.path = `stores/${name}`;
  }

  /** The pages of the list. @param {string} query @param {AbortSignal} signal @param {(error: Failure) => boolean} [mayPass] @returns {AsyncGenerator<Page>} */
  async *pages(query, signal, mayPass) {
    for (let next = query; next; ) {
      const read = () => this.api.ask("GET", `${this.path}/plants${next}`, { signal });
      const response = await this.api.retry(read, signal, mayPass);
      [, next = ""] = /^<[^>?]*(\?[^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? [];
      yield { plants: parse(response, parseExactly), isLast: !next };
    }
  }

  /** The revision of the store's last change. @param {AbortSignal} [signal] */
  async readRevision(signal) {
    const { headers } = await this.api.ask("GET", `${this.path}/plants?limit=0`, { signal });
    return Number(headers.get("store-revision"));
  }

  // A result for each change: its error, null if the plant is as it should be, and the plant's entity tag. If the response
  // ended early, results are missing: those changes may be done or not, and can be sent again.
  /** @param {Change[]} changes */
  async change(changes) {
    const headers = { "Content-Type": "application/x-ndjson" };
    const lines = changes.map(({ before, after }) => {
      if (!after) return `{"op":"delete","id":${before?.id}}`;
      const expected = before?.etag ? `,"if_match":${JSON.stringify(before.etag)}` : "";
      return `{"op":"${before ? "update" : "create"}"${expected},${writePlant(after).slice(1)}`;
    });
    const response = await this.api.ask("POST", `${this.path}/changes`, { headers, body: lines.join("\n") });
    /** @type {{error: ApiError | null, etag?: string}[]} */ const results = [];
    const read = (/** @type {string} */ text) => JSON.parse(`[${text.trim().replaceAll("\n", ",")}]`);
    for (const { status, error, message, etag } of parse(response, read)) {
      const refusal = error ? new ApiError(status, error, message) : null;
      if (refusal && !OF_ONE_LINE.includes(error)) {
        if (!results.length) throw this.api.tell(refusal);
        break;
      }
      const isDone = error === NO_PLANT && !changes[results.length].after;
      results.push({ error: isDone ? null : refusal, etag });
    }
    return results;
  }

  /** A plant as it is now, and its entity tag. The id may come from the page's address, so it can be any text. @param {string} id */
  async get(id) {
    const response = await this.api.ask("GET", `${this.path}/plants/${encodeURIComponent(id)}`);
    /** @type {Plant} */ const plant = { id, ...parse(response, JSON.parse) };
    return { plant, etag: response.headers.get("etag") ?? "" };
  }

  /** The events after a revision; without a revision, the oldest. @param {number | null} after @param {number} limit @returns {Promise<StoreEvent[]>} */
  async events(after, limit) {
    const query = after === null ? "" : `&after=${after}`;
    return parse(await this.api.ask("GET", `${this.path}/events?limit=${limit}${query}`), parseExactly);
  }
}

/** @param {ApiResponse} response @param {(text: string) => any} read */
function parse(response, read) {
  try {
    return read(response.text);
  } catch {
    throw readRefusal(response);
  }
}

/** @param {ApiResponse} response */
function readRefusal({ status, headers, text }) {
  const retryAfter = Number(headers.get("retry-after")) || undefined;
  try {
    const { error, message } = JSON.parse(text);
    if (typeof message === "string" && message) return new ApiError(status, error, message, retryAfter);
  } catch {
    // Not JSON: the status is all there is.
  }
  return new ApiError(status, 0, t("error.foreign", { status }), retryAfter);
}
