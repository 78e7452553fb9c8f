// The plants of the chosen store: loaded page by page behind what is shown, found, filtered,
// counted, added and deleted.

import { isPassing, makeKey } from "./api.js";
import { $, announce, count, figures, saveFile } from "./dom.js";
import { Grid } from "./grid.js";
import { fold, Plants, writePlant } from "./plant.js";
import { writeCsv } from "./tables.js";
import { Tags } from "./tags.js";
import { toast } from "./toasts.js";

const PAGE = 1000;
const FIELDS = "fields=id,name,tag";
// Beyond these the rest is loaded as one scrolls, finds or filters.
const AT_FIRST = 200_000;
const AT_ONCE = 8;
const ASK_ABOVE = 50;

const isBusy = (error) => error.status === 429;

export class PlantList {
  #run = null;
  #etag = null;
  #shown = [];
  #changes = new Map(); // by id, of this page while it loads: pages may be older than they
  #wake = () => {};

  // `changed()` hears when another id may be the next free one.
  constructor(api, changed) {
    Object.assign(this, { api, changed });
    this.plants = new Plants();
    this.filter = { text: "", tag: null };
    this.grid = new Grid({
      select: () => this.#tellSelection(),
      remove: (ids) => this.remove(ids),
      near: () => this.#wake(),
    });
    this.tags = new Tags((tag) => this.#setFilter({ tag }));
    $("find").addEventListener("input", () => this.#setFilter({ text: $("find").value }));
    $("clear-filter").addEventListener("click", () => this.clearFilter());
    $("retry").addEventListener("click", () => this.load({ keepPlace: true }));
    $("delete-selected").addEventListener("click", () => this.remove([...this.grid.selected]));
    $("clear-selected").addEventListener("click", () => {
      this.grid.clear();
      $("grid").focus();
    });
  }

  allow(scopes) {
    this.canList = scopes.includes("list");
    this.canCreate = scopes.includes("create");
    this.grid.allow(scopes.includes("delete"));
  }

  clearFilter() {
    $("find").value = "";
    this.#setFilter({ text: "", tag: null });
    $("find").focus();
  }

  stop() {
    this.#run?.abort();
    this.#run = null;
  }

  forget() {
    this.stop();
    this.plants = new Plants();
    this.#setState("none");
    this.#showAll();
  }

  // From the first page on; what is shown stays until there is something newer.
  async load({ keepPlace = false } = {}) {
    this.stop();
    if (!this.canList) {
      this.forget();
      return;
    }
    const run = new AbortController();
    this.#run = run;
    keepPlace &&= this.plants.items.length > 0;
    this.#changes.clear();
    this.#setState(keepPlace ? "more" : "loading");
    if (!keepPlace) {
      this.plants = new Plants();
      this.#showAll();
    }
    try {
      this.#etag = (await this.api.look(null)).etag;
      await this.#loadPages(run.signal, keepPlace);
    } catch (error) {
      if (run.signal.aborted || error.status === 401) return;
      this.#setState("error", error);
    }
  }

  // Pages go to a list of their own where another is in sight, which they replace at the end.
  async #loadPages(signal, keepPlace) {
    const plants = keepPlace ? new Plants() : this.plants;
    let target = `${this.api.base}/plants?limit=${PAGE}&${FIELDS}`;
    while (target) {
      const page = await this.api.insist(() => this.api.list(target, signal), signal, isBusy);
      plants.append(page.plants);
      target = page.next;
      plants.isComplete = !target;
      if (!target) this.#applyChanges(plants);
      if (plants === this.plants) this.#showMore(page.plants, target ? "more" : "ready");
      if (target && plants.items.length >= AT_FIRST) {
        if (plants !== this.plants) this.#replace(plants, "more");
        await this.#untilWanted(signal);
      }
    }
    if (plants !== this.plants) this.#replace(plants, "ready");
    this.changed();
  }

  #applyChanges(plants) {
    plants.remove(new Set(this.#changes.keys()));
    for (const plant of this.#changes.values()) if (plant) plants.insert(plant);
    this.#changes.clear();
  }

  #untilWanted(signal) {
    const { text, tag } = this.filter;
    if (text || tag !== null) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }

  // Whether anybody has changed the store since it was loaded.
  async refresh() {
    if (this.#state !== "ready") return;
    const { isSame } = await this.api.look(this.#etag);
    if (!isSame) await this.load({ keepPlace: true });
  }

  #replace(plants, state) {
    this.plants = plants;
    this.#setState(state);
    this.#showAll({ keepPlace: true });
  }

  #showMore(added, state) {
    if (this.#matchesAll) this.#shown = this.plants.items;
    else this.#shown.push(...added.filter((plant) => this.#matches(plant)));
    this.grid.items = this.#shown;
    this.grid.grow();
    this.tags.show(this.plants.tags, this.filter.tag);
    this.#setState(state);
  }

  #showAll(options) {
    this.#shown = this.#matchesAll
      ? this.plants.items
      : this.plants.items.filter((plant) => this.#matches(plant));
    this.grid.show(this.#shown, options);
    this.tags.show(this.plants.tags, this.filter.tag);
    this.#tellCount();
  }

  get #matchesAll() {
    return !this.filter.text && this.filter.tag === null;
  }

  #matches(plant) {
    const { text, tag } = this.filter;
    if (tag !== null && (plant.tag ?? "") !== tag) return false;
    return plant.folded.includes(text) || plant.id === text;
  }

  #setFilter({ text = this.filter.text, tag = this.filter.tag }) {
    this.filter = { text: fold(text.trim()), tag };
    this.grid.selected.clear();
    this.#wake();
    this.#showAll();
    this.#tellSelection();
    announce($("count").textContent);
  }

  #state = "loading";

  #setState(state, error) {
    this.#state = state;
    this.error = error;
    this.#tellCount();
  }

