// What becomes of a file's rows in a store: which are new, which are there already, and which cannot be
// imported, for a `reason`.

import { findBrokenRule, isSame, listContents } from "./plant.js";
import { t } from "./texts.js";

// A row with the id of a plant changes it, where the user may.
/** @param {Row[]} rows @param {Plants} plants @param {boolean} mayUpdate */
export function checkRows(rows, plants, mayUpdate = false) {
  for (const row of rows) row.before = undefined;
  for (const row of rows) row.reason ??= findBrokenRule({ ...row.plant, id: row.plant.id || "1" })?.reason;
  giveIds(rows, plants.proposeId());
  const lines = new Map();
  for (const row of rows.filter(({ reason }) => !reason)) {
    const { id } = row.plant;
    const stored = plants.get(id);
    if (id === "") row.reason = t("rule.missing", { field: t("id") });
    else if (lines.has(id)) row.reason = t("rule.line", { id, line: lines.get(id) });
    else if (stored && isSame(stored, row.plant)) row.isIn = true;
    else if (stored && mayUpdate) row.before = stored;
    else if (stored) row.reason = t("rule.taken", { id, name: stored.name });
    lines.set(id, lines.get(id) ?? row.line);
  }
}

// New ids for rows without, above all others: `proposed` is the next one of the store, if it is known.
/** @param {Row[]} rows @param {string | null} proposed */
export function giveIds(rows, proposed) {
  if (proposed === null) return;
  const good = rows.filter((row) => !row.reason);
  let highest = BigInt(proposed) - 1n;
  for (const { plant } of good) if (BigInt(plant.id) > highest) highest = BigInt(plant.id);
  for (const row of good.filter(({ plant }) => plant.id === "")) {
    highest += 1n;
    row.plant.id = `${highest}`;
    row.isGiven = true;
  }
}

// Of the rows with new ids: how many are the same as a line before, and how many as a plant of the store.
/** @param {Row[]} rows @param {Plants} plants */
export function countTwins(rows, plants) {
  /** @param {Plant} plant */
  const describe = (plant) => JSON.stringify(listContents(plant));
  const given = rows.filter(({ isGiven }) => isGiven).map(({ plant }) => describe(plant));
  const stored = new Set(plants.items.map(describe));
  return { equal: given.length - new Set(given).size, stored: given.filter((text) => stored.has(text)).length };
}
