"""A real VS Code with the extension: `make test-vscode CODE_SERVER=FOLDER`.

The folder is where `npm install code-server` was run. The extension is built before:
`cd editors/vscode && npm ci && npm run package`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.editors.code_server import CodeServer, packed
from tests.editors.notebook import notebook
from tests.editors.vscode_window import NOTEBOOKS, Window, chromium

HERE = Path(__file__).parent
BUILT = HERE.parent.parent / "editors/vscode"
#: One finding is mended by its quick fix, the other on save.
SCRIPT = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 4)).to(device)
model.fc = nn.Linear(4, 2)
model.head = nn.Linear(2, 2)
print(model.head(model.fc(torch.ones(2, 4, device=device))))
"""
PYTHON = {"language_info": {"name": "python"}}
CELLS = (
    "import torch\nfrom torch import nn\n\ndevice = torch.device('cuda')",
    "model = nn.Sequential(nn.Linear(4, 4)).to(device)\nmodel.fc = nn.Linear(4, 2)",
    "model.fc(torch.ones(2, 4, device=device))",
)
#: Blanks and signs that shells act on.
QUOTED = "a b/it's $x.py"
STAND_IN: dict[str, object] = {
    "name": "python",
    "publisher": "ms-python",
    "activationEvents": ["onLanguage:python"],
    "contributes": {
        "configuration": {
            "properties": {"standIn.interpreter": {"type": "string", "scope": "resource"}}
        }
    },
}


def says_what_is_missing(window: Window) -> None:
    window.open("train.py")
    expect(window.message(f"devlint is not installed for {window.bare}.")).to_be_visible(
        timeout=60_000
    )
    window.picture("missing")
    window.page.get_by_role("button", name="Copy install command").click()
    expect(window.message("-m pip install 'devlint[lsp]'")).to_be_visible()
    window.call("Notifications: Clear All Notifications")


def follows_the_interpreter(window: Window) -> None:
    window.choose(window.python)
    window.squiggles(2)


def hovers(window: Window) -> None:
    window.line("model.fc = ").hover(position={"x": 70, "y": 8})
    expect(window.page.locator(".monaco-hover:visible")).to_contain_text("stays on the CPU")
    window.picture("finding")


def runs_in_a_terminal(window: Window) -> None:
    window.page.locator(".codelens-decoration a", has_text="Dry-run").click()
    window.terminal("1 device event", "exit code: 1")
    window.call("View: Toggle Maximized Panel")
    window.picture("dry-run", 640)
    window.call("View: Toggle Maximized Panel")
    window.call("devlint: Confirm this file")
    window.terminal("-m', 'devlint', 'confirm'", "exit code: 1")
    window.call("View: Hide Panel")


def mends(window: Window) -> None:
    window.line("model.fc = ").click(position={"x": 20, "y": 8})
    window.page.keyboard.press("Control+.")
    row = window.page.locator(".action-widget .monaco-list-row.focused", has_text="move it too")
    expect(row).to_be_visible()
    window.picture("quick-fix")
    window.page.keyboard.press("Enter")
    expect(window.line("model.fc = ")).to_contain_text("to(device)")
    window.squiggles(1)


def mends_on_save(window: Window) -> None:
    window.page.keyboard.press("Control+s")
    window.squiggles(0)
    expect(window.page.locator(".tab.dirty")).to_have_count(0)
    assert window.folder.joinpath("train.py").read_text().count(".to(device)") == 3


def knows_notebooks(window: Window) -> None:
    window.open("lesson.ipynb")
    window.squiggles(1, NOTEBOOKS)
    window.line("model.fc = ", NOTEBOOKS).hover(position={"x": 30, "y": 8})
    expect(window.page.locator(".monaco-hover:visible")).to_contain_text("stays on the CPU")
    window.picture("notebook")


def quotes(window: Window) -> None:
    window.open(QUOTED)
    window.squiggles(2)
    window.call("devlint: Dry-run this file")
    window.terminal("it's $x.py ended with exit code 1")


def lints_the_workspace(window: Window) -> None:
    window.call("devlint: Lint workspace")
    expect(window.message("devlint found 3 findings in 3 files.")).to_be_visible(timeout=60_000)


def fixes_all(window: Window) -> None:
    window.line("model.fc = ").click()
    window.call("devlint: Fix all")
    window.squiggles(0)


CHECKS: tuple[Callable[[Window], None], ...] = (
    says_what_is_missing,
    follows_the_interpreter,
    hovers,
    runs_in_a_terminal,
    mends,
    mends_on_save,
    knows_notebooks,
    quotes,
    lints_the_workspace,
    fixes_all,
)


def fill(folder: Path) -> None:
    for name in (".vscode", Path(QUOTED).parent):
        folder.joinpath(name).mkdir(parents=True)
    for name in ("train.py", QUOTED):
        folder.joinpath(name).write_text(SCRIPT, encoding="utf-8")
    folder.joinpath("lesson.ipynb").write_text(notebook(CELLS, PYTHON), encoding="utf-8")


def attempt(server: CodeServer, options: argparse.Namespace, bare: str) -> None:
    script = HERE.joinpath("python_extension.js").read_text(encoding="utf-8")
    extension = next(iter(BUILT.glob("devlint-*.vsix")), None) or sys.exit(__doc__ or "")
    server.install(packed(server.home / "python.vsix", STAND_IN, script), extension)
    folder = options.folder
    fill(folder)
    with server.running() as address, chromium(f"{address}/?folder={folder}") as page:
        window = Window(page, folder, options.python, bare, options.pictures)
        window.choose(bare)
        for check in CHECKS:
            tried(check, window)


def tried(check: Callable[[Window], None], window: Window) -> None:
    """Where it fails, a picture is left of what was shown."""
    name = check.__name__.replace("_", " ")
    try:
        check(window)
    except BaseException:
        picture = Path(tempfile.gettempdir(), "devlint-vscode.png")
        window.page.screenshot(path=picture)
        print(f"{name}: fails; {picture} shows the window", file=sys.stderr)
        raise
    print(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code_server", type=Path, help="where npm has installed code-server")
    parser.add_argument("--node", default="node", help="the Node.js that code-server wants")
    parser.add_argument("--python", default=sys.executable, help="has devlint[lsp] and torch")
    parser.add_argument("--folder", type=Path, help="the workspace, which must not be there yet")
    parser.add_argument("--pictures", type=Path, help="where to put pictures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        options.folder = options.folder or Path(name, "workspace")
        bare = [sys.executable, "-m", "venv", "--without-pip", f"{name}/bare"]
        subprocess.run(bare, check=True)
        server = CodeServer(options.node, options.code_server, Path(name))
        attempt(server, options, f"{name}/bare/bin/python")


if __name__ == "__main__":
    main()
