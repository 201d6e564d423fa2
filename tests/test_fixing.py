"""`--fix` and its kin, as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from devlint.cache.snapshot import Snapshot
from devlint.cache.store import FOLDER
from devlint.cli import main
from devlint.files.atomic_write import OverwriteError, overwrite
from devlint.run import fix, plan
from devlint.run.check import check as session_check

TEXT = """import torch


def add(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros(3)  # a comment
    return x + y


def save(model: torch.nn.Module) -> None:
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    torch.save(model.state_dict(), "model.pt")
"""
SAFE = TEXT.replace("zeros(3)", "zeros(3, device=x.device)")
UNSAFE = SAFE.replace("model.state_dict()", "{k: v.cpu() for k, v in model.state_dict().items()}")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(TEXT)
    return tmp_path


def devlint(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


def files() -> list[str]:
    """What is in the folder besides what runs keep."""
    return sorted({*os.listdir()} - {FOLDER})


def test_fix_writes_the_file_and_reports_what_is_left() -> None:
    result = devlint("--fix", ".")
    assert result.exit_code == 1
    assert Path("a.py").read_text() == SAFE
    assert "Found 2 findings (1 fixed, 1 left: 1 warning) in 1 file." in result.stdout
    assert "DEV203" not in result.stdout
    assert result.stdout.endswith("1 can be fixed with `devlint --fix --unsafe-fixes`.\n")
    assert "11 |     torch.save" in result.stdout
    assert "of every tensor (unsafe: the file holds a plain dict" in result.stdout


def test_unsafe_fixes_are_asked_for() -> None:
    result = devlint("--fix", "--unsafe-fixes", ".")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Path("a.py").read_text() == UNSAFE
    assert result.stdout == "Found 2 findings (2 fixed, 0 left).\n"
    assert devlint("--fix", "--unsafe-fixes", ".").stdout.startswith("No device problems")


def test_report_says_what_fixes_could_do() -> None:
    told = "1 can be fixed with `devlint --fix`, 1 more with `devlint --fix --unsafe-fixes`.\n"
    assert devlint("a.py").stdout.endswith(told)
    assert devlint("--unsafe-fixes", "a.py").stdout.endswith(told)
    Path("a.py").write_text(SAFE)
    told = "1 can be fixed with `devlint --fix --unsafe-fixes`.\n"
    assert devlint("--unsafe-fixes", "a.py").stdout.endswith(told)


def test_a_fix_that_is_refused_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fix, "parses", lambda *_: False)
    told = devlint("--fix", "--output-format", "concise", "a.py")
    assert "the fix of DEV203 is left out: the file would no longer parse" in told.stderr
    assert ("(safe fix)" in told.stdout, "(unsafe fix)" in told.stdout) == (False, True)
    told = devlint("--fix", "--unsafe-fixes", "--output-format", "concise", "a.py")
    assert " fix)" not in told.stdout
    assert "can be fixed" not in told.stdout


@pytest.mark.parametrize("option", [(), ("--fix",), ("--fix-only",)])
def test_diff_writes_nothing(option: tuple[str, ...]) -> None:
    result = devlint("--diff", *option, ".")
    assert result.exit_code == 1
    assert Path("a.py").read_text() == TEXT
    assert "+    y = torch.zeros(3, device=x.device)  # a comment\n" in result.stdout
    more = "1 more with `devlint --diff --unsafe-fixes`."
    assert result.stderr == f"Would apply 1 fix in 1 file. {more}\n"
    Path("a.py").write_text(SAFE)
    result = devlint("--diff", *option, ".")
    assert (result.exit_code, result.stdout) == (0, "")


def test_fix_only_reports_nothing() -> None:
    result = devlint("--fix-only", ".")
    assert (result.exit_code, result.stdout) == (0, "")
    more = "1 more with `devlint --fix-only --unsafe-fixes`."
    assert result.stderr == f"Applied 1 fix in 1 file. {more}\n"
    assert Path("a.py").read_text() == SAFE


def test_show_fixes_lists_them_by_file_and_rule() -> None:
    Path("b.py").write_text(TEXT + TEXT.partition("\n")[2].replace("add", "sum"))
    result = devlint("--fix", "--show-fixes", ".")
    assert result.stderr == (
        "a.py:\n    1 x DEV203 tensor-without-device\nb.py:\n    2 x DEV203 tensor-without-device\n"
    )


def test_report_for_programs_stays_one_when_fixing() -> None:
    result = devlint("--fix", "--show-fixes", "--output-format", "json", ".")
    assert [each["code"] for each in json.loads(result.stdout)] == ["DEV401"]
    more = "1 more with `devlint --fix --unsafe-fixes`."
    assert result.stderr.endswith(f"Applied 1 fix in 1 file. {more}\n")


@pytest.mark.parametrize(
    ("options", "after"),
    [
        (("--fixable", "DEV2"), SAFE),
        (("--fixable", "DEV401"), UNSAFE.replace(", device=x.device", "")),
        (("--unfixable", "tensor-without-device,save-on-accelerator"), TEXT),
        (("--fixable", "DEV203", "--unfixable", "DEV2"), TEXT),
    ],
)
def test_fixable_and_unfixable_choose_among_fixes(options: tuple[str, ...], after: str) -> None:
    devlint("--fix", "--unsafe-fixes", *options, ".")
    assert Path("a.py").read_text() == after


def test_unknown_fixable_rule_is_an_error() -> None:
    result = devlint("--fix", "--unfixable", "DEV2O3", ".")
    assert (result.exit_code, Path("a.py").read_text()) == (2, TEXT)
    assert "unknown rule 'DEV2O3'" in result.stderr


def test_suppressed_lines_are_not_fixed() -> None:
    text = TEXT.replace("# a comment", "# noqa: DEV203")
    Path("a.py").write_text(text)
    devlint("--fix", ".")
    assert Path("a.py").read_text() == text


def test_file_that_cannot_be_read_does_not_stop_others() -> None:
    Path("broken.py").write_text("import torch\nx.cuda(\n")
    assert devlint("--fix", ".").exit_code == 2
    assert Path("a.py").read_text() == SAFE


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_mode_stays() -> None:
    os.chmod("a.py", 0o754)
    devlint("--fix", "a.py")
    assert stat.S_IMODE(os.stat("a.py").st_mode) == 0o754
    assert files() == ["a.py"]


@pytest.mark.skipif(not IS_ROOT, reason="only root may give files away")
def test_owner_stays() -> None:
    os.chown("a.py", 12345, 23456)
    devlint("--fix", "a.py")
    assert Path("a.py").read_text() == SAFE
    assert (os.stat("a.py").st_uid, os.stat("a.py").st_gid) == (12345, 23456)


def test_link_stays_and_its_target_is_written() -> None:
    Path("below").mkdir()
    os.rename("a.py", "below/real.py")
    Path("a.py").symlink_to("below/real.py")
    devlint("--fix", "a.py")
    assert Path("a.py").is_symlink()
    assert Path("below/real.py").read_text() == SAFE
    assert sorted(os.listdir("below")) == ["real.py"]


def test_other_hard_links_are_told_of() -> None:
    os.link("a.py", "b")
    result = devlint("--fix", "a.py")
    assert Path("a.py").read_text() == SAFE
    assert Path("b").read_text() == TEXT
    assert result.stderr == (
        "warning: a.py: the file had other hard links, which keep the old text\n"
    )


def test_read_only_file_is_left_alone() -> None:
    os.chmod("a.py", 0o444)
    result = devlint("--fix", "a.py")
    assert (result.exit_code, Path("a.py").read_text()) == (2, TEXT)
    assert result.stderr == "error: a.py: cannot be written: the file is read-only\n"
    assert "DEV203" in result.stdout


@pytest.mark.skipif(IS_ROOT or os.name == "nt", reason="root writes everywhere")
def test_read_only_folder_is_said_to_be_so() -> None:
    Path("below").mkdir()
    os.rename("a.py", "below/a.py")
    os.chmod("below", 0o555)
    result = devlint("--fix", "below")
    os.chmod("below", 0o755)
    assert (result.exit_code, Path("below/a.py").read_text()) == (2, TEXT)
    assert result.stderr == "error: below/a.py: cannot be written: its folder is read-only\n"


def test_full_disk_leaves_the_file_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = devlint("--fix", "a.py")
    assert (result.exit_code, Path("a.py").read_text()) == (2, TEXT)
    assert result.stderr == "error: a.py: cannot be written: no space left on device\n"
    assert files() == ["a.py"]


def test_file_that_changed_meanwhile_is_not_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(path: str, *rest: Any, **options: Any) -> Any:
        Path(path).write_text("saved = 'by an editor'\n")
        return original(path, *rest, **options)

    original = session_check
    monkeypatch.setattr(plan, "check", check)
    result = devlint("--fix", "a.py")
    assert (result.exit_code, Path("a.py").read_text()) == (2, "saved = 'by an editor'\n")
    complaint = "error: a.py: cannot be written: it changed on disk since it was read\n"
    assert result.stderr == complaint
    assert files() == ["a.py"]


def test_file_that_is_gone_stays_gone() -> None:
    with pytest.raises(OverwriteError, match="no such file"):
        overwrite("gone.py", b"", b"x = 1\n")
    assert files() == ["a.py"]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_interrupt_leaves_no_temporary_file(name: str) -> None:
    program = (
        # A shell that runs the tests in the background has it ignored.
        "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "exchange = os.replace\n"
        "def slow(*names):\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "    exchange(*names)\n"
        "os.replace = slow\n"
        "from devlint.cli import main\nmain(['--fix', '.'])\n"
    )
    Path("b.py").write_text(TEXT)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert result.returncode in (130, -getattr(signal, name)), result.stderr
    assert files() == ["a.py", "b.py"]
    # What was mended by then is written.
    assert (Path("a.py").read_text(), Path("b.py").read_text()) == (SAFE, TEXT)


def test_all_files_are_looked_at_before_one_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(self: Snapshot, path: str) -> bytes:
        if path.endswith("b.py"):
            seen.append(Path("a.py").read_text())
        return original(self, path)

    seen: list[str] = []
    original = Snapshot.read
    monkeypatch.setattr(Snapshot, "read", read)
    Path("b.py").write_text(TEXT)
    before = Path("a.py").read_text()
    devlint("--fix", ".")
    assert {*seen} == {before}
    assert Path("a.py").read_text() == SAFE


def test_times_are_those_of_the_change() -> None:
    os.utime("a.py", (1, 1))
    devlint("--fix", "a.py")
    assert abs(os.stat("a.py").st_mtime - time.time()) < 60


def test_system_without_signals_and_owners_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    monkeypatch.delattr(os, "chown", raising=False)
    devlint("--fix", "a.py")
    assert Path("a.py").read_text() == SAFE
