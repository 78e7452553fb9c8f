// The list of plants: only the visible rows are in the document, however many there are.
// The grid itself has the focus; aria-activedescendant names the row that keys act on. That row
// and the selected ones are identified by plant id: rows move as plants are added and removed.

import { $, bdi, make, targetOf } from "./dom.js";
import { findIndex, findPlace } from "./plant.js";

const SPARE = 8; // rows beyond each edge
const MAX_HEIGHT = 8_000_000; // pixels; browsers support little more

export class Grid {
  /** @type {Map<number, {element: HTMLElement, plant: Plant}>} */
  #rows = new Map();
  #height = 0; // of all rows, in pixels, whether in the document or not
  /** @type {{id: string, rest: number} | null} */
  #top = null; // the first visible row, which stays in place when rows above it change
  /** @type {string | null} */
  #activeId = null;
  /** @type {string | null} */
  #anchorId = null;
  /** @type {Plant[]} */
  items = [];
  /** @type {Set<string>} */
  selected = new Set();

  // `on` is notified of select, remove(ids) and near(end of the list), and knows isLeaving(id).
  /**
   * @param {{select: () => void, remove: (ids: string[]) => void, near: () => void,
   *   isLeaving: (id: string) => boolean}} on
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
    new ResizeObserver(() => this.#fit()).observe(this.root);
  }

  /** @param {Plant[]} items @param {{keepPlace?: boolean}} options */
  show(items, { keepPlace = false } = {}) {
    const top = this.#top;
    this.items = items;
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
    if (keepPlace && top) this.#scroll(findPlace(items, top.id) * this.rowHeight + top.rest);
  }

  /** @param {string | null} id */
  #indexOf(id) {
    return id === null ? -1 : findIndex(this.items, id);
  }

  #forgetGone() {
    const before = this.selected.size;
    for (const id of this.selected) if (this.#indexOf(id) < 0) this.selected.delete(id);
    if (this.selected.size !== before) this.on.select();
  }

  refresh() {
    for (const row of this.#rows.values()) row.element.remove();
    this.#rows.clear();
    this.#resize();
    this.#draw();
  }

  // More were added at the end.
  grow() {
    const offset = this.#offset;
    this.#resize();
    this.#scroll(offset);
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
    this.refresh();
    this.on.select();
  }

  /** @param {number} index */
  reveal(index) {
    this.#activate(index);
    const row = this.#rows.get(index)?.element;
    row?.classList.add("fresh");
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
    const rowHeight = readRowHeight();
    const first = Math.round(this.#offset / this.rowHeight);
    if (rowHeight !== this.rowHeight) {
      this.rowHeight = rowHeight;
      this.refresh();
      this.#scrollTo(first);
    }
    this.#draw();
  }

  #resize() {
    const ends = [this.items[0], this.items.at(-1)].map((plant) => plant?.id.length ?? 1);
    this.root.style.setProperty("--id-length", `${Math.max(...ends)}`);
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
    const top = this.items[above];
    this.#top = offset && top ? { id: top.id, rest: offset - above * this.rowHeight } : null;
    const first = Math.max(0, above - SPARE);
    const shown = Math.ceil(this.#viewHeight / this.rowHeight) + 2 * SPARE;
    const last = Math.min(this.items.length, first + shown);
    const shift = this.root.scrollTop - offset;
    this.#recycle(first, last);
    for (let index = first; index < last; index += 1) {
      const row = this.#rows.get(index) ?? this.#place(index);
      row.element.style.transform = `translateY(${index * this.rowHeight + shift}px)`;
    }
    this.#tellActive();
    if (last >= this.items.length - 3 * SPARE) this.on.near();
  }

  // It may name only an existing element: a row far out of sight has none.
  #tellActive() {
    const row = this.hasActive && this.#rows.get(this.active);
    if (row) this.root.setAttribute("aria-activedescendant", row.element.id);
    else this.root.removeAttribute("aria-activedescendant");
  }

  /** @param {number} first @param {number} last */
  #recycle(first, last) {
    for (const [index, row] of this.#rows) {
      if (index < first || index >= last) {
        row.element.remove();
        this.#rows.delete(index);
      }
    }
  }

  /** @param {number} index */
  #place(index) {
    const plant = this.items[index];
    const element = this.#make(plant, index);
    const row = { element, plant };
    this.#rows.set(index, row);
    this.body.append(element);
    return row;
  }

  /** @param {Plant} plant @param {number} index */
  #make(plant, index) {
    const element = make("div", { className: "row", role: "row", id: `row-${index}` });
    element.setAttribute("aria-rowindex", `${index + 2}`);
    element.classList.toggle("active", index === this.active);
    element.classList.toggle("leaving", this.on.isLeaving(plant.id));
    element.append(
      make("span", { className: "check", role: "gridcell" }),
      make("span", { className: "id", role: "gridcell", textContent: plant.id }),
      make("span", { className: "name", role: "gridcell", title: plant.name }, bdi(plant.name)),
      this.#makeTag(plant),
    );
    if (this.canSelect) this.#addControls(element, plant);
    return element;
  }

  /** @param {Plant} plant */
  #makeTag({ tag }) {
    const cell = make("span", { className: "tag", role: "gridcell" });
    if (tag) cell.append(make("span", { className: "pill", title: tag }, bdi(tag)));
    return cell;
  }

  /** @param {HTMLElement} element @param {Plant} plant */
  #addControls(element, plant) {
    const isSelected = this.selected.has(plant.id);
    const box = make("input", { type: "checkbox", tabIndex: -1, checked: isSelected });
    box.setAttribute("aria-label", `Select ${plant.name}`);
    element.setAttribute("aria-selected", `${isSelected}`);
    element.querySelector(".check")?.append(box);
    const label = `Delete ${plant.name}`;
    const button = make("button", { type: "button", className: "quiet remove", tabIndex: -1 });
    button.title = "Delete";
    button.setAttribute("aria-label", label);
    button.append(make("span", { className: "bin" }));
    element.append(make("span", { className: "actions", role: "gridcell" }, button));
  }

  // The clicked element may be removed, so the grid keeps the focus; and Shift selects rows, not
  // their text.
  /** @param {MouseEvent} event */
  #keepFocus(event) {
    if (!event.shiftKey && !targetOf(event).closest("input, .remove")) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = targetOf(event);
    const element = target.closest(".row");
    if (!element) return;
    const index = Number(element.id.slice(4));
    const { id } = this.items[index];
    this.#activate(index, { scroll: false });
    if (target.closest(".remove")) {
      // The second click of a double click would hit the row that moved up.
      if (event.detail < 2) this.on.remove([id]);
    } else if (this.canSelect && event.shiftKey) this.#selectRange(index);
    else if (this.canSelect && target.closest(".check")) this.#toggle(index);
    if (!event.shiftKey) this.#anchorId = id;
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
    if (!this.canSelect) return;
    for (const { id } of this.items) this.selected.add(id);
    this.#tellSelection();
  }

  #tellSelection() {
    for (const { element, plant } of this.#rows.values()) {
      const isSelected = this.selected.has(plant.id);
      element.setAttribute("aria-selected", `${isSelected}`);
      const box = element.querySelector("input");
      if (box) box.checked = isSelected;
    }
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
    const isPlain = !event.ctrlKey && !event.metaKey;
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
    else if (event.key === "/" && isPlain) $("find").focus();
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

function readRowHeight() {
  const style = getComputedStyle(document.documentElement);
  return parseFloat(style.getPropertyValue("--row")) * parseFloat(style.fontSize);
}
