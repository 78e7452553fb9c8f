// Row 0, where a plant is typed. Enter takes it at once: the fields are free for the next one, and keep its tag.

import { addTyped } from "./actions.js";
import { $, announce, complain, isNarrow } from "./dom.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { attachPicker } from "./picker.js";
import { FIELDS, findBrokenRule } from "./plant.js";
import { drafts, onDraw } from "./state.js";
import { t } from "./texts.js";

function submit() {
  const { id, name, tag } = drafts.add;
  const broken = name.trim() || tag || id ? findBrokenRule({ id: id.trim() || "1", name, tag: tag || undefined }) : null;
  if (broken) {
    $(`add-${broken.field}`).focus();
    return complain($(`add-${broken.field}`), broken.reason);
  }
  complain();
  if (!addTyped()) return;
  $("add-id").hidden = true;
  grid.root.scrollTop = 0;
  $("add-name").focus();
}

export function openAdd() {
  if (!list.may("create")) return;
  document.body.classList.add("adding"); // on a phone, which hides it else
  grid.root.scrollTop = 0;
  $("add-name").focus();
}

function draw() {
  for (const field of FIELDS) {
    const input = $(`add-${field}`);
    if (input.value !== drafts.add[field]) input.value = drafts.add[field];
  }
  if (drafts.add.id) $("add-id").hidden = false;
  $("add").classList.toggle("typed", FIELDS.some((field) => drafts.add[field]));
}

attachPicker($("add-tag"));
for (const field of FIELDS) {
  const input = $(`add-${field}`);
  input.addEventListener("input", () => {
    drafts.add[field] = input.value;
    complain();
    draw();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (event.key === "Enter" && !event.repeat) submit();
    else if (event.key === "ArrowDown" && field === "name") grid.enter();
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  });
}
$("add-set-id").addEventListener("click", () => {
  $("add-id").hidden = false;
  $("add-id").focus();
});
$("add-open").addEventListener("click", openAdd);
$("add-close").addEventListener("click", leave);
onDraw(draw);

// What was typed goes first, then the row.
function leave() {
  const isEmpty = FIELDS.every((field) => !drafts.add[field]);
  drafts.add = { id: "", name: "", tag: "" };
  complain();
  draw();
  $("add-id").hidden = true;
  if (!isEmpty && !isNarrow()) return announce(t("add.cleared"));
  document.body.classList.remove("adding");
  grid.root.focus({ preventScroll: true });
}
