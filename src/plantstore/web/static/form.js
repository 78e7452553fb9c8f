// Adding a plant. The input stays until the service has stored the plant.

import { ALREADY_STORED, ID_TAKEN, makeKey, NO_NEW_PLANT, SignedOut } from "./api.js";
import { $, announce, bdi, isBusy, make, setBusy } from "./dom.js";
import { readId } from "./plant.js";
import { tell } from "./toasts.js";

/** @type {Field[]} */
const FIELDS = ["id", "name", "tag"];

export class AddForm {
  #isTyped = false;

  /** @param {PlantList} list */
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

  // The next free id, unless the user has typed one, or a plant is being sent.
  /** @param {string | null} id */
  propose(id) {
    if (!this.#isTyped && !isBusy($("add-button"))) $("add-id").value = id ?? "";
  }

  forget() {
    $("add-form").reset();
    this.#isTyped = false;
    this.#clearReasons();
  }

  async #submit() {
    const { store } = this.list;
    if (isBusy($("add-button")) || !store) return;
    const typed = readFields();
    const plant = makePlant(typed);
    const key = makeKey();
    this.#clearReasons();
    this.#setBusy(true);
    const sent = store.api.insist(() => store.create(plant, key)); // once, however often it is sent
    const error = await sent.then(() => null, (failure) => failure);
    this.#setBusy(false);
    if (error) return error instanceof SignedOut || this.#tell(error, store, plant);
    this.#finish(typed, plant);
    this.list.apply(store, new Map([[plant.id, plant]]));
    if (this.list.shows(store) && !this.list.grid.reveal(plant.id)) this.#offer(plant.id);
  }

  // Text typed since then is for the next plant.
  /** @param {Record<Field, string>} typed @param {Plant} plant */
  #finish(typed, plant) {
    for (const field of FIELDS) {
      const input = $(`add-${field}`);
      if (input.value === typed[field]) input.value = "";
    }
    if ($("add-id").value === "") this.#isTyped = false;
    $("add-done").replaceChildren("Added ", bdi(plant.name), `, id ${plant.id}`);
    announce(`Added ${plant.name}, id ${plant.id}`);
    if ($("add-name").value === "") focusWithin("add-name");
  }

  // The filter hides it.
  /** @param {string} id */
  #offer(id) {
    const button = make("button", { type: "button", className: "quiet", textContent: "Show it" });
    button.addEventListener("click", () => {
      this.list.clearFilter();
      this.list.grid.reveal(id);
    });
    $("add-done").append(": it does not match what is shown. ", button);
  }

  /** @param {Failure} error @param {Store} store @param {Plant} plant */
  #tell(error, store, plant) {
    const { field, reason } = locate(error);
    if (!this.list.shows(store)) {
      tell([bdi(plant.name), ` was not added in ${store.name}: ${error.message}`], { kind: "failed" });
    } else if (field) {
      this.#complain(field, reason);
      focusWithin(`add-${field}`);
      announce(reason);
    } else {
      $("add-reason").textContent = reason;
      $("add-reason").hidden = false;
    }
    // Somebody else has the proposed id: there is more to load, and another one to propose.
    if (error.number === ID_TAKEN && !this.#isTyped) this.list.refresh();
  }

  /** @param {Field} field @param {string} reason */
  #complain(field, reason) {
    const input = $(`add-${field}`);
    $(`add-${field}-reason`).textContent = reason;
    $(`add-${field}-reason`).hidden = !reason;
    if (reason) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  #clearReasons() {
    for (const field of FIELDS) this.#complain(field, "");
    $("add-reason").hidden = true;
    $("add-done").textContent = "";
  }

  /** @param {boolean} isAdding */
  #setBusy(isAdding) {
    setBusy($("add-button"), isAdding);
    $("add-button").textContent = isAdding ? "Adding…" : "Add plant";
  }
}

/** @returns {Record<Field, string>} */
const readFields = () => ({ id: $("add-id").value, name: $("add-name").value, tag: $("add-tag").value });

// Empty fields are left out: the service checks what is required.
/** @param {Record<Field, string>} typed @returns {Plant} */
function makePlant({ id, name, tag }) {
  const fields = Object.entries({ id: readId(id), name, tag });
  return /** @type {any} */ (Object.fromEntries(fields.filter(([, text]) => text !== "")));
}

// Unless the user is working elsewhere in the page.
/** @param {string} id */
function focusWithin(id) {
  if (document.activeElement?.matches("body, #add-form *")) $(id).focus();
}

// The field that a refusal is about, and the service's reason.
/** @param {Failure} error @returns {{field: Field | null, reason: string}} */
export function locate({ number, message }) {
  if (number === ID_TAKEN || number === ALREADY_STORED) return { field: "id", reason: message };
  const reason = message.slice(message.indexOf(": ") + 2);
  const field = FIELDS.find((name) => reason.startsWith(`${name} `));
  if (number === NO_NEW_PLANT && field) return { field, reason };
  return { field: null, reason: message };
}
