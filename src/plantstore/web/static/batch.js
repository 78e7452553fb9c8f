// Many requests, a few at a time.

import { isFinal, SignedOut } from "./api.js";

// Acts on the items until all are done, the signal stops it, or a final error, which every further
// one would get. Reports after each how many have ended; returns those that are done, and the first
// error.
/**
 * @template Item @param {Item[]} items @param {(item: Item, signal: AbortSignal) => Promise<void>} act
 * @param {{atOnce: number, signal: AbortSignal, tell: (ended: number) => void}} options
 * @returns {Promise<{done: Item[], error: Error | null}>}
 */
export async function each(items, act, { atOnce, signal, tell }) {
  /** @type {Item[]} */
  const done = [];
  /** @type {Error | null} */
  let error = null;
  let ended = 0;
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) {
      if (signal.aborted || (error && isFinal(error))) return;
      try {
        await act(item, signal);
        done.push(item);
      } catch (failure) {
        if (!signal.aborted) error = worse(error, failure);
      }
      ended += 1;
      tell(ended);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { done, error };
}

/** @param {Error | null} error @param {Error} failure */
function worse(error, failure) {
  if (!error || error instanceof SignedOut) return failure;
  return isFinal(failure) && !isFinal(error) ? failure : error;
}
