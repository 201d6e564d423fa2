"""What configuration files, and the command line over them, make of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main
from devlint.settings.version import meets

MIXED = """import torch

weights = torch.ones(3, device="cuda" if torch.cuda.is_available() else "cpu")
mask = torch.ones(3)
scaled = weights * mask
torch.save({"scaled": weights}, "out.pt")
"""
SLOW = """import torch


def padded(x: torch.Tensor):
    return x + torch.zeros(3).to(x.device)
"""
SAVED = """import torch

model = torch.nn.Linear(4, 2).to("cuda" if torch.cuda.is_available() else "cpu")
torch.save(model.state_dict(), "model.pt")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def write(path: str, text: str = MIXED) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def configure(text: str, path: str = "pyproject.toml") -> None:
    write(path, f"[tool.devlint]\n{text}\n" if path.endswith("pyproject.toml") else text)


def devlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def found(*arguments: str) -> list[tuple[str, str]]:
    result = devlint("--output-format", "json", *arguments)
    assert result.exit_code < 2, result.output
    return [(item["path"], item["code"]) for item in json.loads(result.stdout)]


def codes(*arguments: str) -> list[str]:
    return [code for _, code in found(*arguments)]


def refusal(*arguments: str) -> str:
    """The one line of a run that cannot be done."""
    result = devlint(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    return line


def test_without_configuration_all_default_rules_run() -> None:
    write("a.py")
    assert codes(".") == ["DEV201", "DEV401"]


@pytest.mark.parametrize("name", ["pyproject.toml", "devlint.toml", ".devlint.toml"])
def test_configuration_file_is_read(name: str) -> None:
    write("a.py")
    configure('select = ["DEV4"]', name)
    assert codes(".") == ["DEV401"]
    assert codes("--isolated", ".") == ["DEV201", "DEV401"]


def test_of_the_files_in_a_folder_the_first_with_something_to_say_counts() -> None:
    write("a.py")
    configure('select = ["DEV4"]')
    configure('select = ["DEV2"]', "devlint.toml")
    assert codes(".") == ["DEV201"]
    configure("", ".devlint.toml")
    assert codes(".") == ["DEV201", "DEV401"]


def test_nearest_file_with_the_table_holds_for_each_linted_file() -> None:
    for path in ("a.py", "sub/b.py", "sub/deep/c.py", "other/d.py"):
        write(path)
    configure('select = ["DEV4"]')
    configure('select = ["DEV2"]', "sub/devlint.toml")
    write("sub/deep/pyproject.toml", '[project]\nname = "devlint-user"\n')
    expected = [
        *(("a.py", "DEV401"), ("other/d.py", "DEV401")),
        *(("sub/b.py", "DEV201"), ("sub/deep/c.py", "DEV201")),
    ]
    assert found(".") == expected


def test_folder_or_file_elsewhere_has_its_own_configuration(folder: Path) -> None:
    write("../lib/x/a.py")
    configure('select = ["DEV2"]', "../lib/pyproject.toml")
    configure('select = ["DEV4"]')
    path = str(folder.parent / "lib" / "x" / "a.py")
    assert found("../lib") == found(path) == [(path, "DEV201")]


def test_file_outside_does_not_have_the_configuration_of_the_working_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("train.py")
    write("project/train.py")
    write("project/old/train.py")
    configure("select = ['DEV4']\nextend-exclude = ['old/']", "project/devlint.toml")
    monkeypatch.chdir(folder / "project")
    outside, inside = str(folder / "train.py"), "train.py"
    expected = [(outside, "DEV201"), (outside, "DEV401"), (inside, "DEV401")]
    assert found("../train.py", "--force-exclude", ".") == expected
    assert found("--force-exclude", ".") == [(inside, "DEV401")]


def test_run_in_a_subfolder_has_the_configuration_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    write("sub/a.py")
    configure('select = ["DEV2"]\nper-file-ignores = {"sub/a.py" = ["DEV2"]}')
    monkeypatch.chdir("sub")
    assert codes("a.py") == codes(".") == []


def test_linked_file_has_the_configuration_of_where_it_is_seen() -> None:
    write("../lib/a.py")
    configure('select = ["DEV2"]', "../lib/devlint.toml")
    configure('select = ["DEV4"]')
    Path("link.py").symlink_to("../lib/a.py")
    assert found(".") == [("link.py", "DEV401")]


def test_file_without_the_table_is_not_parsed() -> None:
    write("a.py")
    write("pyproject.toml", "this is not TOML\n")
    assert codes(".") == ["DEV201", "DEV401"]


def test_command_line_wins() -> None:
    write("a.py")
    configure('select = ["DEV2"]\noutput-format = "concise"\nfail-level = "note"')
    assert codes("--select", "DEV4", ".") == ["DEV401"]
    assert codes("--config", 'select = ["DEV4"]', ".") == ["DEV401"]
    assert codes("--config", 'select = ["DEV2"]', "--select", "DEV4", ".") == ["DEV401"]
    assert devlint(".").stdout.startswith("a.py:5:")


@pytest.mark.parametrize("flag", ["--no-force-exclude", "--config=force-exclude=false"])
def test_command_line_can_say_no(flag: str) -> None:
    write("a.py")
    configure('force-exclude = true\nexclude = ["a.py"]')
    assert codes("a.py") == []
    assert codes(flag, "a.py") == ["DEV201", "DEV401"]


def test_who_selects_starts_anew_and_who_ignores_adds() -> None:
    write("a.py")
    configure('ignore = ["DEV201"]')
    assert codes(".") == ["DEV401"]
    assert codes("--ignore", "DEV401", ".") == []
    assert codes("--select", "DEV2", ".") == ["DEV201"]


def test_opt_in_group_and_all_can_be_selected() -> None:
    write("a.py", SLOW)
    assert codes(".") == []
    configure('extend-select = ["DEV8"]')
    assert codes(".") == ["DEV802"]
    configure('select = ["ALL"]')
    assert codes(".") == ["DEV802"]


def test_extended_file_is_read_first_relative_to_the_one_that_names_it() -> None:
    write("a.py")
    write("tests/t.py")
    configure('extend = "config/base.toml"\nignore = ["DEV201"]')
    base = 'extend = "../root.toml"\nper-file-ignores = {"../tests/*" = ["DEV401"]}\n'
    configure(base, "config/base.toml")
    configure('output-format = "concise"\nextend-exclude = ["/nothing"]', "root.toml")
    assert found(".") == [("a.py", "DEV401")]
    assert devlint(".").stdout.startswith("a.py:6:")


def test_extend_in_a_circle_is_refused() -> None:
    write("a.py")
    configure('extend = "b.toml"', "devlint.toml")
    configure('extend = "devlint.toml"', "b.toml")
    circle = "devlint.toml extends b.toml extends devlint.toml"
    assert refusal(".") == f"error: b.toml: extend goes in a circle: {circle}"


def test_named_file_stands_for_all_others() -> None:
    write("a.py")
    write("sub/b.py")
    configure('select = ["DEV4"]')
    configure('select = ["DEV4"]', "sub/devlint.toml")
    configure('select = ["DEV2"]', "config/ci.toml")
    assert codes("--config", "config/ci.toml", ".") == ["DEV201", "DEV201"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('selct = ["DEV1"]', "no option is called 'selct'; did you mean select"),
        ("extend_select = []", "no option is called 'extend_select'; did you mean extend-select"),
        ("zzz = 1", "no option is called 'zzz'"),
        ('select = "DEV1"', "select: expected a list of rules, not 'DEV1'; write [\"DEV1\"]"),
        ("select = [1]", "select: expected a list of rules, not a list with 1"),
        ('select = [""]', "select: expected a list of rules, not a list with ''"),
        ("unsafe-fixes = 1", "unsafe-fixes: expected true or false, not 1"),
        ('unsafe-fixes = "yes"', "unsafe-fixes: expected true or false, not 'yes'"),
        ("output-format = true", "output-format: expected one of full, "),
        (
            'fail-level = "warnig"',
            "fail-level: expected one of error, warning, perf, note, not 'warnig'; "
            "did you mean warning?",
        ),
        ('severity = {DEV1 = "bad"}', "severity: expected one of error, warning, perf, note, "),
        ('severity = "note"', "severity: expected a table from rules to one of error, warning, "),
        ('per-file-ignores = ["a"]', "per-file-ignores: expected a table from globs to a list of "),
        ('per-file-ignores = {"a" = "DEV1"}', "per-file-ignores: expected a list of rules, not "),
        ("baseline = 1", "baseline: expected a path, not 1"),
        ('moves = ["to device"]', "moves: expected a list of full names, not a list with 'to d"),
        ('device-names = ["a.b"]', "device-names: expected a list of names, not a list with 'a.b'"),
        ('required-version = "new"', "required-version: expected versions, such as"),
        ('required-version = ">=99"', "required-version: this is devlint "),
        ('required-version = "~=99.1"', "required-version: this is devlint "),
        ('required-version = ""', "required-version: expected versions, such as"),
        ('select = ["DEV2O1"]', "select: unknown rule 'DEV2O1'; did you mean DEV201"),
        ('ignore = ["mixed-device"]', "ignore: unknown rule 'mixed-device'; did you mean mixed-"),
        ('severity = {"DEV2O1" = "note"}', "severity: unknown rule 'DEV2O1'; did you mean DEV201"),
        ('per-file-ignores = {"x" = ["D1"]}', "per-file-ignores: unknown rule 'D1'"),
        ('unfixable = ["D1"]', "unfixable: unknown rule 'D1'"),
        ('extend = "gone.toml"', "extend: there is no file gone.toml"),
        ("extend = 1", "extend: expected a path, not 1"),
        ("= 1", "not valid TOML: "),
    ],
)
def test_what_cannot_be_followed_is_one_line_that_names_file_and_key(text: str, line: str) -> None:
    write("a.py")
    configure(text)
    assert refusal(".").startswith(f"error: pyproject.toml: {line}")