  #tellCount() {
    const [shown, all] = [this.#shown.length, this.plants.items.length];
    const soFar = this.#state === "more" && !this.plants.isComplete ? " so far" : "";
    $("count").textContent = this.#matchesAll
      ? `${count(all, "plant")}${soFar}`
      : `${figures(shown)} of ${count(all, "plant")}${soFar}`;
    $("count").hidden = all === 0;
    $("clear-filter").hidden = this.#matchesAll;
    $("grid").ariaBusy = this.#state === "loading" || this.#state === "more" ? "true" : "false";
    this.#tellState(shown, all);
  }

  #tellState(shown, all) {
    const failed = this.#state === "error";
    const which = {
      "state-loading": this.#state === "loading" && all === 0,
      "state-empty": this.#state === "ready" && all === 0,
      "state-nothing": shown === 0 && all > 0 && !failed,
      "state-error": failed,
    };
    for (const [id, isShown] of Object.entries(which)) $(id).hidden = !isShown;
    $("state-error").classList.toggle("partial", all > 0);
    if (failed) $("error-text").textContent = this.error.message;
    $("grid").hidden = shown === 0;
    $("empty-create").hidden = !this.canCreate;
    $("empty-read").hidden = this.canCreate;
  }

  #tellSelection() {
    const number = this.grid.selected.size;
    $("selection").hidden = number === 0;
    $("selection-count").textContent = `${figures(number)} selected`;
    if (number) announce(`${figures(number)} selected`);
  }

  add(plant) {
    this.#changes.set(plant.id, plant);
    if (this.plants.insert(plant)) {
      this.#showAll({ keepPlace: true });
      const index = this.#shown.findIndex(({ id }) => id === plant.id);
      if (index >= 0) this.grid.reveal(index);
    }
    this.changed();
  }

  async remove(ids) {
    if (!ids.length || (ids.length > ASK_ABOVE && !(await this.#ask(ids.length)))) return;
    const wanted = new Set(ids);
    const plants = this.plants.items.filter(({ id }) => wanted.has(id));
    const { done, failed } = await this.#each(plants, "Deleting", (plant) => this.#delete(plant));
    this.#drop(done);
    if (failed.length) this.#tellFailed("deleted", failed);
    if (!done.length) return;
    const text = done.length === 1 ? `Deleted ${done[0].name}` : `Deleted ${count(done.length, "plant")}`;
    const message = toast(text);
    if (this.canCreate) message.offer("Undo", () => this.#restore(done));
    announce(text);
  }

  #drop(plants) {
    for (const { id } of plants) this.#changes.set(id, null);
    this.plants.remove(new Set(plants.map(({ id }) => id)));
    this.grid.selected.clear();
    this.#showAll({ keepPlace: true });
    this.#tellSelection();
    this.changed();
    if (!$("grid").hidden) $("grid").focus();
    else $("find").focus();
  }

  // One that somebody else has deleted is deleted.
  async #delete({ id }) {
    try {
      await this.api.insist(() => this.api.delete(id));
    } catch (error) {
      if (error.number !== 40401) throw error;
    }
  }

  async #restore(plants) {
    const create = (plant, key = makeKey()) => this.api.insist(() => this.api.create(plant, key));
    const { done, failed } = await this.#each(plants, "Putting back", (plant) => create(plant));
    for (const plant of done) {
      this.#changes.set(plant.id, plant);
      this.plants.insert(plant);
    }
    this.#showAll({ keepPlace: true });
    this.changed();
    if (done.length === 1) this.grid.reveal(this.#shown.findIndex(({ id }) => id === done[0].id));
    if (failed.length) this.#tellFailed("put back", failed);
    if (done.length) toast(done.length === 1 ? `${done[0].name} is back` : `${count(done.length, "plant")} are back`);
    announce(`${count(done.length, "plant")} put back`);
    if (!$("grid").hidden) $("grid").focus();
  }

  async #each(plants, verb, act) {
    const outcome = { done: [], failed: [] };
    const waiting = plants.values();
    const progress = plants.length > AT_ONCE ? toast("") : null;
    const work = async () => {
      for (const plant of waiting) {
        await act(plant).then(
          () => outcome.done.push(plant),
          (error) => outcome.failed.push({ plant, error }),
        );
        const ended = outcome.done.length + outcome.failed.length;
        progress?.say(`${verb} ${figures(ended)} of ${figures(plants.length)}…`);
        if (outcome.failed.some(({ error }) => error.status === 401 || isPassing(error))) return;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    progress?.close();
    return outcome;
  }

  #tellFailed(what, failed) {
    const [{ plant, error }] = failed;
    const text =
      failed.length === 1
        ? `${plant.name} was not ${what}: ${error.message}`
        : `${count(failed.length, "plant")} were not ${what}: ${error.message}`;
    toast(text, { kind: "failed" });
    announce(text);
  }

  #ask(number) {
    const dialog = $("confirm");
    $("confirm-text").textContent = `Delete ${count(number, "plant")}?`;
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    });
  }

  // The store at one moment, whatever was loaded when.
  async save(form) {
    const { tag } = this.filter;
    const query = tag ? `&tag=${encodeURIComponent(tag)}` : "";
    const { plants } = await this.api.list(`${this.api.base}/plants?${FIELDS}${query}`);
    for (const plant of plants) plant.folded = fold(plant.name);
    const chosen = plants.filter((plant) => this.#matches(plant));
    const name = `${this.storeName}.${form}`;
    if (form === "csv") saveFile(name, "text/csv", writeCsv(chosen));
    else saveFile(name, "application/x-ndjson", chosen.map((plant) => `${writePlant(plant)}\n`));
    announce(`Exported ${count(chosen.length, "plant")}`);
  }
}
