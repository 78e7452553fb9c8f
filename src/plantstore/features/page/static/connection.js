// Whether the server can be reached: shown in a notice, and polled while it cannot.

import { $, announce, pause } from "./dom.js";
import { t } from "./texts.js";

const PING = 1_000; // milliseconds
const MAX_PAUSE = 60_000;

let isLost = false;

// `on.back()` is called when the server is back; `on.isLive()` asks it; `on.failures()` is how often in
// a row loading has failed although it was.
/** @param {{isLive: () => Promise<boolean>, failures: () => number, back: () => void}} on */
export async function waitForServer(on) {
  if (isAway()) return;
  isLost = true;
  showNotice("offline", true);
  do await pause(Math.min(PING * 2 ** on.failures(), MAX_PAUSE));
  while (isAway() && !(await on.isLive()));
  showNotice("offline", false);
  announce(t("online"));
  on.back();
}

export const isAway = () => isLost;

/** @param {"offline" | "slow"} id @param {boolean} isShown */
export function showNotice(id, isShown) {
  if (id === "offline") isLost = isShown;
  if ($(id).hidden !== isShown) return;
  $(id).hidden = !isShown;
  if (isShown) announce($(id).textContent);
}
