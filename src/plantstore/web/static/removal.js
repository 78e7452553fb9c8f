// Deleting plants, one or several, with an undo that restores them to their store.

import { ALREADY_STORED, makeKey, NO_PLANT, SignedOut } from "./api.js";
import { each } from "./batch.js";
import { $, bdi, count, figures, focusPlants } from "./dom.js";
import { tell, toast } from "./toasts.js";

const AT_ONCE = 8;
const ASK_ABOVE = 50;

export class Removal {
  #running = 0;
  /** @type {Set<string>} */
  #leaving = new Set();
  /** @type {{store: Store, plants: Plant[], toast: Toast} | null} */
  #undo = null;

  /** @param {PlantList} list */
  constructor(list) {
    this.list = list;
  }

  get isRunning() {
    return this.#running > 0;
  }

  /** @param {Store | null} store @param {string} id */
  isLeaving(store, id) {
    return this.#leaving.has(`${store?.name}/${id}`);
  }

  /** @param {string[]} ids */
  async remove(ids) {
    const { store, canCreate } = this.list;
    if (!store) return;
    const plants = this.list.plants.pick(ids).filter(({ id }) => !this.isLeaving(store, id));
    if (!plants.length || (plants.length > ASK_ABOVE && !(await ask(plants.length)))) return;
    this.#mark(store, plants, true);
    const { done, error } = await this.#each(store, plants, "Deleting", remove);
    this.#mark(store, plants, false);
    this.list.drop(store, done);
    this.#takeFocus();
    if (error instanceof SignedOut) return;
    if (done.length) this.#offerUndo(store, done, canCreate);
    const left = without(plants, done);
    if (left.length) this.#tellLeft(store, left, "deleted", error);
  }

  // Successive deletes share one undo: the next one does not replace it.
  /** @param {Store} store @param {Plant[]} plants @param {boolean} canCreate */
  #offerUndo(store, plants, canCreate) {
    if (this.#undo?.store.name === store.name && this.#undo.toast.isOpen) {
      plants = [...this.#undo.plants, ...plants];
      this.#undo.toast.close();
    }
    const shown = tell(["Deleted ", describe(plants), this.#where(store)]);
    this.#undo = { store, plants, toast: shown };
    if (canCreate) shown.offer("Undo", () => this.#restore(store, plants));
  }

  /** @param {Store} store @param {Plant[]} plants */
  async #restore(store, plants) {
    const { done, error } = await this.#each(store, plants, "Restoring", create);
    this.list.add(store, done);
    this.#takeFocus();
    if (error instanceof SignedOut) return;
    const verb = done.length === 1 ? "is" : "are";
    if (done.length) tell([describe(done), ` ${verb} back${this.#where(store)}`]);
    const left = without(plants, done);
    if (left.length)
      this.#tellLeft(store, left, "restored", error).offer("Try again", () => this.#restore(store, left));
  }

  /**
   * @param {Store} store @param {Plant[]} plants @param {string} verb
   * @param {(store: Store, plant: Plant, signal: AbortSignal) => Promise<void>} send
   */
  async #each(store, plants, verb, send) {
    const control = new AbortController();
    const progress = plants.length > AT_ONCE ? toast([`${verb}…`]) : null;
    progress?.offer("Stop", () => control.abort());
    const total = figures(plants.length);
    /** @param {number} ended */
    const follow = (ended) => progress?.say(`${verb} ${figures(ended)} of ${total}…`);
    /** @param {Plant} plant @param {AbortSignal} signal */
    const act = (plant, signal) => send(store, plant, signal);
    this.#running += 1;
    const outcome = await each(plants, act, { atOnce: AT_ONCE, signal: control.signal, tell: follow });
    this.#running -= 1;
    progress?.close();
    return outcome;
  }

  // The outcome of some may be unknown: the list is checked again.
  /** @param {Store} store @param {Plant[]} plants @param {string} what @param {Error | null} error */
  #tellLeft(store, plants, what, error) {
    this.list.refresh();
    const verb = plants.length === 1 ? "was" : "were";
    const why = error ? `: ${error.message}` : "";
    const content = [describe(plants), ` ${verb} not ${what}${this.#where(store)}${why}`];
    return tell(content, { kind: "failed" });
  }

  /** @param {Store} store */
  #where(store) {
    return this.list.shows(store) ? "" : ` in ${store.name}`;
  }

  /** @param {Store} store @param {Plant[]} plants @param {boolean} isLeaving */
  #mark(store, plants, isLeaving) {
    for (const { id } of plants) {
      if (isLeaving) this.#leaving.add(`${store.name}/${id}`);
      else this.#leaving.delete(`${store.name}/${id}`);
    }
    this.list.grid.refresh();
  }

  // Only if a removed element had it, not if the user is typing.
  #takeFocus() {
    if (document.activeElement?.matches("body, #grid, #grid *, #selection *")) focusPlants();
  }
}

// A plant that somebody else has deleted counts as deleted.
/** @param {Store} store @param {Plant} plant @param {AbortSignal} signal */
async function remove(store, { id }, signal) {
  try {
    await store.api.insist(() => store.delete(id, signal), signal);
  } catch (error) {
    if (error.number !== NO_PLANT) throw error;
  }
}

/** @param {Store} store @param {Plant} plant @param {AbortSignal} signal */
async function create(store, plant, signal) {
  const key = makeKey();
  try {
    await store.api.insist(() => store.create(plant, key, signal), signal);
  } catch (error) {
    if (error.number !== ALREADY_STORED) throw error;
  }
}

/** @param {Plant[]} plants @param {Plant[]} done */
function without(plants, done) {
  const isDone = new Set(done);
  return plants.filter((plant) => !isDone.has(plant));
}

/** @param {Plant[]} plants */
const describe = (plants) =>
  plants.length === 1 ? bdi(plants[0].name) : count(plants.length, "plant");

/** @param {number} number @returns {Promise<boolean>} */
function ask(number) {
  const dialog = $("confirm");
  $("confirm-text").textContent = `Delete ${count(number, "plant")}?`;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
