"""What takes far too long costs its own findings only."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from devlint.cli import main
from devlint.run import watchdog
from tests.hostile.running import MIXED

#: Each class of a long line of them has all methods of those before it.
ENDLESS = "import torch\nfrom torch import nn\n\nclass C0(nn.Module):\n    pass\n" + "".join(
    f"class C{i}(C{i - 1}):\n    def f{i}(self, x):\n        return x + torch.ones(3)\n"
    for i in range(1, 2_000)
)


@pytest.mark.parametrize("arguments", [["."], ["--fix", "."], ["good.py", "bad.py"]])
def test_analysis_that_does_not_end_is_ended(
    arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bad.py").write_text(ENDLESS)
    (folder / "good.py").write_text(f"import bad\n{MIXED}")
    monkeypatch.setattr(watchdog, "LIMIT", 1.0)
    result = CliRunner().invoke(main, ["--output-format", "json", *arguments])
    found = {(each["path"], each["code"]) for each in json.loads(result.stdout)}
    assert {("bad.py", "DEV903"), ("good.py", "DEV201")} <= found
    assert result.exit_code == 1
    assert "note: bad.py: skipped: the analysis took longer than" in result.stderr


def test_nothing_of_a_limit_is_left() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(ZeroDivisionError), watchdog.limited():
        raise ZeroDivisionError
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
    assert signal.getsignal(signal.SIGVTALRM) is before
