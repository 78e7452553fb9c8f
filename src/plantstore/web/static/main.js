// The page: signing in and out, the chosen store, and what its role allows. The token is kept by the
// session, and sent only in the Authorization header.

import { clearAddress, readAddress } from "./address.js";
import { Api, isBarred, Refusal, SignedOut } from "./api.js";
import { Changes } from "./changes.js";
import { isAway, showNotice, waitForServer } from "./connection.js";
import { $, bdi, focusPlants, forgetAnnouncements, isBusy, make, setBusy, targetOf } from "./dom.js";
import { acceptDrops } from "./drops.js";
import { Editor } from "./edit.js";
import { exportPlants } from "./export.js";
import { AddForm } from "./form.js";
import { PlantHistory } from "./history.js";
import { Importer } from "./importer.js";
import { PlantList } from "./list.js";
import { isSoon, People } from "./people.js";
import { preparePrinting } from "./print.js";
import { Session, tab } from "./session.js";
import { tell } from "./toasts.js";

const NO_TOKEN = "This is not a token: a token has only letters, digits and underscores. Copy it again.";

/** @type {Me | null} */
let me = null;
let isLearning = false;

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
const list = new PlantList({
  changed: () => form.propose(list.plants.proposeId()),
  remove: (ids) => changes.remove(ids),
  open: (plant, field) => editor.open(plant, field),
  moved: () => editor.place(),
  isBusy: (store, id) => changes.isBusy(store, id),
});
const changes = new Changes(list);
const past = new PlantHistory(list, changes);
const editor = new Editor(list, changes, past);
const form = new AddForm(list);
const importer = new Importer(list, changes);
const people = new People(list);

// Signing in ---------------------------------------------------------------------------------

/** @param {string} [reason] */
function showSignIn(reason) {
  api.end();
  list.stop();
  $("sign-in-reason").textContent = reason ?? "";
  $("sign-in-reason").hidden = !reason;
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  setView("sign-in");
  $("token").focus();
}

/** @param {string} token @param {boolean} [isKept] */
async function signIn(token, isKept) {
  if (!/^[\x21-\xff]+$/.test(token)) {
    showSignIn(NO_TOKEN);
    return;
  }
  api.begin(token);
  setBusy($("sign-in-button"), true);
  try {
    learn(await api.send("GET", "me"));
    session.begin(token, isKept);
    $("user").value = me?.user ?? ""; // a password manager names the token by it
    $("token").value = "";
    $("remember").checked = false;
    setView("app");
    $("plants-title").focus();
    importer.tellAgain();
  } catch (error) {
    const isTold = error instanceof Refusal && error.status === 401;
    if (isTold || error instanceof SignedOut) return;
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
  form.forget();
  importer.forget();
  list.forget();
  list.store = null;
  clearAddress();
  me = null;
  $("toasts").replaceChildren();
  forgetAnnouncements();
}

// A refusal is the first sign that a role, a membership or a store has changed.
async function learnAgain() {
  if (isLearning) return;
  isLearning = true;
  try {
    const found = await api.send("GET", "me");
    if (JSON.stringify(found) === JSON.stringify(me)) return;
    learn(found);
    const role = $("role").textContent;
    tell([`Your token's access has changed: you are now ${role} of ${list.store?.name}.`]);
    if (document.activeElement === document.body) focusPlants();
  } catch (error) {
    if (isBarred(error)) refuse(error.message);
  } finally {
    isLearning = false;
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
  $("stores").hidden = names.length === 1;
  $("stores-label").hidden = names.length === 1;
  $("store-name").hidden = names.length > 1;
  openStore(me, chosen);
}

/** @param {Me} opened @param {string} name */
function openStore(opened, name) {
  const found = opened.stores.find((store) => store.name === name);
  if (!found) return;
  const { role, scopes } = found;
  tab.keep("store", name);
  $("store-name").textContent = name;
  $("who").replaceChildren(bdi(opened.user));
  $("role").textContent = role;
  list.allow(scopes);
  people.mayManage = scopes.includes("manage");
  for (const scope of ["list", "create", "update", "delete", "manage"])
    document.body.classList.toggle(`may-${scope}`, scopes.includes(scope));
  $("state-forbidden").hidden = scopes.includes("list");
  tellExpiry(opened);
  list.open(api.store(name));
}

/** @param {Me} opened */
function tellExpiry({ expires_at = "" }) {
  $("expiry").hidden = !isSoon(expires_at);
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "long" });
  if (isSoon(expires_at)) $("expiry").textContent = `This token expires on ${format.format(Date.parse(expires_at))}.`;
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
  signIn(token);
}

