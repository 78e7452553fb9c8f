// The panel of one plant, beside the list, and the pages that replace the list: history and access. Each has an address.

import { openAccess } from "./access.js";
import { remove } from "./actions.js";
import { loseDraft, save } from "./typing.js";
import { $, all, copy, focusPlants, forgetPrivate, isNarrow, onClick } from "./dom.js";
import { makeCode } from "./export.js";
import { openHistory, showHistory } from "./history.js";
import { list } from "./list.js";
import { CONTENTS } from "./plant.js";
import { plantAddress, showPage, showPlant } from "./search.js";
import { drafts, onDraw, shown } from "./state.js";
import { t } from "./texts.js";

/** With the scope that each needs. */
const PAGES = { history: { scope: "list", open: openHistory }, access: { scope: "manage", open: openAccess } };
const names = /** @type {(keyof typeof PAGES)[]} */ (Object.keys(PAGES));
const panel = $("panel");
/** @type {keyof typeof PAGES | null} */ let openPage = null;
/** @type {Plant | undefined} */ let drawn;

onDraw(() => {
  const page = names.find((name) => list.store && name === shown.page && list.may(PAGES[name].scope)) ?? null;
  if (page === openPage) return;
  if (openPage) forgetPrivate($(openPage));
  openPage = page;
  for (const name of names) $(name).hidden = name !== page;
  $("plants").hidden = page !== null;
  if (!page) return;
  PAGES[page].open();
  $(`${page}-title`).focus();
});

onDraw(() => {
  const id = shown.plant;
  const { store, plants, state } = list;
  const found = plants.get(id ?? "");
  const isShown = id !== null && (found !== undefined || plants.isComplete || state !== "loading");
  const plant = isShown ? found : undefined;
  if (!isShown) {
    if (drafts.cell?.place === "panel") save();
    panel.close();
  } else if (!panel.open && isNarrow()) panel.showModal();
  else if (!panel.open) {
    panel.show();
    focusPlants(); // so that arrow keys still move in the list
  }
  if (isShown && !plant && (drafts.cell?.place === "panel" || $("panel-plant").matches(":focus-within"))) loseDraft();
  const { name = "", ...texts } = (plant && list.findPending(plant.id)?.after) ?? plant ?? {};
  $("panel-title").textContent = name;
  for (const field of CONTENTS) {
    const input = $(`panel-${field}`);
    const isTyped = drafts.cell?.place === "panel" && drafts.cell.field === field;
    const text = (isTyped ? drafts.cell?.text : { name, ...texts }[field]) ?? "";
    if (input.value !== text) input.value = text;
    input.readOnly = !list.may("update");
  }
  $("panel-gone").textContent = plant || !isShown ? "" : t("panel.none", { id });
  if (plant && store) drawPlant(plant, store);
  drawn = plant;
});

/** @param {Plant} plant @param {Store} store */
function drawPlant(plant, store) {
  if (plant === drawn) return;
  if (plant.id !== drawn?.id) $("panel-events").replaceChildren();
  const link = plantAddress(store.name, plant.id);
  $("panel-id").textContent = plant.id;
  $("panel-link").textContent = link;
  $("panel-code").replaceChildren(...makeCode(link));
  showHistory($("panel-events"), store, plant.id);
}

/** Only a stored plant has a panel: others have no address yet. @param {string} id */
export function openPanel(id) {
  if (id.startsWith("+")) return;
  showPlant(id);
  if (isNarrow()) $("panel-title").focus();
}

panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented) showPlant(null);
});
panel.addEventListener("close", () => shown.plant !== null && showPlant(null));
onClick("panel-close", () => showPlant(null));
onClick("panel-copy", () => copy($("panel-link"), $("panel-copy"), t("copied.link")));
onClick("panel-delete", () => {
  const id = shown.plant;
  showPlant(null);
  if (id) remove([id]);
});
for (const back of all(".back")) back.addEventListener("click", () => showPage(null));
for (const page of names) onClick(`${page}-open`, () => showPage(page));
