// The catalogue of texts: complete in each language, with no text missing or unused.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = "src/plantstore/features/page";
const read = (name) => readFileSync(`${FOLDER}/${name}`, "utf8");
const scripts = readdirSync(`${FOLDER}/static`).filter((name) => name.endsWith(".js"));
const entries = Object.entries(JSON.parse(read("texts.json")));
const valuesOf = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();

test("each text has both languages, with the same placeholders and plural forms", () => {
  assert.ok(entries.length > 200);
  for (const [key, texts] of entries) {
    assert.equal(texts.length, 2, key);
    assert.ok(texts.every((text) => text.trim()), key);
    assert.deepEqual(valuesOf(texts[0]), valuesOf(texts[1]), key);
    assert.equal(texts[0].split("|").length, texts[1].split("|").length, key);
  }
});

test("the page uses all texts of the catalogue and no others", () => {
  const keys = new Set(entries.map(([key]) => key));
  const html = read("index.html");
  const code = scripts.map((name) => read(`static/${name}`)).join("\n");
  const named = [...html.matchAll(/data-(?:t|t-label|t-placeholder|label)="([^"]+)"/g), ...code.matchAll(/\b(?:t|rich)\("([^"]+)"/g)].map(([, key]) => key);
  for (const key of named) assert.ok(keys.has(key), key);
  const families = [...code.matchAll(/[`"]([a-z]+\.)(?:\$\{|")/g)].map(([, family]) => family);
  for (const key of keys) {
    const isNamed = named.includes(key) || code.includes(`"${key}"`) || families.some((family) => key.startsWith(family));
    assert.ok(isNamed, key);
  }
});
