// Adding a plant. What was typed stays until the service has the plant, whatever happens meanwhile.

import { ALREADY_STORED, ID_TAKEN, makeKey, NO_NEW_PLANT, SignedOut } from "./api.js";
import { $, announce, bdi, isBusy, setBusy } from "./dom.js";
import { readId } from "./plant.js";
import { tell } from "./toasts.js";

const FIELDS = ["id", "name", "tag"];

export class AddForm {
  #body = null;
  #key = null;
  #isTyped = false;

  constructor(list) {
    this.list = list;
    $("add-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    $("add-id").addEventListener("input", () => {
      this.#isTyped = $("add-id").value !== "";
    });
    for (const field of FIELDS)
      $(`add-${field}`).addEventListener("input", () => this.#complain(field, ""));
  }

  // The next free id, unless somebody has typed one.
  propose(id) {
    if (!this.#isTyped) $("add-id").value = id ?? "";
  }

  forget() {
    $("add-form").reset();
    this.#isTyped = false;
    this.#clearFaults();
  }

  async #submit() {
    if (isBusy($("add-button"))) return;
    const typed = readFields();
    const plant = makePlant(typed);
    const { store } = this.list;
    this.#clearFaults();
    this.#setBusy(true);
    try {
      await store.create(plant, this.#keyFor(plant));
      this.#finish(typed, plant);
      this.list.add(store, [plant]);
    } catch (error) {
      if (!(error instanceof SignedOut)) this.#tell(error, store, plant);
    } finally {
      this.#setBusy(false);
    }
  }

  // The same plant tried again has the same key: it is created once.
  #keyFor(plant) {
    const body = JSON.stringify(plant);
    if (body !== this.#body) this.#key = makeKey();
    this.#body = body;
    return this.#key;
  }

  // What one has typed since is for the next.
  #finish(typed, plant) {
    this.#body = null;
    for (const field of FIELDS) {
      const input = $(`add-${field}`);
      if (input.value === typed[field]) input.value = "";
    }
    if ($("add-id").value === "") this.#isTyped = false;
    $("add-done").replaceChildren("Added ", bdi(plant.name), `, id ${plant.id}`);
    announce(`Added ${plant.name}, id ${plant.id}`);
    if ($("add-name").value === "") focusWithin("add-name");
  }

  #tell(error, store, plant) {
    const { field, fault } = locate(error);
    if (!this.list.shows(store)) {
      tell([bdi(plant.name), ` was not added in ${store.name}: ${error.message}`], { kind: "failed" });
    } else if (field) {
      this.#complain(field, fault);
      focusWithin(`add-${field}`);
      announce(fault);
    } else {
      $("add-fault").textContent = fault;
      $("add-fault").hidden = false;
    }
    // Somebody else has the proposed id: there is more to load, and another one to propose.
    if (error.number === ID_TAKEN && !this.#isTyped) this.list.refresh();
  }

  #complain(field, fault) {
    const input = $(`add-${field}`);
    $(`add-${field}-fault`).textContent = fault;
    $(`add-${field}-fault`).hidden = !fault;
    if (fault) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  #clearFaults() {
    for (const field of FIELDS) this.#complain(field, "");
    $("add-fault").hidden = true;
    $("add-done").textContent = "";
  }

  #setBusy(isAdding) {
    setBusy($("add-button"), isAdding);
    $("add-button").textContent = isAdding ? "Adding…" : "Add plant";
  }
}

const readFields = () => Object.fromEntries(FIELDS.map((field) => [field, $(`add-${field}`).value]));

// What was left empty is missing.
function makePlant({ id, name, tag }) {
  const fields = Object.entries({ id: readId(id), name, tag });
  return Object.fromEntries(fields.filter(([, text]) => text !== ""));
}

// Not away from where somebody works meanwhile.
function focusWithin(id) {
  if (document.activeElement.matches("body, #add-form *")) $(id).focus();
}

// The field that a refusal is about, and the service's own words on it.
function locate({ number, message }) {
  if ([ID_TAKEN, ALREADY_STORED].includes(number)) return { field: "id", fault: message };
  const fault = message.slice(message.indexOf(": ") + 2);
  const field = FIELDS.find((name) => fault.startsWith(`${name} `));
  if (number === NO_NEW_PLANT && field) return { field, fault };
  return { field: null, fault: message };
}
