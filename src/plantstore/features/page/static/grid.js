// The list of plants: only the visible rows are in the document, however many there are.
// The grid itself has the focus; aria-activedescendant names the row that keys act on. That row
// and the selected ones are identified by plant id: rows move as plants are added and removed.

import { $, all, colour, isNarrow, targetOf } from "./dom.js";

const SPARE = 8; // rows beyond each edge
const MAX_HEIGHT = 8_000_000; // pixels; browsers support little more
// On a phone names wrap: in each row to as many lines as the longest needs.
const MAX_LINES = 3;
const ROW_MARGIN = 80; // pixels
const LETTER = 9.5;

export class Grid {
  /** @type {Map<Plant, HTMLElement>} */ #rows = new Map(); // a plant that has changed is another object
  #height = 0; // of all rows, in pixels, whether in the document or not
  #top = { ids: /** @type {string[]} */ ([]), rest: 0 }; // the visible rows: the first that is left stays in place
  #active = 0;
  #hasActive = false;
  /** @type {string | null} */ #activeId = null;
  /** @type {string | null} */ #anchorId = null;
  #canSelect = false;
  /** @type {Plant[]} */ #items = [];
  /** @type {Set<string>} */ selected = new Set();
  /** @type {Set<string>} */ busy = new Set();
  /** @type {Set<string>} */ #fresh = new Set(); // plants that have just changed

