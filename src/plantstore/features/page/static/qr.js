// QR codes (ISO/IEC 18004) of short texts: bytes, error correction level M, version 6, mask 0.

const SIZE = 41; // modules on a side
const [BLOCKS, DATA] = [4, 27]; // blocks, and bytes in each
const FORMAT = 0b101010000010010; // of level M and mask 0
const PADDING = [0xec, 0x11];
const GENERATOR = [59, 13, 104, 189, 68, 209, 30, 8, 163, 65, 41, 229, 98, 50, 36, 59]; // after 1

/** Doubles in GF(256), the field of Reed-Solomon codes. @param {number} byte */
const double = (byte) => (byte << 1) ^ (byte > 127 ? 0x11d : 0);
/** @type {(a: number, b: number) => number} */
const multiply = (a, b) => (b ? multiply(double(a), b >> 1) ^ (b & 1 ? a : 0) : 0);
/** @param {number} number @param {number} bit */
const isSet = (number, bit) => ((number >> bit) & 1) === 1;

/** The rows of modules, true for a dark one; null where the text has over 106 bytes. @param {string} text */
export function encodeQr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length + 2 > BLOCKS * DATA) return null;
  // All data is shifted by the four bits of the mode: bytes.
  const all = [4, bytes.length, ...bytes, 0];
  const data = all.slice(1).map((byte, at) => ((all[at] & 15) << 4) | (byte >> 4));
  for (let pad = 0; data.length < BLOCKS * DATA; pad += 1) data.push(PADDING[pad % 2]);
  const blocks = Array.from({ length: BLOCKS }, () => data.splice(0, DATA));
  const modules = drawPatterns();
  // Data and their error correction, a byte of each block at a time.
  drawData(modules, [...interleave(blocks), ...interleave(blocks.map(correct))]);
  return modules;
}

/** @param {number[][]} blocks */
const interleave = (blocks) => blocks[0].flatMap((_, index) => blocks.map((block) => block[index]));

/** The remainder of the division by the generator polynomial. @param {number[]} data */
function correct(data) {
  const rest = Array(GENERATOR.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    for (const [index] of rest.entries()) rest[index] ^= multiply(GENERATOR[index], factor);
  }
  return rest;
}

function drawPatterns() {
  const modules = Array.from({ length: SIZE }, () => /** @type {boolean[]} */ (Array(SIZE)));
  drawSquares(modules, 3, 3, 4);
  drawSquares(modules, SIZE - 4, 3, 4);
  drawSquares(modules, 3, SIZE - 4, 4);
  drawSquares(modules, SIZE - 7, SIZE - 7, 2);
  for (let at = 8; at < SIZE - 8; at += 1) modules[6][at] = modules[at][6] = at % 2 === 0;
  for (let bit = 0; bit < 15; bit += 1) {
    const at = bit < 6 ? bit : bit < 8 ? bit + 1 : SIZE - 15 + bit;
    modules[at][8] = modules[8][bit < 8 ? SIZE - 1 - bit : bit < 9 ? 7 : 14 - bit] = isSet(FORMAT, bit);
  }
  modules[SIZE - 8][8] = true;
  return modules;
}

// Nested squares: of a finder pattern, with its light border, or of an alignment pattern.
/** @param {boolean[][]} modules @param {number} x @param {number} y @param {number} radius */
function drawSquares(modules, x, y, radius) {
  for (let row = -radius; row <= radius; row += 1)
    for (let column = -radius; column <= radius; column += 1) {
      const distance = Math.max(Math.abs(row), Math.abs(column));
      const isDark = radius === 4 ? distance !== 2 && distance !== 4 : distance !== 1;
      if (modules[y + row]?.length > x + column && x + column >= 0) modules[y + row][x + column] = isDark;
    }
}

/** Two columns at a time from the right, up and down in turn. @param {boolean[][]} modules @param {number[]} bytes */
function drawData(modules, bytes) {
  let bit = 0;
  for (let right = SIZE - 1; right > 0; right -= right === 8 ? 3 : 2)
    for (let step = 0; step < SIZE; step += 1)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? SIZE - 1 - step : step;
        if (modules[y][x] !== undefined) continue;
        modules[y][x] = isSet(bytes[bit >> 3] ?? 0, 7 - (bit & 7)) !== ((x + y) % 2 === 0);
        bit += 1;
      }
}
