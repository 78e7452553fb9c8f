// Where plants are typed: row 0, an editor in a cell, which moves with its row, the fields in the panel, and the tag of
// selected plants. Typed text is a draft, which Enter saves. Row 0 is then free at once for the next plant, and keeps its tag. Tab and a click
// elsewhere save a cell too; Escape discards it.

import { edit, perform, retag, say, takeBack } from "./actions.js";
import { $, announce, announceLast, complain, focusPlants, isNarrow, onClick, targetOf } from "./dom.js";
import { drawGrid, loseTyped, nextCell, turnTo } from "./grid.js";
import { list } from "./list.js";
import { closePicker } from "./picker.js";
import { CONTENTS, FIELDS, findBrokenRule, makePlant, readId } from "./plant.js";
import { nextId } from "./queue.js";
import { added, drafts, onDraw, queue, redraw, shown } from "./state.js";
import { rich, t } from "./texts.js";

// Row 0 ------------------------------------------------------------------------------------------

const isTyped = () => FIELDS.some((field) => drafts.add[field]);

/** Saves the plant of row 0, which is free for the next plant at once. */
function submit() {
  const [id, name, tag] = FIELDS.map((field) => drafts.add[field].trim());
  const { store, plants } = list;
  const broken = isTyped() ? findBrokenRule({ id: id || "1", name, tag }) : null;
  const field = $(`add-${broken?.field ?? "name"}`);
  field.focus();
  complain(field, broken?.reason);
  if (broken || !isTyped() || !store) return;
  const given = plants.isComplete ? nextId(store) : "+";
  drafts.add = { id: "", name: "", tag };
  perform("add", [{ after: makePlant({ id: id ? readId(id) : given, name, tag }), isGiven: !id }], store);
  added.unshift(/** @type {Pending} */ (queue.at(-1)));
  announceLast(t("add.taken", { name })); // unless it is added soon
  openAdd();
}

export function openAdd() {
  if (!list.may("create")) return;
  document.body.classList.add("adding"); // shows row 0 on a phone
  $("grid").scrollTop = 0;
  $("add-name").focus();
}

/** Clears the typed text; if there is none, closes the row. */
function leaveAdd() {
  const stays = isTyped() && !isNarrow();
  drafts.add = { id: "", name: "", tag: "" };
  if (stays) announce(t("add.cleared"));
  else document.body.classList.remove("adding");
  if (!stays) focusPlants();
  drawAdd();
}

function drawAdd() {
  for (const field of FIELDS) {
    const input = $(`add-${field}`);
    if (input.value !== drafts.add[field]) complain(Object.assign(input, { value: drafts.add[field] }));
  }
}

for (const field of FIELDS) {
  const input = $(`add-${field}`);
  input.addEventListener("input", () => {
    drafts.add[field] = input.value;
    complain(input);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (event.key === "Enter" && !event.repeat) submit();
    else if (event.key === "ArrowDown" && field === "name") {
      turnTo(list.rows[0]?.id, "name");
      focusPlants();
    } else if (event.key === "Escape") leaveAdd();
    else return;
    event.preventDefault();
  });
}
onClick("add-open", openAdd);
onClick("add-close", leaveAdd);
onDraw(drawAdd);

// Cells ------------------------------------------------------------------------------------------

for (const place of /** @type {const} */ (["cell", "panel"]))
  for (const field of CONTENTS) {
    const input = $(`${place}-${field}`);
    input.addEventListener("pick", save);
    input.addEventListener("input", () => {
      if (place === "panel" && drafts.cell?.field !== field) begin(shown.plant ?? "", field, place);
      if (drafts.cell) drafts.cell.text = input.value;
      complain(input);
    });
    input.addEventListener("keydown", press);
    input.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && drafts.cell?.place === place && drafts.cell.field === field) save();
    });
  }

