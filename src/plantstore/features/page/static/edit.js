// Editing a plant: in its row, or on a phone in a panel that shows all of it.

import { editPlant, removePlants } from "./changes.js";
import { $, bdi, explain, isBusy, isNarrow, setBusy } from "./dom.js";
import { locate, readContents } from "./form.js";
import { openHistory } from "./history.js";
import { list } from "./list.js";
import { CONTENTS, isSame, makePlant } from "./plant.js";
import { fail } from "./toasts.js";

const form = $("edit");
/** @type {Plant | null} */ let edited = null;
/** @type {Store | null} */ let editedIn = null;
const isInRow = () => form.parentElement === $("plants");

// In its row, or, without a field to begin with, in the panel.
/** @param {Plant} plant @param {TextField | null} field */
export function openEditor(plant, field) {
  closeEditor();
  const canUpdate = list.may("update");
  edited = plant;
  editedIn = list.store;
  for (const text of CONTENTS) $(`edit-${text}`).value = plant[text] ?? "";
  explain("edit-reason", "");
  form.hidden = !canUpdate;
  if (canUpdate && field !== null && !isNarrow()) {
    $("plants").append(form);
    placeEditor();
    return $(`edit-${field}`).select();
  }
  $("detail-title").textContent = plant.name;
  $("detail-tag").textContent = plant.tag ?? "";
  $("detail-id").textContent = plant.id;
  $("detail-form").append(form);
  $("detail").showModal();
}

// Beside its row, wherever that is by now.
export function placeEditor() {
  if (!edited || !isInRow()) return;
  const top = list.grid.locate(edited.id);
  if (top !== null) form.style.top = `${list.grid.root.offsetTop + top}px`;
}

// The plant that was open.
export function closeEditor() {
  const plant = edited;
  edited = null;
  const hadFocus = form.contains(document.activeElement);
  form.hidden = true;
  form.reset();
  $("detail").close();
  if (plant && hadFocus) $("grid").focus({ preventScroll: true });
  return plant ?? undefined;
}

async function save() {
  const [before, store] = [edited, editedIn];
  if (!before || !store || isBusy($("edit-save"))) return;
  /** @type {Plant} */ const after = makePlant({ ...readContents("edit"), id: before.id });
  if (isSame(before, after)) return void closeEditor();
  explain("edit-reason", "");
  setBusy($("edit-save"), true);
  const error = await editPlant(store, before, after);
  setBusy($("edit-save"), false);
  const isOpen = edited === before;
  const reason = error ? locate(error).reason : "";
  if (isOpen && !error) closeEditor();
  else if (isOpen) explain("edit-reason", reason);
  else if (error) fail([bdi(before.name), ` was not changed: ${reason}`]);
}

form.addEventListener("submit", save);
form.addEventListener("keydown", ({ key }) => key === "Escape" && closeEditor());
// Work that goes on elsewhere ends it.
form.addEventListener("focusout", ({ relatedTarget }) => {
  const isWithin = relatedTarget instanceof Node && form.contains(relatedTarget);
  if (relatedTarget && !isWithin && isInRow()) save();
});
$("edit-cancel").addEventListener("click", closeEditor);
$("detail-history").addEventListener("click", () => openHistory(closeEditor()));
$("detail-delete").addEventListener("click", () => removePlants([closeEditor()?.id ?? ""]));
$("detail").addEventListener("close", () => $("detail").open || closeEditor());
