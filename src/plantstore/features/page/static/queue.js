// Sends the pending changes in order, one request at a time. Changes without a result are sent again: an identical
// plant is then taken to be the one that was sent.

import { ALREADY_STORED, ApiError, ID_TAKEN, NO_PLANT, NOT_AS_EXPECTED } from "./api.js";
import { list } from "./list.js";
import { isSame, Plants } from "./plant.js";
import { drafts, drop, idOf, queue, redraw, settled } from "./state.js";
import { t } from "./texts.js";

const PIECE = 500; // changes in a request: under 1 MB, a common limit of proxies
const AT_ONCE = 8; // requests for single plants at a time, before they are changed
const MANY = 100; // for more plants the list is read with entity tags, which it usually omits: they do not compress

let isRunning = false;

/** Runs until nothing waits or the user is signed out; signing in calls it again. */
export async function run() {
  if (isRunning) return;
  isRunning = true;
  for (let items = next(); items.length; items = next()) {
    for (const item of items) item.state = "sent";
    redraw();
    if (!(await deliver(items))) break;
  }
  isRunning = false;
}

/** The next changes to send: of one action, with no plant twice. */
function next() {
  const start = queue.findIndex(({ state }) => state === "waiting");
  /** @type {Map<string, Pending>} */ const items = new Map();
  for (const item of start < 0 ? [] : queue.slice(start, start + PIECE)) {
    if (item.action !== queue[start].action || item.state !== "waiting" || items.has(idOf(item))) break;
    items.set(idOf(item), item);
  }
  return [...items.values()];
}

/** False if the user was signed out: the changes wait. @param {Pending[]} items */
async function deliver(items) {
  const { action } = items[0];
  try {
    await send(action, items);
  } catch (error) {
    const isSignedOut = error.status === 401;
    for (const item of items.filter(({ state }) => state === "sent"))
      if (isSignedOut) item.state = "waiting";
      else refuse(item, error);
    if (isSignedOut) return false;
  }
  action.tell(!queue.some((item) => item.action === action && item.state !== "refused"));
  return true;
}

/** The next id; if somebody else took the plant's id, an id after it. Later changes of the plant follow. @param {Pending} item */
function giveId(item) {
  const id = nextId(item.action.store, idOf(item));
  for (const other of queue.filter(({ rowId }) => rowId === item.rowId))
    for (const side of /** @type {const} */ (["before", "after"]))
      if (other[side]) other[side] = { ...other[side], id };
  redraw();
}

/** An id above all others of the store, including plants that are not stored yet. @param {Store | null} store @param {string} [taken] */
export function nextId(store, taken = "") {
  const plants = store === list.store ? list.plants : new Plants();
  const others = queue.flatMap(({ after, action }) => (after && action.store === store ? after.id : []));
  return plants.proposeId([...others, taken]);
}

/** @param {Action} action @param {Pending[]} items */
async function send(action, items) {
  const { store, control } = action;
  if (idOf(items[0]) === "+") {
    // The list was not loaded when the plant was typed; by now the list may be another store's.
    if (!(await list.loadWhole()) || list.store !== store) throw new ApiError(503, 0, t("add.unknown"));
    giveId(items[0]);
  }
  const isUnread = (/** @type {Pending} */ { before, after }) => before && after && !before.etag;
  const all = queue.filter((item) => item.action === action && isUnread(item));
  if (all.length > MANY) await readEtags(action, new Map(all.map((item) => [idOf(item), item])));
  const read = items.filter((item) => item.state === "sent" && isUnread(item));
  for (let at = 0; at < read.length; at += AT_ONCE) await Promise.all(read.slice(at, at + AT_ONCE).map(compare));
  await store.api.retry(async () => {
    const left = items.filter(({ state }) => state === "sent");
    const again = new Set(left.filter(({ isUnknown }) => isUnknown));
    for (const item of left) Object.assign(item, { isUnknown: true, isHeard: false });
    const results = left.length ? await store.change(left) : [];
    /** @type {[Pending, string | undefined][]} */ const done = [];
    for (const [at, { error, etag }] of results.entries()) {
      const item = left[at];
      const isStored = error?.number === ALREADY_STORED;
      item.isUnknown = false;
      if (!error || (isStored && (again.has(item) || !item.isGiven))) done.push([item, etag]);
      else if (error.number === NOT_AS_EXPECTED) await compare(item);
      else if (item.isGiven && (isStored || error.number === ID_TAKEN)) giveId(item);
      else refuse(item, error);
    }
    finish(done);
    action.tell(false);
    if (items.some(({ state }) => state === "sent")) throw new ApiError(503, 0, t("queue.unknown"));
  }, control.signal);
}

/** Reads entity tags of plants that are unchanged; the others are read one by one. @param {Action} action @param {Map<string, Pending>} items */
async function readEtags({ store, control }, items) {
  for await (const { plants } of store.pages("?include=id,etag&limit=2000", control.signal)) {
    for (const plant of plants) {
      const item = items.get(plant.id);
      if (item?.before && isSame(plant, item.before)) item.before = { ...item.before, etag: plant.etag };
      items.delete(plant.id);
    }
    if (!items.size) return;
  }
}

/** An unchanged plant gets its entity tag; a plant that already has the new values is done. @param {Pending} item */
async function compare(item) {
  const { store, control } = item.action;
  const { before, after } = /** @type {Required<Change>} */ (item);
  const read = () =>
    store.get(after.id).catch((error) => {
      if (error.number !== NO_PLANT) throw error;
      return { plant: null, etag: undefined };
    });
  const { plant, etag } = await store.api.retry(read, control.signal);
  if (plant && isSame(plant, after)) return finish([[item, etag]]);
  item.theirs = plant; // if somebody else was faster
  if (plant && isSame(plant, before)) item.before = { ...before, etag };
  else refuse(item, new ApiError(412, NOT_AS_EXPECTED, t(plant ? "conflict.changed" : "conflict.deleted")));
}

/** @param {[Pending, string | undefined][]} done */
function finish(done) {
  if (!done.length) return;
  const [{ action }] = done[0];
  /** @type {Changes} */ const changes = new Map();
  const gone = new Set(done.map(([item]) => item));
  queue.splice(0, queue.length, ...queue.filter((item) => !gone.has(item)));
  for (const [item, etag] of done) {
    const [from, id] = [item.rowId, idOf(item)]; // the row of a new plant has its id from now on
    if (drafts.cell?.id === from) drafts.cell.id = id;
    if (list.selected.delete(from)) list.selected.add(id);
    if (!item.before) for (const other of queue) if (other.rowId === from) other.rowId = id;
    settled.add(from).add(id);
    item.state = "stored";
    if (item.after && etag) item.after = { ...item.after, etag };
    action.done.push(item);
    if (!item.isHeard) changes.set(id, item.after ?? null);
  }
  list.apply(action.store, changes);
  redraw();
}

/** @param {Pending} item @param {Failure} error */
function refuse(item, error) {
  const later = queue.filter(({ rowId, before }) => rowId === item.rowId && before && !item.before);
  for (const other of later) drop(other);
  Object.assign(item, { state: "refused", error, after: later.at(-1)?.after ?? item.after });
  item.action.refused.push(item);
  if (item.action.control.signal.aborted) drop(item);
  redraw();
}
