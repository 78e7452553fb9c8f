// What the first view does not need, loaded after it: history, access, import, export, printing.

import { say } from "./message.js";
import { rich } from "./texts.js";

/** @returns {Promise<typeof import("./rest.js")>} */
export async function loadRest() {
  try {
    return await import("./rest.js");
  } catch (error) {
    say(rich("error.rest"), {}, "failed");
    throw error;
  }
}
