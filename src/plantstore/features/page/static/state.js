// The state of the page: typed text, the open panel or page, changes that are not stored yet, and actions
// that can be undone. Everything on the page is drawn from this state and the list. Signing out reloads the page.

/** @type {{add: Record<Field, string>, cell: Cell | null}} */
export const drafts = { add: { id: "", name: "", tag: "" }, cell: null };

/** The plant in the panel, and the page that is shown instead of the list. @type {Pick<Shown, "plant" | "page">} */
export const shown = { plant: null, page: null };
/** @type {Pending[]} in sending order; a refused change stays until the user retries, edits or discards it */
export const queue = [];
/** @type {Pending[]} plants added since the search changed, newest first: they stay on top */ export const added = [];
/** @type {Action[]} the last is undone first */ export const undos = [];

/** @type {Set<string>} rows whose own changes are done since the last drawing */ export const settled = new Set();

/** @type {(() => void)[]} */ const drawers = [];
let isDue = false;

/** `draw` runs after the state changes: once for all changes of a task. @param {() => void} draw */
export const onDraw = (draw) => drawers.push(draw);

export function redraw() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    for (const draw of drawers) draw();
  });
}

export const idOf = (/** @type {Change} */ { before, after }) => (after ?? before)?.id ?? "";

/** @param {Pending} item */
export function drop(item) {
  for (const items of [queue, added]) if (items.includes(item)) items.splice(items.indexOf(item), 1);
  redraw();
}
