// Editing a plant: in its row, or on a phone in a panel that shows all of it.

import { Refusal, SignedOut } from "./api.js";
import { $, announce, bdi, isBusy, isNarrow, setBusy } from "./dom.js";
import { locate } from "./form.js";
import { tell } from "./toasts.js";

export class Editor {
  /** @type {Plant | null} */
  #plant = null;
  /** @type {Store | null} */
  #store = null;

  /** @param {PlantList} list @param {Changes} changes @param {PlantHistory} past */
  constructor(list, changes, past) {
    this.list = list;
    this.changes = changes;
    this.form = $("edit");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    // Work that goes on elsewhere ends it.
    this.form.addEventListener("focusout", ({ relatedTarget }) => {
      const isWithin = relatedTarget instanceof Node && this.form.contains(relatedTarget);
      if (!isWithin && relatedTarget && this.#isInRow && !isBusy($("edit-save"))) this.#save();
    });
    $("edit-cancel").addEventListener("click", () => this.close());
    $("detail-history").addEventListener("click", () => {
      const plant = this.#plant;
      this.close();
      if (plant) past.open(plant);
    });
    $("detail-delete").addEventListener("click", () => {
      const id = this.#plant?.id;
      this.close();
      if (id) changes.remove([id]);
    });
    $("detail").addEventListener("close", () => $("detail").open || this.close());
  }

  get #isInRow() {
    return this.form.parentElement === $("plants");
  }

  // In its row, or, without a field to begin with, in the panel.
  /** @param {Plant} plant @param {Field | null} field */
  open(plant, field) {
    this.close();
    const { store } = this.list;
    const canUpdate = this.list.may("update");
    const isInRow = canUpdate && field !== null && !isNarrow();
    if (!store) return;
    this.#plant = plant;
    this.#store = store;
    $("edit-name").value = plant.name;
    $("edit-tag").value = plant.tag ?? "";
    this.#complain("");
    this.form.hidden = !canUpdate;
    if (!isInRow) this.#showPanel(plant);
    else {
      $("plants").append(this.form);
      this.place();
      $(field === "tag" ? "edit-tag" : "edit-name").select();
    }
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

  close() {
    if (!this.#plant) return;
    this.#plant = null;
    const hadFocus = this.form.contains(document.activeElement);
    this.form.hidden = true;
    $("detail").close();
    if (hadFocus) $("grid").focus({ preventScroll: true });
  }

  async #save() {
    const [before, store] = [this.#plant, this.#store];
    if (!before || !store || isBusy($("edit-save"))) return;
    const [name, tag] = [$("edit-name").value, $("edit-tag").value];
    const after = { id: before.id, name, tag: tag === "" ? undefined : tag };
    if (name === before.name && after.tag === before.tag) return this.close();
    this.#complain("");
    setBusy($("edit-save"), true);
    const error = await this.changes.replace(store, before, after);
    setBusy($("edit-save"), false);
    if (!error && this.#plant === before) this.close();
    if (!error || error instanceof SignedOut) return;
    const reason = error instanceof Refusal ? locate(error).reason : error.message;
    if (this.#plant === before) this.#complain(reason);
    else tell([bdi(before.name), ` was not changed: ${reason}`], { kind: "failed" });
  }

  /** @param {string} reason */
  #complain(reason) {
    $("edit-reason").textContent = reason;
    $("edit-reason").hidden = !reason;
    if (reason) announce(reason);
  }
}
