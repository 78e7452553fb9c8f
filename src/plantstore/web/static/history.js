// What happened to a plant, or to all plants of the store, the newest first; and a plant as it was
// then, to restore it.

import { SignedOut, TRIMMED } from "./api.js";
import { $, announce, bdi, colour, isBusy, make, setBusy } from "./dom.js";

const PAGE = 1000;
const ENOUGH = 50; // events that are shown at a time
const MAX_PAGES = 20; // that are read for them
/** @type {Record<string, string>} */
const KINDS = { "plant.created": "Added", "plant.updated": "Changed", "plant.deleted": "Deleted" };

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export class PlantHistory {
  /** @type {{store: Store, id: string | null, before: number} | null} */
  #shown = null;

  /** @param {PlantList} list @param {Changes} changes */
  constructor(list, changes) {
    this.list = list;
    this.changes = changes;
    $("history-more").addEventListener("click", () => this.#read());
    $("history").addEventListener("close", () => this.forget());
  }

  // Another user must not see it.
  forget() {
    this.#shown = null;
    $("history-events").replaceChildren();
    $("history-title").textContent = "";
  }

  /** @param {Plant} [plant] */
  async open(plant) {
    const { store, revision } = this.list;
    if (!store) return;
    this.forget();
    $("history-title").textContent = plant ? `History of ${plant.name}` : `History of ${store.name}`;
    $("history").showModal();
    if (revision === null) return this.#tell("The history is not available yet. Try again in a moment.");
    this.#shown = { store, id: plant?.id ?? null, before: revision + 1 };
    await this.#read();
  }

  async #read() {
    const shown = this.#shown;
    if (!shown || isBusy($("history-more"))) return;
    setBusy($("history-more"), true);
    this.#tell("Loading…");
    const { length } = $("history-events").children;
    try {
      for (let page = 0; page < MAX_PAGES && shown.before > 1; page += 1) {
        const events = await readPage(shown.store, shown.before);
        if (shown !== this.#shown) return;
        shown.before = events.at(-1)?.revision ?? 0;
        const wanted = events.filter(({ plant }) => shown.id === null || plant.id === shown.id);
        $("history-events").append(...wanted.map((event) => this.#describe(shown.store, event)));
        if ($("history-events").children.length >= length + ENOUGH) break;
      }
      this.#tell($("history-events").children.length ? "" : "No events found. Old events are deleted.");
    } catch (error) {
      if (shown === this.#shown && !(error instanceof SignedOut)) this.#tell(error.message);
    } finally {
      setBusy($("history-more"), false);
      $("history-more").hidden = shown.before <= 1;
    }
  }

  /** @param {string} text */
  #tell(text) {
    $("history-state").textContent = text;
    if (text) announce(text);
  }

  /** @param {Store} store @param {StoreEvent} event */
  #describe(store, { kind, at, plant, user, token_label: label }) {
    const { name, tag } = plant;
    const time = make("time", { dateTime: at, textContent: format.format(Date.parse(at)) });
    const who = [user, label].filter(Boolean).join(", ");
    const pill = tag ? [make("bdi", { className: "pill", textContent: tag })] : [];
    for (const one of pill) colour(one, one.textContent);
    const what = KINDS[kind] ?? kind;
    const item = make("li", {}, make("p", { className: "hint" }, time, who && " · ", who && bdi(who)));
    item.append(make("p", {}, `${what} `, bdi(name), ` (${plant.id}) `, ...pill));
    const button = make("button", { type: "button", textContent: "Restore" });
    button.setAttribute("aria-label", `Restore ${name} as of ${time.textContent}`);
    button.addEventListener("click", () => {
      $("history").close();
      this.changes.restore(store, plant);
    });
    if (this.changes.mayRestore(plant)) item.append(button);
    return item;
  }
}

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
