// "Try it": sends an operation's request with the session's token, and shows the response as it arrives.
// Addresses are relative to the page's: a proxy may serve it under any path.

import { colour } from "./docs-colours.js";
import { layOut } from "./docs-json.js";
import { $, all, bdi, make } from "./dom.js";
import { Session } from "./session.js";

const MAX_SHOWN = 100_000; // characters

/** @type {WeakMap<HTMLFormElement, AbortController>} */
const running = new WeakMap();
const session = new Session({ joined: signIn, ended: () => showSession() });
let token = session.token ?? ""; // the session's token, or typed
let isSignedIn = false;

export function startSession() {
  if (token) signIn(token);
}

// Without a valid token, the forms have a token field.
/** @param {string} given */
async function signIn(given) {
  try {
    const response = await fetch("me", { headers: makeHeaders(given), cache: "no-store" });
    if (response.status === 401) session.forget();
    if (!response.ok) return;
    const { user, store } = await response.json();
    session.begin(given);
    showSession("Signed in as ", bdi(user), ", ", bdi(store));
  } catch {
    // The token field stays.
  }
}

/** @param {Content} whose the user and the store, none if nobody is signed in */
function showSession(...whose) {
  isSignedIn = whose.length > 0;
  token = (isSignedIn && session.token) || "";
  $("session").replaceChildren(...(isSignedIn ? whose : [make("a", { href: "./", textContent: "Sign in" })]));
  for (const label of all(".try .token")) label.hidden = isSignedIn;
}

// The form is added to the page when it is first opened.
/** @param {HTMLElement} button */
export function openForm(button) {
  const template = /** @type {HTMLTemplateElement} */ (button.closest(".code")?.querySelector("template"));
  /** @type {HTMLFormElement | null} */
  const made = template.parentElement?.querySelector("form") ?? null;
  const form = made ?? makeForm(template);
  form.hidden = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", `${!form.hidden}`);
  if (!form.hidden) [...all("input, textarea, button", form)].find((field) => field.checkVisibility())?.focus();
}

/** @param {HTMLTemplateElement} template */
function makeForm(template) {
  template.after(template.content.cloneNode(true));
  const form = /** @type {HTMLFormElement} */ (template.nextElementSibling);
  for (const label of all(".token", form)) {
    label.hidden = isSignedIn;
    Reflect.set(label.lastElementChild ?? label, "value", isSignedIn ? "" : token);
  }
  form.addEventListener("input", (event) => follow(form, /** @type {HTMLInputElement} */ (event.target)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (running.has(form)) running.get(form)?.abort();
    else run(form);
  });
  return form;
}

// A token is typed once for all operations; each media type has its own body.
/** @param {HTMLFormElement} form @param {HTMLInputElement} field */
function follow(form, field) {
  if (field.name === "token") {
    token = field.value.trim();
    for (const other of all("[name=token]")) Reflect.set(other, "value", field.value);
  } else if (field.name === "type") {
    for (const body of form.querySelectorAll("textarea"))
      Reflect.set(body.parentElement ?? body, "hidden", body.dataset.type !== field.value);
  }
}

/** @param {HTMLFormElement} form */
async function run(form) {
  const control = new AbortController();
  const button = /** @type {HTMLElement} */ (form.querySelector(".primary"));
  running.set(form, control);
  button.textContent = "Stop";
  try {
    await send(form, control.signal);
  } catch (error) {
    tell(form, control.signal.aborted ? "Stopped." : `Not sent: ${error.message}`);
  } finally {
    running.delete(form);
    button.textContent = "Send";
  }
}

/** @param {HTMLFormElement} form @param {AbortSignal} signal */
async function send(form, signal) {
  const start = performance.now();
  form.querySelector(".result")?.replaceChildren();
  tell(form, "Sending…");
  const { target, ...options } = makeRequest(form);
  const response = await fetch(target, { ...options, signal, cache: "no-store" });
  const taken = `${Math.round(performance.now() - start)} ms`;
  tell(form, `${response.status} ${response.statusText}, ${taken}`, response.ok ? "succeeded" : "failed");
  await show(response, /** @type {HTMLElement} */ (form.querySelector(".result")));
}

/** @param {HTMLFormElement} form */
function makeRequest(form) {
  const { method = "", path = "" } = form.dataset;
  const query = new URLSearchParams();
  const headers = makeHeaders(form.querySelector(".token") ? token : "");
  let target = path.slice(1);
  for (const [field, value] of new FormData(form)) {
    const [place, name] = field.split(":", 2);
    if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(`${value}`));
    else if (place === "query" && value) query.append(name, `${value}`);
    else if (place === "header" && value) headers.set(name, `${value}`);
  }
  const body = [...form.querySelectorAll("textarea")].find((area) => area.checkVisibility());
  if (body?.dataset.type) headers.set("Content-Type", body.dataset.type);
  return { target: query.size ? `${target}?${query}` : target, method, headers, body: body?.value };
}

/** @param {string} secret */
const makeHeaders = (secret) => new Headers(secret ? { Authorization: `Bearer ${secret}` } : {});

/** @param {HTMLFormElement} form @param {string} text */
function tell(form, text, className = "hint") {
  Object.assign(/** @type {HTMLElement} */ (form.querySelector("[role=status]")), { textContent: text, className });
}

/** @param {Response} response @param {HTMLElement} result */
async function show(response, result) {
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const names = make("summary", { className: "bar" }, `${lines.length} headers`);
  const headers = make("details", { className: "box" }, names, make("pre", { textContent: lines.join("\n") }));
  const code = make("code");
  const body = make("div", { className: "box", hidden: true }, make("pre", { tabIndex: 0 }, code));
  result.replaceChildren(headers, body);
  const text = await readInto(response, code, () => {
    body.hidden = false;
  });
  if (response.headers.get("content-type")?.startsWith("application/json")) code.textContent = layOut(text);
  colour(code);
  if (!response.ok) result.append(...linkError(text));
}

// Shows a stream as it arrives, and only the beginning of a long text.
/** @param {Response} response @param {HTMLElement} code @param {() => void} begin */
async function readInto(response, code, begin) {
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    begin();
    code.textContent = text;
    if (text.length > MAX_SHOWN) {
      await reader?.cancel();
      return `${text.slice(0, MAX_SHOWN)}\n… truncated`;
    }
  }
  return text;
}

/** @param {string} text */
function linkError(text) {
  const [, number] = /^\{"error":(\d{5}),/.exec(text) ?? [];
  if (!document.getElementById(`error-${number}`)) return [];
  return [make("p", {}, make("a", { href: `#error-${number}` }, `What to do about ${number}`))];
}
