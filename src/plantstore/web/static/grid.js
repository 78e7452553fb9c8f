// The list of plants: only the visible rows are in the document, however many there are.
// The grid itself has the focus; aria-activedescendant names the row that keys act on. That row
// and the selected ones are identified by plant id: rows move as plants are added and removed.

import { $, clone, colour, isNarrow, targetOf } from "./dom.js";

const SPARE = 8; // rows beyond each edge
const MAX_HEIGHT = 8_000_000; // pixels; browsers support little more
// On a phone names wrap: in each row to as many lines as the longest needs.
const MAX_LINES = 3;
const ROW_MARGIN = 80; // pixels
const LETTER = 9.5;

/** @typedef {{element: HTMLElement, box: HTMLInputElement, more: HTMLElement, remove: HTMLElement,
 *   id: HTMLElement, name: HTMLElement, tag: HTMLElement, plant: Plant}} GridRow */

export class Grid {
  /** @type {Map<number, GridRow>} */
  #rows = new Map();
  /** @type {GridRow[]} */
  #unused = [];
  #height = 0; // of all rows, in pixels, whether in the document or not
  /** @type {{ids: string[], rest: number}} */
  #top = { ids: [], rest: 0 }; // the visible rows: the first of them that is left stays in place
  /** @type {string | null} */
  #activeId = null;
  /** @type {string | null} */
  #anchorId = null;
  /** @type {Plant[]} */
  items = [];
  /** @type {Set<string>} */
  selected = new Set();
  /** @type {Set<string>} */
  #fresh = new Set(); // plants that have just changed

