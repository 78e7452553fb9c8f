// What the first view does not need, loaded after it: history, access, import, export, printing.

/** @returns {Promise<typeof import("./rest.js")>} */
export const loadRest = () => import("./rest.js");
