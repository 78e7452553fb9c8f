// The panel of one plant, which has an address: its fields, what happened to it, its code, and its link.

import { plantAddress } from "./address.js";
import { remove } from "./actions.js";
import { loseDraft, save } from "./cell.js";
import { $, copy, isNarrow } from "./dom.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { loadRest } from "./pages.js";
import { CONTENTS } from "./plant.js";
import { showPlant } from "./search.js";
import { drafts, onDraw, shown } from "./state.js";
import { t } from "./texts.js";

const panel = $("panel");
/** @type {Plant | null} */ let drawn = null;

function draw() {
  const id = shown.plant;
  const plant = list.plants.get(id ?? "");
  const isWaiting = !plant && !list.plants.isComplete && list.state === "loading";
  const isShown = id !== null && !isWaiting;
  if (!isShown) close();
  else if (!panel.open) open();
  if (isShown && !plant && drafts.cell?.place === "panel") loseDraft();
  drawFields(isShown && plant ? (list.findPending(plant.id)?.after ?? plant) : undefined);
  if (!isShown) return;
  $("panel-gone").hidden = plant !== undefined;
  $("panel-plant").hidden = plant === undefined;
  $("panel-gone").textContent = t("panel.none", { id });
  if (plant && list.store) document.title = `${plant.name} · ${list.store.name}`;
  if (plant === drawn) return;
  drawn = plant ?? null;
  if (plant && list.store) drawPlant(plant, list.store);
}

/** @param {Plant} [plant] */
function drawFields(plant) {
  $("panel-title").textContent = plant?.name ?? "";
  for (const field of CONTENTS) {
    const input = $(`panel-${field}`);
    const text = drafts.cell?.place === "panel" && drafts.cell.field === field ? drafts.cell.text : (plant?.[field] ?? "");
    if (input.value !== text) input.value = text;
    input.readOnly = !list.may("update");
  }
}

/** @param {Plant} plant @param {Store} store */
function drawPlant(plant, store) {
  const link = plantAddress(store.name, plant.id);
  $("panel-id").textContent = plant.id;
  $("panel-link").textContent = link;
  loadRest().then(({ makeCode, showHistory }) => {
    if (drawn !== plant) return;
    $("panel-code").replaceChildren(...makeCode(link));
    showHistory($("panel-events"), store, plant);
  });
}

/** @param {string} id */
export function openPanel(id) {
  showPlant(id);
  if (isNarrow()) $("panel-title").focus();
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
  if (drafts.cell?.place === "panel") save(false);
  drawn = null;
  if (!panel.open) return;
  const hadFocus = panel.contains(document.activeElement);
  document.body.classList.remove("with-panel");
  panel.close();
  if (hadFocus) grid.root.focus({ preventScroll: true });
}

panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented) showPlant(null);
});
panel.addEventListener("close", () => shown.plant !== null && showPlant(null));
$("panel-close").addEventListener("click", () => showPlant(null));
$("panel-copy").addEventListener("click", () => copy($("panel-link"), $("panel-copy"), t("copied.link")));
$("panel-delete").addEventListener("click", () => {
  const id = shown.plant;
  showPlant(null);
  if (id) remove([id]);
});
onDraw(draw);
