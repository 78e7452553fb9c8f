// The history of a store's plants, action by action, newest first; each action can be undone. The panel has the
// history of one plant.

import { ASK_ABOVE, perform } from "./actions.js";
import { TRIMMED } from "./api.js";
import { $, ask, bdi, explain, make, makeButton, onClick } from "./dom.js";
import { list } from "./list.js";
import { CONTENTS, isSame } from "./plant.js";
import { showPage } from "./search.js";
import { shown } from "./state.js";
import { formatClock, formatDay, formatTime, rich, t } from "./texts.js";

const PAGE = 1000;
const MIN_ACTIONS = 100; // shown at a time, at least
const MAX_PAGES = 20; // read at a time
const MAX_PLANT_PAGES = 5; // read at a time for one plant
const GAP = 3_000; // milliseconds between two events of an action

/** @type {{store: Store, before: number, actions: HistoryAction[]} | null} */ let current = null;

export async function openHistory() {
  const { store } = list;
  if (!store) return;
  $("history-title").textContent = t("history.of", { store: store.name });
  current = { store, before: Infinity, actions: [] };
  await readMore();
}

async function readMore() {
  const opened = current;
  if (!opened) return;
  $("history-more").hidden = true;
  explain("history-state", t("history.loading"));
  const { store, actions } = opened;
  const { length } = actions;
  try {
    if (opened.before === Infinity) opened.before = (await store.readRevision()) + 1;
    await list.loadWhole(); // to know which plants exist now
    for (let page = 0; page < MAX_PAGES && opened.before > 1 && actions.length <= length + MIN_ACTIONS; page += 1) {
      const events = await readPage(store, opened.before);
      if (opened !== current || $("history").hidden) return;
      opened.before = events.at(-1)?.revision ?? 0;
      for (const event of events) join(actions, event);
      drawActions(store, actions, opened.before > 1);
    }
    explain("history-state", actions.length ? "" : t("history.none"));
  } catch (error) {
    explain("history-state", error.message);
  }
  $("history-more").hidden = opened.before <= 1;
}
onClick("history-more", readMore);

/** @param {Store} store @param {HistoryAction[]} actions @param {boolean} goOn whether the last action may be incomplete */
function drawActions(store, actions, goOn) {
  const former = findFormer(actions.flatMap(({ events }) => events));
  const shown = goOn ? actions.slice(0, -1) : actions;
  const days = Object.entries(Object.groupBy(shown, ({ events: [{ at }] }) => formatDay(at)));
  const sections = days.map(([day, of = []]) => {
    const items = of.map(({ events }) => describe(store, events, former, formatClock));
    return make("section", {}, make("h3", {}, day), make("ul", { className: "events" }, ...items));
  });
  $("history-events").replaceChildren(...sections);
}

/** Events of the same kind, by the same user, at about the same time are one action. @param {HistoryAction[]} actions @param {StoreEvent} event */
function join(actions, event) {
  const { kind, user, at, plant } = event;
  const { events = [], ids } = actions.at(-1) ?? {};
  const last = events.at(-1);
  const isAtOnce = last?.kind === kind && last.user === user && Date.parse(last.at) - Date.parse(at) <= GAP;
  if (!isAtOnce || !ids || ids.has(plant.id)) return void actions.push({ events: [event], ids: new Set([plant.id]) });
  events.push(event);
  ids.add(plant.id);
}

/** Each event's plant as it was before the event, if known. @param {StoreEvent[]} events @returns {Former} */
function findFormer(events) {
  /** @type {Map<string, Plant | undefined>} */ const now = new Map();
  /** @type {Former} */ const former = new Map();
  for (const event of events.toReversed()) {
    former.set(event, event.kind === "plant.deleted" ? event.plant : now.get(event.plant.id));
    now.set(event.plant.id, event.kind === "plant.deleted" ? undefined : event.plant);
  }
  return former;
}

