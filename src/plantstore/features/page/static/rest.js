// Everything that is loaded after the first view, in one import.

import { openAccess } from "./access.js";
import { openHistory } from "./history.js";

export { exportPlants, makeCode, printLabels } from "./export.js";
export { showHistory } from "./history.js";
export { openImport, readPasted } from "./importer.js";

/** @type {Actions} */ export const openers = { history: openHistory, access: openAccess };
