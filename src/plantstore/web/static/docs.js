// The reference: what the page has beyond its text. The examples get the page's own address, colours
// and buttons; the contents follow the reader.

import { colour } from "./docs-colours.js";
import { followReader } from "./docs-contents.js";
import { addTry, showSession } from "./docs-try.js";
import { all, make } from "./dom.js";
import { keep, recall } from "./session.js";

const ORIGIN = "http://127.0.0.1:8080"; // in the examples as they are sent
const COPIED_FOR = 2_000; // milliseconds

function nameAddress() {
  const here = new URL(".", location.href).href.replace(/\/$/, "");
  for (const code of all("pre code")) {
    const first = code.firstChild;
    if (first?.nodeValue) first.nodeValue = first.nodeValue.replace(ORIGIN, here);
  }
}

function rememberLanguage() {
  const wanted = recall("language");
  /** @type {NodeListOf<HTMLInputElement>} */
  const radios = document.querySelectorAll(".languages input");
  for (const radio of radios) {
    if (radio.value === wanted) radio.checked = true;
    radio.addEventListener("change", () => keep("language", radio.value));
  }
}

// Browsers offer the clipboard only with TLS, or on the own machine.
/** @param {HTMLElement} box */
function addCopy(box) {
  const button = make("button", { type: "button", textContent: "Copy" });
  button.addEventListener("click", async () => {
    const shown = [...box.querySelectorAll("pre")].find((pre) => pre.checkVisibility());
    await navigator.clipboard.writeText(shown?.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => button.replaceChildren("Copy"), COPIED_FOR);
  });
  box.querySelector(".bar")?.append(button);
}

nameAddress();
rememberLanguage();
if (navigator.clipboard) for (const box of all(".request")) addCopy(box);
for (const template of document.querySelectorAll("template")) addTry(template);
for (const code of all("pre code")) colour(code);
followReader();
showSession();
