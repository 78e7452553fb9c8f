// The table of contents: marks the part that is being read, and filters by search.

import { $, all } from "./dom.js";

const BAND = "-15% 0px -80% 0px"; // a band of the window: the part in it is being read

export function followReader() {
  const links = new Map([...all("#contents a")].map((link) => [link.getAttribute("href")?.slice(1), link]));
  const observer = new IntersectionObserver(
    (entries) => {
      const read = entries.findLast((entry) => entry.isIntersecting);
      if (read) show(links.get(read.target.id));
    },
    { rootMargin: BAND },
  );
  for (const id of links.keys()) {
    const target = document.getElementById(id ?? "");
    if (target) observer.observe(target);
  }
  $("contents").addEventListener("click", () => {
    if ($("contents").matches(":popover-open")) $("contents").hidePopover();
  });
}

// Entries with all the words stay in the contents; Enter opens the first.
export function startSearch() {
  const search = /** @type {HTMLInputElement} */ ($("search"));
  const links = [...all("#contents a")].map((link) => {
    const target = document.getElementById(link.getAttribute("href")?.slice(1) ?? "");
    return { link, text: `${link.textContent} ${target?.textContent}`.toLowerCase() };
  });
  search.hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const { link, text } of links)
      Reflect.set(link.parentElement ?? link, "hidden", !words.every((word) => text.includes(word)));
  });
  search.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") links.find(({ link }) => link.checkVisibility())?.link.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /** @type {Element} */ (event.target).closest("input, textarea, select")) return;
    event.preventDefault();
    if (!$("contents").checkVisibility()) $("contents").showPopover();
    search.focus();
  });
}

/** @param {HTMLElement | undefined} link */
function show(link) {
  for (const other of all("#contents [aria-current]")) other.removeAttribute("aria-current");
  link?.setAttribute("aria-current", "true");
  const { offsetTop = 0 } = link ?? {};
  const { scrollTop, clientHeight } = $("contents");
  const isInSight = offsetTop >= scrollTop && offsetTop < scrollTop + clientHeight - 40;
  if (!isInSight) $("contents").scrollTop = offsetTop - clientHeight / 3;
}
