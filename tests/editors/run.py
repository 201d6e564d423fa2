"""Real editors against the server, set up as docs/editors.md says: `make test-editors`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.documents import blocks

#: The second finding is mended on save; the emoji shifts columns in UTF-8 and UTF-16.
TEXT = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 4)).to(device)
label = "\N{GRINNING FACE}"; model.fc = nn.Linear(4, 2)
model.head = nn.Linear(2, 2)
print(model.head(model.fc(torch.ones(2, 4, device=device))))
"""
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Editor:
    """`driver` is a script beside this file, `shown` which blocks of the document it loads."""

    name: str
    driver: str
    options: tuple[str, ...]
    language: str
    shown: slice
    #: Where the first finding starts, as the editor counts: Neovim in bytes.
    column: int

    def command(self, program: str) -> list[str]:
        return [program, *self.options, self.load(str(HERE / self.driver))]

    def load(self, script: str) -> str:
        return f"luafile {script}" if self.language == "lua" else script

    def documented(self) -> str:
        """What the document says of this editor."""
        known = [block for block in blocks(self.language) if block.document == "docs/editors.md"]
        return "\n".join(block.text for block in known[self.shown])


EDITORS = (
    # `vim.lsp.config`, in the first block, came with Neovim 0.11.
    Editor("nvim", "neovim.lua", ("--headless", "-u", "NONE", "-c"), "lua", slice(1, 2), 17),
    # The last block is about lsp-mode.
    Editor("emacs", "emacs.el", ("--batch", "-l"), "elisp", slice(0, 2), 14),
)


def main() -> None:
    here = [(editor, path) for editor in EDITORS if (path := shutil.which(editor.name))]
    if not here:
        sys.exit("no editor here; install Neovim 0.7, or Emacs 28 with eglot, or newer ones")
    failures = [failure for editor, path in here if (failure := attempt(editor, path))]
    if failures:
        sys.exit("\n".join(failures))


def attempt(editor: Editor, program: str) -> str | None:
    """What goes wrong in an editor."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.joinpath("a.py").write_text(TEXT, encoding="utf-8")
        folder.joinpath("documented").write_text(editor.documented(), encoding="utf-8")
        report = talk(editor.command(program), folder)
        after = folder.joinpath("a.py").read_text(encoding="utf-8")
    print(editor.name, json.dumps(report), after, sep="\n")
    if error := report.get("error"):
        return f"{editor.name}: {error}"
    places = [(each["line"], each["column"]) for each in report["found"]]
    if places != [(6, editor.column), (7, 1)] or report["left"] or after.count(".to(device)") != 3:
        return f"{editor.name}: found {places}, {report['left']} left"
    return None


def talk(command: list[str], folder: Path) -> dict[str, Any]:
    # As users have it, `devlint` is on the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    ran = subprocess.run(command, cwd=folder, env=environment, timeout=300, check=False)
    written = folder / "out.json"
    if not written.exists():
        return {"error": f"ended with {ran.returncode} and wrote nothing"}
    report: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
    return report


if __name__ == "__main__":
    main()
