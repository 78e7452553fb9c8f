// The page: signing in and out, the chosen store, and what its role allows. The token is kept by the
// session, and sent only in the Authorization header.

import { clearAddress, findCode, readAddress } from "./address.js";
import { Api, isBarred, NO_CODE } from "./api.js";
import { isChanging, removePlants, retagPlants } from "./changes.js";
import { isAway, showNotice, waitForServer } from "./connection.js";
import { $, all, bdi, choose, explain, focusPlants, forgetPrivate, isBusy, make, setBusy, targetOf } from "./dom.js";
import { closeEditor, openEditor, placeEditor } from "./edit.js";
import { exportPlants } from "./export.js";
import { forgetForm, proposeId } from "./form.js";
import { openHistory } from "./history.js";
import { openImport } from "./importer.js";
import { list } from "./list.js";
import { isSoon, openPeople } from "./people.js";
import { printLabels } from "./print.js";
import { Session, tab } from "./session.js";
import { fail, tell } from "./toasts.js";

const NO_TOKEN = "This is not a token: a token has only letters, digits and underscores. Copy it again.";
const NO_LINK =
  "This link was already used, or has expired. Ask the owner of the store for another. Or run, where the service runs: plantstore link create --store NAME --user NAME";
const SCOPES = ["list", "create", "update", "delete", "manage"];
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "long" });

// The service runs where the browser does: the user stays signed in by default.
const isOwnMachine = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);

/** @type {Me | null} */ let me = null;

const connection = { isLive: () => api.isLive(), failures: () => list.failures, back: () => resume() };
const session = new Session({
  joined: (token) => $("sign-in").hidden || enter(token),
  ended: () => leave("You signed out in another tab."),
});
const api = new Api({
  refused: (message) => refuse(message),
  barred: () => learnAgain(),
  unreachable: () => waitForServer(connection),
  reached: () => showNotice("offline", false),
  slow: (isSlow) => showNotice("slow", isSlow),
  isAway,
});
list.on = { changed: proposeId, moved: placeEditor, remove: removePlants, open: openEditor };

// Signing in ---------------------------------------------------------------------------------

function showSignIn(reason = "") {
  api.end();
  list.stop();
  explain("sign-in-reason", reason);
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  setView("sign-in");
  $("token").focus();
}

/** @param {string} token @param {boolean} [isKept] */
async function signIn(token, isKept) {
  if (!/^[\x21-\xff]+$/.test(token)) return showSignIn(NO_TOKEN);
  api.begin(token);
  setBusy($("sign-in-button"), true);
  try {
    learn(await api.send("GET", "me"));
    session.begin(token, isKept);
    $("user").value = me?.user ?? ""; // a password manager names the token by it
    $("token").value = "";
    $("remember").checked = isOwnMachine;
    setView("app");
    $("plants-title").focus();
  } catch (error) {
    if (error.status === 401) return; // which has been told
    $("token").value = token;
    showSignIn(error.message);
  } finally {
    setBusy($("sign-in-button"), false);
  }
}

/** @param {string} message */
function refuse(message) {
  session.forget();
  const isExpired = $("sign-in").hidden && Date.parse(me?.expires_at ?? "") <= Date.now();
  showSignIn(isExpired ? "Your token has expired: ask the owner of the store for a new one." : message);
}

/** @param {string} [reason] */
function leave(reason) {
  showSignIn(reason);
  $("token").value = "";
  forgetAll();
}

function forgetAll() {
  forgetForm();
  closeEditor();
  list.forget();
  list.store = null;
  clearAddress();
  me = null;
  forgetPrivate(document);
}

// A refusal is the first sign that a role, a membership or a store has changed.
async function learnAgain() {
  try {
    const found = await api.send("GET", "me");
    if (JSON.stringify(found) === JSON.stringify(me)) return;
    learn(found);
    tell([`Your token's access has changed: you are now ${$("role").textContent} of ${list.store?.name}.`]);
    if (document.activeElement === document.body) focusPlants();
  } catch (error) {
    if (isBarred(error)) refuse(error.message);
  }
}

/** @param {Me} found */
function learn(found) {
  if (me && me.user !== found.user) forgetAll(); // no user sees another's data
  me = found;
  const names = me.stores.map(({ name }) => name);
  const wanted = [list.store?.name, readAddress().store, tab.recall("store"), me.store];
  const chosen = wanted.find((name) => name && names.includes(name)) ?? names[0];
  $("stores").replaceChildren(...names.map((name) => make("option", { value: name, textContent: name })));
  $("stores").value = chosen;
  for (const id of ["stores", "stores-label"]) $(id).hidden = names.length === 1;
  $("store-name").hidden = names.length > 1;
  openStore(chosen);
}

/** @param {string} name */
function openStore(name) {
  const found = me?.stores.find((store) => store.name === name);
  if (!me || !found) return;
  const { role, scopes } = found;
  const end = me.expires_at;
  tab.keep("store", name);
  $("store-name").textContent = name;
  $("who").replaceChildren(bdi(me.user));
  $("role").textContent = role;
  $("expiry").hidden = !isSoon(end);
  $("expiry").textContent = end ? `This token expires on ${TIME.format(Date.parse(end))}.` : "";
  for (const scope of SCOPES) document.body.classList.toggle(`may-${scope}`, scopes.includes(scope));
  $("state-forbidden").hidden = scopes.includes("list");
  list.allow(scopes);
  list.open(api.store(name));
}

