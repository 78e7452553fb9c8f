// The truth of the page, in three plain objects: what is being typed, the changes that are not stored
// yet, and those that can be undone. Everything on the page is drawn from them and the list.

/** @type {{add: Record<Field, string>, cell: Cell | null}} */
export const drafts = { add: { id: "", name: "", tag: "" }, cell: null };

/** Beside the list: the plant in the panel, and the page in the list's place. @type {Pick<Shown, "plant" | "page">} */
export const shown = { plant: null, page: null };
/** @type {Pending[]} in the order in which they are sent; those that were refused stay until they are mended */
export const queue = [];
/** @type {Action[]} the last one is undone first */
export const undos = [];

/** @type {(() => void)[]} */ const drawers = [];
let isDue = false;

/** Called after each change of the truth, once for all that happen in one turn. @param {() => void} draw */
export const onDraw = (draw) => drawers.push(draw);

export function redraw() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    for (const draw of drawers) draw();
  });
}

/** Of another user nothing is left. */
export function forgetState() {
  Object.assign(drafts, { add: { id: "", name: "", tag: "" }, cell: null });
  Object.assign(shown, { plant: null, page: null });
  queue.length = undos.length = 0;
  redraw();
}

/** @param {Change} change */
export const idOf = ({ before, after }) => (after ?? before)?.id ?? "";
/** By which its row is known. @param {Pending} item */
export const rowIdOf = (item) => (item.action.kind === "add" ? `+${item.key}` : idOf(item));

/** @param {Pending} item */
export function drop(item) {
  const place = queue.indexOf(item);
  if (place >= 0) queue.splice(place, 1);
  redraw();
}
