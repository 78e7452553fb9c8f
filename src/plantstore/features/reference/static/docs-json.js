// JSON with line breaks, token by token: parsing it would change numbers of more than 53 bits.

const WIDTH = 62; // characters
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
/** @type {Record<string, string>} */
const SPACED = { ",": ", ", ":": ": " };

// An object or array that contains no others is one line if it fits.
/** @param {string} json */
export function layOut(json) {
  const tokens = json.match(TOKEN) ?? [];
  let text = "";
  let indent = "\n";
  for (let at = 0; at < tokens.length; at += 1) {
    const flat = takeFlat(tokens, at);
    if (flat) {
      text += flat.text;
      at = flat.end;
    } else if ("{[".includes(tokens[at])) {
      indent += "  ";
      text += tokens[at] + indent;
    } else if ("}]".includes(tokens[at])) {
      indent = indent.slice(0, -2);
      text += indent + tokens[at];
    } else text += tokens[at] === "," ? `,${indent}` : (SPACED[tokens[at]] ?? tokens[at]);
  }
  return text;
}

/** @param {string[]} tokens @param {number} start */
function takeFlat(tokens, start) {
  if (!"{[".includes(tokens[start])) return null;
  let text = tokens[start];
  for (let end = start + 1; end < tokens.length && text.length < WIDTH; end += 1) {
    if ("{[".includes(tokens[end])) return null;
    text += SPACED[tokens[end]] ?? tokens[end];
    if ("}]".includes(tokens[end])) return { text, end };
  }
  return null;
}