/** @param {string} view */
function setView(view) {
  for (const id of ["sign-in", "app"]) $(id).hidden = id !== view;
  document.body.classList.toggle("signed-in", view === "app");
  $("bar-tools").hidden = view !== "app";
}

/** @param {string} token */
function enter(token) {
  setView("app");
  list.showLoading();
  return signIn(token);
}

// Restores the state before a reload of the page, or before the server was lost.
function resume() {
  const { token } = session;
  if (api.isSignedIn) {
    if (list.error) list.load();
  } else if (token && $("token").value === token && !isBusy($("sign-in-button"))) signIn(token);
}

// The parts of the page --------------------------------------------------------------------------

// Forms are sent by the scripts; those of dialogs only close them.
addEventListener("submit", (event) => {
  if (targetOf(event).getAttribute("method") !== "dialog") event.preventDefault();
});
// What a dialog showed is for this user alone.
addEventListener("close", () => all("dialog:not([open])").forEach(forgetPrivate), true);

$("sign-in-form").addEventListener("submit", () => {
  const token = $("token").value.trim().replace(/^bearer\s+/i, "");
  if (token && !isBusy($("sign-in-button"))) signIn(token, $("remember").checked);
});
$("remember").checked = isOwnMachine;
$("sign-in-start").hidden = !isOwnMachine;
$("show-token").addEventListener("change", () => {
  $("token").type = $("show-token").checked ? "text" : "password";
});
$("sign-out").addEventListener("click", () => {
  session.end();
  leave();
});
$("stores").addEventListener("change", () => openStore($("stores").value));
$("retag").addEventListener("submit", () => {
  retagPlants([...list.grid.selected], $("retag-tag").value);
  $("retag-tag").value = "";
});
for (const id of ["import-open", "empty-import"]) $(id).addEventListener("click", openImport);
$("empty-add").addEventListener("click", () => {
  $("add").open = true;
  $("add-name").focus();
});
for (const kind of ["csv", "ndjson"]) $(`export-${kind}`).addEventListener("click", () => exportPlants(kind));
$("labels").addEventListener("click", printLabels);
$("history-open").addEventListener("click", () => openHistory());
$("people-open").addEventListener("click", () => me && openPeople(me));

const refresh = () => document.hidden || list.refresh();
addEventListener("focus", refresh);
document.addEventListener("visibilitychange", refresh);
// A browser may clear the fields of a page restored by the back button, after this event.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const field of [$("find"), ...$("add-form").querySelectorAll("input")]) {
    const { value } = field;
    setTimeout(() => Object.assign(field, { value }));
  }
});
addEventListener("beforeunload", (event) => {
  if (isChanging() || isBusy($("add-button"))) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  // Held down, it would confirm the next dialog too.
  if (event.key === "Enter" && event.repeat) event.preventDefault();
  if (event.key === "Escape") closeMenu();
  const isElsewhere = !targetOf(event).closest("input, select, dialog");
  if (event.key === "/" && isElsewhere && !event.ctrlKey && !event.metaKey && list.may("list")) {
    event.preventDefault();
    $("find").focus();
  }
});

// The menu closes before what is chosen in it begins, so that the focus comes back to its button.
function closeMenu() {
  if ($("export").contains(document.activeElement)) $("export-summary").focus();
  $("export").open = false;
}
for (const [type, kept] of [["click", "#export-summary"], ["focusin", "#export"]])
  document.addEventListener(type, (event) => targetOf(event).closest(kept) || closeMenu(), true);

// In a narrow window the form is closed at first.
const wide = matchMedia("(min-width: 60rem)");
/** @type {NodeListOf<HTMLDetailsElement>} */ const folds = document.querySelectorAll("details.fold");
for (const part of folds) part.open = wide.matches;
wide.addEventListener("change", () => {
  if (wide.matches) for (const part of folds) part.open = true;
});

// Whoever made a link may mislead whoever opens it: so the names are the service's.
/** @param {string} code */
async function maySwitch(code) {
  const { user, store } = await api.send("POST", "links/redeem", { code, dry_run: true });
  if (user === me?.user && store === me?.store) return true;
  $("switch-title").textContent = `Sign in to ${store} as ${user}?`;
  $("switch-now").textContent = `You are signed in to ${me?.store} as ${me?.user}.`;
  return (await choose($("switch"))) === "yes";
}

// A link to sign in with has its code in the fragment; it leaves the address before it is sent.
/** @param {string} code */
async function followLink(code) {
  clearAddress();
  setView("app");
  list.showLoading();
  const current = await session.find();
  if (current) await enter(current);
  if (session.token && !api.isSignedIn) return; // it cannot be reached, which has been told
  try {
    if (api.isSignedIn && !(await maySwitch(code))) return;
    const { token } = await api.send("POST", "links/redeem", { code });
    await signIn(token, isOwnMachine);
    const keep = () => session.begin(token, true);
    if (api.isSignedIn && !isOwnMachine)
      tell(["You are signed in until you close this tab."], { "Keep me signed in": keep });
  } catch (error) {
    const reason = error.number === NO_CODE ? NO_LINK : error.message;
    showSignIn(reason);
    if (!session.token) return;
    await enter(session.token);
    fail([`The link did not sign you in. ${reason}`]);
  }
}

addEventListener("hashchange", () => findCode() && location.reload()); // it was opened in this tab

const code = findCode();
if (code) followLink(code);
else if (session.token) enter(session.token);
else showSignIn();
