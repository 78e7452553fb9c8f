// Whether the server is there: told in notices, and asked for again and again while it is not.

import { announce, pause } from "./dom.js";

const PING = 2_000;
const LONGEST = 60_000;

export class Connection {
  #isWaiting = false;

  // `back()` hears when the server is there again; `isLive()` asks it; `failures()` tells how
  // often in a row that was not enough.
  constructor({ isLive, failures, back }) {
    Object.assign(this, { isLive, failures, back });
  }

  reached() {
    showNotice("offline", false);
  }

  async unreachable() {
    showNotice("offline", true);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    do await pause(Math.min(PING * 2 ** this.failures(), LONGEST));
    while (!(await this.isLive()));
    this.#isWaiting = false;
    this.reached();
    announce("The server is back.");
    this.back();
  }
}

// Wherever there is room for it: a dialog covers the page's own.
export function showNotice(name, isShown) {
  const notices = [...document.querySelectorAll(`[data-notice="${name}"]`)];
  if (notices[0].hidden !== isShown) return;
  for (const notice of notices) notice.hidden = !isShown;
  if (isShown) announce(notices[0].textContent.trim());
}
