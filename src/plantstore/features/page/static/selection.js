// The bar of what can be done with the selected plants.

import { remove, retag } from "./actions.js";
import { $ } from "./dom.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { attachPicker } from "./picker.js";
import { onDraw } from "./state.js";
import { t } from "./texts.js";

function draw() {
  const { size } = list.selected;
  const hadFocus = $("selection").contains(document.activeElement);
  $("selection").hidden = size === 0;
  $("selection-count").textContent = t("selected", { n: size });
  $("select-rest").hidden = size === list.rows.length;
  const isTagged = size > 0 && list.chosen.some(({ tag }) => tag);
  $("tag-remove").hidden = !isTagged;
  $("count").textContent = describeCount();
  if (!size) closeTag();
  if (hadFocus && $("selection").hidden) grid.root.focus({ preventScroll: true });
}

function describeCount() {
  const { plants, view, state } = list;
  const { length } = plants.items;
  if (state === "none" || (state === "loading" && !length)) return "";
  const whole = t("plants", { n: length });
  const shown = view.isWhole ? whole : t("count.part", { shown: view.items.length, whole });
  return plants.isComplete ? shown : t("count.loading", { shown });
}

function setTag() {
  const tag = $("retag-tag").value.trim();
  if (!tag) return;
  retag([...list.selected], tag);
  closeTag();
  grid.root.focus({ preventScroll: true });
}

function closeTag() {
  $("retag").hidden = true;
  $("retag-tag").value = "";
  $("retag-set").disabled = true;
}

$("retag-open").addEventListener("click", () => {
  $("retag").hidden = !$("retag").hidden;
  if (!$("retag").hidden) $("retag-tag").focus();
});
attachPicker($("retag-tag"), setTag);
$("retag-tag").addEventListener("input", () => {
  $("retag-set").disabled = !$("retag-tag").value.trim();
});
$("retag-tag").addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.key === "Escape") {
    closeTag();
    $("retag-open").focus();
    event.preventDefault();
  }
});
$("retag").addEventListener("submit", setTag);
$("tag-remove").addEventListener("click", () => retag([...list.selected], undefined));
$("delete-selected").addEventListener("click", () => remove([...list.selected]));
$("select-rest").addEventListener("click", () => list.select(new Set(list.rows.map(({ id }) => id))));
$("clear-selected").addEventListener("click", () => list.select(new Set()));
onDraw(draw);
