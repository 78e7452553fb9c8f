// Sends the pending changes, in their order, one request at a time: a plant that was typed with a key of its
// own, so that it is stored once whatever happens to the request; all others many in a request.

import { ApiError, ID_TAKEN, NO_PLANT, NOT_AS_EXPECTED } from "./api.js";
import { list } from "./list.js";
import { isSame } from "./plant.js";
import { drop, queue, redraw } from "./state.js";
import { t } from "./texts.js";

const PIECE = 500; // changes in a request: under 1 MB, which proxies let pass
const AT_ONCE = 8; // plants that are read one by one before they are changed
const MANY = 100; // more are read with the list, whose usual form has no entity tags: they do not compress
const MAX_IDS = 8; // that are tried, where others take them first

let isRunning = false;

// Until nothing is waiting, or the user is signed out; then it is called again.
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

// Of one action, no plant twice.
function next() {
  const start = queue.findIndex(({ state }) => state === "waiting");
  /** @type {Set<string>} */ const ids = new Set();
  /** @type {Pending[]} */ const items = [];
  for (const item of start < 0 ? [] : queue.slice(start, start + PIECE)) {
    const { id } = /** @type {Plant} */ (item.after ?? item.before);
    if (item.action !== queue[start].action || item.state !== "waiting" || ids.has(id)) break;
    ids.add(id);
    items.push(item);
  }
  return items;
}

/** @param {Pending} item */
const isSent = ({ state }) => state === "sent";

// False where the user has been signed out meanwhile: the changes wait.
/** @param {Pending[]} items */
async function deliver(items) {
  const { action } = items[0];
  try {
    if (action.kind === "add") await create(items[0]);
    else await sendMany(action, items);
  } catch (error) {
    const left = items.filter(isSent);
    const known = left.filter((item) => queue.includes(item)); // the user may be another by now
    const isSignedOut = error.status === 401;
    if (isSignedOut) for (const item of known) item.state = "waiting";
    else for (const item of known) refuse(item, error);
    if (isSignedOut || (left.length && !known.length)) return !isSignedOut;
  }
  const isOver = !queue.some((item) => item.action === action && item.state !== "refused");
  action.tell(isOver);
  return true;
}

/** @param {Pending} item */
async function create(item) {
  const { store } = item.action;
  const { api } = store;
  for (let tries = 1; ; tries += 1) {
    const plant = item.after;
    if (!plant) return;
    try {
      if (item.isGiven && plant.id.startsWith("+")) await giveId(item, plant);
      const sent = item.after ?? plant;
      await api.insist(() => store.create(sent, item.key), item.action.control.signal);
      return finish([[item, undefined]]);
    } catch (error) {
      if (!item.isGiven || error.number !== ID_TAKEN || tries === MAX_IDS) throw error;
      await list.refresh();
      item.key = `${item.key}-${tries}`;
      item.after = { ...plant, id: nextId(plant.id) };
      list.changeRows();
    }
  }
}

// The list was not loaded when it was typed; by now it may be another store's.
/** @param {Pending} item @param {Plant} plant */
async function giveId(item, plant) {
  const isWhole = await list.loadWhole();
  if (!isWhole || list.store !== item.action.store) throw new ApiError(503, 0, t("add.unknown"));
  item.after = { ...plant, id: nextId() };
  list.changeRows();
}

// Above all others, also those that are not stored yet.
/** @param {string} [taken] */
export function nextId(taken) {
  let id = BigInt(list.plants.proposeId() ?? 1);
  const others = queue.flatMap(({ after, action }) => (after && action.store === list.store ? after.id : []));
  for (const other of [...others, ...(taken ? [taken] : [])])
    if (/^-?\d{1,18}$/.test(other) && BigInt(other) >= id) id = BigInt(other) + 1n;
  return `${id}`;
}

