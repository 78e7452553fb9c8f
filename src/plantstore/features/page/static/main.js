// The page: signing in and out, the open store, and what the user's role allows. The session keeps the
// token, which is sent only in the Authorization header. `../__init__.py` has a map of all modules.

import { say, undo } from "./actions.js";
import { openAdd } from "./typing.js";
import { Api, isBarred } from "./api.js";
import { $, all, announce, ask, explain, focusPlants, onClick, targetOf } from "./dom.js";
import { exportPlants, printLabels } from "./export.js";
import "./grid.js";
import { openImport, readPasted } from "./importer.js";
import { list } from "./list.js";
import { run } from "./queue.js";
import { clearAddress, clearSearch, findCode, openAddress, readAddress, showPage } from "./search.js";
import { device, Session, tab } from "./session.js";
import { drafts, onDraw, queue, redraw } from "./state.js";
import { fillTexts, formatTime, language, rich, t } from "./texts.js";

const REFRESH_EVERY = 15_000; // milliseconds
const SOON = 14 * 24 * 3600 * 1000; // milliseconds

fillTexts();
// The service runs on this machine: the user stays signed in by default.
const isOwnMachine = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);

/** @type {Me | null} */ let me = null;
/** @type {string | null} */ let barredFrom = null; // the store in the address, if the user may not open it

const session = new Session({
  joined: (token) => $("sign-in").hidden || enter(token),
  ended: () => restart(t("signed-out.elsewhere")),
});
const api = new Api({ refused: refuse, barred: reloadMe, away: showAway });

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
  if (!/^[\x21-\xff]+$/.test(token)) return showSignIn(t("token.malformed"));
  api.begin(token); // aborts an earlier attempt
  $("sign-in-button").ariaDisabled = "true"; // a disabled button would lose the focus
  try {
    /** @type {Me} */ const found = await api.send("GET", "me");
    session.begin(token, isKept);
    if (me && me.user !== found.user) return restart();
    setMe(found);
    $("sign-in-form").reset();
    $("user").value = found.user; // the name under which a password manager saves the token
    setView("app");
    run();
  } catch (error) {
    if (error.status === 401) return; // `refuse` has shown it
    $("token").value = token;
    showSignIn(error.message);
  } finally {
    $("sign-in-button").ariaDisabled = "false";
  }
}

/** What is typed stays, for the same user. @param {string} message */
function refuse(message) {
  session.forget();
  const isExpired = $("sign-in").hidden && Date.parse(me?.expires_at ?? "") <= Date.now();
  showSignIn(isExpired ? t("token.expired") : message);
}

/** Signing out, or in as another user, leaves nothing of the last user in memory. @param {string} [reason] */
async function restart(reason = "") {
  api.end();
  drafts.cell = null; // and nothing to ask about
  queue.length = 0;
  tab.put("reason", reason);
  clearAddress();
  setView("none");
  if (await reload()) return;
  list.forget();
  showSignIn(reason);
  explain("offline", t("error.away")); // nothing is left to be saved
}

/** Not while the server is away, because the browser would show its own error page: then it returns false. */
async function reload() {
  const isUp = await api.isUp();
  if (isUp) location.reload();
  return isUp;
}

/** A refused request may mean that a role, a membership or a store has changed. */
async function reloadMe() {
  try {
    /** @type {Me} */ const found = await api.send("GET", "me");
    if (JSON.stringify(found) === JSON.stringify(me)) return;
    const store = list.store?.name;
    setMe(found);
    const role = found.stores.find(({ name }) => name === store)?.role;
    if (role) say(rich("role.changed", { role: t(`role.${role}`), store }));
  } catch (error) {
    if (isBarred(error)) refuse(error.message);
  }
}

/** Opens the store in the address; never another store instead. @param {Me} found */
function setMe(found) {
  const { user, add } = JSON.parse((me ? null : tab.get("draft")) ?? "{}");
  if (user === found.user) drafts.add = add;
  me = found;
  $("stores").replaceChildren(...me.stores.map(({ name }) => new Option(name)));
  $("stores").disabled = me.stores.length === 1;
  $("who").textContent = me.user;
  $("avatar").textContent = [...me.user][0]?.toUpperCase() ?? "";
  openStore(list.store?.name || readAddress().store || me.store);
}

/** @param {string} name */
function openStore(name) {
  const { stores, expires_at: end = "" } = /** @type {Me} */ (me);
  const found = stores.find((store) => store.name === name);
  barredFrom = found ? null : name || null;
  list.scopes = found?.scopes ?? [];
  document.body.dataset.may = list.scopes.join(" ");
  $("stores").value = found ? name : "";
  $("role").textContent = found ? t(`role.${found.role}`) : "";
  $("expiry").textContent = Date.parse(end) - Date.now() < SOON ? t("expiry", { time: formatTime(end) }) : "";
  if (!found) return list.forget();
  openAddress(api.store(name));
}

