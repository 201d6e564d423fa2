import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, explained, installCommand } from "../src/messages";

test("the command that installs is quoted as the shell wants", () => {
  const quoted = "-m pip install 'devlint[lsp]'";
  assert.equal(installCommand("/usr/bin/python3", "linux"), `/usr/bin/python3 ${quoted}`);
  assert.equal(installCommand("/a b/it's/python", "linux"), `'/a b/it'\\''s/python' ${quoted}`);
  assert.equal(installCommand("C:\\Py\\python.exe", "win32"), `C:\\Py\\python.exe ${quoted}`);
  assert.equal(installCommand("C:\\a b\\python.exe", "win32"), `& 'C:\\a b\\python.exe' ${quoted}`);
});

test("what is missing is named", () => {
  const python = "/usr/bin/python3";
  const without = (...modules: string[]) => explained({ kind: "no module", python, modules });
  assert.equal(
    without("devlint", "lsprotocol", "pygls"),
    "devlint is not installed for /usr/bin/python3.",
  );
  assert.equal(
    without("lsprotocol", "pygls"),
    "devlint's language server needs lsprotocol and pygls, which /usr/bin/python3 does not have.",
  );
});

test("other obstacles are told apart", () => {
  assert.match(explained({ kind: "no python" }), /found no Python/);
  assert.match(explained({ kind: "no program", program: "/no" }), /there is no program \/no\./);
  const failed = { program: "python", detail: "why" };
  assert.equal(explained({ kind: "failed", ...failed }), "devlint cannot start: python fails: why");
  const ended = explained({ kind: "ended", ...failed });
  assert.equal(ended, "devlint's language server ended (python): why");
});

test("findings and files are counted", () => {
  assert.equal(counted(0, 2), "devlint found nothing in 2 files.");
  assert.equal(counted(1, 1), "devlint found 1 finding in 1 file.");
  assert.equal(counted(3, 12), "devlint found 3 findings in 12 files.");
});
