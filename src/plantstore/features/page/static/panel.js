// The panel of one plant, which has an address: its fields, what happened to it, its code, and its link.

import { plantAddress } from "./address.js";
import { edit, remove } from "./actions.js";
import { $, copy, isNarrow } from "./dom.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { loadRest } from "./pages.js";
import { attachPicker } from "./picker.js";
import { findBrokenRule, makePlant } from "./plant.js";
import { onDraw } from "./state.js";
import { showPlant, shownPlant } from "./search.js";
import { t } from "./texts.js";

const panel = $("panel");
/** @type {Plant | null} */ let drawn = null;
/** @type {TextField[]} */ const FIELDS = ["name", "tag"];

function draw() {
  const id = shownPlant();
  const plant = id === null ? undefined : list.plants.get(id);
  const isWaiting = id !== null && !plant && !list.plants.isComplete && list.state === "loading";
  if (id === null || isWaiting) return close();
  if (!panel.open) open();
  $("panel-gone").hidden = plant !== undefined;
  $("panel-plant").hidden = plant === undefined;
  $("panel-gone").textContent = t("panel.none", { id });
  if (!plant || !list.store) {
    drawn = null;
    $("panel-title").textContent = "";
    return;
  }
  document.title = `${plant.name} · ${list.store.name}`;
  if (plant === drawn) return;
  drawPlant(plant, list.store);
}

/** @param {Plant} plant @param {Store} store */
function drawPlant(plant, store) {
  const isOther = drawn?.id !== plant.id;
  $("panel-title").textContent = plant.name;
  $("panel-id").textContent = plant.id;
  for (const field of FIELDS) {
    const input = $(`panel-${field}`);
    const isUntouched = isOther || input.value === (drawn?.[field] ?? "");
    if (isUntouched) input.value = plant[field] ?? "";
    input.readOnly = !list.may("update");
  }
  drawn = plant;
  complain("");
  const link = plantAddress(store.name, plant.id);
  $("panel-link").textContent = link;
  loadRest().then(({ makeCode, showHistory }) => {
    if (drawn !== plant) return;
    $("panel-code").replaceChildren(...makeCode(link));
    showHistory($("panel-events"), store, plant);
  });
}

// Beside the list the focus stays where it is, so that keys go from plant to plant.
function open() {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  if (isNarrow()) panel.showModal();
  else panel.show();
  if (!isNarrow()) focused.focus({ preventScroll: true });
  document.body.classList.add("with-panel");
}

function close() {
  save();
  drawn = null;
  for (const field of FIELDS) $(`panel-${field}`).value = ""; // the next user finds nothing
  if (!panel.open) return;
  const hadFocus = panel.contains(document.activeElement);
  document.body.classList.remove("with-panel");
  panel.close();
  if (hadFocus) grid.root.focus({ preventScroll: true });
}

// What differs, if the rules allow it; the plant that was typed for may not be shown any more.
function save() {
  if (!drawn || !list.may("update")) return;
  const [name, tag] = FIELDS.map((field) => $(`panel-${field}`).value);
  const after = makePlant({ id: drawn.id, name, tag });
  if (tag === "" && drawn.tag === "") after.tag = "";
  const broken = findBrokenRule(after);
  complain(broken?.reason ?? "");
  if (!broken) edit(drawn, after);
}

/** @param {string} reason */
function complain(reason) {
  $("panel-reason").textContent = reason;
  $("panel-reason").hidden = !reason;
}

attachPicker($("panel-tag"), save);
for (const field of FIELDS) {
  const input = $(`panel-${field}`);
  input.addEventListener("change", save);
  input.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Enter") save();
    else if (event.key === "Escape" && drawn) input.value = drawn[field] ?? "";
    else return;
    event.preventDefault();
    if (event.key === "Escape") event.stopPropagation();
  });
}
panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented) showPlant(null);
});
panel.addEventListener("close", () => shownPlant() !== null && showPlant(null));
$("panel-close").addEventListener("click", () => showPlant(null));
$("panel-copy").addEventListener("click", () => copy($("panel-link"), $("panel-copy"), t("copied.link")));
$("panel-delete").addEventListener("click", () => {
  const id = shownPlant();
  showPlant(null);
  if (id) remove([id]);
});
grid.on.open = (id) => {
  showPlant(id);
  if (isNarrow()) $("panel-title").focus();
};
onDraw(draw);
