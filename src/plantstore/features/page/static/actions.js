// What the user does to plants. Each action has its changes, which the queue sends, one message at the foot of
// the page, and one undo, which reverses the changes.

import { ApiError, NOT_AS_EXPECTED } from "./api.js";
import { $, announce, ask, choose, focusPlants, isNarrow, makeButton, makeTableRow } from "./dom.js";
import { list } from "./list.js";
import { CONTENTS, isSame, listContents } from "./plant.js";
import { run } from "./queue.js";
import { drafts, drop, idOf, queue, redraw, shown, undos } from "./state.js";
import { rich, t } from "./texts.js";

export const ASK_ABOVE = 50;
const LONG = 20; // changes: a longer action shows its progress
const STAY = 60_000; // milliseconds

let timer = 0;
let made = 0; // plants

/** @param {Content} content @param {Actions} [actions] @param {"done" | "failed" | "progress"} [kind] */
export function say(content, actions = {}, kind = "done") {
  clearTimeout(timer);
  const buttons = Object.entries(actions).map(([label, act]) => makeButton(label, act));
  if (kind !== "progress") buttons.push(makeButton("×", hideMessage, t("close"), "quiet close"));
  $("message-text").replaceChildren(...content);
  $("message-actions").replaceChildren(...buttons);
  $("message").className = kind;
  redraw(); // a button may have had the focus
  if (kind === "done") timer = setTimeout(hideMessage, STAY);
  if (kind !== "progress") announce($("message-text").textContent ?? "");
}

export const hideMessage = () => say([], {}, "progress");

/** @param {Kind} kind @param {Change[]} changes @param {Store | null} [store] @param {(action: Action) => void} [ended] */
export function perform(kind, changes, store = list.store, ended = (action) => tellEnd(action)) {
  if (!store || !changes.length) return null;
  // Decided now: another store may be open when the action ends.
  const mayUndo = changes.every(({ before, after }) => list.may(!after ? "create" : before ? "update" : "delete"));
  const control = new AbortController();
  const total = changes.length;
  const stop = () => control.abort(new ApiError(499, 0, t("stop")));
  /** @param {boolean} isOver */
  function tell(isOver) {
    const told = rich("doing", { ended: action.done.length + action.refused.length, total });
    if (isOver) ended(action);
    else if (total > LONG) say(told, { [t("stop")]: stop }, "progress");
  }
  /** @type {Action} */ const action = { kind, store, total, done: [], refused: [], control, tell, mayUndo };
  for (const change of changes) {
    const rowId = change.before ? idOf(change) : `+${made++}`; // unlike the id of any plant
    queue.push({ action, state: "waiting", rowId, ...change });
  }
  tell(false);
  redraw();
  run();
  return action;
}

/** Moves the plant back to row 0, where it was typed. @param {Pending} item */
export function takeBack(item) {
  const { id = "", name = "", tag = "" } = item.after ?? {};
  drafts.add = { id: item.isGiven ? "" : id, name, tag };
  drop(item);
  $("add-name").focus();
}

/** @param {Pending} item */
export function retry(item) {
  Object.assign(item, { state: "waiting", error: undefined });
  item.action.refused = [];
  redraw();
  run();
}

/** @param {Plant} before @param {Plant} after @param {string} rowId */
export function edit(before, after, rowId) {
  const own = queue.filter((item) => item.rowId === rowId && item.action.store === list.store);
  for (const item of own) if (item.state === "refused") drop(item);
  const base = own.findLast(({ state }) => state !== "refused")?.after ?? before; // the plant after the pending changes
  const wanted = { ...after, id: base.id };
  if (!isSame(base, wanted)) perform("edit", [{ before: base, after: wanted, rowId }]);
}

/** @param {string[]} ids @param {string} [tag] none to remove it */
export async function retag(ids, tag) {
  const changes = pick(ids).map(({ before, rowId }) => ({ before, after: { ...before, tag, etag: undefined }, rowId }));
  const different = changes.filter(({ before, after }) => !isSame(before, after));
  const title = t(tag ? "tag.ask" : "untag.ask", { tag, n: different.length });
  const [verb, kind] = tag ? [t("tag.set"), "primary"] : [t("tag.remove"), "danger"];
  if (different.length > ASK_ABOVE && !(await ask(title, t("undo.can"), verb, kind))) return;
  perform(tag ? "tag" : "untag", different);
}

/** @param {string[]} ids */
export async function remove(ids) {
  const changes = list.may("delete") ? pick(ids) : [];
  const title = t("delete.ask", { n: changes.length });
  if (changes.length > ASK_ABOVE && !(await ask(title, list.may("create") ? t("undo.can") : "", t("delete")))) return;
  for (const item of ids.flatMap((id) => list.findPending(id) ?? [])) if (item.state === "refused") drop(item);
  perform("delete", changes);
}

/** The plants in these rows, as they are after their pending changes. @param {string[]} ids */
function pick(ids) {
  return ids.flatMap((rowId) => {
    const item = list.findPending(rowId);
    const before = item && item.state !== "refused" ? item.after : list.plants.get(rowId);
    return before ? { before, rowId } : [];
  });
}

