"""The command, as a user runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main
from devlint.rule.registry import NoRulesError, load_rules
from devlint.rule.self_reports import OWN_CODES
from devlint.run import plan, start
from devlint.run.check import check as session_check

MIXED = """import torch

weights = torch.ones(3, device="cuda")
mask = torch.ones(3)
scaled = weights * mask
"""
CLEAN = MIXED.replace("ones(3)", "ones(3, device='cuda')")
BROKEN = "import torch\nx.cuda(\n"
NESTED = "import torch\nx.cuda()\ny = " + "(" * 1_000 + ")" * 1_000 + "\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def write(**texts: str) -> None:
    for name, text in texts.items():
        Path(f"{name}.py").write_text(text, encoding="utf-8")


def devlint(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, arguments, env=environment)


def codes(result: Result) -> list[str]:
    return [item["code"] for item in json.loads(result.stdout)]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The real thing, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "devlint", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_findings_are_printed_and_set_exit_code_1() -> None:
    write(train=MIXED)
    result = command("train.py")
    assert result.returncode == 1
    assert result.stdout.startswith("train.py:5:")
    assert "5 | scaled = weights * mask" in result.stdout
    summary = "Found 1 finding (1 error) in 1 file. `devlint rule DEV201` explains it.\n"
    assert result.stdout.endswith(summary)
    assert result.stderr == ""


def test_clean_run_says_so() -> None:
    write(train=CLEAN)
    result = command("check", ".")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "No device problems found in 1 file.\n"


def test_clean_run_imports_neither_libcst_nor_torch() -> None:
    write(train=CLEAN, other="x = 1\n")
    heavy = {"libcst", "torch", "tomllib", "tomli", "subprocess"}
    if sys.version_info < (3, 11):
        heavy.remove("subprocess")  # `uuid`, which click imports, imports it there.
    program = (
        "import sys\nfrom devlint.cli import main\n"
        "try:\n    main(['.'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        f"print(sorted({heavy} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "[]", result.stderr


def test_command_without_arguments_prints_help() -> None:
    result = command()
    assert result.returncode == 2
    assert "devlint check PATHS" in result.stdout


def test_version_is_printed() -> None:
    result = command("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("devlint ")


def test_without_paths_the_working_directory_is_linted() -> None:
    write(train=MIXED)
    assert codes(devlint("check", "--output-format", "json")) == ["DEV201"]
    assert codes(devlint("--output-format", "json")) == ["DEV201"]


def test_installed_command_is_the_same() -> None:
    script = Path(sys.executable).with_name("devlint")
    result = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == command("--version").stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["gone.py"], "error: gone.py: no such file or directory"),
        (["--select", "DEV2O1", "ok.py"], "error: unknown rule 'DEV2O1'; did you mean DEV201"),
        (["--frobnicate", "ok.py"], "error: No such option"),
        (["--output-format", "xml", "ok.py"], "error: Invalid value for '--output-format'"),
        (["broken.py"], "error: broken.py: cannot parse: "),
        (["latin.py"], "error: latin.py: cannot read: not valid utf-8"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(arguments: list[str], line: str) -> None:
    write(ok="x = 1\n", broken=BROKEN)
    Path("latin.py").write_bytes(b"x = '\xe9'\n")
    result = command(*arguments)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(line)


def test_findings_of_other_files_are_printed_beside_failures() -> None:
    write(train=MIXED, broken=BROKEN)
    result = devlint("--output-format", "json", "gone.py", ".")
    assert codes(result) == ["DEV902", "DEV201"]
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 2


def test_unreadable_file_is_a_finding() -> None:
    write(train=MIXED)
    Path("link.py").symlink_to("link.py")
    result = devlint("--output-format", "json", "train.py", "link.py")
    assert codes(result) == ["DEV902", "DEV201"]
    assert result.exit_code == 2


def test_skipped_file_is_a_note_and_leaves_the_exit_code() -> None:
    write(deep=NESTED)
    result = command("--output-format", "concise", "deep.py")
    assert result.returncode == 0
    assert result.stdout.startswith("deep.py:1:1: DEV903 note ")
    assert result.stderr.startswith("note: deep.py: ")


def test_ignored_fault_is_still_complained_of() -> None:
    write(broken=BROKEN)
    result = devlint("--ignore", "DEV902", "--output-format", "json", "broken.py")
    assert (codes(result), result.exit_code) == ([], 2)
    assert result.stderr.startswith("error: broken.py: cannot parse")


def test_fault_is_reported_whatever_is_selected() -> None:
    write(broken=BROKEN)
    assert codes(devlint("--select", "DEV101", "--output-format", "json", "broken.py")) == [
        "DEV902"
    ]


def test_internal_error_goes_on_and_shows_its_traceback_when_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(a=CLEAN, b=MIXED)

    def check(path: str, content: bytes, *rest: Any, **options: Any) -> Any:
        return original(path, b"" if path == "b.py" else content, [Crashing()], **options)

    class Crashing(load_rules()[0]):  # type: ignore[misc]
        watches = object

        def check(self, event: object) -> Iterator[Any]:
            raise KeyError("lost")

    original = session_check
    monkeypatch.setattr(plan, "check", check)
    result = devlint("--output-format", "concise", "-v", ".")
    assert result.exit_code == 2
    assert "DEV999 error internal error in" in result.stdout
    assert 'raise KeyError("lost")' in result.stderr


def test_a_fault_that_ends_the_run_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=MIXED)

    def discover(*paths: object) -> None:
        raise KeyError("lost\n::error::forged")

    monkeypatch.setattr(start, "discover", discover)
    result = devlint(".")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "in discover" in result.stderr
    assert result.stderr.endswith(
        "\nerror: devlint itself failed; please report the lines above and the command\n"
    )


def test_exit_zero_forgives_findings_but_not_failures() -> None:
    write(train=MIXED)
    assert devlint("--exit-zero", "train.py").exit_code == 0
    assert devlint("--exit-zero", "train.py", "gone.py").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((), ["DEV201"]),
        (("--select", "DEV2,DEV1"), ["DEV201"]),
        (("--select", "DEV1", "--select", "mixed-devices"), ["DEV201"]),
        (("--select", "DEV1"), []),
        (("--select", "DEV1", "--extend-select", "DEV20"), ["DEV201"]),
        (("--ignore", "DEV"), []),
        (("--isolated", "--no-screen"), ["DEV201"]),
        (("--exclude", "tr*.py"), []),
    ],
)
def test_options_choose_what_is_found(arguments: tuple[str, ...], found: list[str]) -> None:
    write(train=MIXED)
    result = devlint(*arguments, "--output-format", "json", ".")
    assert codes(result) == found
    assert result.exit_code == bool(found)


def test_statistics_count_by_rule() -> None:
    write(a=MIXED, b=MIXED, broken=BROKEN)
    result = devlint("--statistics", ".")
    assert result.stdout == "2 DEV201 mixed-devices\n1 DEV902 unreadable-file\n"
    result = devlint("--statistics", "--output-format", "json", "a.py")
    assert json.loads(result.stdout) == [{"code": "DEV201", "name": "mixed-devices", "count": 1}]


def test_verbose_accounts_for_the_files() -> None:
    write(train=MIXED, clean=CLEAN, other="x = 1\n")
    result = devlint("-v", ".")
    assert result.stderr == (
        "3 files, 0 unchanged since the last run, 2 mention devices of torch, 1 read by LibCST, "
        "0 calls beyond the budget of the analysis\n"
    )


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": ""}, False),
    ],
)
def test_colour_is_for_terminals_unless_told(
    environment: dict[str, str], is_coloured: bool
) -> None:
    write(train=MIXED)
    assert ("\x1b[" in devlint("train.py", **environment).stdout) is is_coloured


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_terminal_has_colour() -> None:
    write(train=MIXED)
    controller, terminal = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run(
        [sys.executable, "-m", "devlint", "train.py"], stdout=terminal, env=environment, check=False
    )
    os.write(terminal, b"end")
    assert b"\x1b[" in os.read(controller, 10_000)


def test_reader_that_leaves_is_no_error() -> None:
    write(**{f"train{number}": MIXED for number in range(3)})
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        [sys.executable, "-m", "devlint", "."], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    assert (result.returncode, result.stderr) == (1, b"")


def test_output_that_the_terminal_cannot_show_is_escaped() -> None:
    write(train=MIXED.replace("mask", "模型"))
    result = subprocess.run(
        [sys.executable, "-m", "devlint", "train.py"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert result.returncode == 1
    assert rb"weights * \u6a21\u578b" in result.stdout


def test_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("devlint.run.start.discover", interrupt)
    result = devlint(".")
    assert (result.exit_code, result.stderr.strip()) == (130, "interrupted")


def test_environment_without_rules_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_rules() -> None:
        raise NoRulesError("no rule pack is installed")

    write(train=CLEAN)
    monkeypatch.setattr("devlint.run.plans.load_rules", no_rules)
    result = devlint("train.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: no rule pack is installed\n"


def test_empty_folder_is_said_to_be_empty() -> None:
    result = devlint(".")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "warning: no Python files found\n"


@pytest.mark.parametrize("word", ["DEV201", "dev201", "mixed-devices"])
def test_rule_prints_its_page(word: str) -> None:
    result = devlint("rule", word)
    assert result.exit_code == 0
    assert result.stdout.startswith("# DEV201 mixed-devices\n\n")
    assert "## Bad" in result.stdout


def test_all_pages_are_printed_faults_included() -> None:
    result = devlint("rule", "--all")
    for rule in (*load_rules(), *OWN_CODES):
        assert f"# {rule.code} {rule.name}\n" in result.stdout


def test_pages_show_where_findings_are_and_no_other_marks_of_tests() -> None:
    page = devlint("rule", "DEV203").stdout
    assert "device=x.device" in page
    assert "mask = torch.ones(x.shape[1], x.shape[1]).tril()  # DEV203\n" in page
    assert "        return scores * mask\n" in page
    every = devlint("rule", "--all").stdout
    assert not re.search("(expect|related|ok|reveal): ", every.partition("# DEV901")[0])


def test_unknown_rule_names_the_nearest() -> None:
    result = devlint("rule", "mixed-device")
    assert result.exit_code == 2
    assert "did you mean mixed-devices" in result.stderr


@pytest.mark.parametrize("arguments", [("rule",), ("rule", "DEV201", "--all")])
def test_rule_wants_one_or_all(arguments: tuple[str, ...]) -> None:
    result = devlint(*arguments)
    assert result.exit_code == 2
    assert "either" in result.stderr


def test_calls_that_were_not_followed_are_counted() -> None:
    nested = "".join(f"def f{i}(x):\n    return f{i + 1}(x.cuda())\n" for i in range(19))
    write(deep=f"import torch\n{nested}def f19(x):\n    return x\n\nf0(torch.ones(3))\n")
    result = devlint("-v", ".")
    told = re.search(r"^(\d+) calls? not followed, beyond the budget", result.stdout, re.M)
    assert told is not None
    assert f", {told[1]} calls beyond" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_report_that_cannot_be_written_is_an_error_in_one_line() -> None:
    write(train=MIXED)
    arguments = [sys.executable, "-m", "devlint", "train.py"]
    with open("/dev/full", "w") as full:
        result = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("error: cannot write the report")
    assert result.stderr.count("\n") == 1


STALE = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 4)).to(device)
model[0] = nn.Linear(4, 4)
model(torch.ones(4, device=device))
torch.save(model.state_dict(), "größe.pt")
"""


