"""What a command line may say: options that go together, help that one can read, plain errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import VERBS, main
from devlint.cli.progress import line as bar

MIXED = """import torch

weights = torch.ones(3, device="cuda")
scaled = weights * torch.ones(3)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(MIXED, encoding="utf-8")
    return tmp_path


def devlint(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--fix --add-noqa", "--add-noqa and --fix contradict each other"),
        ("--add-noqa --ignore-noqa", "--add-noqa and --ignore-noqa contradict each other"),
        ("--add-noqa --watch", "--add-noqa and --watch contradict each other"),
        (
            "--add-noqa --write-baseline b.json",
            "--write-baseline and --add-noqa contradict each other",
        ),
        (
            "--write-baseline b.json --diff-base HEAD",
            "--write-baseline and --diff-base contradict each other",
        ),
        ("--diff --statistics", "--statistics and --diff contradict each other"),
        ("--diff -o out.txt", "--output-file and --diff contradict each other"),
        ("--show-files --show-settings", "--show-files and --show-settings contradict each other"),
        ("--reason why", "--reason is for the comments of --add-noqa"),
        (
            "--statistics --output-format sarif",
            "--statistics writes no sarif; choose full, concise, grouped, json or json-lines",
        ),
        ("--diff-base=", "Invalid value for '--diff-base': it is empty"),
        ("--write-baseline=", "Invalid value for '--write-baseline': it is empty"),
        ("--baseline=", "the command line: baseline: expected a path, not ''"),
    ],
)
def test_options_that_rule_one_another_out_are_refused(options: str, line: str) -> None:
    result = devlint("check", "a.py", *options.split())
    assert (result.exit_code, result.output) == (2, f"error: {line}\n")
    assert os.listdir() == ["a.py"]
    assert Path("a.py").read_text() == MIXED


@pytest.mark.parametrize("option", ["--watch", "--show-files", "--show-settings"])
def test_standard_input_is_no_path(option: str) -> None:
    result = devlint("check", "-", option, stdin=MIXED)
    line = f"error: {option} needs paths, not standard input (-)\n"
    assert (result.exit_code, result.output) == (2, line)


def test_opposite_contradicts_nothing() -> None:
    assert devlint("check", "a.py", "--no-fix", "--add-noqa").exit_code == 0


def test_comments_are_written_where_a_project_ignores_those_that_there_are() -> None:
    Path("devlint.toml").write_text("ignore-noqa = true\n")
    result = devlint("check", "a.py", "--add-noqa")
    assert (result.exit_code, result.stderr) == (0, "Silenced 1 finding in 1 file.\n")
    assert devlint("check", "a.py", "--add-noqa").stderr == "Silenced 0 findings in 0 files.\n"


@pytest.mark.parametrize("option", ["--statistics", "--write-baseline=b.json"])
def test_fixes_are_told_whatever_is_made_of_the_findings(option: str) -> None:
    Path("a.py").write_text(f"{MIXED}x = 1  # devlint: ignore[DEV101]\n")
    result = devlint("check", "a.py", "--fix", option)
    assert "Applied 1 fix in 1 file.\n" in result.stderr


def test_help_lists_every_option_in_a_section() -> None:
    page = devlint("check", "--help").output
    sections = [line for line in page.splitlines() if line.endswith(":") and line[0] != " "]
    assert sections[0] == "Rules:"
    assert sections[-1] == "Run:"
    assert "Options:" not in sections
    assert "--no-fix-only" not in page
    after = page[page.index("Comments:") : page.index("Known findings:")]
    assert all(name in after for name in ("--ignore-noqa", "--add-noqa", "--reason TEXT"))


def test_help_names_every_verb() -> None:
    page = devlint("--help").output
    assert all(f"  {verb} " in page for verb in VERBS)


def test_a_verb_alone_is_imported() -> None:
    program = (
        "import sys\nfrom devlint.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "print(sum(name.startswith('devlint.') for name in sys.modules))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(result.stdout.splitlines()[-1]) <= 3, result.stdout


def test_errors_that_nobody_can_read_leave_the_exit_code() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "devlint", "gone.py"], stderr=full)
    assert done.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use stays there")
def test_a_working_directory_that_is_gone_is_said_to_be(folder: Path) -> None:
    program = "import os\nos.mkdir('x')\nos.chdir('x')\nos.rmdir('../x')\n" + (
        "from devlint.cli import main\nmain(['check'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "error: the working directory is no more\n")


def test_configuration_that_is_nested_too_deeply_is_no_crash() -> None:
    Path("devlint.toml").write_text(f"select = {'[' * 5_000}{']' * 5_000}\n")
    result = devlint("check", "a.py")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: devlint.toml: not valid TOML: ")


def test_a_table_that_belongs_into_another_file_is_told_so() -> None:
    Path("devlint.toml").write_text("[tool.devlint]\nfix = true\n")
    assert devlint("check", "a.py").stderr == (
        "error: devlint.toml: no option is called 'tool'; "
        "in this file options stand at the top, without [tool.devlint]\n"
    )


def test_a_long_name_leaves_room_for_what_is_written_beside_it() -> None:
    path = Path("ä" * 120)  # 240 bytes of the 255 that a name may have.
    assert devlint("check", "a.py", "-o", str(path), "--output-format", "json").exit_code == 1
    assert json.loads(path.read_text(encoding="utf-8"))[0]["code"] == "DEV201"


def completed(line: str) -> list[str]:
    """What a shell is told after the words of a line, with its kind."""
    words = {"COMP_WORDS": f"devlint {line}", "COMP_CWORD": str(len(line.split()))}
    environment = {**words, "_DEVLINT_COMPLETE": "bash_complete"}
    result = CliRunner().invoke(main, [], prog_name="devlint", env=environment)
    return result.stdout.splitlines()


@pytest.mark.parametrize("line", ["a", "check a", "check --baseline a", "--config a", "check -o a"])
def test_files_complete_where_files_are_taken(line: str) -> None:
    assert completed(line) == ["file,a"]


def test_verbs_and_rules_complete() -> None:
    assert "plain,server" in completed("se")
    assert "plain,DEV101" in completed("rule DEV10")
    assert "file,--se" not in completed("--se")


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (80, "[###############...............] 5 of 10 files"),
        (20, "5 of 10 files"),
        (8, "5 of 10"),
    ],
)
def test_progress_fits_on_a_line_of_the_terminal(columns: int, shown: str) -> None:
    assert bar(5, 10, columns) == shown


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize(("term", "is_shown"), [("xterm", True), ("dumb", False)])
def test_progress_is_for_terminals_that_can_take_it_back(term: str, is_shown: bool) -> None:
    import pty

    leader, follower = pty.openpty()
    program = (
        "from devlint.cli.progress import Progress\n"
        "with Progress() as progress:\n    progress.next = 0.0\n    progress.show(1, 2)\n"
    )
    command = [sys.executable, "-c", program]
    subprocess.run(command, stderr=follower, env={**os.environ, "TERM": term}, check=True)
    os.write(follower, b"end")
    said = b""
    while not said.endswith(b"end"):  # What a terminal gets comes in pieces.
        said += os.read(leader, 1_000)
    assert (b"1 of 2 files" in said, said.endswith(b"\x1b[Kend")) == (is_shown, is_shown)
