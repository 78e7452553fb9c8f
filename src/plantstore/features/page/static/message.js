// One line at the foot of the page: what the last action did, with its undo; or how far it is, or why it failed.

import { $, announce, focusPlants, makeButton } from "./dom.js";
import { t } from "./texts.js";

const STAY = 60_000; // milliseconds
const ANNOUNCE_EVERY = 10_000;

let timer = 0;
let announced = 0;

/** @param {Content} content @param {Actions} [actions] @param {"done" | "failed" | "progress"} [kind] */
export function say(content, actions = {}, kind = "done") {
  clearTimeout(timer);
  $("message-text").replaceChildren(...content);
  $("message").className = kind;
  $("message").hidden = false;
  const close = kind === "progress" ? [] : [makeButton("×", hush, { className: "quiet close", "aria-label": t("close") })];
  const buttons = Object.entries(actions).map(([label, act]) => makeButton(label, act, { className: "quiet" }));
  offer(...buttons, ...close);
  if (kind === "done") timer = setTimeout(hush, STAY);
  if (kind === "progress" && Date.now() - announced < ANNOUNCE_EVERY) return;
  announced = Date.now();
  announce($("message-text").textContent ?? "");
}

export function hush() {
  $("message").hidden = true;
  $("message-text").replaceChildren();
  offer();
}

// A button that had the focus is gone: the list has it then.
/** @param {HTMLElement[]} buttons */
function offer(...buttons) {
  const hadFocus = $("message-actions").contains(document.activeElement);
  $("message-actions").replaceChildren(...buttons);
  if (hadFocus) focusPlants();
}
