// Where plants are typed: row 0, and the editors of a plant's texts, of which one is in its row and goes with it, the
// others are in the panel. What is typed is a draft. Enter takes it, at once: row 0 is free for the next plant, and
// keeps its tag. A cell is saved by Tab and a click elsewhere too, and dropped by Escape.

import { edit, perform, say, takeBack } from "./actions.js";
import { $, announce, complain, focusPlants, isNarrow, onClick, targetOf } from "./dom.js";
import { drawGrid, nextCell, turnTo } from "./grid.js";
import { list } from "./list.js";
import { attachPicker, closePicker } from "./picker.js";
import { CONTENTS, FIELDS, findBrokenRule, makePlant, readId } from "./plant.js";
import { nextId } from "./queue.js";
import { drafts, onDraw, queue, shown } from "./state.js";
import { rich, t } from "./texts.js";

// Row 0 ------------------------------------------------------------------------------------------

let typed = 0;

const isTyped = () => FIELDS.some((field) => drafts.add[field]);

/** Taken at once: what is typed next is the next plant. */
function submit() {
  const { id, name, tag } = drafts.add;
  const { store, plants } = list;
  const broken = isTyped() ? findBrokenRule({ id: id.trim() || "1", name, tag }) : null;
  const field = $(`add-${broken?.field ?? "name"}`);
  field.focus();
  complain(field, broken?.reason);
  if (broken || !isTyped() || !store) return;
  typed += 1;
  const given = plants.isComplete ? nextId(store) : `+${typed}`;
  drafts.add = { id: "", name: "", tag };
  perform("add", [{ after: makePlant({ id: id ? readId(id) : given, name, tag }), isGiven: !id }], store);
  list.added.unshift(/** @type {Pending} */ (queue.at(-1)));
  list.changeRows();
  announce(t("add.taken", { name }));
  openAdd();
}

export function openAdd() {
  if (!list.may("create")) return;
  document.body.classList.add("adding"); // on a phone, which hides it else
  $("grid").scrollTop = 0;
  $("add-name").focus();
}

/** What was typed goes first, then the row. */
function leaveAdd() {
  const stays = isTyped() && !isNarrow();
  drafts.add = { id: "", name: "", tag: "" };
  complain();
  if (stays) announce(t("add.cleared"));
  else document.body.classList.remove("adding");
  if (!stays) focusPlants();
  drawAdd();
}

function drawAdd() {
  for (const field of FIELDS) {
    const input = $(`add-${field}`);
    if (input.value !== drafts.add[field]) input.value = drafts.add[field];
  }
  $("add").classList.toggle("typed", isTyped());
}

for (const field of FIELDS) {
  const input = $(`add-${field}`);
  if (field === "tag") attachPicker(input);
  input.addEventListener("input", () => {
    drafts.add[field] = input.value;
    complain();
    drawAdd();
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

/** @type {Record<Cell["place"], Record<TextField, HTMLInputElement>>} */
const inputs = {
  row: { name: $("cell-name"), tag: $("cell-tag") },
  panel: { name: $("panel-name"), tag: $("panel-tag") },
};
for (const input of Object.values(inputs.row)) input.remove();
let isMoving = false;

for (const place of /** @type {const} */ (["row", "panel"]))
  for (const field of CONTENTS) {
    const input = inputs[place][field];
    if (field === "tag") attachPicker(input, () => save());
    input.addEventListener("input", () => {
      if (place === "panel" && drafts.cell?.field !== field) begin(shown.plant ?? "", field, place);
      if (drafts.cell) drafts.cell.text = input.value;
      complain(input);
    });
    input.addEventListener("keydown", press);
    input.addEventListener("focusout", ({ relatedTarget }) => {
      if (!isMoving && relatedTarget && drafts.cell?.field === field) save(false);
    });
  }

/** Whether there is a draft: not of a plant that is deleted, or has no id yet. @param {string} id @param {TextField} field @param {Cell["place"]} place */
function begin(id, field, place) {
  if (drafts.cell && !save(false)) return false;
  const pending = list.findPending(id);
  const isRefused = pending?.state === "refused";
  if (isRefused && pending.action.kind === "add") takeBack(pending);
  const plant = list.plants.get(id) ?? (isRefused ? undefined : pending?.after);
  if (!plant || plant.id.startsWith("+") || !list.may("update") || (pending && !pending.after)) return false;
  const shown = pending?.after ?? plant;
  drafts.cell = { id, field, place, text: shown[field] ?? "", before: isRefused ? plant : shown };
  return true;
}

/** @param {string} id @param {TextField} field */
export function openCell(id, field) {
  if (!begin(id, field, "row")) return;
  turnTo(id, field);
  drawGrid();
}

/** Into its cell; a row that was moved, or drawn anew, gets it back as it was. @param {HTMLElement} row */
export function placeEditor(row) {
  const draft = drafts.cell;
  const cell = draft?.place === "row" && row.querySelector(`.${draft.field}`);
  if (!draft || !cell) return;
  const input = inputs.row[draft.field];
  if (input.parentElement === cell && document.activeElement === input) return;
  const { selectionStart, selectionEnd } = input;
  const isBack = draft.isPlaced;
  isMoving = true;
  Object.assign(input, { value: draft.text, ariaLabel: t(draft.field) });
  cell.append(input);
  input.focus({ preventScroll: true });
  if (isBack) input.setSelectionRange(selectionStart, selectionEnd);
  else input.select();
  draft.isPlaced = true;
  isMoving = false;
}

/** The plant is gone, or its store: what was typed can still be read. */
export function loseDraft() {
  say(rich("edit.lost", { text: drafts.cell?.text }), {}, "failed");
  close();
}

/** Whether it may close: what breaks a rule stays, with the reason. */
export function save(hasFocus = true) {
  if (!drafts.cell) return true;
  const { place, field, text, before } = drafts.cell;
  const { id, name, tag = "" } = before;
  /** @type {Plant} */ const after = makePlant({ id, name, tag, [field]: text });
  if (before.tag === "" && !after.tag) after.tag = ""; // an empty one is none, but not the same
  const reason = findBrokenRule(after)?.reason;
  if (reason) {
    inputs[place][field].focus();
    complain(inputs[place][field], reason);
    return false;
  }
  close();
  edit(before, after);
  if (hasFocus && place === "row") focusPlants();
  return true;
}

function close() {
  drafts.cell = null;
  isMoving = true;
  closePicker();
  for (const input of Object.values(inputs.row)) input.remove();
  isMoving = false;
  complain();
  list.changeRows();
}

/** @param {KeyboardEvent} event */
function press(event) {
  const { key, shiftKey } = event;
  if (!drafts.cell || event.isComposing || event.defaultPrevented) return;
  const { id, field, place } = drafts.cell;
  if (key === "Enter" && !event.repeat) save();
  else if (key === "Tab" && place === "row") {
    const next = nextCell(id, field, shiftKey);
    if (save() && next) openCell(next.id, next.field);
  } else if (key === "Escape") {
    close();
    if (place === "row") focusPlants();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** A click elsewhere saves, also where nothing can have the focus. */
const leave = (/** @type {Event} */ event) => {
  const { cell } = drafts;
  const target = targetOf(event);
  if (cell && target !== inputs[cell.place][cell.field] && !target.closest("#picker")) save(false);
};
addEventListener("pointerdown", leave, true);
