// Colours examples with the browser's highlights, so that words need no elements of their own.

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"|'[^']*'|\`[^\`]*\``;
const PATTERN = new RegExp(
  String.raw`(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:)|\b(?:import|const|await)\b)|(?<string>${STRING})|(?<number>(?<![\w./:-])-?\d+(?![\w./:]))`,
  "g",
);

/** @type {Map<string, Highlight>} */
const highlights = new Map();
if ("highlights" in CSS) {
  for (const kind of ["key", "string", "number"]) {
    highlights.set(kind, new Highlight());
    CSS.highlights.set(kind, /** @type {Highlight} */ (highlights.get(kind)));
  }
}

/** @param {HTMLElement} code */
export function colour(code) {
  if (!highlights.size) return;
  const nodes = listTexts(code);
  for (const match of (code.textContent ?? "").matchAll(PATTERN)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [""];
    const range = new Range();
    range.setStart(...findPlace(nodes, match.index));
    range.setEnd(...findPlace(nodes, match.index + match[0].length));
    highlights.get(kind)?.add(range);
  }
}

// The text nodes within an element, each with its start.
/** @param {HTMLElement} element */
function listTexts(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {{node: Node, start: number}[]} */
  const found = [];
  let start = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    found.push({ node, start });
    start += node.nodeValue?.length ?? 0;
  }
  return found;
}

/** @param {{node: Node, start: number}[]} nodes @param {number} index @returns {[Node, number]} */
function findPlace(nodes, index) {
  const { node, start } = nodes.findLast((text) => text.start <= index) ?? nodes[0];
  return [node, index - start];
}
