// The list of plants: only the rows in sight, and the one that is edited, are in the document. The grid itself
// has the focus; aria-activedescendant names the cell that keys act on. Rows are identified by plant id: they
// move as plants are added and removed.

import { discard, remove, retry, takeBack } from "./actions.js";
import { loseDraft, openCell, placeEditor } from "./cell.js";
import { $, all, colour, isNarrow, make, makeButton, targetOf } from "./dom.js";
import { list } from "./list.js";
import { openPanel } from "./panel.js";
import { drafts, onDraw } from "./state.js";
import { t } from "./texts.js";

const SPARE = 8; // rows beyond each edge

class Grid {
  /** @type {Map<string, {plant: Plant, row: HTMLElement}>} */ #rows = new Map();
  /** @type {Plant[]} */ #items = [];
  #rowHeight = 32;
  #look = 0;
  #top = { ids: /** @type {string[]} */ ([]), rest: 0 }; // the visible rows: the first that is left stays in place
  #active = 0;
  /** @type {string | null} */ #activeId = null;
  /** @type {string | null} */ #anchorId = null;
  /** @type {TextField} */ #field = "name";

  constructor() {
    this.root = $("grid");
    this.body = $("rows");
    this.root.addEventListener("scroll", () => this.#drawRows(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#press(event));
    this.body.addEventListener("mousedown", (event) => this.#keepFocus(event));
    this.body.addEventListener("click", (event) => this.#click(event));
    this.body.addEventListener("dblclick", (event) => this.#edit(event));
    $("select-all").addEventListener("change", () => list.select(new Set($("select-all").checked ? idsOf(this.#items) : [])));
    new ResizeObserver(() => {
      this.draw();
      if ($("panel").open) this.#scrollTo(this.#active); // its sheet leaves less room
    }).observe(this.root);
    onDraw(() => this.draw());
  }

  draw() {
    const isSame = this.#look === list.look;
    const { ids, rest } = this.#top;
    this.#look = list.look;
    this.#items = list.rows;
    if (!isSame) this.#restart();
    const place = this.#indexOf(this.#activeId);
    this.#active = place >= 0 ? place : Math.max(0, Math.min(this.#active, this.#items.length - 1));
    this.#activeId = this.#items[this.#active]?.id ?? null;
    this.#rowHeight = parseFloat(getComputedStyle(this.root).getPropertyValue("--row"));
    this.body.style.height = `${this.#items.length * this.#rowHeight}px`;
    const top = isSame && this.root.scrollTop ? this.#indexOf(ids.find((id) => this.#indexOf(id) >= 0) ?? null) : -1;
    if (top >= 0) this.#scroll(top * this.#rowHeight + rest);
    else this.#drawRows();
    list.fresh = new Set();
    this.#drawSelection();
  }

  #restart() {
    this.root.scrollTop = this.#active = 0;
    this.#activeId = this.#anchorId = null;
    this.#top = { ids: [], rest: 0 };
  }

  #drawSelection() {
    const { size } = list.selected;
    this.root.ariaMultiSelectable = `${list.canSelect}`;
    this.root.classList.toggle("selectable", list.canSelect);
    this.root.classList.toggle("selecting", size > 0);
    $("select-all").checked = size > 0 && size === this.#items.length;
    $("select-all").indeterminate = size > 0 && size < this.#items.length;
  }

  /** @param {string | null | undefined} id */
  #indexOf(id) {
    return id == null ? -1 : this.#items.findIndex((plant) => plant.id === id);
  }

  get #viewHeight() {
    return this.root.clientHeight - this.body.offsetTop;
  }

  #drawRows() {
    const [top, height] = [this.root.scrollTop, this.#rowHeight]; // to read them again would lay out anew
    const above = Math.floor(top / height);
    const first = Math.max(0, above - SPARE);
    const last = Math.min(this.#items.length, first + Math.ceil(this.#viewHeight / height) + 2 * SPARE);
    this.#top = { ids: top ? idsOf(this.#items.slice(above, last)) : [], rest: top - above * height };
    const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
    const edited = drafts.cell ? this.#indexOf(drafts.cell.id) : -1;
    if (edited >= 0 && (edited < first || edited >= last)) indexes[edited < first ? "unshift" : "push"](edited);
    const wanted = new Set(indexes.map((index) => this.#items[index].id));
    for (const [id, { row }] of this.#rows) if (!wanted.has(id)) this.#removeRow(id, row);
    let place = this.body.firstElementChild; // rows are read in their order
    for (const index of indexes) {
      const row = this.#drawRow(this.#items[index], index);
      if (row === place) place = row.nextElementSibling;
      else this.body.insertBefore(row, place);
      row.style.transform = `translateY(${index * height}px)`;
      if (index === edited) placeEditor(row);
    }
    this.#tellActive();
  }

  /** @param {string} id @param {HTMLElement} row */
  #removeRow(id, row) {
    if (drafts.cell?.place === "row" && drafts.cell.id === id) loseDraft();
    this.#rows.delete(id);
    row.remove();
  }

  /** @param {Plant} stored @param {number} index */
  #drawRow(stored, index) {
    const item = list.findPending(stored.id);
    const plant = item?.after ?? stored;
    const known = this.#rows.get(stored.id);
    const row = known?.row ?? /** @type {HTMLElement} */ ($("row-template").content.firstElementChild?.cloneNode(true));
    if (!known) for (const part of all("[data-label]", row)) part.title = t(/** @type {TextKey} */ (part.dataset.label));
    if (known?.plant !== plant) fill(row, plant);
    this.#rows.set(stored.id, { plant, row });
    row.id = `row-${index}`;
    row.ariaRowIndex = `${index + 3}`;
    row.classList.toggle("busy", item !== undefined && item.state !== "refused");
    row.classList.toggle("gone", item !== undefined && !item.after);
    row.classList.toggle("fresh", list.fresh.has(plant.id) || row.classList.contains("fresh"));
    row.classList.toggle("refused", item?.state === "refused");
    const isSelected = list.selected.has(stored.id);
    row.ariaSelected = list.canSelect ? `${isSelected}` : null;
    for (const box of row.querySelectorAll("input[type=checkbox]")) /** @type {HTMLInputElement} */ (box).checked = isSelected;
    drawReason(row, item);
    return row;
  }

  // It may name only an existing element: a row far out of sight has none.
  #tellActive() {
    for (const [id, { row }] of this.#rows) row.classList.toggle("active", id === this.#activeId);
    const row = this.#rows.get(this.#activeId ?? "")?.row;
    for (const cell of all("#rows .current")) cell.classList.remove("current");
    const cell = row?.querySelector(`.${this.#field}`);
    cell?.classList.add("current");
    if (cell && row) cell.id = `${row.id}-${this.#field}`;
    this.root.setAttribute("aria-activedescendant", cell?.id ?? "");
  }

  // The clicked element may be removed, so the grid keeps the focus; and Shift selects rows, not
  // their text.
  /** @param {MouseEvent} event */
  #keepFocus(event) {
    if (targetOf(event).closest(".cell-input") || (!event.shiftKey && !targetOf(event).closest("input, button"))) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  // The plant of an element in a row.
  /** @param {HTMLElement} target */
  #plantAt(target) {
    const row = target.closest(".row");
    return row ? this.#items[Number(row.id.slice(4))] : undefined;
  }

  /** @param {PointerEvent} event */
  #click(event) {
    const target = targetOf(event);
    const plant = this.#plantAt(target);
    if (!plant || target.closest(".cell-input, .mend")) return;
    const index = this.#indexOf(plant.id);
    const isTouch = event.pointerType === "touch" || isNarrow(); // which has no hover: a tap shows all of a plant
    const isFirst = event.detail < 2; // the second click of a double click is for the editor
    this.#field = target.closest(".tag") ? "tag" : "name";
    this.#activate(index, false);
    if (target.closest(".remove")) {
      if (isFirst) remove([plant.id]);
    } else if (event.shiftKey) this.#selectTo(index);
    else if (target.closest(".check")) this.#toggle(plant.id);
    else if (target.closest(".more") || isTouch || ($("panel").open && isFirst)) openPanel(plant.id);
    if (!event.shiftKey) this.#anchorId = plant.id;
  }

  /** @param {MouseEvent} event */
  #edit(event) {
    const cell = targetOf(event).closest(".row > .name, .row > .tag");
    const plant = this.#plantAt(targetOf(event));
    if (cell && plant && !isNarrow()) openCell(plant.id, cell.classList.contains("tag") ? "tag" : "name");
  }

  /** @param {string} id */
  #toggle(id) {
    const ids = new Set(list.selected);
    if (!ids.delete(id)) ids.add(id);
    list.select(ids);
  }

  // From the row of the last click or step.
  /** @param {number} index */
  #selectTo(index) {
    const anchor = this.#indexOf(this.#anchorId);
    const from = anchor < 0 ? index : anchor;
    const [low, high] = from < index ? [from, index] : [index, from];
    this.#anchorId = this.#items[from].id;
    list.select(new Set([...list.selected, ...idsOf(this.#items.slice(low, high + 1))]));
  }

  /** @param {number} index */
  #activate(index, scrolls = true) {
    this.#active = Math.max(0, Math.min(index, this.#items.length - 1));
    this.#activeId = this.#items[this.#active]?.id ?? null;
    if (scrolls) this.#scrollTo(this.#active);
    this.#tellActive();
  }

  /** @param {number} index */
  #scrollTo(index) {
    const top = index * this.#rowHeight;
    const bottom = top + this.#rowHeight - this.#viewHeight;
    this.#scroll(top < this.root.scrollTop ? top : Math.max(bottom, this.root.scrollTop));
  }

  /** @param {number} top */
  #scroll(top) {
    if (top !== this.root.scrollTop) this.root.scrollTop = top;
    this.#drawRows();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.target !== this.root || event.altKey || !this.#items.length) return;
    const { id } = this.#items[this.#active];
    const page = Math.max(1, Math.floor(this.#viewHeight / this.#rowHeight) - 1);
    const isControl = event.ctrlKey || event.metaKey;
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === "ArrowUp" && this.#active === 0 && !event.shiftKey && list.may("create")) $("add-name").focus();
    else if (event.key in steps) this.#move(steps[event.key], event.shiftKey);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.turnTo(id, event.key === "ArrowRight" ? "tag" : "name");
    else if (event.key === " ") this.#toggle(id);
    else if (event.key === "a" && isControl) list.select(new Set(idsOf(this.#items)));
    else if (event.key === "Escape" && list.selected.size) list.select(new Set());
    else if (event.key === "Escape" && $("panel").open) $("panel").close();
    else if (event.key === "t" && !isControl) list.selected.size ? $("retag-open").click() : openCell(id, "tag");
    else if (event.key === "Delete" && !event.repeat && list.canSelect) // held down, it would delete row after row
      remove(list.selected.size ? [...list.selected] : [id]);
    else if (event.key === "i" && !isControl) openPanel(id);
    else if (event.key === "F2" || (event.key === "Enter" && !event.repeat)) openCell(id, this.#field);
    else return;
    event.preventDefault();
  }

  /** @param {number} step @param {boolean} selects */
  #move(step, selects) {
    if (!selects || this.#indexOf(this.#anchorId) < 0) this.#anchorId = this.#activeId;
    this.#activate(this.#active + step);
    if (selects) this.#selectTo(this.#active);
    else this.#anchorId = this.#activeId;
    if ($("panel").open && this.#activeId) openPanel(this.#activeId);
  }

  // The next cell after this one, if there is one.
  /** @param {string} id @param {TextField} field @param {boolean} isBack */
  next(id, field, isBack) {
    const index = this.#indexOf(id);
    const stays = (field === "name") !== isBack;
    const plant = index < 0 ? undefined : this.#items[index + (stays ? 0 : isBack ? -1 : 1)];
    return plant && { id: plant.id, field: /** @type {TextField} */ (field === "name" ? "tag" : "name") };
  }

  // From above, to the first row.
  enter() {
    this.turnTo(this.#items[0]?.id, "name");
    this.root.focus({ preventScroll: true });
  }

  // The cell that keys act on from now on.
  /** @param {string | undefined} id @param {TextField} field */
  turnTo(id, field) {
    this.#field = field;
    const index = this.#indexOf(id);
    if (index >= 0) this.#activate(index);
    this.#anchorId = this.#activeId;
  }
}

/** @param {Plant[]} plants */
const idsOf = (plants) => plants.map(({ id }) => id);

/** @param {HTMLElement} row @param {Plant} plant */
function fill(row, { id, name, tag = "" }) {
  row.ariaLabel = [name, tag, id].filter(Boolean).join(", ");
  const texts = [name, tag, id.startsWith("+") ? "" : id];
  for (const [at, cell] of all("bdi", row).entries()) cell.textContent = cell.title = texts[at];
  const pill = /** @type {HTMLElement} */ (row.querySelector(".pill"));
  if (tag) colour(pill, tag);
  for (const part of all("[data-label]", row)) part.ariaLabel = `${t(/** @type {TextKey} */ (part.dataset.label))} ${name}`;
}

// Why it was refused, with what can be done about it.
/** @param {HTMLElement} row @param {Pending | undefined} item */
function drawReason(row, item) {
  const cell = /** @type {HTMLElement} */ (row.querySelector(".mend"));
  const reason = item?.state === "refused" ? (item.error?.message ?? "") : "";
  cell.hidden = !reason;
  if (cell.dataset.reason === reason || !(reason || cell.dataset.reason)) return;
  cell.dataset.reason = reason;
  cell.replaceChildren(make("span", { textContent: reason, title: reason }));
  if (!reason || !item) return;
  cell.append(
    makeButton(t("again"), () => retry(item)),
    ...(item.action.kind === "add" ? [makeButton(t("edit"), () => takeBack(item))] : []),
    makeButton(t("discard"), () => discard(item)),
  );
}

export const grid = new Grid();
