// All that is loaded after the first view, in one piece.

export { openAccess } from "./access.js";
export { exportPlants } from "./export.js";
export { openHistory, showHistory } from "./history.js";
export { openImport, readPasted, takeFiles } from "./importer.js";
export { drawCode, printLabels } from "./print.js";