// Restores the state before a reload of the page, or before the server was lost.
function resume() {
  const { token } = session;
  if (api.isSignedIn) {
    if (list.error) list.load();
  } else if (token && $("token").value === token && !isBusy($("sign-in-button"))) signIn(token);
}

// The parts of the page --------------------------------------------------------------------------

const mayImport = () => api.isSignedIn && list.may("create");

$("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = $("token").value.trim().replace(/^bearer\s+/i, "");
  if (token && !isBusy($("sign-in-button"))) signIn(token, $("remember").checked);
});
$("show-token").addEventListener("change", () => {
  $("token").type = $("show-token").checked ? "text" : "password";
});
$("sign-out").addEventListener("click", () => {
  session.end();
  leave();
});
$("stores").addEventListener("change", () => {
  if (me) openStore(me, $("stores").value);
});
$("retag").addEventListener("submit", (event) => {
  event.preventDefault();
  changes.retag([...list.grid.selected], $("retag-tag").value);
  $("retag-tag").value = "";
});
for (const id of ["import-open", "empty-import"]) $(id).addEventListener("click", () => importer.open());
$("empty-add").addEventListener("click", () => {
  const card = $("add-form").closest("details");
  if (card) card.open = true;
  $("add-name").focus();
});
for (const kind of ["csv", "ndjson"])
  $(`export-${kind}`).addEventListener("click", () => exportPlants(list, kind));
$("history-open").addEventListener("click", () => past.open());
$("people-open").addEventListener("click", () => people.open());
acceptDrops(importer, mayImport);
preparePrinting(list);

const refresh = () => document.hidden || list.refresh();
addEventListener("focus", refresh);
document.addEventListener("visibilitychange", refresh);
// A browser may clear the fields of a page restored by the back button, after this event.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const field of [$("find"), ...$("add-form").querySelectorAll("input")]) {
    const { value } = field;
    setTimeout(() => {
      field.value = value;
    });
  }
});
addEventListener("beforeunload", (event) => {
  if (changes.isRunning || isBusy($("add-button"))) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  // Held down, it would confirm the next dialog too.
  if (event.key === "Enter" && event.repeat) event.preventDefault();
  const isElsewhere = !targetOf(event).closest("input, select, dialog");
  if (event.key === "/" && isElsewhere && !event.ctrlKey && !event.metaKey && list.may("list")) {
    event.preventDefault();
    $("find").focus();
  }
  if (event.key === "Escape" && $("export").open) {
    $("export").open = false;
    $("export-summary").focus();
  }
});
for (const type of ["click", "focusin"])
  document.addEventListener(type, (event) => {
    if (!targetOf(event).closest("#export")) $("export").open = false;
  });

// In a narrow window the form is closed at first.
const wide = matchMedia("(min-width: 60rem)");
/** @type {NodeListOf<HTMLDetailsElement>} */
const folds = document.querySelectorAll("details.fold");
for (const part of folds) part.open = wide.matches;
wide.addEventListener("change", () => {
  if (wide.matches) for (const part of folds) part.open = true;
});

// A link to sign in with has its code in the fragment; it leaves the address before it is sent.
const findCode = () => new URLSearchParams(location.hash.slice(1)).get("code");

/** @param {string} code */
async function followLink(code) {
  clearAddress();
  setView("app");
  list.showLoading();
  try {
    const { token } = await api.send("POST", "link", { code });
    await signIn(token);
    if (!api.isSignedIn) return;
    const told = tell(["You are signed in until you close this tab."]);
    told.offer("Keep me signed in", () => session.begin(session.token ?? "", true));
  } catch (error) {
    showSignIn(error.message);
    if (!session.token) return;
    enter(session.token);
    tell([`The link did not sign you in: ${error.message}`], { kind: "failed" });
  }
}

addEventListener("hashchange", () => {
  if (findCode()) location.reload(); // it was opened in this tab
});

const code = findCode();
if (code) followLink(code);
else if (session.token) enter(session.token);
else showSignIn();
