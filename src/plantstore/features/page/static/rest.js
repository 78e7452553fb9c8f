// Everything that is loaded after the first view, in one import.

export { openAccess as access } from "./access.js";
export { exportPlants, makeCode, printLabels } from "./export.js";
export { openHistory as history, showHistory } from "./history.js";
export { openImport, readPasted } from "./importer.js";
