// The contents: where the reader is.

import { $, all } from "./dom.js";

const BAND = "-15% 0px -80% 0px"; // of the window: what is there is being read

export function followReader() {
  const links = new Map([...all("#contents a")].map((link) => [link.getAttribute("href")?.slice(1), link]));
  const observer = new IntersectionObserver((entries) => {
    const read = entries.findLast((entry) => entry.isIntersecting);
    if (read) show(links.get(read.target.id));
  }, { rootMargin: BAND });
  for (const id of links.keys()) {
    const target = document.getElementById(id ?? "");
    if (target) observer.observe(target);
  }
  $("contents").addEventListener("click", () => {
    if ($("contents").matches(":popover-open")) $("contents").hidePopover();
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