/** @param {"sign-in" | "app" | "none"} view */
function setView(view) {
  $("sign-in").hidden = view !== "sign-in";
  $("app").hidden = $("bar").hidden = view !== "app";
  document.body.classList.toggle("signed-in", view === "app");
}

/** @param {string} token */
function enter(token) {
  setView("app");
  list.setState("loading");
  return signIn(token);
}

/** When the server is back, loads what failed, or signs in. @param {boolean} isAway */
function showAway(isAway) {
  explain("offline", isAway ? t("offline") : "");
  if (isAway) return;
  announce(t("online"));
  const { token } = session;
  if (list.error) list.load();
  if (!api.token && token && $("token").value === token) signIn(token);
}

function findState() {
  const { state, plants, rows } = list;
  if (barredFrom !== null) return "barred";
  if (list.store && !list.may("list")) return "forbidden";
  if (state === "error") return "error";
  if (rows.length || state === "none") return "";
  if (state === "loading" && !plants.isComplete) return "loading";
  return plants.items.length ? "nothing" : "empty";
}

onDraw(() => {
  const { state, plants, error, view } = list;
  const shown = findState();
  const hasNone = !plants.items.length;
  const own = me?.stores[0]?.name ?? "";
  const what = [view.search.text, ...view.search.tags].filter(Boolean).join(", ");
  for (const part of all(".state")) part.hidden = part.id !== `state-${shown}`;
  $("barred-title").replaceChildren(...rich("store.barred", { store: barredFrom ?? "" }));
  $("barred-open").hidden = !own;
  $("barred-open").textContent = t("store.open", { store: own });
  $("nothing-title").replaceChildren(...rich("found.none", { what }));
  $("state-error").classList.toggle("partial", !hasNone);
  const trouble = t(plants.isComplete ? "error.stale" : hasNone ? "error.list" : "error.part");
  for (const [id, text] of Object.entries({ "error-title": trouble, "error-text": error?.message ?? "" }))
    if ($(id).textContent !== text) $(id).textContent = text; // in an alert, which is read at each change
  const hasGrid = list.may("list") || list.may("create");
  $("grid").hidden = shown === "barred" || !hasGrid || (state === "none" && !list.store);
  $("grid").ariaRowCount = `${plants.isComplete ? list.rows.length + 2 : -1}`;
  $("clear-search").hidden = view.isWhole;
  $("export-what").textContent = t(list.selected.size ? "selection" : view.isWhole ? "export.all" : "export.shown");
});

/** A click on blank ground, or hiding the focused element, takes the focus away from the list. */
const keepFocus = () =>
  setTimeout(() => {
    const { activeElement: focused } = document; // in the end: the focus may just be moving
    const isLost = !focused?.checkVisibility() || focused.matches("body, #plants-title");
    if (isLost && me) focusPlants();
  });
onDraw(keepFocus);
document.addEventListener("click", keepFocus);

$("sign-in-form").addEventListener("submit", () => {
  const { value } = $("token");
  const token = value.trim().replace(/^bearer\s+/i, "");
  if (token) signIn(token, $("remember").checked);
});
$("remember").defaultChecked = isOwnMachine;
$("sign-in-start").hidden = !isOwnMachine;
onClick("sign-out", async () => {
  if (queue.length && !(await ask(t("sign-out.ask", { n: queue.length }), "", t("sign-out")))) return;
  session.end();
  restart();
});
$("stores").addEventListener("change", () => openStore($("stores").value));
onClick("barred-open", () => openStore(me?.stores[0]?.name ?? ""));
onClick("retry", () => list.load());
onClick("nothing-clear", clearSearch);
onClick("skip", focusPlants);
onClick("empty-add", openAdd);
for (const id of ["import-open", "empty-import"]) onClick(id, () => openImport());
for (const id of ["labels", "labels-selected"]) onClick(id, printLabels);
for (const id of ["export-csv", "export-selected"]) onClick(id, exportPlants);
onClick("keys-open", () => $("keys").showModal());
onClick("language", () => {
  device.put("language", language === "de" ? "en" : "de");
  reload();
});
// A menu closes after a choice, except for filters, of which several can be chosen; and by a click on its backdrop.
for (const menu of all("[popover]")) {
  menu.addEventListener("click", (event) => {
    const target = targetOf(event);
    if (target === menu || target.closest("button:not([data-stays])")) menu.hidePopover();
  });
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const items = [...all("button, a", menu)].filter((item) => item.checkVisibility());
    items.at((items.indexOf(targetOf(event)) + step) % items.length)?.focus();
    event.preventDefault();
  });
}
for (const type of ["focus", "visibilitychange"]) addEventListener(type, () => list.refresh());
setInterval(() => list.refresh(), REFRESH_EVERY);
// A browser may restore old values of fields after this event: draw them again from the state.
addEventListener("pageshow", () => setTimeout(redraw));
addEventListener("beforeunload", (event) => {
  const { cell } = drafts;
  if (queue.length || (cell && cell.text !== (cell.before[cell.field] ?? ""))) event.preventDefault();
});
// Text in row 0 survives a reload.
addEventListener("pagehide", () => {
  if (me && api.token) tab.put("draft", JSON.stringify({ user: me.user, add: drafts.add }));
});

