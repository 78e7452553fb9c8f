// Many requests, a few at a time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, ApiError } from "../../../../src/plantstore/features/page/static/api.js";
import { changeAll, each } from "../../../../src/plantstore/features/page/static/batch.js";

const run = (items, act, options) =>
  each(items, act, { atOnce: 3, signal: new AbortController().signal, tell: () => {}, ...options });

test("all are done, never more at once than allowed", async () => {
  let [running, most] = [0, 0];
  const act = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
  };
  const { done, error } = await run([...Array(20).keys()], act);
  assert.deepEqual([done.length, most, error], [20, 3, null]);
});

test("a refusal of one leaves the others", async () => {
  const act = async (item) => {
    if (item === 2) throw new ApiError(400, 40003, "taken");
  };
  const { done, error } = await run([1, 2, 3, 4], act);
  assert.deepEqual(done, [1, 3, 4]);
  assert.equal(error?.message, "taken");
});

test("what each further one would be refused ends it", async () => {
  let sent = 0;
  const act = async () => {
    sent += 1;
    throw new ApiError(403, 40301, "not allowed");
  };
  const { done } = await run([...Array(20).keys()], act);
  assert.deepEqual([done.length, sent], [0, 3]);
});

test("a stop leaves the rest", async () => {
  const control = new AbortController();
  const act = async (item) => item === 5 && control.abort();
  const { done } = await run([...Array(20).keys()], act, { atOnce: 1, signal: control.signal });
  assert.equal(done.length, 6);
});

// A store that gives these outcomes, request after request.
function makeStore(...outcomes) {
  const api = new Api({ isAway: () => false });
  const sent = [];
  const change = async (changes) => {
    const plants = changes.map(({ after }) => after);
    sent.push(plants.map(({ id }) => id));
    return outcomes.shift()?.(plants) ?? plants.map(() => null);
  };
  return { store: { api, change }, sent };
}
const create = (store, number, signal = new AbortController().signal) => {
  const changes = Array.from({ length: number }, (_, index) => ({ after: { id: `${index}`, name: "Fern" } }));
  return changeAll(store, changes, { signal, tell: () => {} });
};

test("plants are created in pieces, and what is refused is told of each", async () => {
  const { store, sent } = makeStore((plants) => plants.map(({ id }) => (id === "3" ? new ApiError(400, 40003, "taken") : null)));
  const { done, refused, error } = await create(store, 1100);
  assert.deepEqual(sent.map(({ length }) => length), [500, 500, 100]);
  assert.deepEqual([done.length, [...refused.keys()].map(({ id }) => id), error?.message], [1099, ["3"], "taken"]);
});

test("lines without a result are sent again", async () => {
  const { store, sent } = makeStore(() => [null, null]);
  const { done, error } = await create(store, 5);
  assert.deepEqual([sent, done.length, error], [[["0", "1", "2", "3", "4"], ["2", "3", "4"]], 5, null]);
});

test("a refused request ends it", async () => {
  const { store } = makeStore(undefined, () => Promise.reject(new ApiError(403, 40301, "not allowed")));
  const { done, error } = await create(store, 1100);
  assert.deepEqual([done.length, error?.message], [500, "not allowed"]);
});
