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
  const buttons = Object.entries(actions).map(([label, act]) => makeButton(label, act));
  if (kind !== "progress") buttons.push(makeButton("×", hush, t("close"), "quiet close"));
  draw(content, buttons);
  $("message").className = kind;
  $("message").hidden = false;
  if (kind === "done") timer = setTimeout(hush, STAY);
  if (kind === "progress" && Date.now() - announced < ANNOUNCE_EVERY) return;
  announced = Date.now();
  announce($("message-text").textContent ?? "");
}

export function hush() {
  $("message").hidden = true;
  draw([], []);
}

/** A button that had the focus is gone: the list has it then. @param {Content} content @param {HTMLElement[]} buttons */
function draw(content, buttons) {
  const hadFocus = $("message-actions").contains(document.activeElement);
  $("message-text").replaceChildren(...content);
  $("message-actions").replaceChildren(...buttons);
  if (hadFocus) focusPlants();
}
