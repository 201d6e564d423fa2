import assert from "node:assert/strict";
import { homedir } from "node:os";
import { test } from "node:test";
import { expanded, isSame, ofCommand, ofPython, withArguments } from "../src/launcher";

test("devlint runs as a module of an interpreter, or by its own name", () => {
  const words = withArguments(ofPython("/a b/python"), "run", "--sandbox", "/a b/net.py");
  assert.deepEqual(words, ["-m", "devlint", "run", "--sandbox", "/a b/net.py"]);
  assert.deepEqual(withArguments(ofCommand("devlint"), "server"), ["server"]);
});

test("a launcher is another one if its program or its kind is", () => {
  assert.ok(isSame(ofPython("/a"), ofPython("/a")));
  assert.ok(isSame(undefined, undefined));
  assert.ok(!isSame(ofPython("/a"), ofCommand("/a")));
  assert.ok(!isSame(ofPython("/a"), ofPython("/b")));
  assert.ok(!isSame(undefined, ofPython("/a")));
});

test("paths in settings are expanded", () => {
  const env = { VENV: "/env" };
  const paths = {
    python3: "python3",
    "/usr/bin/python3": "/usr/bin/python3",
    ".venv/bin/python": "/work/.venv/bin/python",
    "${workspaceFolder}/.venv/bin/python": "/work/.venv/bin/python",
    "${env:VENV}/bin/python": "/env/bin/python",
    "~/python": `${homedir()}/python`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings have it
    "/${what}/python": "/${what}/python",
  };
  for (const [path, known] of Object.entries(paths)) {
    assert.equal(expanded(path, "/work", env), known);
  }
  assert.equal(expanded("bin/python", undefined), "bin/python");
});
