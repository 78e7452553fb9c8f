// Short messages that stay for a while, or until they are closed or replaced. Their content is a
// sequence of texts and elements; each action is a button, which closes the message too.

import { $, announce, count, figures, focusPlants, make, makeButton, targetOf } from "./dom.js";

const STAY = 8_000; // milliseconds
const STAY_WITH_BUTTONS = 30_000;
const ANNOUNCE_EVERY = 10_000;

/** @param {Content} content @param {Actions} [actions] */
export function tell(content, actions = {}) {
  const toast = show(content, actions, "plain");
  leaveAfter(Object.keys(actions).length ? STAY_WITH_BUTTONS : STAY, toast);
  return toast;
}

// A failure stays until its message is closed.
/** @param {Content} content @param {Actions} [actions] */
export const fail = (content, actions = {}) => show(content, actions, "failed");

// Not to who has signed out meanwhile.
/** @param {Content} content @param {Actions} actions @param {string} kind */
function show(content, actions, kind) {
  const text = make("p", {}, ...content);
  const toast = make("div", { className: `toast ${kind}` }, text);
  const buttons = Object.entries(actions).map(([label, act]) => makeButton(label, act));
  buttons.push(makeButton("×", () => {}, { className: "quiet close", "aria-label": "Close this message" }));
  toast.append(make("div", { className: "buttons" }, ...buttons));
  toast.addEventListener("click", (event) => targetOf(event).closest("button") && closeToast(toast), true);
  if (!$("who").hasChildNodes()) return toast;
  $("toasts").prepend(toast);
  announce(text.textContent);
  return toast;
}

// Not while somebody is about to use it.
/** @param {number} stay @param {HTMLElement} toast */
function leaveAfter(stay, toast) {
  setTimeout(() => (toast.matches(":hover, :focus-within") ? leaveAfter(stay, toast) : closeToast(toast)), stay);
}

/** @param {HTMLElement} toast */
export function closeToast(toast) {
  const hadFocus = toast.contains(document.activeElement);
  toast.remove();
  if (hadFocus) focusPlants();
}

// How far it is, with the time left; announced now and then.
/** @param {string} doing @param {number} total @param {() => void} stop */
export function showProgress(doing, total, stop) {
  const toast = show([`${doing} ${count(total, "plant")}…`], { Stop: stop }, "plain");
  const start = performance.now();
  let announced = start;
  /** @param {number} ended */
  const progress = (ended) => {
    const now = performance.now();
    const seconds = Math.ceil((((now - start) / ended) * (total - ended)) / 1_000);
    const left = seconds < 100 ? count(seconds, "second") : count(Math.ceil(seconds / 60), "minute");
    const text = `${doing} ${figures(ended)} of ${figures(total)}, about ${left} left`;
    toast.firstElementChild?.replaceChildren(text);
    if (now - announced < ANNOUNCE_EVERY) return;
    announced = now;
    announce(text);
  };
  return { tell: progress, close: () => closeToast(toast) };
}
