// QR codes (ISO/IEC 18004) of short texts: bytes, error correction level M, versions 1 to 6, mask 0.

// For each version: the error correction bytes of a block, then the data bytes of each block.
const VERSIONS = ["10 16", "16 28", "26 44", "18 32 32", "24 43 43", "16 27 27 27 27"];
const FORMAT = 0b101010000010010; // of level M and mask 0
const PADDING = [0xec, 0x11];

/** Doubles in GF(256), the field of Reed-Solomon codes. @param {number} byte */
const double = (byte) => (byte << 1) ^ (byte > 127 ? 0x11d : 0);
/** @type {(a: number, b: number) => number} */
const multiply = (a, b) => (b ? multiply(double(a), b >> 1) ^ (b & 1 ? a : 0) : 0);
/** @param {number} number @param {number} bit */
const isSet = (number, bit) => ((number >> bit) & 1) === 1;

/** The rows of modules, true for a dark one; null where the text has over 106 bytes. @param {string} text */
export function encodeQr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  for (const [index, numbers] of VERSIONS.entries()) {
    const [correction, ...sizes] = numbers.split(" ").map(Number);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes.length + 2 > total) continue;
    // All data is shifted by the four bits of the mode: bytes.
    const all = [4, bytes.length, ...bytes, 0];
    const data = all.slice(1).map((byte, at) => ((all[at] & 15) << 4) | (byte >> 4));
    for (let pad = 0; data.length < total; pad += 1) data.push(PADDING[pad % 2]);
    const blocks = sizes.map((size) => data.splice(0, size));
    const modules = drawPatterns(index + 1);
    // Data and their error correction, a byte of each block at a time.
    drawData(modules, [...interleave(blocks), ...interleave(blocks.map((block) => correct(block, correction)))]);
    return modules;
  }
  return null;
}

/** @param {number[][]} blocks */
const interleave = (blocks) => blocks[0].flatMap((_, index) => blocks.map((block) => block[index]));

/** The remainder of the division by the generator polynomial. @param {number[]} data @param {number} length */
function correct(data, length) {
  let generator = [1];
  for (let power = 1; generator.length <= length; power = double(power))
    generator = [...generator, 0].map((factor, index) => factor ^ multiply(generator[index - 1] ?? 0, power));
  const rest = Array(length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    for (const [index] of rest.entries()) rest[index] ^= multiply(generator[index + 1], factor);
  }
  return rest;
}

/** @param {number} version */
function drawPatterns(version) {
  const size = 17 + 4 * version;
  const far = size - 4;
  /** @type {boolean[][]} */ const modules = Array.from({ length: size }, () => Array(size));
  drawSquares(modules, 3, 3, 4);
  drawSquares(modules, far, 3, 4);
  drawSquares(modules, 3, far, 4);
  if (version > 1) drawSquares(modules, size - 7, size - 7, 2);
  for (let at = 8; at < size - 8; at += 1) modules[6][at] = modules[at][6] = at % 2 === 0;
  for (let bit = 0; bit < 15; bit += 1) {
    const at = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit;
    modules[at][8] = modules[8][bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit] = isSet(FORMAT, bit);
  }
  modules[size - 8][8] = true;
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
  const size = modules.length;
  let bit = 0;
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2)
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (modules[y][x] !== undefined) continue;
        modules[y][x] = isSet(bytes[bit >> 3] ?? 0, 7 - (bit & 7)) !== ((x + y) % 2 === 0);
        bit += 1;
      }
}
