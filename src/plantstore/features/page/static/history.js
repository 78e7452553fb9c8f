// The history of a store, or of one plant, action by action, newest first; each action can be undone.

import { ASK_ABOVE, perform } from "./actions.js";
import { TRIMMED } from "./api.js";
import { $, all, announce, ask, bdi, make, makeButton, makeHint } from "./dom.js";
import { list } from "./list.js";
import { CONTENTS, isSame } from "./plant.js";
import { showPage } from "./search.js";
import { formatClock, formatDay, formatTime, rich, t } from "./texts.js";

const PAGE = 1000;
const MIN_ACTIONS = 100; // shown at a time, at least
const MAX_PAGES = 5; // read at a time
const GAP = 3_000; // milliseconds between two events of an action

/** @type {WeakMap<Element, HistoryAction[]>} */ const current = new WeakMap();

export function openHistory() {
  if (!list.store) return;
  $("history-title").textContent = t("history.of", { store: list.store.name });
  showHistory($("history-events"), list.store);
}

/** Fills a part of the page: with the newest actions, and a button for older ones. @param {Element} part @param {Store} store @param {string} [id] of one plant */
export async function showHistory(part, store, id) {
  /** @type {HistoryAction[]} */ const actions = [];
  let before = Infinity;
  current.set(part, actions);

  /** @param {HTMLElement[]} rest */
  function draw(...rest) {
    if (current.get(part) !== actions || !part.checkVisibility()) return false; // the user has left, or sees another
    if (part.contains(document.activeElement)) all("h2", part.closest("dialog, section"))[0].focus();
    part.replaceChildren(...makeDays(store, before > 1 ? actions.slice(0, -1) : actions, actions), ...rest);
    return true;
  }

  async function readMore() {
    const enough = actions.length + MIN_ACTIONS;
    const older = makeButton(t("history.older"), readMore);
    try {
      if (before === Infinity) before = (await store.readRevision()) + 1;
      await list.loadWhole(); // to know which plants exist now
      for (let page = 0; page < MAX_PAGES && before > 1 && actions.length <= enough; page += 1) {
        const events = await readPage(store, before);
        before = events.at(-1)?.revision ?? 0;
        for (const event of events) if (!id || event.plant.id === id) join(actions, event);
        if (id && actions.at(-1)?.events[0].kind === "plant.created") before = 0;
        if (!draw(makeHint(t("history.loading")))) return;
      }
      draw(...(before > 1 ? [older] : actions.length ? [] : [makeHint(t("history.none"))]));
    } catch (error) {
      announce(error.message);
      draw(makeHint(error.message), older);
    }
  }

  if (!part.hasChildNodes()) draw(makeHint(t("history.loading")));
  await readMore();
}

/** @param {Store} store @param {HistoryAction[]} shown @param {HistoryAction[]} known */
function makeDays(store, shown, known) {
  const former = findFormer(known.flatMap(({ events }) => events));
  return Object.entries(Object.groupBy(shown, ({ events: [{ at }] }) => formatDay(at))).map(([day, of = []]) => {
    const items = of.map(({ events }) => describe(store, events, former));
    return make("section", {}, make("h3", {}, day), make("ul", { className: "events" }, ...items));
  });
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

/** @param {Store} store @param {StoreEvent[]} events @param {Former} former */
function describe(store, events, former) {
  const [{ kind, user, at, plant }] = events;
  const what = events.length === 1 ? plant.name : t("plants", { n: events.length });
  const text = make("p", {}, ...(user ? [bdi(user), " "] : []), ...rich(kind.replace("plant.", "history."), { what }));
  const item = make("li", {}, text, make("time", { className: "hint", dateTime: at, textContent: formatClock(at) }));
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
