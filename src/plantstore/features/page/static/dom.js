// Small tools for the DOM. Text is inserted as text only: nothing here parses HTML.

const ANNOUNCED_FOR = 10_000; // milliseconds
const DEBOUNCE = 300;
let last = 0; // the timer of `announceLast`
const COPIED_FOR = 2_000;

// A phone: rows have several lines, and a plant has a panel.
export const isNarrow = () => matchMedia("(max-width: 40rem)").matches;

/** @template {string} Id @param {Id} id */
export const $ = (id) => /** @type {ElementOf<Id>} */ (document.getElementById(id));

/** @param {string} selector @param {ParentNode | null} root @returns {NodeListOf<HTMLElement>} */
export const all = (selector, root = document) => (root ?? document).querySelectorAll(selector);

/** @param {Event} event */
export const targetOf = (event) => /** @type {HTMLElement} */ (event.target);

/** @template {keyof HTMLElementTagNameMap} N @param {N} name @param {Record<string, unknown>} properties @param {Content} children */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) Reflect.set(element, key, value);
    else element.setAttribute(key, `${value}`);
  }
  element.append(...children);
  return element;
}

/** @param {string} text @param {() => void} act @param {Record<string, unknown>} [properties] */
export function makeButton(text, act, properties) {
  const button = make("button", { type: "button", textContent: text, ...properties });
  button.addEventListener("click", act);
  return button;
}

// Names and tags may be in any script: each gets its own direction.
/** @param {string} text */
export const bdi = (text) => make("bdi", { textContent: text });

// Each tag has a colour of its own, everywhere the same.
/** @param {HTMLElement} element @param {string} tag */
export function colour(element, tag) {
  let hue = 0;
  for (const letter of tag) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 3600;
  element.style.setProperty("--hue", `${(hue * 137) % 360}`);
}

/** @param {string} tag */
export function makePill(tag) {
  const pill = make("bdi", { className: "pill", textContent: tag });
  colour(pill, tag);
  return pill;
}

/** @param {string[]} texts */
export const makeTableRow = (texts) => make("tr", {}, ...texts.map((text) => make("td", {}, bdi(text))));

// Read by screen readers, one after the other: a text that replaced another at once would keep it
// from being read. While a dialog is open they read nothing outside it: it has its own region.
/** @param {string} text */
export function announce(text) {
  const dialog = document.querySelector("dialog[open]");
  const region = dialog?.querySelector(".announcements") ?? $("announcements");
  const said = make("div", { textContent: text });
  region.append(said);
  setTimeout(() => said.remove(), ANNOUNCED_FOR);
}

// A text that is there only at times, such as the reason of a failure.
/** @param {string} id @param {string} text */
export function explain(id, text) {
  $(id).textContent = text;
  $(id).hidden = !text;
  if (text) announce(text);
}

// Below a field, or above it where there is no room; in its dialog, outside of which nothing can be chosen.
/** @param {HTMLElement} box @param {HTMLElement} field */
export function placeAt(box, field) {
  field.closest("dialog, section")?.append(box);
  const { left, bottom, top } = field.getBoundingClientRect();
  const { style, offsetHeight, offsetWidth } = box;
  const isBelow = bottom + offsetHeight < innerHeight;
  style.left = `${Math.max(4, Math.min(left, innerWidth - offsetWidth - 4))}px`;
  style.top = `${isBelow ? bottom + 2 : top - offsetHeight - 2}px`;
}

// Why what was typed into a field cannot be taken; none when it is typed on.
/** @param {HTMLElement} [field] @param {string} [reason] */
export function complain(field, reason = "") {
  for (const broken of all("[aria-invalid]")) broken.ariaInvalid = null;
  explain("reason", reason);
  if (!field || !reason) return;
  field.ariaInvalid = "true";
  if (field.closest("dialog")) field.after($("reason"));
  else placeAt($("reason"), field);
}

// For text that changes with each key: only the last one is announced.
/** @param {string} text */
export function announceLast(text) {
  clearTimeout(last);
  last = setTimeout(announce, DEBOUNCE, text);
}

// Another user must not see or hear it.
/** @param {Document | Element} part */
export function forgetPrivate(part) {
  for (const one of all(".private, .announcements", part)) one.replaceChildren();
}

// Moves the focus to the list when the focused element is gone, or about to go.
export function focusPlants() {
  $($("grid").hidden ? "plants-title" : "grid").focus({ preventScroll: true });
}

// Whether the user is sure; Cancel has the focus.
/** @param {string} title @param {string} text @param {string} yes @param {string} kind of the button */
export async function ask(title, text, yes, kind) {
  $("ask-title").textContent = title;
  $("ask-text").textContent = text;
  $("ask-yes").textContent = yes;
  $("ask-yes").className = kind;
  return (await choose($("ask"))) === "yes";
}

// Not disabled, which would lose the focus.
/** @param {Element} button @param {boolean} isBusy */
export const setBusy = (button, isBusy) => (button.ariaDisabled = `${isBusy}`);
/** @param {Element} button */
export const isBusy = (button) => button.ariaDisabled === "true";

// The value of the button that closes the dialog; "" for Escape.
/** @param {HTMLDialogElement} dialog @returns {Promise<string>} */
export function choose(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

/** @param {number} milliseconds @param {AbortSignal} [signal] */
export async function pause(milliseconds, signal) {
  signal?.throwIfAborted();
  const ended = new AbortController();
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", resolve, { signal: ended.signal });
  });
  ended.abort();
  signal?.throwIfAborted();
}

// Also without TLS, where browsers have no navigator.clipboard; if it fails, the text is selected.
/** @param {Element} element @param {Element} button @param {string} [done] */
export function copy(element, button, done = "Copied") {
  getSelection()?.selectAllChildren(element);
  if (!document.execCommand("copy")) return;
  const text = button.textContent === done ? "" : (button.textContent ?? "");
  button.textContent = done;
  if (text) setTimeout(() => button.replaceChildren(text), COPIED_FOR);
}
