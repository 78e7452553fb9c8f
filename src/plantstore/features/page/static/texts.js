// The page's texts in the user's language, and its formats of numbers and times. The texts are from `texts.json`, which
// the page contains. A text with a bar has a singular and a plural, chosen by `n`; a value replaces `{name}`.

import { $, all, bdi } from "./dom.js";
import { device } from "./session.js";

/** @type {Record<string, string[]>} */ const TEXTS = JSON.parse($("texts").textContent);
$("texts").remove();
const LANGUAGES = ["en", "de"];
const wanted = [device.get("language"), ...navigator.languages].map((name) => name?.slice(0, 2) ?? "");
export const language = wanted.find((name) => LANGUAGES.includes(name)) ?? "en";
const column = LANGUAGES.indexOf(language);
// With the user's country, if the browser names one for this language.
const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;
export const { format: figures } = new Intl.NumberFormat(locale);

/** @param {Intl.DateTimeFormatOptions} options */
function makeFormat(options) {
  const { format } = new Intl.DateTimeFormat(locale, options);
  return (/** @type {string} */ time) => format(Date.parse(time));
}
export const formatDay = makeFormat({ dateStyle: "medium" });
export const formatClock = makeFormat({ timeStyle: "short" });
export const formatTime = makeFormat({ dateStyle: "medium", timeStyle: "short" });

const write = (/** @type {Values[string]} */ value) => (typeof value === "number" ? figures(value) : (value ?? ""));

/** The parts of a text: every second part is a value. @param {string} key @param {Values} values */
function split(key, values) {
  const [single, several = single] = (TEXTS[key]?.[column] ?? key).split("|");
  const parts = (values.n === 1 ? single : several).split(/\{(\w+)\}/);
  return parts.map((part, at) => (at % 2 ? write(values[part]) : part));
}

/** @param {string} key @param {Values} [values] */
export const t = (key, values = {}) => split(key, values).join("");

/** The text for an error number; without one, the service's message. @param {number} number @param {string} message */
export const explainError = (number, message) =>
  TEXTS[`error.${number}`] ? t(`error.${number}`, { message: message.replace(/^[^:]*: /, "") }) : message;

/** With values in any script: each gets its own direction. @param {string} key @param {Values} [values] */
export const rich = (key, values = {}) => split(key, values).map((part, at) => (at % 2 ? bdi(part) : part));

/** Fills in the texts of the HTML. */
export function fillTexts() {
  document.documentElement.lang = language;
  for (const part of all("[data-t]")) part.textContent = t(part.dataset.t ?? "");
  for (const part of all("[data-t-label]")) part.ariaLabel = t(part.dataset.tLabel ?? "");
  for (const part of all("button[data-t-label]")) part.title = part.ariaLabel ?? "";
  for (const part of all("[data-t-placeholder]")) part.setAttribute("placeholder", t(part.dataset.tPlaceholder ?? ""));
}
