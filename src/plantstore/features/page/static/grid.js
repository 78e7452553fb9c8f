// The list of plants: only the visible rows, and the row being edited, are in the document. The grid itself
// has the focus; aria-activedescendant names the cell that keys act on. Rows are identified by plant id: they
// move as plants are added and removed.

import { remove, retry, say, takeBack } from "./actions.js";
import { $, all, colour, focusPlants, isNarrow, make, makeButton, onClick, targetOf } from "./dom.js";
import { idsOf, list } from "./list.js";
import { openPanel } from "./pages.js";
import { CONTENTS } from "./plant.js";
import { drafts, drop, onDraw, settled } from "./state.js";
import { rich, t } from "./texts.js";
import { loseDraft, openCell, placeEditor } from "./typing.js";

const SPARE = 8; // rows drawn beyond each edge
const UNSEEN = 500; // milliseconds after rows moved: a resting mouse aims at the former row
/** @type {Record<string, (item: Pending) => void>} what can be done about a refused change */
const MENDS = { [t("again")]: retry, [t("edit")]: takeBack, [t("discard")]: drop };
const MEANT = /^( |#|\^[ai]|enter|delete|f2)$/; // keys for the active row, or for the text that is typed there:
const TYPED = /^(.|\^[aiz]|enter|delete|f2|home|end|arrow(left|right))$/u;
const grid = $("grid");
const body = $("rows");

/** @type {Map<string, {plant: Plant, row: HTMLElement}>} */ const rows = new Map();
/** @type {Plant[]} */ let items = [];
let rowHeight = 32;
let { search } = list.view;
// The row that keys act on stays in place while the user looks at it; otherwise the first visible row that still exists.
let top = { ids: /** @type {string[]} */ ([]), rest: 0 };
let active = 0;
// None after somebody else removed the row, null if the user was typing there: keys change nothing until a row is chosen.
/** @type {string | null | undefined} */ let activeId = "";
/** @type {string | null | undefined} */ let anchorId;
/** @type {TextField} */ let field = "name";
let [movedAt, aimedAt] = [-1, 0];

const viewHeight = () => grid.clientHeight - body.offsetTop;
const indexOf = (/** @type {string | null | undefined} */ id) => items.findIndex((plant) => plant.id === id);

export function drawGrid() {
  if (items.some(({ id }, at) => id !== list.rows[at]?.id)) movedAt = performance.now();
  items = list.rows;
  if (search !== list.view.search) {
    search = list.view.search;
    grid.scrollTop = active = 0;
    activeId = anchorId = "";
  }
  const place = indexOf(activeId);
  const step = place - active;
  const below = active * rowHeight - grid.scrollTop;
  const isWatched = grid.matches(":focus, :has(#rows :focus)") && below > -rowHeight && below < viewHeight();
  const start = place < 0 ? active : place;
  const stays = (/** @type {Plant} */ { id }) => !list.leaving.has(id);
  const next = items.findIndex((plant, at) => at >= start && stays(plant));
  const isGone = activeId && !(items[place] && stays(items[place])) && !list.findPending(activeId);
  if (isGone && !settled.has(activeId ?? "")) activeId = undefined;
  if (typeof activeId === "string") setActive(next < 0 ? Math.max(items.findLastIndex(stays), 0) : next);
  settled.clear();
  rowHeight = parseFloat(getComputedStyle(grid).getPropertyValue("--row"));
  body.style.height = `${items.length * rowHeight}px`;
  const first = grid.scrollTop ? indexOf(top.ids.find((id) => indexOf(id) >= 0)) : -1;
  if (isWatched && place >= 0) grid.scrollTop += step * rowHeight;
  else if (first >= 0) grid.scrollTop = first * rowHeight + top.rest;
  if (isWatched && active !== start && !list.isHeld) showActive();
  else drawRows();
  list.fresh = new Set();
  const { size } = list.selected;
  $("select-all").checked = size > 0 && size === items.length;
  $("select-all").indeterminate = size > 0 && size < items.length;
  $("selection").hidden = size === 0;
  $("selection-count").textContent = t("selected", { n: size });
  $("select-rest").hidden = size === items.length;
  $("tag-remove").hidden = !size || !list.chosen.some(({ tag }) => tag);
}

function drawRows() {
  const { scrollTop } = grid; // reading it again would force a layout
  const above = Math.floor(scrollTop / rowHeight);
  const first = Math.max(0, above - SPARE);
  const last = Math.min(items.length, first + Math.ceil(viewHeight() / rowHeight) + 2 * SPARE);
  top = { ids: scrollTop ? idsOf(items.slice(above, last)) : [], rest: scrollTop - above * rowHeight };
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  const edited = indexOf(drafts.cell?.id);
  if (edited >= 0 && (edited < first || edited >= last)) indexes[edited < first ? "unshift" : "push"](edited);
  const wanted = new Set(indexes.map((index) => items[index].id));
  for (const [id, { row }] of rows) {
    if (wanted.has(id)) continue;
    if (drafts.cell?.place === "cell" && drafts.cell.id === id) loseDraft();
    rows.delete(id);
    $("cells").append(...all(".cell-input", row)); // the editor may go on in another row
    row.remove();
  }
  let place = body.firstElementChild; // screen readers follow the order in the document
  for (const index of indexes) {
    const row = drawRow(items[index], index);
    if (row === place) place = row.nextElementSibling;
    else body.insertBefore(row, place);
    row.style.transform = `translateY(${index * rowHeight}px)`;
    if (index === edited) placeEditor(row);
  }
  markActive();
}

/** @param {Plant} stored @param {number} index */
function drawRow(stored, index) {
  const item = list.findPending(stored.id);
  const plant = item?.after ?? stored;
  const known = rows.get(stored.id);
  const row = known?.row ?? /** @type {HTMLElement} */ ($("row-template").content.firstElementChild?.cloneNode(true));
  if (known?.plant !== plant) fill(row, plant);
  rows.set(stored.id, { plant, row });
  row.id = `row-${index}`;
  row.ariaRowIndex = `${index + 3}`;
  row.classList.toggle("busy", item !== undefined && item.state !== "refused");
  row.ariaDisabled = `${row.classList.toggle("gone", list.leaving.has(stored.id))}`;
  row.classList.toggle("refused", item?.state === "refused");
  if (list.fresh.has(plant.id)) row.classList.add("fresh");
  const isSelected = list.selected.has(stored.id);
  row.ariaSelected = `${isSelected}`;
  for (const box of row.querySelectorAll("input[type=checkbox]")) Reflect.set(box, "checked", isSelected);
  const reason = item?.state === "refused" ? (item.error?.message ?? "") : "";
  const [mend] = all(".mend", row);
  if (mend.title === reason) return row;
  Object.assign(mend, { title: reason, hidden: !reason });
  mend.replaceChildren(make("span", { textContent: reason }));
  for (const [text, act] of Object.entries(reason && item ? MENDS : {}))
    if (act !== takeBack || item?.action.kind === "add") mend.append(makeButton(text, () => item && act(item)));
  return row;
}

/** @param {HTMLElement} row @param {Plant} plant */
function fill(row, { id, name, tag = "" }) {
  row.ariaLabel = [name, tag, id].filter(Boolean).join(", ");
  const texts = [name, tag, id.startsWith("+") ? "" : id];
  for (const [at, cell] of all("bdi", row).entries()) cell.textContent = cell.title = texts[at];
  if (tag) colour(all(".pill", row)[0], tag);
  for (const part of all("[data-label]", row)) {
    part.title = t(part.dataset.label ?? "");
    part.ariaLabel = `${part.title} ${name}`;
  }
}

/** aria-activedescendant must name an element: a row far out of sight has none. */
function markActive() {
  for (const cell of all("#rows .current")) cell.classList.remove("current");
  for (const [id, { row }] of rows) row.classList.toggle("active", id === activeId);
  const row = rows.get(activeId ?? "")?.row;
  const cell = row?.querySelector(`.${field}`);
  cell?.classList.add("current");
  if (cell) cell.id = `${row?.id}-${field}`;
  grid.setAttribute("aria-activedescendant", cell?.id ?? "");
}

/** @param {number} index */
function setActive(index) {
  active = Math.max(0, Math.min(index, items.length - 1));
  activeId = items[active]?.id ?? "";
}

export function loseTyped() {
  activeId = null;
}

function showActive() {
  const start = active * rowHeight;
  const end = start + rowHeight - viewHeight();
  grid.scrollTop = Math.min(start, Math.max(end, grid.scrollTop));
  drawRows();
}

/** Makes this the cell that keys act on. @param {string | undefined} id @param {TextField} name */
export function turnTo(id, name) {
  field = name;
  const index = indexOf(id);
  if (index >= 0) setActive(index);
  showActive();
  anchorId = activeId;
}

/** The next cell after this one, if there is one. @param {string} id @param {TextField} name @param {boolean} isBack */
export function nextCell(id, name, isBack) {
  const place = CONTENTS.length * indexOf(id) + CONTENTS.indexOf(name) + (isBack ? -1 : 1);
  const plant = items[Math.floor(place / CONTENTS.length)];
  return plant && { id: plant.id, field: CONTENTS[place % CONTENTS.length] };
}

/** The plant of an element in a row. @param {HTMLElement} target @returns {Plant | undefined} */
const plantAt = (target) => items[Number(target.closest(".row")?.id.slice(4))];
const toggle = (/** @type {string} */ id) => list.select(list.selected.symmetricDifference(new Set([id])));

/** Selects from the row of the last click or step. @param {number} index */
function selectTo(index) {
  const anchor = indexOf(anchorId);
  const from = anchor < 0 ? index : anchor;
  anchorId = items[from].id;
  list.select([...list.selected, ...idsOf(items.slice(Math.min(from, index), Math.max(from, index) + 1))]);
}

/** @param {number} step @param {boolean} selects */
function move(step, selects) {
  if (!selects || indexOf(anchorId) < 0) anchorId = activeId;
  setActive(active + step - Number(!activeId && step > 0)); // the row below has taken the place
  showActive();
  if (selects) selectTo(active);
  else anchorId = activeId;
  if ($("panel").open && activeId) openPanel(activeId);
}

grid.addEventListener("keydown", (event) => {
  if (event.target !== grid || event.altKey || activeId === "" || !items.length) return;
  const { key, shiftKey, repeat } = event;
  const id = activeId ?? "";
  const page = Math.max(1, Math.floor(viewHeight() / rowHeight) - 1);
  const isControl = event.ctrlKey || event.metaKey;
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[key];
  const hasSelected = list.selected.size > 0;
  if (!id && (activeId === null ? TYPED : MEANT).test((isControl ? "^" : "") + key.toLowerCase())) {
    event.stopPropagation();
    if ($("message").className !== "failed") say(rich("row.lost"), {}, "failed");
  } else if (key === "ArrowUp" && active === 0 && !shiftKey && list.may("create")) $("add-name").focus();
  else if (step) move(step, shiftKey);
  else if (key === "ArrowLeft" || key === "ArrowRight") turnTo(id, key === "ArrowRight" ? "tag" : "name");
  else if (key === " ") toggle(id);
  else if (key === "a" && isControl) list.select(idsOf(list.rows));
  else if (key === "Escape" && hasSelected) list.select([]);
  else if (key === "Escape" && $("panel").open) $("panel").close();
  else if (key === "#" && list.may("update")) hasSelected ? $("retag-open").click() : openCell(id, "tag");
  // A held key would delete row after row.
  else if (key === "Delete" && !repeat) remove(hasSelected ? [...list.selected] : [id]);
  else if (key === "i" && isControl) openPanel(id);
  else if (key === "F2" || (key === "Enter" && !repeat)) openCell(id, field);
  else return;
  event.preventDefault();
});
onClick("rows", (event) => {
  const target = targetOf(event);
  const plant = plantAt(target);
  if (!plant || list.leaving.has(plant.id) || target.closest(".cell-input, .mend")) return;
  const isTouch = event.pointerType === "touch" || isNarrow(); // no hover: a tap opens the panel
  const isFirst = event.detail < 2; // the second click of a double click is for the editor
  const index = indexOf(plant.id);
  field = target.closest(".tag") ? "tag" : "name";
  setActive(index);
  markActive();
  if (target.closest(".remove") && !isTouch) {
    if (isFirst && (aimedAt > movedAt || performance.now() - movedAt > UNSEEN)) remove([plant.id]);
  } else if (event.shiftKey) selectTo(index);
  else if (target.closest(".check")) toggle(plant.id);
  else if (target.closest(".more") || isTouch || ($("panel").open && isFirst)) openPanel(plant.id);
  if (!event.shiftKey) anchorId = plant.id;
});
body.addEventListener("dblclick", (event) => {
  const cell = targetOf(event).closest(".row > .name, .row > .tag");
  const plant = plantAt(targetOf(event));
  if (cell && plant && !isNarrow()) openCell(plant.id, cell.matches(".tag") ? "tag" : "name");
});
// The clicked element may be removed, so the grid keeps the focus; and Shift selects rows, not their text.
grid.addEventListener("mousedown", (event) => {
  const target = targetOf(event);
  if (target.closest("#add, .cell-input") || (!event.shiftKey && !target.closest("input, button"))) return;
  event.preventDefault();
  focusPlants();
});
body.addEventListener("pointermove", ({ movementX, movementY }) => {
  list.hold();
  if (Math.hypot(movementX, movementY) > 4) aimedAt = performance.now();
});
body.addEventListener("pointerleave", () => list.hold(false));
addEventListener("keydown", ({ key }) => key === "Shift" || list.hold(false), true); // Shift and a click select
grid.addEventListener("scroll", drawRows, { passive: true });
$("select-all").addEventListener("change", () => list.select($("select-all").checked ? idsOf(list.rows) : []));
onClick("select-rest", () => list.select(idsOf(list.rows)));
onClick("clear-selected", () => list.select([]));
onClick("delete-selected", () => remove([...list.selected]));
new ResizeObserver(() => {
  drawGrid();
  if ($("panel").open) showActive(); // the panel leaves less room
}).observe(grid);
onDraw(drawGrid);