def test_diff_shows_what_safe_fixes_would_change_and_writes_nothing() -> None:
    write(train=STALE)
    result = devlint("--diff", "train.py")
    assert result.exit_code == 1
    assert "--- train.py\n+++ train.py\n" in result.stdout
    assert "-model[0] = nn.Linear(4, 4)\n+model[0] = nn.Linear(4, 4).to(device)\n" in result.stdout
    assert "v.cpu()" not in result.stdout
    more = "1 more with `devlint --diff --unsafe-fixes`."
    assert result.stderr == f"Would apply 1 fix in 1 file. {more}\n"
    assert Path("train.py").read_text(encoding="utf-8") == STALE


def test_diff_shows_unsafe_fixes_when_it_is_asked_to() -> None:
    write(train=STALE, other=STALE)
    result = devlint("--diff", "--unsafe-fixes", ".")
    assert result.exit_code == 1
    assert result.stdout.count("+torch.save({k: v.cpu() for") == 2
    assert result.stderr == "Would apply 4 fixes in 2 files.\n"


def test_diff_of_what_has_no_fix_is_empty_and_no_failure() -> None:
    write(train=MIXED)
    result = devlint("--diff", "train.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Would apply 0 fixes in 0 files.\n"


@pytest.mark.parametrize("option", ["--exit-zero", "--ignore=DEV101"])
def test_diff_takes_the_other_options(option: str) -> None:
    write(train=STALE)
    assert devlint("--diff", option, "train.py").exit_code == 0


def test_diff_tells_what_cannot_be_read() -> None:
    write(train=STALE, broken=BROKEN)
    result = devlint("--diff", ".")
    assert result.exit_code == 2
    assert "+model[0]" in result.stdout
    assert "broken.py" in result.stderr


@pytest.mark.parametrize(("encoding", "newline"), [("utf-8-sig", "\r\n"), ("latin-1", "\n")])
def test_diff_has_the_bytes_of_the_file(encoding: str, newline: str) -> None:
    cookie = "" if encoding == "utf-8-sig" else f"# coding: {encoding}\n"
    text = f"{cookie}{STALE}".replace("\n", newline)
    Path("train.py").write_bytes(text.encode(encoding))
    diff = devlint("--diff", "train.py").stdout_bytes
    kept = [line[1:] for line in diff.split(b"\n") if line.startswith(b" ")]
    assert set(kept) <= set(text.encode(encoding).split(b"\n"))
    assert any("größe".encode(encoding.removesuffix("-sig")) in line for line in kept)


def test_findings_tell_of_their_fixes() -> None:
    write(train=STALE)
    assert "  = fix: move it too: `.to(device)` (safe)\n" in devlint("train.py").stdout
    assert "(unsafe fix)\n" in devlint("--output-format=concise", "train.py").stdout
    first, second = json.loads(devlint("--output-format=json", "train.py").stdout)
    assert (first["fix"]["safety"], second["fix"]["safety"]) == ("safe", "unsafe")
    assert (first["fix"]["risk"], bool(second["fix"]["risk"])) == (None, True)
