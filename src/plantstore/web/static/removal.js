// Deleting plants, one or several, with an undo that puts them back, in the store that they are of.

import { isFinal, makeKey, SignedOut } from "./api.js";
import { $, announce, count, figures } from "./dom.js";
import { toast } from "./toasts.js";

const AT_ONCE = 8;
const ASK_ABOVE = 50;
const NO_PLANT = 40401;

export class Removal {
  constructor(list) {
    this.list = list;
  }

  async remove(ids) {
    const { store, canCreate } = this.list;
    const plants = this.list.plants.pick(ids);
    if (!plants.length || (plants.length > ASK_ABOVE && !(await ask(plants.length)))) return;
    const { done, error } = await each(plants, "Deleting", ({ id }) => remove(store, id));
    this.list.drop(store, done);
    if (error instanceof SignedOut) return;
    if (error) tellFailed("deleted", plants, done, error);
    if (!done.length) return;
    const text = `Deleted ${describe(done)}`;
    const message = toast(text);
    if (canCreate) message.offer("Undo", () => this.#restore(store, done));
    announce(text);
  }

  async #restore(store, plants) {
    const { done, error } = await each(plants, "Putting back", (plant) => create(store, plant));
    this.list.putBack(store, done);
    if (error instanceof SignedOut) return;
    if (error) tellFailed("put back", plants, done, error);
    if (!done.length) return;
    const text = `${describe(done)} ${done.length === 1 ? "is" : "are"} back`;
    toast(text);
    announce(text);
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

function create(store, plant) {
  const key = makeKey();
  return store.api.insist(() => store.create(plant, key));
}

// Those that it was done to, and why not to the others.
async function each(plants, verb, act) {
  const done = [];
  let error = null;
  let ended = 0;
  const waiting = plants.values();
  const progress = plants.length > AT_ONCE ? toast("") : null;
  const work = async () => {
    for (const plant of waiting) {
      try {
        await act(plant);
        done.push(plant);
      } catch (failure) {
        if (!error || error instanceof SignedOut) error = failure;
      }
      ended += 1;
      progress?.say(`${verb} ${figures(ended)} of ${figures(plants.length)}…`);
      if (error && isFinal(error)) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  progress?.close();
  return { done, error };
}

function tellFailed(what, plants, done, error) {
  const isDone = new Set(done);
  const left = plants.filter((plant) => !isDone.has(plant));
  const text = `${describe(left)} ${left.length === 1 ? "was" : "were"} not ${what}: ${error.message}`;
  toast(text, { kind: "failed" });
  announce(text);
}

const describe = (plants) => (plants.length === 1 ? plants[0].name : count(plants.length, "plant"));

function ask(number) {
  const dialog = $("confirm");
  $("confirm-text").textContent = `Delete ${count(number, "plant")}?`;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
