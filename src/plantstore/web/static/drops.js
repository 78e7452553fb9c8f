// Files dropped on the page, and rows pasted into it. For users who may not import, too: otherwise
// the browser would open the file instead of the page.

import { targetOf } from "./dom.js";
import { readFile } from "./importer.js";
import { list } from "./list.js";

/** @param {DragEvent} event */
const filesOf = ({ dataTransfer }) => (dataTransfer?.types.includes("Files") ? dataTransfer : null);
const mayImport = () => list.store?.api.isSignedIn && list.may("create");
const isWelcome = () => mayImport() && !document.querySelector("dialog[open]:not(#import)");
addEventListener("dragover", (event) => {
  const dragged = filesOf(event);
  if (!dragged) return;
  event.preventDefault();
  dragged.dropEffect = isWelcome() ? "copy" : "none";
  document.body.classList.toggle("dropping", isWelcome());
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text") ?? "";
  if (!text.trim() || targetOf(event).closest("input, dialog[open]") || !isWelcome()) return;
  event.preventDefault();
  readFile(new File([text], "Pasted rows"));
});
addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  const dropped = filesOf(event);
  if (!dropped) return;
  event.preventDefault();
  if (isWelcome()) readFile(dropped.files[0]);
});
