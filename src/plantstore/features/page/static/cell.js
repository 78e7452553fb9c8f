// The editors of a plant's texts: one is in its row and goes with it, the others are in the panel. What is typed is a
// draft: it is saved by Enter, Tab and a click elsewhere, and dropped by Escape.

import { edit, takeBack } from "./actions.js";
import { $, complain, make, targetOf } from "./dom.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { say } from "./message.js";
import { attachPicker, closePicker } from "./picker.js";
import { CONTENTS, findBrokenRule, makePlant } from "./plant.js";
import { drafts, shown } from "./state.js";
import { rich, t } from "./texts.js";

const makeInput = () => make("input", { className: "cell-input", autocomplete: "off", dir: "auto", enterKeyHint: "done", "aria-describedby": "reason" });

/** @type {Record<Cell["place"], Record<TextField, HTMLInputElement>>} */
const inputs = {
  row: { name: makeInput(), tag: makeInput() },
  panel: { name: $("panel-name"), tag: $("panel-tag") },
};
let isMoving = false;

for (const place of /** @type {Cell["place"][]} */ (["row", "panel"]))
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

// Whether there is a draft by now: not of a plant that is being added or deleted.
/** @param {string} id @param {TextField} field @param {Cell["place"]} place */
function begin(id, field, place) {
  if (drafts.cell && !save(false)) return false;
  const pending = list.findPending(id);
  if (pending?.action.kind === "add" && pending.state === "refused") takeBack(pending);
  const plant = list.plants.get(id);
  if (!plant || !list.may("update") || (pending && !pending.after)) return false;
  const shown = pending?.after ?? plant;
  drafts.cell = { id, field, place, text: shown[field] ?? "", before: pending?.state === "refused" ? plant : shown };
  return true;
}

/** @param {string} id @param {TextField} field */
export function openCell(id, field) {
  if (!begin(id, field, "row")) return;
  grid.turnTo(id, field);
  grid.draw();
}

// Into its cell, wherever that is by now; a row that was moved, or drawn anew, gets it back as it was.
/** @param {HTMLElement} row */
export function placeEditor(row) {
  const draft = drafts.cell;
  const cell = draft?.place === "row" && row.querySelector(`.${draft.field}`);
  if (!draft || !cell) return;
  const input = inputs.row[draft.field];
  if (input.parentElement === cell && document.activeElement === input) return;
  const [start, end] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
  const isBack = input.isConnected && input.value === draft.text;
  isMoving = true;
  input.value = draft.text;
  input.ariaLabel = t(draft.field);
  cell.append(input);
  input.focus({ preventScroll: true });
  if (isBack) input.setSelectionRange(start, end);
  else input.select();
  isMoving = false;
}

// The plant is gone, or its store: what was typed can still be read.
export function loseDraft() {
  say(rich("edit.lost", { text: drafts.cell?.text }), {}, "failed");
  close();
}

// Whether it may close: what breaks a rule stays, with the reason.
export function save(hasFocus = true) {
  const draft = drafts.cell;
  if (!draft) return true;
  const { place, field, before } = draft;
  const { id, name, tag = "" } = before;
  /** @type {Plant} */ const after = makePlant({ id, name, tag, [field]: draft.text });
  if (before.tag === "" && !after.tag) after.tag = ""; // an empty one is none, but not the same
  const reason = findBrokenRule(after)?.reason;
  if (reason) {
    inputs[place][field].focus();
    complain(inputs[place][field], reason);
    return false;
  }
  close();
  edit(before, after);
  if (hasFocus && place === "row") grid.root.focus({ preventScroll: true });
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
  const draft = drafts.cell;
  if (!draft || event.isComposing || event.defaultPrevented) return;
  if (event.key === "Enter" && !event.repeat) save();
  else if (event.key === "Tab" && draft.place === "row") goOn(draft, event.shiftKey);
  else if (event.key === "Escape") {
    close();
    if (draft.place === "row") grid.root.focus({ preventScroll: true });
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {Cell} draft @param {boolean} isBack */
function goOn({ id, field }, isBack) {
  const next = grid.next(id, field, isBack);
  if (save() && next) openCell(next.id, next.field);
}

// A click elsewhere saves, also where nothing can have the focus.
addEventListener("pointerdown", (event) => {
  const { cell } = drafts;
  if (cell && targetOf(event) !== inputs[cell.place][cell.field] && !targetOf(event).closest("#picker")) save(false);
}, true);
