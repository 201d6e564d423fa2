// Bundles the extension, or with --tests the unit tests, into dist/.
import { readdirSync } from "node:fs";
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
