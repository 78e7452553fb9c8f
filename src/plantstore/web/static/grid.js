// The list of plants: only the rows in sight are in the document, however many there are.
// The grid itself has the focus; aria-activedescendant tells which row the keys act on.

import { $, bdi, make } from "./dom.js";

const SPARE = 8; // rows beyond each edge
const TALLEST = 8_000_000; // pixels; browsers cannot do much more

export class Grid {
  #rows = new Map();
  #anchor = null;

  // `on` hears select, remove(ids) and near(end of the list).
  constructor(on) {
    this.on = on;
    this.root = $("grid");
    this.body = $("rows");
    this.items = [];
    this.selected = new Set();
    this.active = 0;
    this.hasActive = false;
    this.canSelect = false;
    this.rowHeight = readRowHeight();
    this.root.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#press(event));
    this.root.addEventListener("focus", () => this.#activate(this.active));
    this.body.addEventListener("click", (event) => this.#click(event));
    new ResizeObserver(() => this.#fit()).observe(this.root);
  }

  show(items, { keepPlace = false } = {}) {
    this.items = items;
    this.active = Math.max(0, Math.min(this.active, items.length - 1));
    if (!keepPlace) {
      this.root.scrollTop = 0;
      this.active = 0;
    }
    this.refresh();
  }

  refresh() {
    for (const row of this.#rows.values()) row.element.remove();
    this.#rows.clear();
    this.#resize();
    this.#draw();
  }

  // More were added at the end.
  grow() {
    this.#resize();
    this.#draw();
  }

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

  reveal(index) {
    this.#activate(index);
    const row = this.#rows.get(index)?.element;
    row?.classList.add("fresh");
  }

  get #height() {
    return this.items.length * this.rowHeight;
  }

  // How far the rows are scrolled, in pixels as if they were all there.
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
    this.root.style.setProperty("--id-length", Math.max(...ends));
    this.body.style.height = `${Math.min(this.#height, TALLEST)}px`;
    this.root.setAttribute("aria-rowcount", this.items.length + 1);
  }

  #draw() {
    const offset = this.#offset;
    const first = Math.max(0, Math.floor(offset / this.rowHeight) - SPARE);
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

  // It may name only what is there: a row far out of sight is not.
  #tellActive() {
    const row = this.hasActive && this.#rows.get(this.active);
    if (row) this.root.setAttribute("aria-activedescendant", row.element.id);
    else this.root.removeAttribute("aria-activedescendant");
  }

  #recycle(first, last) {
    for (const [index, row] of this.#rows) {
      if (index < first || index >= last) {
        row.element.remove();
        this.#rows.delete(index);
      }
    }
  }

  #place(index) {
    const plant = this.items[index];
    const element = this.#make(plant, index);
    const row = { element, plant };
    this.#rows.set(index, row);
    this.body.append(element);
    return row;
  }

  #make(plant, index) {
    const element = make("div", { className: "row", role: "row", id: `row-${index}` });
    element.setAttribute("aria-rowindex", index + 2);
    element.classList.toggle("active", index === this.active);
    element.append(
      make("span", { className: "check", role: "gridcell" }),
      make("span", { className: "id", role: "gridcell", textContent: plant.id }),
      make("span", { className: "name", role: "gridcell", title: plant.name }, bdi(plant.name)),
      this.#makeTag(plant),
    );
    if (this.canSelect) this.#addControls(element, plant);
    return element;
  }

  #makeTag({ tag }) {
    const cell = make("span", { className: "tag", role: "gridcell" });
    if (tag) cell.append(make("span", { className: "pill", title: tag }, bdi(tag)));
    return cell;
  }

  #addControls(element, plant) {
    element.setAttribute("aria-selected", this.selected.has(plant.id));
    element.querySelector(".check").append(make("span", { className: "box" }));
    const label = `Delete ${plant.name}`;
    const button = make("button", { type: "button", className: "quiet remove", tabIndex: -1 });
    button.title = "Delete";
    button.setAttribute("aria-label", label);
    button.append(make("span", { className: "bin" }));
    element.append(make("span", { className: "actions", role: "gridcell" }, button));
  }

  #click(event) {
    const element = event.target.closest(".row");
    if (!element) return;
    const index = Number(element.id.slice(4));
    const { id } = this.items[index];
    if (event.target.closest(".remove")) this.on.remove([id]);
    else if (this.canSelect && event.shiftKey) this.#selectRange(index);
    else if (this.canSelect && event.target.closest(".check")) this.#toggle(index);
    this.#anchor = index;
    this.#activate(index, { scroll: false });
  }

  #toggle(index) {
    const item = this.items[index];
    if (!this.canSelect || !item) return;
    if (!this.selected.delete(item.id)) this.selected.add(item.id);
    this.#anchor = index;
    this.#tellSelection();
  }

  #selectRange(index) {
    const from = this.#anchor ?? this.active;
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
    for (const { element, plant } of this.#rows.values())
      element.setAttribute("aria-selected", this.selected.has(plant.id));
    this.on.select();
  }

  #activate(index, { scroll = true } = {}) {
    this.hasActive = true;
    this.active = Math.max(0, Math.min(index, this.items.length - 1));
    if (scroll) this.#scrollTo(this.active);
    for (const [at, { element }] of this.#rows)
      element.classList.toggle("active", at === this.active);
    this.#tellActive();
  }

  #scrollTo(index) {
    const top = index * this.rowHeight;
    const offset = this.#offset;
    const bottom = top + this.rowHeight - this.#viewHeight;
    const wanted = top < offset ? top : bottom > offset ? bottom : offset;
    if (wanted === offset) return;
    const room = this.body.offsetHeight - this.#viewHeight;
    this.root.scrollTop = (wanted / (this.#height - this.#viewHeight)) * room;
    this.#draw();
  }

  #press(event) {
    if (event.target !== this.root || event.altKey) return;
    const page = Math.max(1, Math.floor(this.#viewHeight / this.rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    steps.Home = -this.items.length;
    steps.End = this.items.length;
    if (event.key in steps) this.#move(steps[event.key], event.shiftKey);
    else if (event.key === " ") this.#toggle(this.active);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) this.selectAll();
    else if (event.key === "Escape" && this.selected.size) this.clear();
    else if (event.key === "Delete" || event.key === "Backspace") this.#removeByKey();
    else return;
    event.preventDefault();
  }

  #move(step, extends_) {
    if (extends_ && this.canSelect) {
      this.#anchor ??= this.active;
      this.#activate(this.active + step);
      this.#selectRange(this.active);
    } else {
      this.#activate(this.active + step);
      this.#anchor = this.active;
    }
  }

  #removeByKey() {
    const item = this.items[this.active];
    if (!this.canSelect || !item) return;
    this.on.remove(this.selected.size ? [...this.selected] : [item.id]);
  }

}

const readRowHeight = () =>
  parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10);
