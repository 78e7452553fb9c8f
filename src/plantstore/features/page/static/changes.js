// Changing plants, one or many: deleting, replacing, creating again. Each has its undo, which is the
// same change the other way round.

import { NO_PLANT, NOT_AS_EXPECTED } from "./api.js";
import { changeAll, each } from "./batch.js";
import { $, bdi, choose, count, focusPlants, makeTableRow } from "./dom.js";
import { list } from "./list.js";
import { isSame, listContents } from "./plant.js";
import { closeToast, fail, showProgress, tell } from "./toasts.js";

const AT_ONCE = 8;
const ASK_ABOVE = 50;
/** @type {Record<string, Words>} */
const WORDS = {
  delete: { doing: "Deleting", done: "Deleted", undone: "create" },
  replace: { doing: "Changing", done: "Changed", undone: "update" },
  restore: { doing: "Restoring", done: "Restored" },
  import: { doing: "Importing", done: "Imported", undone: "delete" },
};

// Somebody else was faster: the plant is `theirs` now, or deleted.
class Conflict extends Error {
  /** @param {Plant | null} theirs */
  constructor(theirs) {
    super(theirs ? "somebody else has changed it" : "somebody else has deleted it");
    this.theirs = theirs;
  }
}

let running = 0;
export const isChanging = () => running > 0;
/** @type {{store: Store, changes: Change[], words: Words, toast: HTMLElement} | null} */ let lastUndo = null;

/** @param {string[]} ids */
export async function removePlants(ids) {
  const plants = list.may("delete") ? pick(ids) : [];
  $("confirm-text").textContent = `Delete ${count(plants.length, "plant")}?`;
  if (plants.length > ASK_ABOVE && (await choose($("confirm"))) !== "yes") return;
  await makeChanges(list.store, plants.map((before) => ({ before })), WORDS.delete);
}

/** @param {string[]} ids @param {string} tag */
export async function retagPlants(ids, tag) {
  const changes = pick(ids).map((before) => ({ before, after: { ...before, tag: tag || undefined } }));
  const different = changes.filter(({ before, after }) => !isSame(before, after));
  await makeChanges(list.store, different, WORDS.replace);
}

// The error, unless it is done or somebody else's plant was taken instead.
/** @param {Store} store @param {Plant} before @param {Plant} after */
export function editPlant(store, before, after) {
  return makeChanges(store, [{ before, after }], WORDS.replace, true);
}

// Whether the plant is another one by now, or gone.
/** @param {Plant} plant */
export function mayRestore(plant) {
  const now = list.plants.get(plant.id);
  return now ? list.may("update") && !isSame(now, plant) : list.may("create");
}

/** @param {Store} store @param {Plant} after */
export async function restorePlant(store, after) {
  await makeChanges(store, [{ before: list.plants.get(after.id), after }], WORDS.restore);
}

// The plants of a file: which are done, and why others were refused.
/** @param {Store} store @param {Plant[]} plants */
export async function importPlants(store, plants) {
  const { done, error, refused } = await send(store, plants.map((after) => ({ after })), WORDS.import);
  return { done: new Set(done.map(({ after }) => after)), refused, error };
}

/** @param {string[]} ids */
function pick(ids) {
  const { store, plants } = list;
  return ids.flatMap((id) => (store?.busy.has(id) ? [] : (plants.get(id) ?? [])));
}

/** @param {Store | null} store @param {Change[]} changes @param {Words} words @returns {Promise<Error | null>} */
async function makeChanges(store, changes, words, isToldElsewhere = false) {
  if (!store || !changes.length) return null;
  const { done, error } = await send(store, changes, words);
  if (error instanceof Conflict && changes.length === 1) return settle(store, changes[0], error, words);
  const isDone = new Set(done);
  const left = changes.filter((change) => !isDone.has(change));
  if (left.length && !isToldElsewhere) tellLeft(store, left, words, error);
  return error;
}

// Creates, deletes or replacements: all of them are the same.
/** @param {Store} store @param {Change[]} changes @param {Words} words */
async function send(store, changes, words) {
  const mayUndo = words.undone !== undefined && list.may(words.undone); // another store may be shown then
  const control = new AbortController();
  const isLong = changes.length > AT_ONCE;
  const progress = isLong ? showProgress(words.doing, changes.length, () => control.abort()) : null;
  const options = { signal: control.signal, tell: (/** @type {number} */ ended) => progress?.tell(ended) };
  const there = changes.flatMap(({ before }) => before?.id ?? []);
  for (const id of there) store.busy.add(id);
  list.grid.refresh();
  running += 1;
  const outcome = await (there.length && changes[0].after ? replaceEach : changeAll)(store, changes, options);
  running -= 1;
  for (const id of there) store.busy.delete(id);
  list.grid.refresh();
  progress?.close();
  list.apply(store, new Map(outcome.done.map((one) => [idOf(one), one.after ?? null])));
  // Only if a removed element had it, not if the user is typing.
  if (document.activeElement?.matches("body, #grid, #grid *, #selection *")) focusPlants();
  if (outcome.done.length) tellDone(store, outcome.done, words, mayUndo);
  return outcome;
}

