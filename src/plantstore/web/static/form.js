// Adding a plant. What was typed stays until the service has the plant, whatever happens meanwhile.

import { makeKey, SignedOut } from "./api.js";
import { $, announce } from "./dom.js";

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
    $("add-done").textContent = "";
  }

  async #submit() {
    if ($("add-button").ariaDisabled === "true") return;
    const plant = this.#read();
    const { store } = this.list;
    this.#clearFaults();
    this.#setBusy(true);
    try {
      await store.create(plant, this.#keyFor(plant));
      this.#finish(plant);
      this.list.add(store, plant);
    } catch (error) {
      if (!(error instanceof SignedOut)) this.#tell(error);
    } finally {
      this.#setBusy(false);
    }
  }

  #read() {
    const plant = { id: $("add-id").value.trim(), name: $("add-name").value };
    if ($("add-tag").value !== "") plant.tag = $("add-tag").value;
    return plant;
  }

  // The same plant tried again has the same key: it is created once.
  #keyFor(plant) {
    const body = JSON.stringify(plant);
    if (body !== this.#body) this.#key = makeKey();
    this.#body = body;
    return this.#key;
  }

  #finish(plant) {
    this.#body = null;
    this.#isTyped = false;
    $("add-form").reset();
    $("add-done").replaceChildren("Added ", Object.assign(document.createElement("bdi"), { textContent: plant.name }), `, id ${plant.id}`);
    announce(`Added ${plant.name}, id ${plant.id}`);
    $("add-name").focus();
  }

  #tell(error) {
    const { field, fault } = locate(error);
    if (field) {
      this.#complain(field, fault);
      $(`add-${field}`).focus();
    } else {
      $("add-fault").textContent = fault;
      $("add-fault").hidden = false;
    }
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

  #setBusy(isBusy) {
    $("add-button").ariaDisabled = isBusy ? "true" : null;
    $("add-button").textContent = isBusy ? "Adding…" : "Add plant";
  }
}

const TAKEN = [40003, 40004];
const NO_PLANT = 40002;

// The field that a refusal is about, and the service's own words on it.
function locate({ number, message }) {
  if (TAKEN.includes(number)) return { field: "id", fault: message };
  const fault = message.slice(message.indexOf(": ") + 2);
  const field = FIELDS.find((name) => fault.startsWith(`${name} `));
  if (number === NO_PLANT && field) return { field, fault };
  return { field: null, fault: message };
}
