// What the first view does not need, loaded after it; and the pages that take the list's place: history and access.

import { $, all, focusPlants, forgetPrivate } from "./dom.js";
import { list } from "./list.js";
import { say } from "./message.js";
import { showPage } from "./search.js";
import { onDraw, shown } from "./state.js";
import { rich } from "./texts.js";

const PAGES = { history: "list", access: "manage" }; // with the scope that each needs
/** @typedef {keyof typeof PAGES} PageName */

/** @type {PageName | null} */ let open = null;

/** @returns {Promise<typeof import("./rest.js")>} */
export async function loadRest() {
  try {
    return await import("./rest.js");
  } catch (error) {
    say(rich("error.rest"), {}, "failed");
    throw error;
  }
}

function draw() {
  const wanted = /** @type {PageName | null} */ (shown.page);
  const page = wanted && list.store && list.may(PAGES[wanted]) ? wanted : null;
  if (page === open) return;
  if (open) forgetPrivate($(open));
  open = page;
  for (const id of /** @type {PageName[]} */ (Object.keys(PAGES))) $(id).hidden = id !== page;
  $("plants").hidden = page !== null;
  document.body.classList.toggle("elsewhere", page !== null);
  if (!page) return focusPlants();
  $(`${page}-title`).focus();
  loadRest().then(({ openers }) => open === page && openers[page]());
}

for (const back of all(".back")) back.addEventListener("click", () => showPage(null));
for (const page of ["history", "access"]) $(/** @type {"history-open"} */ (`${page}-open`)).addEventListener("click", () => showPage(page));
onDraw(draw);
