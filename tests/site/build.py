"""The site, built as tests want it: every warning is an error, and there is no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.documents import ROOT

#: Sphinx in a process that cannot reach anything.
ALONE = """
import socket, sys
def refuse(*_):
    raise OSError("the site is built without a network")
socket.socket.connect = socket.getaddrinfo = refuse
from sphinx.cmd.build import build_main
sys.exit(build_main(sys.argv[1:]))
"""


def built(folder: Path) -> Path:
    """The folder of its pages."""
    options = ["-q", "-W", "--keep-going", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-c", ALONE, *options, "docs", str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"
