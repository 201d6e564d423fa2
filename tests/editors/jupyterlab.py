"""A real JupyterLab with jupyterlab-lsp finds the server by itself: `make test-jupyter`."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.editors.notebook import notebook

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
CELLS = (
    "import torch\nfrom torch import nn\ndevice = torch.device('cuda')",
    "model = nn.Sequential(nn.Linear(4, 4)).to(device)\nmodel.fc = nn.Linear(4, 2)",
    "model.fc(torch.ones(2, 4, device=device))",
)


@contextmanager
def lab(folder: str) -> Iterator[str]:
    """The address of a JupyterLab that runs in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.token="]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        try:
            while "is running at" not in (line := server.stderr.readline()):
                if not line:
                    sys.exit("JupyterLab does not start")
            yield f"http://127.0.0.1:{port}/lab/tree/nb.ipynb"
        finally:
            server.terminate()


def main() -> None:
    chromium = shutil.which("chromium") or sys.exit("no chromium here")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "nb.ipynb").write_text(notebook(CELLS, KERNEL), encoding="utf-8")
        with lab(folder) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(address)
            mark = page.locator(".cm-lintRange").first
            expect(mark).to_have_text("model.fc", timeout=120_000)
            mark.hover()
            expect(page.locator(".cm-tooltip-lint")).to_contain_text("stays on the CPU")
            browser.close()
    print("JupyterLab underlines `model.fc` and tells why")


if __name__ == "__main__":
    main()
