// Stubs of the browser's globals that modules use when they are loaded: import it before them.

import { readFileSync } from "node:fs";

globalThis.location = new URL("http://127.0.0.1:8080/");
globalThis.navigator ??= { languages: ["en"] };
const texts = { textContent: readFileSync("src/plantstore/features/page/texts.json", "utf8"), remove: () => {} };
globalThis.document = { getElementById: () => texts };