/** @param {Action} action @param {Pending[]} items */
async function sendMany(action, items) {
  const { store, control } = action;
  const { api } = store;
  /** @param {Pending} item */
  const isUnread = ({ before, after }) => before && after && !before.etag;
  const all = queue.filter((item) => item.action === action && isUnread(item));
  if (all.length > MANY) await readEtags(action, new Map(all.map((item) => [item.after?.id ?? "", item])));
  const read = items.filter((item) => isSent(item) && isUnread(item));
  for (let at = 0; at < read.length; at += AT_ONCE)
    await Promise.all(read.slice(at, at + AT_ONCE).map((item) => readEtag(item)));
  const send = async () => {
    const left = items.filter(isSent);
    const results = left.length ? await store.change(left) : [];
    /** @type {[Pending, string | undefined][]} */ const done = [];
    for (const [at, { error, etag }] of results.entries()) {
      const item = left[at];
      if (!error) done.push([item, etag]);
      else if (error.number === NOT_AS_EXPECTED) await conflict(item);
      else refuse(item, error);
    }
    finish(done);
    action.tell(false);
    if (items.some(isSent)) throw new ApiError(503, 0, t("queue.unknown"));
  };
  await api.insist(send, control.signal);
}

// Of those that are still as they were; the others are read one by one.
/** @param {Action} action @param {Map<string, Pending>} items */
async function readEtags({ store, control }, items) {
  /** @type {Page["next"]} */ let read = () => store.list("?include=id,etag&limit=2000", control.signal);
  while (read && items.size) {
    /** @type {Page} */ const page = await store.api.insist(read, control.signal);
    for (const plant of page.plants) {
      const item = items.get(plant.id);
      if (item?.before && isSame(plant, item.before)) item.before = { ...item.before, etag: plant.etag };
      items.delete(plant.id);
    }
    read = page.next;
  }
}

// Unless it is another plant by now.
/** @param {Pending} item */
async function readEtag(item) {
  const { store, control } = item.action;
  const { before, after } = /** @type {Required<Change>} */ (item);
  const { plant, etag } = await store.api.insist(() => read(item), control.signal);
  if (plant && (isSame(plant, before) || isSame(plant, after))) item.before = { ...before, etag };
  else settle(item, plant);
}

// A retry finds the plant as it should be.
/** @param {Pending} item */
async function conflict(item) {
  const { plant } = await read(item);
  if (plant && item.after && isSame(plant, item.after)) finish([[item, undefined]]);
  else settle(item, plant);
}

// The plant as it is by now; none if it was deleted.
/** @param {Pending} item */
const read = ({ action, after }) =>
  action.store.get(after?.id ?? "").catch((error) => {
    if (error.number !== NO_PLANT) throw error;
    return { plant: null, etag: undefined };
  });

// Somebody else was faster: the plant is `theirs` now, or deleted.
/** @param {Pending} item @param {Plant | null} theirs */
function settle(item, theirs) {
  item.theirs = theirs;
  refuse(item, new ApiError(412, NOT_AS_EXPECTED, t(theirs ? "conflict.changed" : "conflict.deleted")));
}

/** @param {[Pending, string | undefined][]} done */
function finish(done) {
  if (!done.length) return;
  const [{ action }] = done[0];
  /** @type {Map<string, Plant | null>} */ const changes = new Map();
  const gone = new Set(done.map(([item]) => item));
  queue.splice(0, queue.length, ...queue.filter((item) => !gone.has(item)));
  for (const [item, etag] of done) {
    item.state = "stored";
    if (item.after && etag) item.after = { ...item.after, etag };
    action.done.push({ before: item.before, after: item.after });
    changes.set((item.after ?? item.before)?.id ?? "", item.after ?? null);
  }
  list.apply(action.store, changes);
  list.changeRows();
}

/** @param {Pending} item @param {Failure} error */
function refuse(item, error) {
  item.state = "refused";
  item.error = error;
  item.action.refused.push(item);
  if (item.action.control.signal.aborted) drop(item);
  redraw();
}
