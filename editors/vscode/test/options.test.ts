import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { KEYS, options } from "../src/options";

const { contributes } = JSON.parse(readFileSync("package.json", "utf8"));
/** Settings that the server is not handed. */
const OWN = ["enable", "interpreter", "path", "trace.server"];

test("every setting is the client's own, or handed to the server", () => {
  const names = [...KEYS, ...OWN].map((name) => `devlint.${name}`);
  assert.deepEqual(Object.keys(contributes.configuration.properties).sort(), names.sort());
});

test("the server is told the settings by their names", () => {
  const told = options((name) => `value of ${name}`);
  assert.deepEqual(Object.keys(told), [...KEYS]);
  assert.equal(told.lintOn, "value of lintOn");
});