/** Begins a draft; false if the plant is being deleted. @param {string} id @param {TextField} field @param {Cell["place"]} place */
function begin(id, field, place) {
  if (!save()) return false;
  const pending = list.findPending(id);
  const isRefused = pending?.state === "refused";
  if (isRefused && pending.action.kind === "add") takeBack(pending);
  const plant = list.plants.get(id) ?? (isRefused ? undefined : pending?.after);
  if (!plant || !list.may("update") || (pending && !pending.after)) return false;
  const shown = pending?.after ?? plant;
  drafts.cell = { id, field, place, text: shown[field] ?? "", before: isRefused ? plant : shown };
  return true;
}

/** @param {string} id @param {TextField} field */
export function openCell(id, field) {
  if (!begin(id, field, "cell")) return;
  turnTo(id, field);
  drawGrid();
}

/** Puts the editor into its cell; if the row was moved or redrawn, with the same selection. @param {HTMLElement} row */
export function placeEditor(row) {
  const draft = drafts.cell;
  const cell = draft?.place === "cell" && row.querySelector(`.${draft.field}`);
  if (!draft || !cell) return;
  const input = $(`cell-${draft.field}`);
  if (input.parentElement === cell && document.activeElement === input) return;
  const { selectionStart, selectionEnd } = input;
  const isBack = draft.isPlaced;
  Object.assign(input, { value: draft.text, className: "cell-input" });
  cell.append(input);
  input.focus({ preventScroll: true });
  if (isBack) input.setSelectionRange(selectionStart, selectionEnd);
  else input.select();
  draft.isPlaced = true;
}

/** The plant in the editor, or its store, is gone: a message keeps the typed text readable. */
export function loseDraft() {
  if (drafts.cell) say(rich("edit.lost", { text: drafts.cell.text }), {}, "failed");
  loseTyped(); // the user may go on typing
  close();
  focusPlants();
}

/** Saves the draft; false if it breaks a rule: then the editor stays, with the reason. */
export function save() {
  if (!drafts.cell) return true;
  const { id, place, field, text, before } = drafts.cell;
  const typed = text === (before[field] ?? "") ? before[field] : text.trim() || undefined;
  /** @type {Plant} */ const after = { ...before, etag: undefined, [field]: typed };
  const reason = findBrokenRule({ ...after, id: "1" })?.reason;
  if (reason) {
    $(`${place}-${field}`).focus();
    complain($(`${place}-${field}`), reason);
    return false;
  }
  close();
  edit(before, after, id);
  return true;
}

function close() {
  if (drafts.cell) complain($(`${drafts.cell.place}-${drafts.cell.field}`));
  drafts.cell = null;
  closePicker();
  if (document.activeElement?.matches(".cell-input")) focusPlants(); // the row may move before the next draw
  for (const field of CONTENTS) $("cells").append(Object.assign($(`cell-${field}`), { className: "" }));
  redraw();
}

/** @param {KeyboardEvent} event */
function press(event) {
  const { key, shiftKey } = event;
  if (!drafts.cell || event.isComposing || event.defaultPrevented) return;
  const { id, field, place } = drafts.cell;
  if (key === "Enter" && !event.repeat) save();
  else if (key === "Tab" && place === "cell") {
    const next = nextCell(id, field, shiftKey);
    if (save() && next) openCell(next.id, next.field);
  } else if (key === "Escape") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// A click elsewhere saves, even where nothing can have the focus.
addEventListener("pointerdown", (event) => {
  const { cell } = drafts;
  const target = targetOf(event);
  if (cell && target !== $(`${cell.place}-${cell.field}`) && !target.closest("#picker")) save();
});

// The tag of the selected plants -----------------------------------------------------------------

function setTag() {
  retag([...list.selected], $("retag-tag").value.trim());
  closeTag();
  focusPlants();
}

function closeTag() {
  $("retag").reset();
  $("retag").hidden = $("retag-set").disabled = true;
}

onClick("retag-open", () => {
  $("retag").hidden = false;
  $("retag-tag").focus();
});
onDraw(() => list.selected.size || closeTag());
$("retag-tag").addEventListener("pick", setTag);
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
