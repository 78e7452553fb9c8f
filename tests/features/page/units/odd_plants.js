// Plants whose ids need 64 bits, and whose texts look like JSON's own parts.

const PIECES = ['"', "\\", '{"id":1,', ',"id": 2}', '"id":3', ":", "{", "}", "[", ",", " ", "é", "שרך", "🌿", "=", "'", "@"];
const EDGES = ["0", "-1", "9007199254740993", "-9223372036854775808", "9223372036854775807"];

// Pseudorandom numbers, the same for each run.
export function* numbers(seed) {
  for (let last = seed; ; yield last) last = (last * 48271) % 2147483647;
}

export function makeOddPlants(seed, number = 100) {
  const random = numbers(seed);
  const pick = (items) => items[random.next().value % items.length];
  const makeText = () => Array.from({ length: 1 + (random.next().value % 8) }, () => pick(PIECES)).join("").trim() || "x";
  return Array.from({ length: number }, (_, index) => ({
    id: EDGES[index] ?? `${random.next().value}${index}`,
    name: makeText(),
    tag: makeText(),
  }));
}
