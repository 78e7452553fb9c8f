// The bar of actions for the selected plants.

import { remove, retag } from "./actions.js";
import { $, focusPlants, onClick } from "./dom.js";
import { idsOf, list } from "./list.js";
import { attachPicker } from "./picker.js";
import { onDraw } from "./state.js";
import { t } from "./texts.js";

onDraw(() => {
  const { selected, rows, plants, view } = list;
  const hadFocus = $("selection").contains(document.activeElement);
  $("selection").hidden = selected.size === 0;
  $("selection-count").textContent = t("selected", { n: selected.size });
  $("select-rest").hidden = selected.size === rows.length;
  $("tag-remove").hidden = !selected.size || !list.chosen.some(({ tag }) => tag);
  if (!selected.size) closeTag();
  if (hadFocus && $("selection").hidden) focusPlants();
  const n = plants.items.length;
  const whole = n || plants.isComplete ? t("plants", { n }) : "";
  const shown = view.isWhole ? whole : t("count.part", { shown: view.items.length, whole });
  $("count").textContent = plants.isComplete || !whole ? shown : t("count.loading", { shown });
});

function setTag() {
  const tag = $("retag-tag").value.trim();
  if (!tag) return;
  retag([...list.selected], tag);
  closeTag();
  focusPlants();
}

function closeTag() {
  $("retag").hidden = true;
  $("retag-tag").value = "";
  $("retag-set").disabled = true;
}

onClick("retag-open", () => {
  $("retag").hidden = !$("retag").hidden;
  if (!$("retag").hidden) $("retag-tag").focus();
});
attachPicker($("retag-tag"), setTag);
$("retag-tag").addEventListener("input", () => {
  $("retag-set").disabled = !$("retag-tag").value.trim();
});
$("retag-tag").addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.key !== "Escape") return;
  closeTag();
  $("retag-open").focus();
  event.preventDefault();
});
$("retag").addEventListener("submit", setTag);
onClick("tag-remove", () => retag([...list.selected]));
onClick("delete-selected", () => remove([...list.selected]));
onClick("select-rest", () => list.select(idsOf(list.rows)));
onClick("clear-selected", () => list.select([]));
