// QR codes, as a decoder reads them.

import assert from "node:assert/strict";
import { test } from "node:test";
import jsQR from "jsqr";
import { encodeQr } from "../../../../src/plantstore/features/page/static/qr.js";

const SCALE = 4;
const MARGIN = 4;
const LETTERS = "https://plants.example/a/path#store=&plant=0123456789Äß";

function read(modules) {
  const size = (modules.length + 2 * MARGIN) * SCALE;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const [row, column] = [y, x].map((at) => Math.floor(at / SCALE) - MARGIN);
      if (modules[row]?.[column]) pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
    }
  return jsQR(pixels, size, size)?.data;
}

test("a decoder reads texts of any length up to 106 bytes", () => {
  for (let length = 1; length <= 98; length += 1) {
    const text = Array.from({ length }, (_, index) => LETTERS[(index * 7 + length) % LETTERS.length]).join("");
    if (new TextEncoder().encode(text).length <= 106) assert.equal(read(encodeQr(text)), text);
  }
  assert.equal(read(encodeQr("x".repeat(106))), "x".repeat(106));
});

test("a text longer than 106 bytes has no code", () => {
  assert.equal(encodeQr("x".repeat(107)), null);
});
