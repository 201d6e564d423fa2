"""What one does in a window of VS Code, and what one sees there."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import expect, sync_playwright

#: What is behind another tab stays on the page.
SCRIPTS, NOTEBOOKS = ".editor-instance", ".notebookOverlay"
SIZE = {"width": 860, "height": 520}
SETTINGS = {"editor.codeActionsOnSave": {"source.fixAll.devlint": "explicit"}}


@dataclass(frozen=True, slots=True)
class Window:
    """`python` is an interpreter that has devlint, `bare` one that has not."""

    page: Any
    folder: Path
    python: str
    bare: str
    pictures: Path | None

    def choose(self, interpreter: str) -> None:
        """Choose an interpreter, as one does with the Python extension."""
        settings = SETTINGS | {"standIn.interpreter": interpreter}
        path = self.folder / ".vscode/settings.json"
        path.write_text(json.dumps(settings), encoding="utf-8")

    def open(self, name: str) -> None:
        self.pick("Control+p", name)
        expect(self.page.locator(".tab.active")).to_contain_text(Path(name).name)

    def call(self, command: str) -> None:
        self.pick("F1", command)

    def pick(self, key: str, text: str) -> None:
        self.page.keyboard.press(key)
        box = self.page.locator(".quick-input-widget input[type=text]")
        expect(box).to_be_visible()
        self.page.keyboard.type(text)
        expect(self.page.locator(".quick-input-list-row").first).to_contain_text(Path(text).name)
        self.page.keyboard.press("Enter")
        expect(box).to_be_hidden()

    def line(self, text: str, where: str = SCRIPTS) -> Any:
        return self.page.locator(f"{where} .view-line", has_text=text)

    def message(self, text: str) -> Any:
        return self.page.locator(".notification-toast", has_text=text)

    def squiggles(self, number: int, where: str = SCRIPTS) -> None:
        marks = self.page.locator(f"{where} .squiggly-error:visible")
        expect(marks).to_have_count(number, timeout=60_000)

    def terminal(self, *texts: str) -> None:
        """Wait until it says this; its rows are wrapped anywhere."""
        for text in texts:
            self.page.wait_for_function(
                "text => [...document.querySelectorAll('.xterm-rows')].some(rows => "
                "rows.innerText.replace(/[\\n\\u00a0 ]/g, '').includes(text))",
                arg=text.replace(" ", ""),
                timeout=120_000,
            )

    def picture(self, name: str, height: int = SIZE["height"]) -> None:
        if not self.pictures:
            return
        self.page.set_viewport_size(SIZE | {"height": height})
        self.page.wait_for_timeout(1000)
        self.page.screenshot(path=self.pictures / f"{name}.png")
        self.page.set_viewport_size(SIZE)


@contextmanager
def chromium(address: str) -> Iterator[Any]:
    """A page of a browser."""
    program = shutil.which("chromium") or sys.exit("no chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(30_000)
        expect.set_options(timeout=30_000)
        page.goto(address)
        page.wait_for_selector(".explorer-folders-view .monaco-list-row")
        page.keyboard.press("Control+b")
        yield page
        browser.close()
