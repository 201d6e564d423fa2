"""docs/comparison.md: what torch-audit tells on emulated CUDA, and what it does not without.

It needs torch, and so is not among the packages for tests: `make test-audit`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import blocks

pytest.importorskip("torch")
pytest.importorskip("torch_audit")

SPLIT = "TA202 Model parameters are split across devices: ['cpu', 'cuda:0']"


@pytest.mark.parametrize(
    ("command", "is_told"),
    [(("audited.py",), False), (("-m", "devlint", "run", "audited.py"), True)],
)
def test_the_head_that_stayed_behind_is_told_on_emulated_cuda(
    command: tuple[str, ...], is_told: bool, tmp_path: Path
) -> None:
    [block] = [each for each in blocks("python") if each.file == "audited.py"]
    (tmp_path / "audited.py").write_text(block.text)
    words = [sys.executable, *command]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "TA200" in done.stdout
    assert (SPLIT in done.stdout) is is_told
