import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ofCommand, ofPython } from "../src/launcher";
import { judged, obstacle } from "../src/probe";
import { firstOnPath, located, PYTHONS } from "../src/searchPath";

const folder = mkdtempSync(join(tmpdir(), "a b"));
after(() => rmSync(folder, { recursive: true }));

test("an interpreter says what it lacks", () => {
  assert.equal(judged("py", "missing:\n", undefined), undefined);
  const lacking = { kind: "no module", python: "py", modules: ["lsprotocol", "pygls"] };
  assert.deepEqual(judged("py", "noise\r\nmissing: lsprotocol pygls\r\n", ""), lacking);
  const failed = { kind: "failed", program: "py", detail: "SyntaxError: why" };
  assert.deepEqual(judged("py", "", "Traceback\nSyntaxError: why"), failed);
});

test("a program has to be there", async () => {
  assert.deepEqual(await obstacle(undefined, folder), { kind: "no python" });
  const program = join(folder, "python");
  assert.deepEqual(await obstacle(ofPython(program), folder), { kind: "no program", program });
});

test("commands are found on the path, files that do not run are not", {
  skip: process.platform === "win32",
}, () => {
  const [one, other] = [join(folder, "one"), join(folder, "other")];
  for (const path of [one, other]) writeFileSync(path, "#!/bin/sh\necho missing: pygls\n");
  chmodSync(other, 0o755);
  const env = { PATH: `relative:${folder}` };
  assert.equal(firstOnPath(["one", "other"], env), other);
  assert.equal(firstOnPath(["one", "none"], env), undefined);
  assert.equal(located(other, {}), other);
  assert.equal(located(folder, {}), undefined);
});

test("a program that runs is asked, a command is not", {
  skip: process.platform === "win32",
}, async () => {
  const program = join(folder, "asked");
  writeFileSync(program, "#!/bin/sh\necho missing: pygls\n", { mode: 0o755 });
  const lacking = { kind: "no module", python: program, modules: ["pygls"] };
  assert.deepEqual(await obstacle(ofPython(program), folder), lacking);
  assert.equal(await obstacle(ofCommand(program), folder), undefined);
  writeFileSync(program, "#!/bin/sh\nexit 3\n");
  const failed = { kind: "failed", program, detail: "exit code 3" };
  assert.deepEqual(await obstacle(ofPython(program), folder), failed);
});

test("a real interpreter answers", async (context) => {
  const python = firstOnPath(PYTHONS);
  if (!python) return context.skip("no Python here");
  const found = await obstacle(ofPython(python), folder);
  assert.ok(found === undefined || found.kind === "no module", JSON.stringify(found));
});
