import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ofCommand, ofPython } from "../src/launcher";
import { ServerProcess } from "../src/serverProcess";

const skip = process.platform === "win32";
const folder = mkdtempSync(join(realpathSync(tmpdir()), "a b"));
after(() => rmSync(folder, { recursive: true }));

function program(script: string): string {
  const path = join(folder, "program");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

test("the server is started in its folder, and its last words are kept", { skip }, async () => {
  const server = new ServerProcess(ofPython(program('echo "$@" >&2; pwd >&2')), folder);
  await server.start();
  assert.equal(await server.fate(), folder);
  assert.match(server.line, /program -m devlint server$/);
});

test("a server that says nothing has an exit code", { skip }, async () => {
  const server = new ServerProcess(ofCommand(program("exit 3")), folder);
  await server.start();
  assert.equal(await server.fate(), "exit code 3");
});

test("a server that stays is ended", { skip }, async () => {
  const server = new ServerProcess(ofCommand(program("exec sleep 100")), folder);
  const child = await server.start();
  const ended = new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)));
  assert.equal(await server.fate(), undefined);
  server.end();
  assert.equal(await ended, "SIGTERM");
});

test("a program that cannot be started says so", async () => {
  const server = new ServerProcess(ofCommand(join(folder, "none")), folder);
  await assert.rejects(server.start(), /ENOENT/);
  assert.equal(await server.fate(), undefined);
  server.end();
});
