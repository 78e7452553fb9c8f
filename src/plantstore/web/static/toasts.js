// Short messages that stay for a while, or until they are closed or replaced.

import { $, announce, count, figures, focusPlants, make } from "./dom.js";

const STAY = 8_000; // milliseconds
const STAY_WITH_BUTTONS = 30_000;
const ANNOUNCE_EVERY = 10_000;

export class Toast {
  /** @param {Content} content @param {{kind?: Kind}} options */
  constructor(content, { kind = "plain" } = {}) {
    this.text = make("p", {}, ...content);
    this.buttons = make("div", { className: "buttons" });
    this.element = make("div", { className: `toast ${kind}` }, this.text, this.buttons);
    const close = make("button", { type: "button", className: "quiet close", textContent: "×" });
    close.setAttribute("aria-label", "Close this message");
    close.addEventListener("click", () => this.close());
    this.element.append(close);
  }

  show() {
    $("toasts").prepend(this.element);
    return this;
  }

  get isOpen() {
    return this.element.isConnected;
  }

  /** @param {string} label @param {() => void} act */
  offer(label, act) {
    const button = make("button", { type: "button", textContent: label });
    button.addEventListener("click", () => {
      this.close();
      act();
    });
    this.buttons.append(button);
    return this;
  }

  // Not while somebody is about to use it.
  leave() {
    let end = performance.now() + STAY;
    const timer = setInterval(() => {
      if (this.element.matches(":hover, :focus-within")) end = performance.now() + STAY;
      const stays = this.buttons.childElementCount ? STAY_WITH_BUTTONS - STAY : 0;
      if (performance.now() > end + stays) this.close();
      if (!this.isOpen) clearInterval(timer);
    }, 1_000);
  }

  /** @param {string} text */
  say(text) {
    this.text.textContent = text;
  }

  close() {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.remove();
    if (hadFocus) focusPlants();
  }
}

// The content is a sequence of texts and elements.
/** @param {Content} content @param {{kind?: Kind}} [options] */
export const toast = (content, options) => new Toast(content, options).show();

/** @param {Content} content @param {{kind?: Kind}} [options] */
export function tell(content, options) {
  const shown = toast(content, options);
  if (options?.kind !== "failed") shown.leave();
  announce(shown.text.textContent);
  return shown;
}

// How far it is, with the time left; announced now and then.
/** @param {string} doing @param {number} total @param {() => void} stop */
export function showProgress(doing, total, stop) {
  const shown = toast([`${doing} ${count(total, "plant")}…`]).offer("Stop", stop);
  const start = performance.now();
  let announced = start;
  /** @param {number} ended */
  const tell = (ended) => {
    const now = performance.now();
    const left = describeTime(((now - start) / ended) * (total - ended));
    const text = `${doing} ${figures(ended)} of ${figures(total)}, about ${left} left`;
    shown.say(text);
    if (now - announced < ANNOUNCE_EVERY) return;
    announced = now;
    announce(text);
  };
  return { tell, close: () => shown.close() };
}

/** @param {number} milliseconds */
function describeTime(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 100 ? count(seconds, "second") : count(Math.ceil(seconds / 60), "minute");
}
