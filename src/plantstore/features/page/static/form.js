// Adding a plant. The input stays until the service has stored the plant.

import { ALREADY_STORED, ID_TAKEN, makeKey, NO_NEW_PLANT } from "./api.js";
import { $, announce, bdi, explain, isBusy, makeButton, setBusy } from "./dom.js";
import { list } from "./list.js";
import { CONTENTS, FIELDS, makePlant, readId } from "./plant.js";
import { fail } from "./toasts.js";

let isTyped = false; // the id

// The next free id, unless the user has typed one, or a plant is being sent.
export function proposeId() {
  if (!isTyped && !isBusy($("add-button"))) $("add-id").value = list.plants.proposeId() ?? "";
}

export function forgetForm() {
  $("add-form").reset();
  isTyped = false;
  clearReasons();
}

async function submit() {
  const { store } = list;
  if (isBusy($("add-button")) || !store) return;
  const typed = { ...readContents("add"), id: $("add-id").value };
  clearReasons();
  markAdding(true);
  if (!typed.id && (await list.loadWhole())) typed.id = list.plants.proposeId() ?? "";
  if (list.store !== store) return markAdding(false);
  /** @type {Plant} */ const plant = makePlant({ ...typed, id: readId(typed.id) });
  const key = makeKey();
  /** @type {Failure | null} */ const error = await store.api.insist(() => store.create(plant, key)).then(() => null, (failure) => failure);
  markAdding(false);
  if (error) return tellFailure(error, store, plant);
  finish(typed, plant);
  list.apply(store, new Map([[plant.id, plant]]));
  if (list.store === store && !list.grid.reveal(plant.id)) offer(plant.id);
}

// Text typed since then is for the next plant.
/** @param {Record<Field, string>} typed @param {Plant} plant */
function finish(typed, plant) {
  for (const field of FIELDS) {
    const input = $(`add-${field}`);
    if (input.value === typed[field]) input.value = "";
  }
  if ($("add-id").value === "") isTyped = false;
  $("add-done").replaceChildren("Added ", bdi(plant.name), `, id ${plant.id}`);
  announce($("add-done").textContent);
  if ($("add-name").value === "") focusWithin("add-name");
}

// The filter hides it.
/** @param {string} id */
function offer(id) {
  const show = () => {
    list.clearFilter();
    list.grid.reveal(id);
  };
  $("add-done").append(": it does not match the current filter. ", makeButton("Show it", show, { className: "quiet" }));
}

/** @param {Failure} error @param {Store} store @param {Plant} plant */
function tellFailure(error, store, plant) {
  const { field, reason } = locate(error);
  if (list.store !== store) {
    fail([bdi(plant.name), ` was not added in ${store.name}: ${error.message}`]);
  } else if (field) {
    complain(field, reason);
    focusWithin(`add-${field}`);
  } else explain("add-reason", reason);
  // Somebody else has the proposed id: there is more to load, and another one to propose.
  if (error.number === ID_TAKEN && !isTyped) list.refresh();
}

$("add-form").addEventListener("submit", submit);
$("add-id").addEventListener("input", () => {
  isTyped = $("add-id").value !== "";
});
for (const field of FIELDS) $(`add-${field}`).addEventListener("input", () => complain(field, ""));

/** @param {Field} field @param {string} reason */
function complain(field, reason) {
  explain(`add-${field}-reason`, reason);
  $(`add-${field}`).ariaInvalid = `${reason !== ""}`;
}

function clearReasons() {
  for (const field of FIELDS) complain(field, "");
  explain("add-reason", "");
  $("add-done").textContent = "";
}

/** @param {boolean} isAdding */
function markAdding(isAdding) {
  setBusy($("add-button"), isAdding);
  $("add-button").textContent = isAdding ? "Adding…" : "Add plant";
}

// What is typed into a form.
/** @param {"add" | "edit"} form */
export const readContents = (form) =>
  /** @type {Record<TextField, string>} */ (Object.fromEntries(CONTENTS.map((field) => [field, $(`${form}-${field}`).value])));

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