  // `on` is notified of select, remove(ids), open(plant, field), filter(tag), near(end of the list) and moved(), and
  // knows isBusy(id).
  /**
   * @param {{select: () => void, remove: (ids: string[]) => void, near: () => void, moved: () => void,
   *   open: (plant: Plant, field: Field | null) => void, filter: (tag: string) => void, isBusy: (id: string) => boolean}} on
   */
  constructor(on) {
    this.on = on;
    this.root = $("grid");
    this.body = $("rows");
    this.active = 0;
    this.hasActive = false;
    this.canSelect = false;
    this.rowHeight = readRowHeight();
    this.root.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#press(event));
    // Focus by Tab shows the active row; a click activates its own row instead.
    this.root.addEventListener("focus", () => this.#activate(this.active, { scroll: false }));
    this.root.addEventListener("keyup", ({ key }) => {
      if (key === "Tab") this.#activate(this.active);
    });
    this.body.addEventListener("mousedown", (event) => this.#keepFocus(event));
    this.body.addEventListener("click", (event) => this.#click(event));
    this.body.addEventListener("dblclick", (event) => this.#open(event));
    $("select-all").addEventListener("change", () => (this.#isAllSelected ? this.clear() : this.selectAll()));
    new ResizeObserver(() => this.#fit()).observe(this.root);
  }

  /** @param {Plant[]} items @param {{keepPlace?: boolean, fresh?: Set<string>}} options */
  show(items, { keepPlace = false, fresh = new Set() } = {}) {
    const top = this.#top;
    this.items = items;
    this.#fresh = fresh;
    if (!keepPlace) {
      this.root.scrollTop = 0;
      this.#anchorId = null;
      this.active = 0;
    } else {
      const place = this.#indexOf(this.#activeId);
      this.active = place >= 0 ? place : Math.max(0, Math.min(this.active, items.length - 1));
      this.#forgetGone();
    }
    this.#activeId = items[this.active]?.id ?? null;
    this.refresh();
    this.#fresh = new Set();
    if (!keepPlace) return;
    const left = top.ids.find((id) => this.#indexOf(id) >= 0);
    if (left !== undefined) this.#scroll(this.#indexOf(left) * this.rowHeight + top.rest);
  }

  /** @param {string | null} id */
  #indexOf(id) {
    return id === null ? -1 : this.items.findIndex((plant) => plant.id === id);
  }

  #forgetGone() {
    if (!this.selected.size) return;
    const before = this.selected.size;
    this.selected = new Set(this.items.flatMap(({ id }) => (this.selected.has(id) ? id : [])));
    if (this.selected.size !== before) this.#tellSelection();
  }

  refresh() {
    this.#recycle(0, 0);
    this.#resize();
    this.#draw();
  }

  /** @param {boolean} canSelect */
  allow(canSelect) {
    this.canSelect = canSelect;
    this.root.classList.toggle("selectable", canSelect);
    if (canSelect) this.root.setAttribute("aria-multiselectable", "true");
    else this.root.removeAttribute("aria-multiselectable");
    this.clear();
  }

  clear() {
    this.selected.clear();
    this.#tellSelection();
  }

  // Whether it is in the list.
  /** @param {string} id */
  reveal(id) {
    const index = this.#indexOf(id);
    if (index < 0) return false;
    this.#activate(index);
    this.#rows.get(index)?.element.classList.add("fresh");
    return true;
  }

  // Where its row is, in pixels below the top of the grid; null if it is out of sight.
  /** @param {string} id */
  locate(id) {
    const top = this.#indexOf(id) * this.rowHeight - this.#offset;
    const isInSight = top > -this.rowHeight / 2 && top < this.#viewHeight - this.rowHeight / 2;
    return isInSight ? top + this.body.offsetTop : null;
  }

  // The scroll position, in pixels as if all rows were in the document.
  get #offset() {
    const room = this.body.offsetHeight - this.#viewHeight;
    const hidden = this.#height - this.#viewHeight;
    return hidden <= 0 || room <= 0 ? 0 : (this.root.scrollTop / room) * hidden;
  }

  get #viewHeight() {
    return this.root.clientHeight - this.body.offsetTop;
  }

  #fit() {
    const { rowHeight } = this;
    const first = Math.round(this.#offset / rowHeight);
    this.#resize();
    if (this.rowHeight !== rowHeight) this.#scrollTo(first);
    this.#draw();
  }

  #resize() {
    let [idLength, nameLength] = [1, 1];
    for (const { id, name } of this.items) {
      if (id.length > idLength) idLength = id.length;
      if (name.length > nameLength) nameLength = name.length;
    }
    const perLine = Math.max(1, Math.floor((this.root.clientWidth - ROW_MARGIN) / LETTER));
    const lines = isNarrow() ? Math.min(Math.ceil(nameLength / perLine), MAX_LINES) : 1;
    $("plants").style.setProperty("--id-length", `${idLength}`);
    $("plants").style.setProperty("--lines", `${lines}`);
    this.rowHeight = readRowHeight();
    this.#height = this.items.length * this.rowHeight;
    this.body.style.height = `${Math.min(this.#height, MAX_HEIGHT)}px`;
  }

  /** @param {boolean} isComplete */
  tellRows(isComplete) {
    this.root.setAttribute("aria-rowcount", `${isComplete ? this.items.length + 1 : -1}`);
  }

  #draw() {
    const offset = this.#offset;
    const above = Math.floor(offset / this.rowHeight);
    const first = Math.max(0, above - SPARE);
    const shown = Math.ceil(this.#viewHeight / this.rowHeight) + 2 * SPARE;
    const last = Math.min(this.items.length, first + shown);
    const ids = offset ? this.items.slice(above, last).map(({ id }) => id) : [];
    this.#top = { ids, rest: offset - above * this.rowHeight };
    const shift = this.root.scrollTop - offset;
    this.#recycle(first, last);
    for (let index = first; index < last; index += 1) {
      const row = this.#rows.get(index) ?? this.#place(index);
      row.element.style.transform = `translateY(${index * this.rowHeight + shift}px)`;
    }
    this.#tellActive();
    if (last >= this.items.length - 3 * SPARE) this.on.near();
    this.on.moved();
  }

  // It may name only an existing element: a row far out of sight has none.
  #tellActive() {
    const row = this.hasActive && this.#rows.get(this.active);
    if (row) this.root.setAttribute("aria-activedescendant", row.element.id);
    else this.root.removeAttribute("aria-activedescendant");
  }

  // Rows out of sight are taken for others.
  /** @param {number} first @param {number} last */
  #recycle(first, last) {
    for (const [index, row] of this.#rows) {
      if (index >= first && index < last) continue;
      this.#rows.delete(index);
      this.#unused.push(row);
      row.element.remove();
    }
  }

  /** @param {number} index */
  #place(index) {
    const row = this.#unused.pop() ?? this.#make();
    this.#rows.set(index, row);
    this.#fill(row, this.items[index], index);
    this.body.append(row.element);
    return row;
  }

