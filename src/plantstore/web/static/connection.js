// Whether the server is there: told in notices, and asked for again and again while it is not.

import { announce, pause } from "./dom.js";

const PING = 2_000;
const LONGEST = 60_000;

export class Connection {
  #isWaiting = false;

  // `on.back()` hears when the server is there again; `on.isLive()` asks it; `on.failures()` tells
  // how often in a row that was not enough.
  /** @param {{isLive: () => Promise<boolean>, failures: () => number, back: () => void}} on */
  constructor(on) {
    this.on = on;
  }

  reached() {
    showNotice("offline", false);
  }

  async unreachable() {
    showNotice("offline", true);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    do await pause(Math.min(PING * 2 ** this.on.failures(), LONGEST));
    while (!(await this.on.isLive()));
    this.#isWaiting = false;
    this.reached();
    announce("The server is back.");
    this.on.back();
  }
}

// Wherever there is room for it: a dialog covers the page's own.
/** @param {string} name @param {boolean} isShown */
export function showNotice(name, isShown) {
  /** @type {NodeListOf<HTMLElement>} */
  const notices = document.querySelectorAll(`[data-notice="${name}"]`);
  if (notices[0].hidden !== isShown) return;
  for (const notice of notices) notice.hidden = !isShown;
  if (isShown) announce(notices[0].textContent.trim());
}
