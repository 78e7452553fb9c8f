// Whether the server can be reached: shown in a notice, and polled while it cannot.

import { announce, explain, pause } from "./dom.js";
import { t } from "./texts.js";

const PING = 1_000; // milliseconds
const MAX_PAUSE = 60_000;

let isLost = false;

// `on.back()` is called when the server is back; `on.isLive()` asks it; `on.failures()` is how often in
// a row loading has failed although it was.
/** @param {{isLive: () => Promise<boolean>, failures: () => number, back: () => void}} on */
export async function waitForServer(on) {
  if (isAway()) return;
  showOffline(true);
  do await pause(Math.min(PING * 2 ** on.failures(), MAX_PAUSE));
  while (isAway() && !(await on.isLive()));
  showOffline(false);
  announce(t("online"));
  on.back();
}

export const isAway = () => isLost;

/** @param {boolean} isShown */
export function showOffline(isShown) {
  if (isLost === isShown) return;
  isLost = isShown;
  explain("offline", isShown ? t("offline") : "");
}