  #make() {
    const element = clone("row-template");
    /** @param {string} selector */
    const find = (selector) => /** @type {any} */ (element.querySelector(selector));
    const [box, more, remove] = ["input", ".more", ".remove"].map(find);
    const [id, name, tag] = [".id bdi", ".name bdi", ".tag bdi"].map(find);
    return { element, box, more, remove, id, name, tag, plant: { id: "", name: "" } };
  }

  /** @param {GridRow} row @param {Plant} plant @param {number} index */
  #fill(row, plant, index) {
    const { element, box } = row;
    element.id = `row-${index}`;
    element.setAttribute("aria-rowindex", `${index + 2}`);
    element.setAttribute("aria-label", [plant.name, plant.tag, plant.id].filter(Boolean).join(", "));
    for (const [name, isSo] of Object.entries({
      active: index === this.active,
      busy: this.on.isBusy(plant.id),
      fresh: this.#fresh.has(plant.id),
    }))
      element.classList.toggle(name, isSo);
    row.plant = plant;
    row.id.textContent = plant.id;
    row.name.textContent = row.name.title = plant.name;
    row.tag.textContent = row.tag.title = plant.tag ?? "";
    if (plant.tag) colour(row.tag, plant.tag);
    row.more.setAttribute("aria-label", `Details of ${plant.name}`);
    row.remove.setAttribute("aria-label", `Delete ${plant.name}`);
    box.setAttribute("aria-label", `Select ${plant.name}`);
    this.#fillSelection(row);
  }

  get #isAllSelected() {
    return this.selected.size > 0 && this.selected.size === this.items.length;
  }

  /** @param {GridRow} row */
  #fillSelection({ element, box, plant }) {
    box.checked = this.selected.has(plant.id);
    if (this.canSelect) element.setAttribute("aria-selected", `${box.checked}`);
    else element.removeAttribute("aria-selected");
  }

  // The clicked element may be removed, so the grid keeps the focus; and Shift selects rows, not
  // their text.
  /** @param {MouseEvent} event */
  #keepFocus(event) {
    if (!event.shiftKey && !targetOf(event).closest("input, button")) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = targetOf(event);
    const element = target.closest(".row");
    if (!element) return;
    const index = Number(element.id.slice(4));
    const plant = this.items[index];
    const { id } = plant;
    this.#activate(index, { scroll: false });
    if (target.closest(".remove")) {
      // The second click of a double click would hit the row that moved up.
      if (event.detail < 2) this.on.remove([id]);
    } else if (this.canSelect && event.shiftKey) this.#selectRange(index);
    else if (this.canSelect && target.closest(".check")) this.#toggle(index);
    else if (target.closest(".more") || (isTouch(event) && !target.closest(".check"))) this.on.open(plant, null);
    else if (target.closest(".pill") && plant.tag && event.detail < 2) this.on.filter(plant.tag);
    if (!event.shiftKey) this.#anchorId = id;
  }

  /** @param {MouseEvent} event */
  #open(event) {
    const cell = targetOf(event).closest(".row > span:not(.check, .actions)");
    const plant = this.items[this.active];
    if (cell && plant) this.on.open(plant, cell.className === "tag" ? "tag" : "name");
  }

  /** @param {number} index */
  #toggle(index) {
    const item = this.items[index];
    if (!this.canSelect || !item) return;
    if (!this.selected.delete(item.id)) this.selected.add(item.id);
    this.#anchorId = item.id;
    this.#tellSelection();
  }

  /** @param {number} index */
  #selectRange(index) {
    if (this.#indexOf(this.#anchorId) < 0) this.#anchorId = this.items[index].id;
    const from = this.#indexOf(this.#anchorId);
    const [low, high] = from < index ? [from, index] : [index, from];
    for (const { id } of this.items.slice(low, high + 1)) this.selected.add(id);
    this.#tellSelection();
  }

  selectAll() {
    if (this.canSelect) this.select(new Set(this.items.map(({ id }) => id)));
  }

  /** @param {Set<string>} ids */
  select(ids) {
    this.selected = ids;
    this.#tellSelection();
  }

  #tellSelection() {
    for (const row of this.#rows.values()) this.#fillSelection(row);
    $("select-all").checked = this.#isAllSelected;
    $("select-all").indeterminate = this.selected.size > 0 && !this.#isAllSelected;
    this.on.select();
  }

  /** @param {number} index @param {{scroll?: boolean}} options */
  #activate(index, { scroll = true } = {}) {
    this.hasActive = true;
    this.active = Math.max(0, Math.min(index, this.items.length - 1));
    this.#activeId = this.items[this.active]?.id ?? null;
    if (scroll) this.#scrollTo(this.active);
    for (const [at, { element }] of this.#rows)
      element.classList.toggle("active", at === this.active);
    this.#tellActive();
  }

  /** @param {number} index */
  #scrollTo(index) {
    const top = index * this.rowHeight;
    const offset = this.#offset;
    const bottom = top + this.rowHeight - this.#viewHeight;
    const wanted = top < offset ? top : Math.max(bottom, offset);
    this.#scroll(wanted);
  }

  /** @param {number} offset */
  #scroll(offset) {
    const room = this.body.offsetHeight - this.#viewHeight;
    const hidden = this.#height - this.#viewHeight;
    if (offset !== this.#offset) this.root.scrollTop = hidden > 0 ? (offset / hidden) * room : 0;
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.target !== this.root || event.altKey) return;
    const page = Math.max(1, Math.floor(this.#viewHeight / this.rowHeight) - 1);
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    steps.Home = -this.items.length;
    steps.End = this.items.length;
    if (event.key in steps) this.#move(steps[event.key], event.shiftKey);
    else if (event.key === " ") this.#toggle(this.active);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) this.selectAll();
    else if (event.key === "Escape" && this.selected.size) this.clear();
    else if (event.key === "Delete") this.#removeByKey(event);
    else if (event.key === "i" && !event.ctrlKey && !event.metaKey && this.items[this.active])
      this.on.open(this.items[this.active], null);
    else if (event.key === "Enter" && this.items[this.active]) this.on.open(this.items[this.active], "name");
    else return;
    event.preventDefault();
  }

  /** @param {number} step @param {boolean} extends_ */
  #move(step, extends_) {
    if (extends_ && this.canSelect) {
      if (this.#indexOf(this.#anchorId) < 0) this.#anchorId = this.#activeId;
      this.#activate(this.active + step);
      this.#selectRange(this.active);
    } else {
      this.#activate(this.active + step);
      this.#anchorId = this.#activeId;
    }
  }

  // One press, one delete: a key held down would delete row after row.
  /** @param {KeyboardEvent} event */
  #removeByKey({ repeat }) {
    const item = this.items[this.active];
    if (repeat || !this.canSelect || !item) return;
    this.on.remove(this.selected.size ? [...this.selected] : [item.id]);
  }
}

// A finger has no second button and no hover: a tap shows all of a plant.
/** @param {MouseEvent} event */
const isTouch = (event) =>
  (event instanceof PointerEvent && event.pointerType === "touch") || isNarrow();

const readRowHeight = () => parseFloat(getComputedStyle($("plants")).getPropertyValue("--row"));
