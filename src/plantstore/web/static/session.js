// What this tab keeps: the token and the chosen store, in its sessionStorage alone, and nowhere
// where the browser forbids that. Another service, below another path of this origin, has its own.

const PREFIX = `plantstore${location.pathname}`;

function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

export const recall = (name) => attempt(() => sessionStorage.getItem(PREFIX + name));
export const keep = (name, value) => attempt(() => sessionStorage.setItem(PREFIX + name, value));
export const drop = (name) => attempt(() => sessionStorage.removeItem(PREFIX + name));
