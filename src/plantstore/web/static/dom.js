// Small tools for the document. Text goes in as text only: nothing here reads HTML.

export const $ = (id) => document.getElementById(id);

export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// Names and tags may be of any script: each gets its own direction.
export const bdi = (text) => make("bdi", { textContent: text });

const digits = new Intl.NumberFormat("en");

export const count = (number, one, many = `${one}s`) =>
  `${digits.format(number)} ${number === 1 ? one : many}`;

export const figures = (number) => digits.format(number);

export function announce(text) {
  // The same text twice is no change, which screen readers would not tell.
  const region = $("announcements");
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export function saveFile(name, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
