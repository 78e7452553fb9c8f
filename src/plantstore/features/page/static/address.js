// What is shown, in the address: the store, the search, the tag and the order; or a plant to begin with.
// It is in the fragment, which is sent to nobody; reloading, going back and a copied link show the same.

const NAMES = ["store", "find", "tag", "sort", "plant"];

/** @returns {Shown} */
export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(NAMES.map((name) => [name, given.get(name)]));
}

// Of a link to sign in with, which has been opened in this tab.
export const findCode = () => new URLSearchParams(location.hash.slice(1)).get("code");

// A step that one goes back to; what is typed further is the same step.
/** @param {Shown} shown */
export function writeAddress(shown) {
  const before = readAddress();
  if (findCode() || NAMES.every((name) => (shown[name] ?? null) === before[name])) return;
  const given = new URLSearchParams(NAMES.flatMap((name) => (shown[name] == null ? [] : [[name, shown[name]]])));
  const isTyping = before.find && shown.find && shown.find !== before.find;
  const isFirst = before.store !== shown.store;
  history[isTyping || isFirst ? "replaceState" : "pushState"](null, "", `#${given}`);
}

// Where the plant is shown, in any browser.
/** @param {string} store @param {string} plant */
export const plantAddress = (store, plant) =>
  `${location.origin}${location.pathname}#${new URLSearchParams({ store, plant })}`;

export const clearAddress = () => history.replaceState(null, "", location.pathname + location.search);