/** By default the last action in this store; an action that is not done yet is undone then. @param {Action} [chosen] */
export function undo(chosen) {
  const here = (/** @type {Action} */ { store, mayUndo, isUndone }) => store === list.store && mayUndo && !isUndone;
  const pending = queue.findLast(({ action, state }) => here(action) && state !== "refused")?.action;
  if (!chosen && pending) return Object.assign(pending, { isUndone: true });
  const action = chosen ?? undos.findLast(here);
  if (!action || !undos.includes(action)) return say(rich("undo.none"));
  undos.splice(undos.indexOf(action), 1);
  const { store, done } = action;
  const back = done.map(({ before, after }) => ({ before: after, after: before && { ...before, etag: undefined } }));
  const undoing = perform("restore", back.reverse(), store);
  if (undoing) undoing.mayUndo = false;
}

/** Reports an action, with more text and more buttons. @param {Action} action @param {Content} [left] @param {Actions} [more] */
export function tellEnd(action, left = [], more = {}) {
  const { kind, store, done, refused, mayUndo } = action;
  if (done.length && mayUndo) undos.push(action);
  if (action.isUndone && !refused.length) return undo(action);
  const where = list.store === store ? "" : ` ${t("in.store", { store: store.name })}`;
  const groups = Object.groupBy(done, ({ after }) => (kind === "restore" && !after ? "delete" : kind));
  const parts = Object.entries(groups).map(([name, some = []]) => [...rich(`done.${name}`, valuesOf(some)), where]);
  const text = parts.flatMap((part, at) => (at ? [". ", ...part] : part));
  /** @type {Actions} */ const ways = done.length && mayUndo ? { [t("undo")]: () => undo(action) } : {};
  const before = text.length ? [...text, ". "] : [];
  if (refused.length) tellRefused(action, before, ways, where);
  else if (left.length) say([...before, ...left], { ...ways, ...more }, "failed");
  else if (text.length) say(text, ways);
  else hideMessage();
}

/** The reason is in the row of a single plant; on a phone or in another store, in the message. @param {Action} action @param {Content} text @param {Actions} ways @param {string} where */
function tellRefused({ kind, store, total, control, refused }, text, ways, where) {
  const [{ error, theirs }] = refused;
  const isHere = list.store === store;
  if (error?.number === NOT_AS_EXPECTED && total === 1 && kind === "edit" && isHere) return solve(refused[0], theirs);
  if (control.signal.aborted) return say([...text, ...rich("stopped", { n: refused.length })], ways);
  const isInRow = total === 1 && (kind === "add" || kind === "edit");
  if (!isInRow) for (const item of refused) drop(item);
  const changes = refused.map(({ before, after, isGiven, theirs: now }) => {
    const changed = CONTENTS.filter((field) => now && before?.[field] === after?.[field]);
    const theirs = Object.fromEntries(changed.map((field) => [field, now?.[field]]));
    return { isGiven, before: now ?? before, after: after && { ...after, ...theirs } };
  });
  const values = { ...valuesOf(changes), reason: `${error?.message ?? ""}${where}` };
  const again = () => (isInRow ? retry(refused[0]) : void perform(kind, changes, store));
  const told = rich(isInRow && isHere && !isNarrow() ? "refused.row" : "refused", values);
  say([...text, ...told], { ...ways, [t("again")]: again }, "failed");
}

/** @param {Change[]} changes */
function valuesOf(changes) {
  const { id = "", name = "", tag = "" } = changes[0]?.after ?? changes[0]?.before ?? {};
  const n = changes.length;
  return { n, name, id, tag, what: n === 1 ? name : t("plants", { n }) };
}

/** The focus is on no button that would overwrite the other user's change. @param {Pending} item @param {Plant | null} theirs */
async function solve(item, theirs = null) {
  const { store } = item.action;
  const { before, after } = item;
  drop(item);
  list.apply(store, new Map([[idOf(item), theirs]]));
  if (!after || !before) return;
  const texts = theirs ? listContents(theirs) : [t("conflict.gone"), ""];
  $("conflict-title").textContent = t(theirs ? "conflict.changed" : "conflict.deleted");
  $("conflict-rows").replaceChildren(
    makeTableRow([t("conflict.theirs"), ...texts]),
    makeTableRow([t("conflict.yours"), ...listContents(after)]),
  );
  const choice = await choose($("conflict"));
  const wanted = { before: theirs ?? undefined, after: { ...after, etag: undefined } };
  if (choice === "yours") perform("edit", [wanted], store);
  else if (choice === "edit" && theirs && !drafts.cell) {
    // Edits their version, starting with the typed text.
    const field = CONTENTS.find((name) => before[name] !== after[name]) ?? "name";
    const place = shown.plant === after.id ? "panel" : "cell";
    drafts.cell = { id: after.id, field, place, text: after[field] ?? "", before: theirs, isPlaced: true };
    redraw();
  } else if (!drafts.cell) focusPlants();
}