/** No letters: a word typed outside a field is searched for. @type {Record<string, () => void>} */
const KEYS = {
  "/": () => $("find").select(),
  "Ctrl+k": () => $("find").select(), // in a field, too
  "Ctrl+z": undo,
  "?": () => $("keys").showModal(),
  "+": openAdd,
};
document.addEventListener("keydown", (event) => {
  const { key, altKey, shiftKey } = event;
  if (key === "Enter" && event.repeat) event.preventDefault(); // a held key would confirm the next dialog too
  const isTyping = targetOf(event).closest("input:not([type=checkbox]), select, dialog:not(#panel), [popover]");
  const name = event.ctrlKey || event.metaKey ? `Ctrl+${shiftKey ? key : key.toLowerCase()}` : key;
  if (altKey || $("app").hidden || document.querySelector("dialog:modal")) return;
  if ($("plants").hidden) return name === "Escape" && !isTyping ? showPage(null) : undefined;
  if (Object.hasOwn(KEYS, name) && (!isTyping || name === "Ctrl+k")) {
    KEYS[name]();
    event.preventDefault();
  } else if (/^[\p{L}\p{N}]$/u.test(name) && !isTyping && !list.selected.size) $("find").select(); // it gets this letter
});
addEventListener("copy", (event) => {
  if (document.activeElement !== $("grid") || !list.selected.size) return;
  const lines = list.chosen.map(({ id, name, tag = "" }) => [name, tag, id].join("\t"));
  event.clipboardData?.setData("text/plain", lines.join("\n"));
  event.preventDefault();
  say(rich("copied", { n: lines.length }));
});

// Pasted rows, and sign-in links -----------------------------------------------------------------

// A browser would replace the page with a file that is dropped outside a field.
for (const type of ["dragover", "drop"])
  addEventListener(type, (event) => targetOf(event).closest("input") || event.preventDefault());
addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text") ?? "";
  const isElsewhere =
    targetOf(event).closest("input:not([type=file])") || document.querySelector("dialog:modal:not(#import)");
  if (!text.trim() || isElsewhere || !list.may("create")) return;
  event.preventDefault();
  readPasted(text);
});

// A link may be meant to mislead: the names of its user and store come from the service.
/** @param {string} code */
async function maySwitch(code) {
  const { user, store } = await api.send("POST", "links/redeem", { code, dry_run: true });
  if (user === me?.user && store === me?.store) return true;
  const now = t("switch.now", { store: me?.store, user: me?.user });
  return ask(t("switch.title", { store, user }), now, t("sign-in"), "primary");
}

/** The code is in the address's fragment; it is removed from there before it is sent. @param {string} code */
async function followLink(code) {
  clearAddress();
  setView("app");
  list.setState("loading");
  const current = await session.find();
  if (current) await enter(current);
  if (session.token && !api.token) return; // offline, which the page already shows
  try {
    if (!api.token) api.begin(null);
    else if (!(await maySwitch(code))) return;
    const { token } = await api.send("POST", "links/redeem", { code });
    list.forget();
    clearAddress(); // so that the link's store is opened
    await signIn(token, isOwnMachine);
    const keep = () => session.begin(token, true);
    if (api.token && !isOwnMachine) say(rich("signed-in.tab"), { [t("remember")]: keep });
  } catch (error) {
    showSignIn(error.message);
    if (!session.token) return;
    await enter(session.token);
    say(rich("link.failed", { reason: error.message }), {}, "failed");
  }
}

addEventListener("hashchange", () => findCode() && reload()); // a link was opened in this tab

const code = findCode();
if (code) followLink(code);
else if (session.token) enter(session.token);
else showSignIn(tab.get("reason") ?? "");
tab.drop("reason");