@pytest.mark.parametrize("asked", [">=0.1", "~=0.1", ">=0.1,<99", "==0.*", "!=0.0.1"])
def test_versions_are_asked_for_as_packages_are(asked: str) -> None:
    write("a.py")
    configure(f'required-version = "{asked}"')
    assert CliRunner().invoke(main, ["."]).stderr == ""


def test_wrong_file_in_a_subfolder_is_named_too() -> None:
    write("sub/a.py")
    configure("selct = []", "sub/devlint.toml")
    assert refusal(".").startswith("error: sub/devlint.toml: no option is called 'selct'")


def test_table_that_is_none_is_refused() -> None:
    write("a.py")
    write("pyproject.toml", "tool.devlint = 1\n")
    line = "error: pyproject.toml: tool.devlint: expected a table, not 1"
    assert refusal(".") == line


def test_bytes_that_are_no_text_are_refused() -> None:
    write("a.py")
    Path("devlint.toml").write_bytes(b"# \xff\n")
    assert refusal(".").startswith("error: devlint.toml: not valid TOML: ")


def test_byte_order_mark_is_no_fault() -> None:
    write("a.py")
    Path("devlint.toml").write_bytes(b'\xef\xbb\xbfselect = ["DEV2"]\r\n')
    assert codes(".") == ["DEV201"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--config", "gone.toml"], "gone.toml: cannot read: no such file or directory"),
        (["--config", "other.toml"], "other.toml: no option is called 'selct'"),
        (["--config", "pyproject.toml"], "pyproject.toml: there is no table [tool.devlint]"),
        (["--config", "selct = []"], "--config: no option is called 'selct'; did you mean select"),
        (["--config", "select=DEV1"], "--config: cannot read 'select=DEV1'; write it as in TOML"),
        (["--config", 'select=["X"]'], "--config: select: unknown rule 'X'"),
        (["--isolated", "--config", "other.toml"], "--isolated reads no file, but --config names"),
        (
            ["--config", "a.toml", "--config", "b.toml"],
            "--config names two files, a.toml and b.toml",
        ),
    ],
)
def test_refused_on_the_command_line(arguments: list[str], line: str) -> None:
    write("a.py")
    write("other.toml", "selct = []\n")
    write("pyproject.toml", "[project]\n")
    assert refusal(*arguments, ".").startswith(f"error: {line}")


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [
        ("", 1),
        ('severity = {"DEV" = "note"}', 0),
        ('severity = {"DEV" = "note", "mixed-devices" = "warning"}', 1),
        ('severity = {"mixed-devices" = "warning", "DEV" = "note"}', 1),
        ('severity = {"DEV4" = "note"}\nfail-level = "error"', 1),
        ('severity = {"DEV2" = "warning"}\nfail-level = "error"', 0),
        ('severity = {"DEV" = "note"}\nfail-level = "note"', 1),
    ],
)
def test_severities_decide_the_exit_code(text: str, exit_code: int) -> None:
    write("a.py")
    configure(text)
    assert devlint(".").exit_code == exit_code


