// The reference's scripts: the examples get the page's own address and colours, their buttons work, and
// the table of contents follows the reader.

import { colour } from "./docs-colours.js";
import { followReader, startSearch } from "./docs-contents.js";
import { openForm, startSession } from "./docs-try.js";
import { all, copy, pause } from "./dom.js";
import { tab } from "./session.js";

const ORIGIN = "http://127.0.0.1:8080"; // in the examples of the served page

function nameAddress() {
  const here = new URL(".", location.href).href.replace(/\/$/, "");
  for (const code of all("pre code")) {
    const first = code.firstChild;
    if (first?.nodeValue) first.nodeValue = first.nodeValue.replace(ORIGIN, here);
  }
}

function rememberLanguage() {
  const wanted = tab.get("language");
  /** @type {NodeListOf<HTMLInputElement>} */
  const radios = document.querySelectorAll(".languages input");
  for (const radio of radios) {
    if (radio.value === wanted) radio.checked = true;
    radio.addEventListener("change", () => tab.put("language", radio.value));
  }
}

/** @param {HTMLElement} button */
function copyExample(button) {
  const shown = [...all("pre", button.closest(".box"))].find((pre) => pre.checkVisibility());
  if (shown) copy(shown, button);
}

// Part by part, so that the page stays responsive.
async function colourAll() {
  for (const part of all("main > section, .operation")) {
    await pause(0);
    for (const code of all(":scope > .code pre code", part)) colour(code);
  }
}

document.addEventListener("click", ({ target }) => {
  const button = /** @type {HTMLElement} */ (target);
  if (button.dataset.do === "copy") copyExample(button);
  if (button.dataset.do === "try") openForm(button);
});
nameAddress();
rememberLanguage();
followReader();
startSearch();
startSession();
colourAll();
