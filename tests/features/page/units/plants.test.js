// Ids, rules, search and order, and updates of the list.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.js";
import { compareIds, countTags, exchange, findBrokenRule, number, parseExactly, Plants, View, writePlant } from "../../../../src/plantstore/features/page/static/plant.js";
import { makeOddPlants, numbers } from "./odd_plants.js";

const MAX_ID = "9223372036854775807";
const makePlants = (...rows) => {
  const plants = new Plants();
  plants.apply(new Map(rows.map(([id, name, tag]) => [id, { id, name, ...(tag && { tag }) }])));
  plants.isComplete = true;
  return plants;
};
const makeView = (items, { text = "", order = "id" }) => new View({ text, tags: [], order }, items);
const namesOf = ({ items }) => items.map(({ name }) => name);

test("64-bit ids are read and written without loss", () => {
  const [plant] = parseExactly(`[{"id":${MAX_ID},"name":"\\"id\\":1,"}]`);
  assert.equal(plant.id, MAX_ID);
  assert.equal(writePlant(plant), `{"id":${MAX_ID},"name":"\\"id\\":1,"}`);
});

test("plants whose texts look like JSON are read and written exactly", () => {
  const plants = makeOddPlants(1);
  const written = plants.map(writePlant);
  assert.deepEqual(parseExactly(`[${written.join(",")}]`), plants);
  const spaced = plants.map(({ id, name, tag }) => `{ "id" : ${id} , "name" : ${JSON.stringify(name)}, "tag":${JSON.stringify(tag)}}`);
  assert.deepEqual(parseExactly(`[ ${spaced.join(" , ")} ]`), plants);
  assert.deepEqual(written.map((json) => JSON.parse(json).name), plants.map(({ name }) => name));
});

test("ids are ordered as numbers", () => {
  const sorted = [`-${MAX_ID}`, "-10", "-9", "0", "9", "10", MAX_ID];
  assert.deepEqual([...sorted].reverse().sort(compareIds), sorted);
});

test("plants that the service refuses break a rule of the page", () => {
  assert.equal(findBrokenRule({ id: "1", name: "Fern" }), null);
  for (const id of ["", " ", "one", "1.5", "007", "9223372036854775808"]) assert.equal(findBrokenRule({ id, name: "X" })?.field, "id");
  for (const name of ["", "  ", "x".repeat(1001)]) assert.equal(findBrokenRule({ id: "1", name })?.field, "name");
  assert.equal(findBrokenRule({ id: "1", name: "X", tag: "x".repeat(257) })?.field, "tag");
});

test("the proposed id follows the highest id", () => {
  assert.equal(makePlants().proposeId(), "1");
  assert.equal(makePlants(["3", "A"], ["10", "B"]).proposeId(), "11");
  assert.equal(makePlants(["-3", "A"]).proposeId(), "1");
  assert.equal(makePlants(["7", "A"], [MAX_ID, "The last"]).proposeId(["+1", "9"]), "10");
});

for (const [name, typed] of [
  ["Philodendron 'Zébra'", " ‘ZEBRA "], ["Narcissus ‘Thalia’", "'thalia'"], ["Weißdorn", "weissdorn"],
  ["Weissdorn", "weißdorn"], ["WEIẞDORN", "weißdorn"], ["ΟΔΟΣΑ", "ΟΔΟΣ"], ["œillet", "oeillet"], ["Ørsted", "orsted"],
  ["Mentha × piperita", "mentha x p"], ["कि", "कि"], ["Fern", "12"],
  ["Monstera ‘Zebra’", "zebra monstera"], ["Monstera “Zebra”", '"zebra'], ["Fern 3", "3 fern"], ["Fern", "7"], ["Fern", "bed fern 7"],
])
  test(`the search ${typed} finds ${name}`, () => {
    const plants = [{ id: "12", name, tag: "bed 7" }, { id: "123", name: "का", tag: "bed 17" }]; // vowel signs are not ignored as accents are
    assert.deepEqual(namesOf(makeView(plants, { text: typed })), [name]);
  });

test("a minus reverses an order, and plants without a tag come last", () => {
  const { items } = makePlants(["1", "Fern 10", "b"], ["2", "aloe"], ["3", "Fern 9", "a"]);
  const show = (order) => namesOf(makeView(items, { order }));
  assert.deepEqual(show("name"), ["aloe", "Fern 9", "Fern 10"]);
  assert.deepEqual(show("-name"), ["Fern 10", "Fern 9", "aloe"]);
  assert.deepEqual(show("tag"), ["Fern 9", "Fern 10", "aloe"]);
  assert.deepEqual(show("nonsense"), ["Fern 10", "aloe", "Fern 9"]);
});

for (const order of ["id", "name", "-tag"])
  test(`an updated view equals a new view: by ${order}`, () => {
    const random = numbers(7);
    const pick = (size) => random.next().value % size;
    const plants = makePlants();
    let view = makeView([], { text: "a", order });
    for (let round = 0; round < 60; round += 1) {
      const changes = new Map();
      for (let left = 30; left > 0; left -= 1)
        changes.set(`${pick(500)}`, pick(3) ? { id: "", name: "abc"[pick(3)] + pick(9), tag: "xyz"[pick(4)] } : null);
      for (const [id, plant] of changes) if (plant) plant.id = id;
      const made = plants.apply(changes);
      view = new View(view.search, plants.items, number(exchange(view.all, view.compare, made)));
      assert.deepEqual(namesOf(view), namesOf(makeView(plants.items, view.search)));
      assert.deepEqual(plants.items, [...plants.items].sort((a, b) => compareIds(a.id, b.id)));
      assert.ok(plants.items.every((plant) => plants.get(plant.id) === plant));
    }
  });

test("150,000 different tags can be counted", () => {
  const items = Array.from({ length: 150_000 }, (_, id) => ({ id: `${id}`, name: "Fern", tag: `bed ${id}` }));
  assert.equal(countTags(items).length, 150_000);
});

test("applying the same changes twice changes nothing", () => {
  const plants = makePlants(["1", "A"], ["5", "B"]);
  for (const length of [1, 0]) assert.equal(plants.apply(new Map([["3", { id: "3", name: "C" }], ["4", null]])).length, length);
});

test("tags of equally many plants are in the order of the list", () => {
  const tags = ["bed 1", "bed 10", "bed 2", "Bed 3", "yew", "yew"];
  const { items } = makePlants(...tags.map((tag, at) => [`${at}`, "A", tag]));
  assert.deepEqual(countTags(items).map(([tag]) => tag), ["yew", "bed 1", "bed 2", "Bed 3", "bed 10"]);
});