def test_severities_are_reported() -> None:
    write("a.py")
    configure('severity = {"DEV2" = "note", "DEV401" = "perf"}')
    full = devlint(".").stdout
    assert "DEV201 note" in full
    assert "Found 2 findings (1 slow place, 1 note) in 1 file." in full
    severities = [
        item["severity"] for item in json.loads(devlint("--output-format=json", ".").stdout)
    ]
    assert severities == ["note", "perf"]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('"a.py" = ["DEV2"]', ["DEV401", "DEV201", "DEV401"]),
        ('"tests" = ["DEV2", "save-on-accelerator"]', ["DEV201", "DEV401"]),
        ('"tests/**/*.py" = ["ALL"]', ["DEV201", "DEV401"]),
        ('"!tests/" = ["DEV4"]', ["DEV201", "DEV201", "DEV401"]),
        ('"./tests/data/b.py" = ["DEV4"]', ["DEV201", "DEV401", "DEV201"]),
        ('"*" = ["DEV2"], "a.py" = ["DEV4"]', ["DEV401"]),
    ],
)
def test_rules_are_ignored_in_the_files_of_a_glob(table: str, expected: list[str]) -> None:
    write("a.py")
    write("tests/data/b.py")
    configure(f"per-file-ignores = {{{table}}}")
    assert codes(".") == expected
    assert codes("a.py", "tests/data/b.py") == expected


