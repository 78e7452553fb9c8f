// The session: one token, which all tabs of this service share until one of them signs out. It is in
// each tab's sessionStorage, which ends with the tab; in localStorage only if the user stays signed
// in; in memory alone if the browser forbids both. A tab without a token asks the others.
// A service under another path of this origin has a session of its own.

import { pause } from "./dom.js";

const PREFIX = `plantstore${new URL(".", location.href).pathname}`;
const WAIT = 200; // milliseconds for another tab to send its token

/** @template Value @param {() => Value} act */
function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

const makeStorage = (/** @type {() => Storage} */ find) => ({
  get: (/** @type {string} */ name) => attempt(() => find().getItem(PREFIX + name)),
  put: (/** @type {string} */ name, /** @type {string} */ value) => attempt(() => find().setItem(PREFIX + name, value)),
  drop: (/** @type {string} */ name) => attempt(() => find().removeItem(PREFIX + name)),
});
export const tab = makeStorage(() => sessionStorage);
export const device = makeStorage(() => localStorage);

// Each sign-out begins a new session: a tab that was suspended still has the old session's token.
const currentSession = () => device.get("session") ?? "";
const findToken = () => (tab.get("session") === currentSession() && tab.get("token")) || device.get("token");

export class Session {
  #channel = new BroadcastChannel(PREFIX);
  /** @type {string | undefined} */ #heard; // from another tab
  token = findToken();

  /** `on.joined` gets the token of another tab; `on.ended` is called when another tab signs out. @param {SessionEvents} on */
  constructor(on) {
    this.on = on;
    this.#channel.addEventListener("message", ({ data }) => this.#hear(data));
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted && this.token !== findToken()) this.#hear({ isEnd: true });
    });
    if (!this.token) this.#channel.postMessage({ isQuestion: true });
  }

  /** @param {string} token @param {boolean} [isKept] after the browser is closed, too */
  begin(token, isKept) {
    this.token = token;
    if (isKept) device.put("token", token);
    tab.put("token", token);
    tab.put("session", currentSession());
    this.#channel.postMessage({ token });
  }

  /** The token, or another tab's token, which may take a moment to arrive. */
  async find() {
    if (!this.token) await pause(WAIT);
    return this.token ?? this.#heard;
  }

  /** Signs out, here and in all other tabs. */
  end() {
    device.drop("token");
    device.put("session", `${Date.now()}`);
    this.forget();
    this.#channel.postMessage({ isEnd: true });
  }

  /** Forgets the token: it was refused, or the session has ended. */
  forget() {
    if (this.token === device.get("token")) device.drop("token");
    for (const name of ["token", "session", "draft"]) tab.drop(name);
    this.token = null;
  }

  /** @param {{token?: string, isQuestion?: boolean, isEnd?: boolean}} data */
  #hear({ token, isQuestion, isEnd }) {
    if (isQuestion && this.token) this.#channel.postMessage({ token: this.token });
    if (isEnd && this.token) {
      this.forget();
      this.on.ended();
    }
    this.#heard = isEnd ? undefined : (token ?? this.#heard);
    if (token && !this.token) this.on.joined(token);
  }
}
