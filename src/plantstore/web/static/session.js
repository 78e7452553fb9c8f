// What this tab stores: the token and the chosen store, only in its sessionStorage, or not at all if
// the browser forbids that. A service under another path of this origin has its own; all of a
// service's pages share one.

const PREFIX = `plantstore${new URL(".", location.href).pathname}`;

/** @template Value @param {() => Value} act */
function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

/** @param {string} name */
export const recall = (name) => attempt(() => sessionStorage.getItem(PREFIX + name));
/** @param {string} name @param {string} value */
export const keep = (name, value) => attempt(() => sessionStorage.setItem(PREFIX + name, value));
/** @param {string} name */
export const drop = (name) => attempt(() => sessionStorage.removeItem(PREFIX + name));