def test_comment_for_a_rule_that_is_ignored_in_its_file_is_not_judged() -> None:
    write("a.py", "import torch\n\nx = 1  # devlint: ignore[DEV201]\n")
    write("b.py", "import torch\n\nx = 1  # devlint: ignore[DEV201]\n")
    configure('per-file-ignores = {"a.py" = ["DEV2"]}')
    assert found(".") == [("b.py", "DEV901")]


def test_rule_that_is_not_fixable_has_no_fix_applied() -> None:
    write("a.py", SAVED)
    assert "Would apply 1 fix" in devlint("--diff", "--unsafe-fixes", ".").stderr
    for text in ('unfixable = ["DEV401"]', 'fixable = ["DEV2"]', "fixable = []"):
        configure(text)
        assert "Would apply 0 fixes" in devlint("--diff", "--unsafe-fixes", ".").stderr


@pytest.mark.parametrize(
    ("version", "requirement", "is_met"),
    [
        ("0.2.1", ">=0.2", True),
        ("0.2.1", ">=0.2,<0.2.1", False),
        ("0.10", ">0.9", True),
        ("1.0", "==1", True),
        ("1.0", "!=1.0.0", False),
        ("0.2.0.dev3", ">=0.2", True),
        ("2", "<= 2.0 , > 1", True),
    ],
)
def test_versions_compare_by_their_numbers(version: str, requirement: str, is_met: bool) -> None:
    assert meets(version, requirement) is is_met


def test_configuration_that_cannot_be_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py")
    Path("devlint.toml").symlink_to("devlint.toml")
    assert refusal("--config", "devlint.toml", ".").startswith("error: devlint.toml: cannot read: ")


def test_standard_input_that_is_excluded_by_force_is_passed_through() -> None:
    configure('exclude = ["gen"]\nforce-exclude = true')
    arguments = ["check", "--stdin-filename", "gen/a.py", "-", "--output-format", "concise"]
    result = CliRunner().invoke(main, arguments, input=MIXED)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    result = CliRunner().invoke(main, [*arguments, "--fix", "--unsafe-fixes"], input=SAVED)
    assert (result.exit_code, result.stdout) == (0, SAVED)
