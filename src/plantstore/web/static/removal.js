// Deleting plants, one or several, with an undo that puts them back, in the store that they are of.

import { makeKey, SignedOut } from "./api.js";
import { each } from "./batch.js";
import { $, bdi, count, figures, focusPlants } from "./dom.js";
import { tell, toast } from "./toasts.js";

const AT_ONCE = 8;
const ASK_ABOVE = 50;
const NO_PLANT = 40401;
const ALREADY_STORED = 40004;

export class Removal {
  #running = 0;
  #undo = null;

  constructor(list) {
    this.list = list;
  }

  get isRunning() {
    return this.#running > 0;
  }

  async remove(ids) {
    const { store } = this.list;
    const plants = this.list.plants.pick(ids).filter((plant) => !plant.isLeaving);
    if (!plants.length || (plants.length > ASK_ABOVE && !(await ask(plants.length)))) return;
    this.#mark(plants, true);
    const { done, error } = await this.#each(plants, "Deleting", ({ id }) => remove(store, id));
    this.#mark(plants, false);
    this.list.drop(store, done);
    this.#takeFocus();
    if (error instanceof SignedOut) return;
    if (done.length) this.#offerUndo(store, done);
    if (error) tellLeft(without(plants, done), "deleted", error);
  }

  // Deletes one after the other have one undo together: none is pushed out by the next.
  #offerUndo(store, plants) {
    if (this.#undo?.store.name === store.name && this.#undo.toast.isOpen) {
      plants = [...this.#undo.plants, ...plants];
      this.#undo.toast.close();
    }
    this.#undo = { store, plants, toast: tell(["Deleted ", describe(plants)]) };
    if (this.list.canCreate) this.#undo.toast.offer("Undo", () => this.#restore(store, plants));
  }

  async #restore(store, plants) {
    const { done, error } = await this.#each(plants, "Putting back", (plant) => create(store, plant));
    this.list.add(store, done);
    this.#takeFocus();
    if (error instanceof SignedOut) return;
    if (done.length) tell([describe(done), done.length === 1 ? " is back" : " are back"]);
    const left = without(plants, done);
    if (left.length)
      tellLeft(left, "put back", error).offer("Try again", () => this.#restore(store, left));
  }

  async #each(plants, verb, act) {
    const control = new AbortController();
    const progress = plants.length > AT_ONCE ? toast([`${verb}…`]) : null;
    progress?.offer("Stop", () => control.abort());
    const total = figures(plants.length);
    const follow = (ended) => progress?.say(`${verb} ${figures(ended)} of ${total}…`);
    this.#running += 1;
    const outcome = await each(plants, act, { atOnce: AT_ONCE, signal: control.signal, tell: follow });
    this.#running -= 1;
    progress?.close();
    return outcome;
  }

  #mark(plants, isLeaving) {
    for (const plant of plants) plant.isLeaving = isLeaving;
    this.list.grid.refresh();
  }

  // From what was clicked and is gone, not from somebody who types.
  #takeFocus() {
    if (document.activeElement.matches("body, #grid, #grid *, #selection *")) focusPlants();
  }
}

// One that somebody else has deleted is deleted.
async function remove(store, id) {
  try {
    await store.api.insist(() => store.delete(id));
  } catch (error) {
    if (error.number !== NO_PLANT) throw error;
  }
}

async function create(store, plant) {
  const key = makeKey();
  try {
    await store.api.insist(() => store.create(plant, key));
  } catch (error) {
    if (error.number !== ALREADY_STORED) throw error;
  }
}

function without(plants, done) {
  const isDone = new Set(done);
  return plants.filter((plant) => !isDone.has(plant));
}

function tellLeft(plants, what, error) {
  const verb = plants.length === 1 ? "was" : "were";
  const why = error ? `: ${error.message}` : "";
  return tell([describe(plants), ` ${verb} not ${what}${why}`], { kind: "failed" });
}

const describe = (plants) =>
  plants.length === 1 ? bdi(plants[0].name) : count(plants.length, "plant");

function ask(number) {
  const dialog = $("confirm");
  $("confirm-text").textContent = `Delete ${count(number, "plant")}?`;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
