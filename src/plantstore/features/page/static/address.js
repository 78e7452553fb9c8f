// What is shown, in the address: the store, the words, the tags and the order, the plant in the panel, the page.
// It is in the fragment, which is sent to nobody; reloading, going back and a copied link show the same.

/** @returns {Shown} */
export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const [store, text, order, plant, page] = ["store", "find", "sort", "plant", "page"].map((name) => given.get(name));
  return { store, text: text ?? "", tags: given.getAll("tag"), order: order ?? "id", plant, page };
}

// Of a link to sign in with, which has been opened in this tab.
export const findCode = () => new URLSearchParams(location.hash.slice(1)).get("code");

// A step that one goes back to; what is typed further is the same step.
/** @param {Shown} shown */
export function writeAddress(shown) {
  const before = readAddress();
  if (findCode() || JSON.stringify(shown) === JSON.stringify(before)) return;
  const { store, text, tags, order, plant, page } = shown;
  const named = { store, find: text, sort: order === "id" ? null : order, plant, page };
  const given = new URLSearchParams(Object.entries(named).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  for (const tag of tags) given.append("tag", tag);
  const isTyping = before.text && text && text !== before.text;
  const isFirst = before.store !== store;
  const isNext = before.plant && plant;
  history[isTyping || isFirst || isNext ? "replaceState" : "pushState"](null, "", `#${given}`);
}

// Where the plant is shown, in any browser.
/** @param {string} store @param {string} plant */
export const plantAddress = (store, plant) =>
  `${location.origin}${location.pathname}#${new URLSearchParams({ store, plant })}`;

export const clearAddress = () => history.replaceState(null, "", location.pathname + location.search);
