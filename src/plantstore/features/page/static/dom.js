// Small tools for the DOM. Text is inserted as text only: nothing here parses HTML.

const ANNOUNCED_FOR = 10_000; // milliseconds
const DEBOUNCE = 300;
const COPIED_FOR = 2_000;
let last = 0; // the timer of `announceLast`

/** A phone: rows have two lines, and a tap opens the plant's panel. */
export const isNarrow = () => matchMedia("(max-width: 40rem)").matches;
/** @template {string} Id @param {Id} id */
export const $ = (id) => /** @type {ElementOf<Id>} */ (document.getElementById(id));
/** @param {string} selector @param {ParentNode | null} root @returns {NodeListOf<HTMLElement>} */
export const all = (selector, root = document) => (root ?? document).querySelectorAll(selector);
export const targetOf = (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target);
/** @param {string} id @param {(event: PointerEvent) => void} act */
export const onClick = (id, act) => $(id).addEventListener("click", act);

/** @template {keyof HTMLElementTagNameMap} N @param {N} name @param {Properties} properties @param {Content} children */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties))
    if (key in element) Reflect.set(element, key, value);
    else element.setAttribute(key, `${value}`);
  element.append(...children);
  return element;
}

/** @param {string} text @param {() => void} act @param {string} [label] for screen readers */
export const makeButton = (text, act, label = text, className = "quiet") =>
  make("button", { type: "button", textContent: text, className, ariaLabel: label, onclick: act });

/** Names and tags may be in any script: each gets its own direction. @param {string} text */
export const bdi = (text) => make("bdi", { textContent: text });
export const makeHint = (/** @type {Content} */ ...content) => make("span", { className: "hint" }, ...content);

/** A tag has the same colour everywhere. @param {HTMLElement} element @param {string} tag */
export function colour(element, tag) {
  let hue = 0;
  for (const letter of tag) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 3600;
  element.style.setProperty("--hue", `${(hue * 137) % 360}`);
  return element;
}

export const makePill = (/** @type {string} */ tag) => colour(make("bdi", { className: "pill" }, tag), tag);

/** @param {string[]} texts */
export const makeTableRow = (texts) => make("tr", {}, ...texts.map((text) => make("td", {}, bdi(text))));

/** Has screen readers read a text; an open dialog has its own region for this. @param {string} text */
export function announce(text) {
  clearTimeout(last); // this text is newer
  const said = make("div", { textContent: text });
  (document.querySelector("dialog[open] .announcements") ?? $("announcements")).append(said);
  setTimeout(() => said.remove(), ANNOUNCED_FOR);
}

/** For text that changes with each key: announces only the last text. @param {string} text */
export function announceLast(text) {
  clearTimeout(last);
  last = setTimeout(announce, DEBOUNCE, text);
}

/** Shows and announces a text, such as the reason for a failure. @param {string} id @param {string} text */
export function explain(id, text) {
  $(id).textContent = text;
  if (text) announce(text);
}

/** Places a box below a field, or above if there is no room; inside the field's dialog. @param {HTMLElement} box @param {HTMLElement} field */
export function placeAt(box, field) {
  field.closest("dialog, section")?.append(box);
  const { left, bottom, top } = field.getBoundingClientRect();
  const { style, offsetHeight, offsetWidth } = box;
  style.left = `${Math.max(4, Math.min(left, innerWidth - offsetWidth - 4))}px`;
  style.top = `${bottom + offsetHeight < innerHeight ? bottom + 2 : top - offsetHeight - 2}px`;
}

/** The browser shows why the text in a field is refused; "" if it is not. @param {HTMLInputElement} field */
export function complain(field, reason = "") {
  field.setCustomValidity(reason);
  if (reason) field.reportValidity();
}

/** Removes what another user must not see or hear. @param {Document | Element} part */
export function forgetPrivate(part) {
  for (const element of all(".private, .announcements", part)) element.replaceChildren();
}

/** Moves the focus to the list when the focused element is gone, or about to go. */
export const focusPlants = () => $($("grid").hidden ? "plants-title" : "grid").focus({ preventScroll: true });

/** Asks the user to confirm; Cancel has the focus. @param {string} title @param {string} text @param {string} yes */
export async function ask(title, text, yes, className = "danger") {
  $("ask-title").textContent = title;
  $("ask-text").textContent = text;
  Object.assign($("ask-yes"), { textContent: yes, className });
  return (await choose($("ask"))) === "yes";
}

/** The value of the button that closes the dialog; "" for Escape. @param {HTMLDialogElement} dialog */
export async function choose(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue;
}

/** @param {number} milliseconds @param {AbortSignal} [signal] */
export const pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

/** Works without TLS too. If copying fails, the text is left selected. @param {Element} element @param {Element} button */
export function copy(element, button, done = "Copied") {
  getSelection()?.selectAllChildren(element);
  const { textContent: text } = button;
  if (!document.execCommand("copy") || text === done) return;
  button.textContent = done;
  setTimeout(() => button.replaceChildren(text ?? ""), COPIED_FOR);
}
