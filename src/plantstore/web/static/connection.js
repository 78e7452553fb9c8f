// Whether the server can be reached: shown in notices, and polled while it cannot.

import { announce, pause } from "./dom.js";

const PING = 2_000;
const MAX_PAUSE = 60_000;

export class Connection {
  #isWaiting = false;

  // `on.back()` is called when the server is back; `on.isLive()` asks it; `on.failures()` is how
  // often in a row loading has failed although it was.
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
    do await pause(Math.min(PING * 2 ** this.on.failures(), MAX_PAUSE));
    while (!(await this.on.isLive()));
    this.#isWaiting = false;
    this.reached();
    announce("The server is back.");
    this.on.back();
  }
}

// In the page and in open dialogs, which cover the page's notices.
/** @param {string} name @param {boolean} isShown */
export function showNotice(name, isShown) {
  /** @type {NodeListOf<HTMLElement>} */
  const notices = document.querySelectorAll(`[data-notice="${name}"]`);
  if (notices[0].hidden !== isShown) return;
  for (const notice of notices) notice.hidden = !isShown;
  if (isShown) announce(notices[0].textContent.trim());
}
