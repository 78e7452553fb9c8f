// Many changes: a few requests at a time, or many changes in one. Each reports how many have ended, and
// returns those that are done and the first error; a final one, which every further one would get,
// ends it, as does the signal: what is in flight by then is waited for, since it may be done.

import { ApiError, isFinal } from "./api.js";

const PIECE = 500; // changes in a request: under 1 MB, which proxies let pass

/** @template T @param {T[]} items @param {(item: T) => Promise<void>} act @param {Batch} batch */
export async function each(items, act, { atOnce = 1, signal, tell }) {
  /** @type {T[]} */ const done = [];
  /** @type {Error | null} */ let error = null;
  let ended = 0;
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) {
      if (signal.aborted || (error && isFinal(error))) return;
      try {
        await act(item);
        done.push(item);
      } catch (failure) {
        const isWorse = !error || (isFinal(failure) && !isFinal(error));
        if (isWorse && !signal.aborted) error = failure;
      }
      ended += 1;
      tell(ended);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { done, error };
}

// Creates or deletes the plants, in their order; `refused` has those that never will be, with the reason. A plant that is
// there already counts as created, and one that is not there as deleted.
/** @param {Store} store @param {Change[]} changes @param {Batch} batch */
export async function changeAll(store, changes, { signal, tell }) {
  /** @type {Change[]} */ const done = [];
  /** @type {Map<Plant | undefined, Failure>} */ const refused = new Map();
  /** @param {Change[]} piece which keeps those that have no result */
  const send = async (piece) => {
    const results = await store.change(piece);
    for (const [index, change] of piece.splice(0, results.length).entries()) {
      const refusal = results[index];
      if (refusal) refused.set(change.after ?? change.before, refusal);
      else done.push(change);
    }
    if (piece.length) throw new ApiError(503, 0, "The server did not say whether it was stored");
  };
  const starts = [...changes.keys()].filter((index) => index % PIECE === 0);
  const pieces = starts.map((start) => changes.slice(start, start + PIECE));
  const options = { signal, tell: () => tell(done.length + refused.size) };
  const { error } = await each(pieces, (piece) => store.api.insist(() => send(piece), signal), options);
  return { done, refused, error: error ?? refused.values().next().value ?? null };
}
