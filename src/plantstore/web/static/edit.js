// Editing a plant: in its row, or on a phone in a panel that shows all of it.

import { $, bdi, explain, isBusy, isNarrow, setBusy } from "./dom.js";
import { locate } from "./form.js";
import { isSame } from "./plant.js";
import { fail } from "./toasts.js";

export class Editor {
  /** @type {Plant | null} */ #plant = null;
  /** @type {Store | null} */ #store = null;

  /** @param {PlantList} list @param {Changes} changes @param {PlantHistory} past */
  constructor(list, changes, past) {
    this.list = list;
    this.changes = changes;
    this.form = $("edit");
    this.form.addEventListener("submit", () => this.#save());
    this.form.addEventListener("keydown", ({ key }) => key === "Escape" && this.close());
    // Work that goes on elsewhere ends it.
    this.form.addEventListener("focusout", ({ relatedTarget }) => {
      const isWithin = relatedTarget instanceof Node && this.form.contains(relatedTarget);
      if (relatedTarget && !isWithin && this.#isInRow) this.#save();
    });
    $("edit-cancel").addEventListener("click", () => this.close());
    $("detail-history").addEventListener("click", () => past.open(this.close()));
    $("detail-delete").addEventListener("click", () => changes.remove([this.close()?.id ?? ""]));
    $("detail").addEventListener("close", () => $("detail").open || this.close());
  }

  get #isInRow() {
    return this.form.parentElement === $("plants");
  }

  // In its row, or, without a field to begin with, in the panel.
  /** @param {Plant} plant @param {Field | null} field */
  open(plant, field) {
    this.close();
    const canUpdate = this.list.may("update");
    this.#plant = plant;
    this.#store = this.list.store;
    $("edit-name").value = plant.name;
    $("edit-tag").value = plant.tag ?? "";
    explain("edit-reason", "");
    this.form.hidden = !canUpdate;
    if (!canUpdate || field === null || isNarrow()) return this.#showPanel(plant);
    $("plants").append(this.form);
    this.place();
    $(field === "tag" ? "edit-tag" : "edit-name").select();
  }

  /** @param {Plant} plant */
  #showPanel({ id, name, tag }) {
    $("detail-title").textContent = name;
    $("detail-tag").textContent = tag ?? "";
    $("detail-id").textContent = id;
    $("detail-form").append(this.form);
    $("detail").showModal();
  }

  // Beside its row, wherever that is by now.
  place() {
    if (!this.#plant || !this.#isInRow) return;
    const top = this.list.grid.locate(this.#plant.id);
    if (top !== null) this.form.style.top = `${this.list.grid.root.offsetTop + top}px`;
  }

  // The plant that was open.
  close() {
    const plant = this.#plant;
    this.#plant = null;
    const hadFocus = this.form.contains(document.activeElement);
    this.form.hidden = true;
    this.form.reset();
    $("detail").close();
    if (plant && hadFocus) $("grid").focus({ preventScroll: true });
    return plant ?? undefined;
  }

  async #save() {
    const [before, store] = [this.#plant, this.#store];
    if (!before || !store || isBusy($("edit-save"))) return;
    const after = { id: before.id, name: $("edit-name").value, tag: $("edit-tag").value || undefined };
    if (isSame(before, after)) this.close();
    if (!this.#plant) return;
    explain("edit-reason", "");
    setBusy($("edit-save"), true);
    const error = await this.changes.replace(store, before, after);
    setBusy($("edit-save"), false);
    const isOpen = this.#plant === before;
    const reason = error ? locate(error).reason : "";
    if (isOpen && !error) this.close();
    else if (isOpen) explain("edit-reason", reason);
    else if (error) fail([bdi(before.name), ` was not changed: ${reason}`]);
  }
}
