// Bundles the extension, or with --tests the unit tests, into dist/.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");

await build({
  entryPoints: tests ? readdirSync("test").map((name) => `test/${name}`) : ["src/extension.ts"],
  outdir: tests ? "dist/test" : "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  minify: process.argv.includes("--minify"),
});

// VS Code shows no pictures that are packed with an extension.
const text = readFileSync("README.md", "utf8").replace(
  /^(.*:\n\n)?!\[.*\]\(images\/.*\)\n\n/gm,
  "",
);
writeFileSync("dist/README.md", text);