  /** @param {GridEvents} on */
  constructor(on) {
    this.on = on;
    this.root = $("grid");
    this.body = $("rows");
    this.rowHeight = 1; // in pixels, of each row
    this.root.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#press(event));
    // Focus by Tab shows the active row; a click activates its own row instead.
    this.root.addEventListener("focus", () => this.#activate(this.#active, false));
    this.root.addEventListener("keyup", ({ key }) => key === "Tab" && this.#activate(this.#active));
    this.body.addEventListener("mousedown", (event) => this.#keepFocus(event));
    this.body.addEventListener("click", (event) => this.#click(event));
    this.body.addEventListener("dblclick", (event) => this.#edit(event));
    $("select-all").addEventListener("change", () => ($("select-all").checked ? this.#selectAll() : this.clear()));
    new ResizeObserver(() => this.refresh()).observe(this.root);
  }

  /** @param {Plant[]} items @param {{keepPlace?: boolean, fresh?: Set<string>}} options */
  show(items, { keepPlace = false, fresh = new Set() } = {}) {
    const { ids, rest } = keepPlace ? this.#top : { ids: [], rest: 0 };
    if (!keepPlace) {
      this.root.scrollTop = this.#active = 0;
      this.#activeId = this.#anchorId = null;
      this.#rows.clear();
      this.body.replaceChildren();
    }
    this.#items = items;
    this.#fresh = fresh;
    const left = new Set(this.selected.size ? items.flatMap(({ id }) => (this.selected.has(id) ? id : [])) : []);
    if (left.size < this.selected.size) this.select(left);
    const place = this.#indexOf(this.#activeId);
    this.#active = place >= 0 ? place : Math.max(0, Math.min(this.#active, items.length - 1));
    this.#activeId = items[this.#active]?.id ?? null;
    this.#resize();
    this.#draw();
    this.#fresh = new Set();
    const top = this.#indexOf(ids.find((id) => this.#indexOf(id) >= 0) ?? null);
    if (top >= 0) this.#scroll(top * this.rowHeight + rest);
  }

  // The same plants, anew.
  refresh() {
    this.show(this.#items, { keepPlace: true });
  }

  /** @param {string | null} id */
  #indexOf(id) {
    return id === null ? -1 : this.#items.findIndex((plant) => plant.id === id);
  }

  /** @param {boolean} canSelect */
  allow(canSelect) {
    this.#canSelect = canSelect;
    this.root.classList.toggle("selectable", canSelect);
    this.root.ariaMultiSelectable = `${canSelect}`;
    this.clear();
  }

  // Whether it is in the list.
  /** @param {string} id */
  reveal(id) {
    const index = this.#indexOf(id);
    if (index < 0) return false;
    this.#activate(index);
    this.#rows.get(this.#items[index])?.classList.add("fresh");
    return true;
  }

  // Where its row is, in pixels below the top of the grid; null if it is out of sight.
  /** @param {string} id */
  locate(id) {
    const top = this.#indexOf(id) * this.rowHeight - this.#offset;
    const isInSight = top > -this.rowHeight / 2 && top < this.#viewHeight - this.rowHeight / 2;
    return isInSight ? top + this.body.offsetTop : null;
  }

  get #viewHeight() {
    return this.root.clientHeight - this.body.offsetTop;
  }

  // How many pixels of all rows are one in the document, which may have room for fewer; 0 if all are in sight.
  get #scale() {
    const room = this.body.offsetHeight - this.#viewHeight;
    return room > 0 ? Math.max(0, this.#height - this.#viewHeight) / room : 0;
  }

  // The scroll position, in pixels as if all rows were in the document.
  get #offset() {
    return this.root.scrollTop * this.#scale;
  }

  #resize() {
    let [idLength, nameLength] = [1, 1];
    for (const { id, name } of this.#items) {
      if (id.length > idLength) idLength = id.length;
      if (name.length > nameLength) nameLength = name.length;
    }
    const perLine = Math.max(1, Math.floor((this.root.clientWidth - ROW_MARGIN) / LETTER));
    const lines = isNarrow() ? Math.min(Math.ceil(nameLength / perLine), MAX_LINES) : 1;
    $("plants").style.setProperty("--id-length", `${idLength}`);
    $("plants").style.setProperty("--lines", `${lines}`);
    this.rowHeight = parseFloat(getComputedStyle($("plants")).getPropertyValue("--row"));
    this.#height = this.#items.length * this.rowHeight;
    this.body.style.height = `${Math.min(this.#height, MAX_HEIGHT)}px`;
  }

  #draw() {
    const [top, offset] = [this.root.scrollTop, this.#offset]; // to read them again would lay out anew
    const above = Math.floor(offset / this.rowHeight);
    const first = Math.max(0, above - SPARE);
    const shown = Math.ceil(this.#viewHeight / this.rowHeight) + 2 * SPARE;
    const last = Math.min(this.#items.length, first + shown);
    const ids = offset ? this.#items.slice(above, last).map(({ id }) => id) : [];
    this.#top = { ids, rest: offset - above * this.rowHeight };
    const plants = this.#items.slice(first, last);
    const rows = new Map(plants.map((plant) => [plant, this.#rows.get(plant) ?? this.#makeRow(plant)]));
    for (const [plant, row] of this.#rows) if (!rows.has(plant)) row.remove();
    this.#rows = rows;
    let [index, place] = [first, this.body.firstElementChild]; // rows are read in their order
    for (const [plant, row] of rows) {
      if (row === place) place = row.nextElementSibling;
      else this.body.insertBefore(row, place);
      row.id = `row-${index}`;
      row.ariaRowIndex = `${index + 2}`;
      row.classList.toggle("busy", this.busy.has(plant.id));
      row.style.transform = `translateY(${index * this.rowHeight + top - offset}px)`;
      index += 1;
    }
    this.#tellActive();
    if (last >= this.#items.length - 3 * SPARE) this.on.near();
    this.on.moved();
  }

  // It may name only an existing element: a row far out of sight has none.
  #tellActive() {
    const active = this.#items[this.#active];
    for (const [plant, row] of this.#rows) row.classList.toggle("active", plant === active);
    const row = this.#hasActive ? this.#rows.get(active) : undefined;
    this.root.setAttribute("aria-activedescendant", row?.id ?? "");
  }

  /** @param {Plant} plant */
  #makeRow(plant) {
    const { id, name, tag = "" } = plant;
    const row = /** @type {HTMLElement} */ ($("row-template").content.firstElementChild?.cloneNode(true));
    row.ariaLabel = [name, tag, id].filter(Boolean).join(", ");
    row.classList.toggle("fresh", this.#fresh.has(id));
    for (const part of all("[data-label]", row)) part.ariaLabel = `${part.dataset.label} ${name}`;
    const texts = [id, name, tag];
    for (const [at, cell] of all("bdi", row).entries()) cell.textContent = cell.title = texts[at];
    if (tag) colour(/** @type {HTMLElement} */ (row.querySelector(".pill")), tag);
    this.#tellSelected(plant, row);
    return row;
  }

  /** @param {Plant} plant @param {HTMLElement} row */
  #tellSelected({ id }, row) {
    const isSelected = this.selected.has(id);
    row.ariaSelected = this.#canSelect ? `${isSelected}` : null;
    for (const box of row.querySelectorAll("input")) box.checked = isSelected;
  }

  // The clicked element may be removed, so the grid keeps the focus; and Shift selects rows, not
  // their text.
  /** @param {MouseEvent} event */
  #keepFocus(event) {
    if (!event.shiftKey && !targetOf(event).closest("input, button")) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  #click(event) {
    const target = targetOf(event);
    const row = target.closest(".row");
    if (!row) return;
    const index = Number(row.id.slice(4));
    const plant = this.#items[index];
    const isTouch = event.pointerType === "touch" || isNarrow(); // which has no hover: a tap shows all of a plant
    const isFirst = event.detail < 2; // the second click of a double click may hit another row
    this.#activate(index, false);
    if (target.closest(".remove")) {
      if (isFirst) this.on.remove([plant.id]);
    } else if (event.shiftKey) this.#selectTo(index);
    else if (target.closest(".check")) this.#toggle(index);
    else if (target.closest(".more") || isTouch) this.on.open(plant, null);
    else if (target.closest(".pill") && isFirst) this.on.filter(plant.tag ?? "");
    if (!event.shiftKey) this.#anchorId = plant.id;
  }

  /** @param {MouseEvent} event */
  #edit(event) {
    const cell = targetOf(event).closest(".row > span:not(.check, .actions)");
    const plant = this.#items[this.#active];
    if (cell && plant) this.on.open(plant, cell.className === "tag" ? "tag" : "name");
  }

  /** @param {number} index */
  #toggle(index) {
    const { id } = this.#items[index];
    if (!this.selected.delete(id)) this.selected.add(id);
    this.select(this.selected);
  }

  // From the row of the last click or step.
  /** @param {number} index */
  #selectTo(index) {
    const anchor = this.#indexOf(this.#anchorId);
    const from = anchor < 0 ? index : anchor;
    const [low, high] = from < index ? [from, index] : [index, from];
    this.#anchorId = this.#items[from].id;
    for (const { id } of this.#items.slice(low, high + 1)) this.selected.add(id);
    this.select(this.selected);
  }

  #selectAll() {
    this.select(new Set(this.#items.map(({ id }) => id)));
  }

  clear() {
    this.select(new Set());
  }

  // If the user may change anything.
  /** @param {Set<string>} ids */
  select(ids) {
    this.selected = this.#canSelect ? ids : new Set();
    for (const [plant, row] of this.#rows) this.#tellSelected(plant, row);
    const { size } = this.selected;
    $("select-all").checked = size > 0 && size === this.#items.length;
    $("select-all").indeterminate = size > 0 && size < this.#items.length;
    this.on.select();
  }

  /** @param {number} index */
  #activate(index, scrolls = true) {
    this.#hasActive = true;
    this.#active = Math.max(0, Math.min(index, this.#items.length - 1));
    this.#activeId = this.#items[this.#active]?.id ?? null;
    if (scrolls) this.#scrollTo(this.#active);
    this.#tellActive();
  }

  /** @param {number} index */
  #scrollTo(index) {
    const top = index * this.rowHeight;
    const bottom = top + this.rowHeight - this.#viewHeight;
    this.#scroll(top < this.#offset ? top : Math.max(bottom, this.#offset));
  }

  /** @param {number} offset */
  #scroll(offset) {
    if (offset !== this.#offset && this.#scale) this.root.scrollTop = offset / this.#scale;
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.target !== this.root || event.altKey || !this.#items.length) return;
    const plant = this.#items[this.#active];
    const page = Math.max(1, Math.floor(this.#viewHeight / this.rowHeight) - 1);
    const isControl = event.ctrlKey || event.metaKey;
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.#move(steps[event.key], event.shiftKey);
    else if (event.key === " ") this.#toggle(this.#active);
    else if (event.key === "a" && isControl) this.#selectAll();
    else if (event.key === "Escape" && this.selected.size) this.clear();
    else if (event.key === "Delete" && !event.repeat && this.#canSelect) // held down, it would delete row after row
      this.on.remove(this.selected.size ? [...this.selected] : [plant.id]);
    else if (event.key === "i" && !isControl) this.on.open(plant, null);
    else if (event.key === "Enter") this.on.open(plant, "name");
    else return;
    event.preventDefault();
  }

  /** @param {number} step @param {boolean} selects */
  #move(step, selects) {
    if (!selects || this.#indexOf(this.#anchorId) < 0) this.#anchorId = this.#activeId;
    this.#activate(this.#active + step);
    if (selects) this.#selectTo(this.#active);
    else this.#anchorId = this.#activeId;
  }
}
