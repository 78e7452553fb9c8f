// What happened to a plant, or to all plants of the store, the newest first; and a plant as it was
// then, to restore it.

import { TRIMMED } from "./api.js";
import { mayRestore, restorePlant } from "./changes.js";
import { $, bdi, colour, explain, make, makeButton } from "./dom.js";
import { list } from "./list.js";

const PAGE = 1000;
const ENOUGH = 50; // events that are shown at a time
const MAX_PAGES = 20; // that are read for them
/** @type {Record<string, string>} */
const KINDS = { "plant.created": "Added", "plant.updated": "Changed", "plant.deleted": "Deleted" };

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** @type {{store: Store, id?: string, before: number, isBusy: boolean} | null} */ let current = null;

/** @param {Plant} [plant] */
export async function openHistory(plant) {
  const { store, revision } = list;
  if (!store) return;
  $("history-title").textContent = `History of ${plant?.name ?? store.name}`;
  $("history-more").hidden = true;
  $("history").showModal();
  if (revision === null) return explain("history-state", "The history is not available yet. Try again in a moment.");
  current = { store, id: plant?.id, before: revision + 1, isBusy: false };
  await readMore();
}

async function readMore() {
  const shown = current;
  if (!shown || shown.isBusy) return;
  shown.isBusy = true;
  explain("history-state", "Loading…");
  const enough = $("history-events").children.length + ENOUGH;
  try {
    for (let page = 0; page < MAX_PAGES && shown.before > 1; page += 1) {
      const events = await readPage(shown.store, shown.before);
      if (shown !== current || !$("history").open) return;
      shown.before = events.at(-1)?.revision ?? 0;
      const wanted = events.filter(({ plant }) => shown.id === undefined || plant.id === shown.id);
      $("history-events").append(...wanted.map((event) => describe(shown.store, event)));
      if ($("history-events").children.length >= enough) break;
    }
    explain("history-state", $("history-events").children.length ? "" : "No events found. Old events are deleted.");
  } catch (error) {
    explain("history-state", error.message);
  }
  shown.isBusy = false;
  $("history-more").hidden = shown.before <= 1;
}

/** @param {Store} store @param {StoreEvent} event */
function describe(store, { kind, at, plant, user, token_label }) {
  const { id, name, tag = "" } = plant;
  const time = make("time", { dateTime: at, textContent: format.format(Date.parse(at)) });
  const who = [user, token_label].filter(Boolean).join(", ");
  const pill = make("bdi", { className: "pill", textContent: tag });
  if (tag) colour(pill, tag);
  const when = make("p", { className: "hint" }, time, who && " · ", who && bdi(who));
  const item = make("li", {}, when, make("p", {}, `${KINDS[kind] ?? kind} `, bdi(name), ` (${id}) `, pill));
  const restore = () => {
    $("history").close();
    restorePlant(store, plant);
  };
  const label = `Restore ${name} as of ${time.textContent}`;
  if (mayRestore(plant)) item.append(makeButton("Restore", restore, { "aria-label": label }));
  return item;
}

$("history-more").addEventListener("click", readMore);

// The events before a revision, the newest first.
/** @param {Store} store @param {number} before */
async function readPage(store, before) {
  const after = Math.max(0, before - 1 - PAGE);
  try {
    return (await store.events(after, PAGE)).reverse();
  } catch (error) {
    if (error.number !== TRIMMED) throw error;
    const oldest = await store.events(null, PAGE);
    return oldest.filter(({ revision }) => revision < before).reverse();
  }
}
