// The page: signing in and out, the chosen store, and what its role allows. The token lives in
// this tab's sessionStorage, and goes nowhere but into the Authorization header.

import { Api, Refusal } from "./api.js";
import { $, announce, make } from "./dom.js";
import { AddForm } from "./form.js";
import { Importer } from "./importer.js";
import { PlantList } from "./list.js";
import { toast } from "./toasts.js";

const TOKEN = "plantstore.token";
const STORE = "plantstore.store";
const PING = 2_000;
const SOON = 14 * 24 * 3600 * 1000;

let me = null;
let pinging = null;

const api = new Api({
  refused: (message) => showSignIn(message),
  barred: () => learnAgain(),
  unreachable: () => waitForServer(),
  reached: () => setNotice("offline", false),
  slow: (isSlow) => setNotice("slow", isSlow),
});
const list = new PlantList(() => form.propose(list.plants.proposeId()));
const form = new AddForm(list);
const importer = new Importer(list);

// Signing in ---------------------------------------------------------------------------------

function showSignIn(reason) {
  api.end();
  list.stop();
  importer.stop();
  importer.isOffered = false;
  sessionStorage.removeItem(TOKEN);
  $("sign-in-reason").textContent = reason ?? "";
  $("sign-in-reason").hidden = !reason;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  setView("sign-in");
  $("token").focus();
}

async function signIn(token) {
  api.begin(token);
  $("sign-in-button").ariaDisabled = "true";
  try {
    learn(await api.getMe());
    sessionStorage.setItem(TOKEN, token);
    $("token").value = "";
    $("sign-in-reason").hidden = true;
    setView("app");
    $("plants-title").focus();
    importer.reopen();
  } catch (error) {
    if (error.status !== 401) showSignIn(error.message);
  } finally {
    $("sign-in-button").ariaDisabled = null;
  }
}

function signOut() {
  showSignIn();
  sessionStorage.clear();
  forgetAll();
}

function forgetAll() {
  form.forget();
  importer.forget();
  list.clearFilter();
  list.forget();
  $("toasts").replaceChildren();
}

// Of what a refusal tells first: a role, a membership or a store is not what it was.
async function learnAgain() {
  try {
    const found = await api.getMe();
    if (JSON.stringify(found) !== JSON.stringify(me)) learn(found);
  } catch (error) {
    if (error instanceof Refusal && error.status !== 401) showSignIn(error.message);
  }
}

function learn(found) {
  if (me && me.user !== found.user) forgetAll(); // nobody sees what another has had
  me = found;
  const kept = sessionStorage.getItem(STORE);
  const names = me.stores.map(({ name }) => name);
  const chosen = [kept, me.store, names[0]].find((name) => names.includes(name));
  $("stores").replaceChildren(...names.map((name) => make("option", { value: name, textContent: name })));
  $("stores").value = chosen;
  $("stores").hidden = names.length === 1;
  $("stores-label").hidden = names.length === 1;
  $("store-name").hidden = names.length > 1;
  openStore(chosen);
}

function openStore(name) {
  const { role, scopes } = me.stores.find((store) => store.name === name);
  sessionStorage.setItem(STORE, name);
  $("store-name").textContent = name;
  $("who").replaceChildren(make("bdi", { textContent: me.user }));
  $("role").textContent = role;
  list.allow(scopes);
  importer.isOffered = scopes.includes("create");
  for (const scope of ["list", "create", "delete"])
    document.body.classList.toggle(`may-${scope}`, scopes.includes(scope));
  $("state-forbidden").hidden = scopes.includes("list");
  tellExpiry();
  list.open(api.store(name));
}

function tellExpiry() {
  const left = Date.parse(me.expires_at) - Date.now();
  $("expiry").hidden = !(left < SOON);
  const format = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "short" });
  if (left < SOON) $("expiry").textContent = `This token ends on ${format.format(Date.parse(me.expires_at))}.`;
}

function setView(view) {
  for (const id of ["sign-in", "app"]) $(id).hidden = id !== view;
  document.body.classList.toggle("signed-in", view === "app");
  $("bar-tools").hidden = view !== "app";
}

// What befalls the connection --------------------------------------------------------------------

function setNotice(name, isShown) {
  if ($(name).hidden !== isShown) return;
  $(name).hidden = !isShown;
  if (isShown) announce($(name).textContent.trim());
}

function waitForServer() {
  setNotice("offline", true);
  pinging ??= setInterval(async () => {
    if (!(await api.isLive())) return;
    clearInterval(pinging);
    pinging = null;
    setNotice("offline", false);
    announce("The server is back.");
    if (api.isSignedIn && list.error) list.load({ keepPlace: true });
  }, PING);
}

async function refresh() {
  if (document.hidden || !api.isSignedIn || $("app").hidden || importer.isRunning) return;
  try {
    await list.refresh();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 401) return;
    toast(error.message, { kind: "failed" });
  }
}

async function save(kind) {
  $("export").open = false;
  $("export-summary").focus();
  try {
    await list.save(kind);
  } catch (error) {
    toast(`The export failed: ${error.message}`, { kind: "failed" });
  }
}

// The parts of the page --------------------------------------------------------------------------

$("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = $("token").value.trim();
  if (token && $("sign-in-button").ariaDisabled !== "true") signIn(token);
});
$("show-token").addEventListener("change", ({ target }) => {
  $("token").type = target.checked ? "text" : "password";
});
$("sign-out").addEventListener("click", signOut);
$("stores").addEventListener("change", () => openStore($("stores").value));
$("import-open").addEventListener("click", () => importer.open());
$("empty-import").addEventListener("click", () => importer.open());
$("empty-add").addEventListener("click", () => {
  $("add-form").parentElement.open = true;
  $("add-name").focus();
});
$("nothing-clear").addEventListener("click", () => list.clearFilter());
$("export-csv").addEventListener("click", () => save("csv"));
$("export-ndjson").addEventListener("click", () => save("ndjson"));
addEventListener("focus", refresh);
document.addEventListener("visibilitychange", refresh);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea, dialog");
  if (event.key === "/" && !isTyping && !$("app").hidden) {
    event.preventDefault();
    $("find").focus();
  }
  if (event.key === "Escape" && $("export").open) {
    $("export").open = false;
    $("export-summary").focus();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("#export")) $("export").open = false;
});
addEventListener("beforeunload", (event) => importer.isRunning && event.preventDefault());

// On a phone the side is folded away until it is wanted.
const narrow = matchMedia("(max-width: 59.99rem)");
const fold = () => {
  for (const part of document.querySelectorAll("details.fold")) part.open = !narrow.matches;
};
narrow.addEventListener("change", fold);
fold();

const kept = sessionStorage.getItem(TOKEN);
if (kept) signIn(kept);
else showSignIn();
