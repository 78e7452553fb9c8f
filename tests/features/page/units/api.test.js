// Responses: which are taken as the service's, and the error messages for all others.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.js";
import { Api, Store } from "../../../../src/plantstore/features/page/static/api.js";

const JSON_TYPE = { "Content-Type": "application/json" };
const nothing = () => {};
const on = { reached: nothing, refused: nothing, barred: nothing, unreachable: nothing, isAway: () => false };

const ask = (body, status, headers = JSON_TYPE) => {
  globalThis.fetch = async () => new Response(body, { status, headers });
  return new Api(on).send("GET", "me");
};

test("a proxy's response is rejected with its status", async () => {
  for (const body of ["null", '{"error": "Bad Gateway"}', '{"detail": 1}', '{"message": {}}', '"x"', "[]", "", "<html>"])
    await assert.rejects(ask(body, 502), { status: 502, message: /^The response \(status 502\) did not/ }, body);
  for (const [body, headers] of [["<html>", JSON_TYPE], ["<html>", { "Content-Type": "text/html" }]])
    await assert.rejects(ask(body, 200, headers), { message: /^The response \(status 200\) did not/ });
});

test("an error has the page's text for its number, or else the service's message", async () => {
  const [known, other] = [{ error: 40401, message: "no such plant" }, { error: 40002, message: "the body must be a plant" }];
  await assert.rejects(ask(JSON.stringify(known), 404), { status: 404, number: 40401, message: "This plant is no longer in the store." });
  await assert.rejects(ask(JSON.stringify(other), 400), { number: 40002, message: other.message });
  assert.deepEqual(await ask('{"user": "ada"}', 200), { user: "ada" });
});

test("an id from the page's address cannot request another path", async () => {
  const targets = [];
  const api = { ask: async (_method, target) => targets.push(target) && { text: "{}", headers: new Headers(), status: 200 } };
  const store = new Store(api, "nursery");
  const id = "../../members?x#y";
  await store.get(id);
  assert.deepEqual(targets, ["stores/nursery/plants/..%2F..%2Fmembers%3Fx%23y"]);
});