/** @param {Store} store @param {StoreEvent[]} events @param {Former} former @param {(time: string) => string} format */
function describe(store, events, former, format) {
  const [{ kind, user, at, plant }] = events;
  const what = events.length === 1 ? plant.name : t("plants", { n: events.length });
  const text = make("p", {}, ...(user ? [bdi(user), " "] : []), ...rich(kind.replace("plant.", "history."), { what }));
  const item = make("li", {}, text, make("time", { className: "hint", dateTime: at, textContent: format(at) }));
  const before = former.get(events[0]);
  if (events.length === 1 && kind === "plant.updated" && before) item.append(describeChange(before, plant));
  const changes = events.flatMap((event) => goBack(event, former.get(event)));
  const isKnown = events.every((event) => kind === "plant.created" || former.get(event)); // not to restore half an action
  if (!changes.length || !isKnown) return item;
  const verb = t(kind === "plant.created" ? "undo" : "history.restore"); // undoing an addition deletes the plants
  const restore = async () => {
    const question = `${verb}: ${text.textContent}?`;
    if (changes.length > ASK_ABOVE && !(await ask(question, t("undo.can"), verb, "primary"))) return;
    showPage(null);
    perform("restore", changes, store);
  };
  item.append(makeButton(verb, restore, `${verb}: ${what}, ${formatTime(at)}`));
  return item;
}

/** @param {Plant} before @param {Plant} after */
function describeChange(before, after) {
  const show = (/** @type {string | undefined} */ text) => bdi(text || t("tag.none"));
  const changed = CONTENTS.filter((field) => before[field] !== after[field]);
  const parts = changed.flatMap((field) => [make("del", {}, show(before[field])), " → ", show(after[field]), " "]);
  return make("p", {}, ...parts);
}

/** The change that restores the plant, if the user may make it. @param {StoreEvent} event @param {Plant} [former] @returns {Change[]} */
function goBack({ kind, plant }, former) {
  const now = list.plants.get(plant.id);
  if (kind === "plant.created") return now && isSame(now, plant) && list.may("delete") ? [{ before: now }] : [];
  if (!former || (now && isSame(now, former))) return [];
  return list.may(now ? "update" : "create") ? [{ before: now, after: former }] : [];
}

/** The events before a revision, the newest first. @param {Store} store @param {number} before */
async function readPage(store, before) {
  const after = Math.max(0, before - 1 - PAGE);
  try {
    return (await store.events(after, before - 1 - after)).reverse();
  } catch (error) {
    if (error.number !== TRIMMED) throw error;
    const oldest = await store.events(null, PAGE);
    return oldest.filter(({ revision }) => revision < before).reverse();
  }
}

// The history of one plant: the events known already, then its events among the store's next older pages.
/** @param {Element} parent @param {Store} store @param {Plant} plant @param {StoreEvent[]} [known] @param {number} [from] */
export async function showHistory(parent, store, plant, known = [], from) {
  const own = [...known];
  let before = from ?? (await store.readRevision().catch(() => 0)) + 1;
  for (let page = 0; before > 1 && page < MAX_PLANT_PAGES; page += 1) {
    const events = await readPage(store, before).catch(() => []);
    own.push(...events.filter((event) => event.plant.id === plant.id));
    before = own.at(-1)?.kind === "plant.created" ? 0 : (events.at(-1)?.revision ?? 0);
  }
  if (shown.plant !== plant.id) return; // another plant is
  const former = findFormer(own);
  const items = own.map((event) => describe(store, [event], former, formatTime));
  const older = makeButton(t("history.older"), () => showHistory(parent, store, plant, own, before));
  if (before > 1) items.push(make("li", {}, older));
  else if (!items.length) items.push(make("li", { className: "hint" }, t("history.none")));
  if (parent.contains(document.activeElement)) $("panel-title").focus();
  parent.replaceChildren(...items);
}