/** @param {Store} store @param {Change[]} changes @param {Batch} options */
async function replaceEach(store, changes, options) {
  const replaceOne = (/** @type {Change} */ change) => replacePlant(store, change, options.signal);
  return { ...(await each(changes, replaceOne, { ...options, atOnce: AT_ONCE })), refused: new Map() };
}

// Successive changes of a kind share one undo: the next one does not replace it.
/** @param {Store} store @param {Change[]} changes @param {Words} words @param {boolean} mayUndo */
function tellDone(store, changes, words, mayUndo) {
  if (lastUndo?.store === store && lastUndo.words === words && lastUndo.toast.isConnected) {
    changes = join(lastUndo.changes, changes);
    closeToast(lastUndo.toast);
  }
  const back = words === WORDS.import ? WORDS.delete : WORDS.restore;
  const reversed = changes.map(({ before, after }) => ({ before: after, after: before }));
  const act = () => makeChanges(store, reversed, back);
  const where = list.store === store ? "" : ` in ${store.name}`;
  const toast = tell([`${words.done} `, describe(changes), where], mayUndo ? { Undo: act } : {});
  if (mayUndo) lastUndo = { store, changes, words, toast };
}

// The outcome of some may be unknown: the list is checked again.
/** @param {Store} store @param {Change[]} left @param {Words} words @param {Error | null} error */
function tellLeft(store, left, words, error) {
  list.refresh();
  const verb = left.length === 1 ? "was" : "were";
  const where = list.store === store ? "" : ` in ${store.name}`;
  const why = error ? `: ${error.message}` : "";
  const text = ` ${verb} not ${words.done.toLowerCase()}${where}${why}`;
  fail([describe(left), text], { "Try again": () => makeChanges(store, left, words) });
}

/** @param {Store} store @param {Change} change @param {Conflict} conflict @param {Words} words */
async function settle(store, change, conflict, words) {
  const { theirs } = conflict;
  /** @param {string} who @param {Plant | null | undefined} plant */
  const describePlant = (who, plant) => makeTableRow([who, ...listContents(plant ?? { id: "", name: "deleted" })]);
  $("conflict-title").textContent = `Somebody else ${theirs ? "changed" : "deleted"} this plant`;
  $("conflict-rows").replaceChildren(describePlant("Theirs", theirs), describePlant("Yours", change.after));
  const choice = await choose($("conflict"));
  if (choice === "yours") return makeChanges(store, [{ ...change, before: theirs ?? undefined }], words);
  if (choice !== "theirs") return conflict;
  list.apply(store, new Map([[idOf(change), theirs]]));
  return null;
}

// If it is still the plant that the user saw. A retry finds it as it should be.
/** @param {Store} store @param {Change} change @param {AbortSignal} signal @returns {Promise<void>} */
async function replacePlant(store, change, signal, retries = 2) {
  const { api } = store;
  const { before, after } = /** @type {Required<Change>} */ (change);
  try {
    const { plant, etag } = await api.insist(() => store.get(after.id), signal);
    if (isSame(plant, after)) return;
    if (!isSame(plant, before)) throw new Conflict(plant);
    await api.insist(() => store.replace(after, etag), signal);
  } catch (error) {
    if (error.number === NO_PLANT) throw new Conflict(null);
    if (error.number !== NOT_AS_EXPECTED) throw error;
    if (!retries) throw new Error("the server says again and again that it was changed: a proxy may alter its ETag");
    await replacePlant(store, change, signal, retries - 1);
  }
}

/** @param {Change} change */
const idOf = ({ before, after }) => (after ?? before)?.id ?? "";

// Two changes of a plant are one.
/** @param {Change[]} earlier @param {Change[]} later */
function join(earlier, later) {
  const joined = new Map(earlier.map((change) => [idOf(change), change]));
  for (const change of later)
    joined.set(idOf(change), { before: (joined.get(idOf(change)) ?? change).before, after: change.after });
  return [...joined.values()];
}

/** @param {Change[]} changes */
const describe = ([change, ...others]) =>
  others.length ? count(others.length + 1, "plant") : bdi((change.after ?? change.before)?.name ?? "");
