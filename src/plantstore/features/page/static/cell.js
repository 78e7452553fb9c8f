// The editor of a cell, which is in its row and goes with it. What is typed is a draft: it is saved by Enter, Tab
// and a click elsewhere, and dropped by Escape.

import { edit, takeBack } from "./actions.js";
import { $, announce, make, targetOf } from "./dom.js";
import { grid } from "./grid.js";
import { list } from "./list.js";
import { say } from "./message.js";
import { attachPicker, closePicker } from "./picker.js";
import { findBrokenRule, makePlant } from "./plant.js";
import { drafts, queue, redraw, rowIdOf } from "./state.js";
import { rich, t } from "./texts.js";

/** @type {Record<TextField, HTMLInputElement>} */
const inputs = { name: makeInput("name"), tag: makeInput("tag") };
let isMoving = false;

/** @param {TextField} field */
function makeInput(field) {
  const input = make("input", { className: "cell-input", autocomplete: "off", dir: "auto", enterKeyHint: "done" });
  if (field === "tag") attachPicker(input, () => save());
  input.addEventListener("input", () => {
    if (drafts.cell) drafts.cell.text = input.value;
    tell("");
  });
  input.addEventListener("keydown", press);
  input.addEventListener("focusout", ({ relatedTarget }) => {
    if (!isMoving && relatedTarget && drafts.cell?.field === field) save(false);
  });
  return input;
}

/** @param {string} id @param {TextField} field */
function openCell(id, field) {
  if (drafts.cell && !save(false)) return;
  const pending = queue.findLast((item) => rowIdOf(item) === id);
  if (pending?.action.kind === "add") return pending.state === "refused" ? takeBack(pending) : undefined;
  const plant = list.plants.get(id);
  if (!plant || !list.may("update") || (pending && !pending.after)) return;
  const isRefused = pending?.state === "refused";
  const before = pending && !isRefused ? (pending.after ?? plant) : plant;
  drafts.cell = { id, field, text: (isRefused ? pending.after : before)?.[field] ?? "", before };
  grid.turnTo(id, field);
  grid.draw();
}

// Into its cell, wherever that is by now; a row that was drawn anew gets it back as it was.
grid.on.place = (row) => {
  const draft = drafts.cell;
  const cell = draft && row.querySelector(`.${draft.field}`);
  if (!draft || !cell) return;
  const input = inputs[draft.field];
  if (input.parentElement === cell) return;
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
};
grid.on.edit = openCell;
grid.on.leave = () => {
  say(rich("edit.lost", { text: drafts.cell?.text }), {}, "failed"); // what was typed can still be read
  close();
};

// Whether it may close: what breaks a rule stays, with the reason.
function save(hasFocus = true) {
  const draft = drafts.cell;
  if (!draft) return true;
  const { id, name, tag = "" } = draft.before;
  /** @type {Plant} */ const after = makePlant({ id, name, tag, [draft.field]: draft.text });
  if (draft.before.tag === "" && !after.tag) after.tag = ""; // an empty one is none, but not the same
  const reason = findBrokenRule(after)?.reason;
  if (reason) {
    tell(reason);
    inputs[draft.field].focus();
    return false;
  }
  close();
  edit(draft.before, after);
  if (hasFocus) grid.root.focus({ preventScroll: true });
  return true;
}

function close() {
  drafts.cell = null;
  isMoving = true;
  closePicker();
  for (const input of Object.values(inputs)) input.remove();
  isMoving = false;
  tell("");
  redraw();
}

/** @param {string} reason */
function tell(reason) {
  for (const input of Object.values(inputs)) {
    input.ariaInvalid = `${reason !== ""}`;
    input.setCustomValidity(reason);
    input.title = reason;
  }
  $("cell-reason").hidden = !reason;
  $("cell-reason").textContent = reason;
  const draft = drafts.cell;
  if (!reason || !draft) return;
  announce(reason);
  const { left, bottom } = inputs[draft.field].getBoundingClientRect();
  $("cell-reason").style.left = `${left}px`;
  $("cell-reason").style.top = `${bottom + 2}px`;
}

/** @param {KeyboardEvent} event */
function press(event) {
  const draft = drafts.cell;
  if (!draft || event.isComposing || event.defaultPrevented) return;
  if (event.key === "Enter" && !event.repeat) save();
  else if (event.key === "Tab") goOn(draft, event.shiftKey);
  else if (event.key === "Escape") {
    close();
    grid.root.focus({ preventScroll: true });
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
  if (drafts.cell && !targetOf(event).closest(".cell-input, #picker")) save(false);
}, true);
