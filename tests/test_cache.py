"""What runs keep for the next one: never a wrong answer, and as little work as that allows."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.cache import store
from devlint.cache.dependents import stale
from devlint.cache.interface import interface
from devlint.cache.snapshot import Snapshot
from devlint.cache.store import FOLDER, Store, sealed
from devlint.cli import main
from devlint.project.dependencies import Asked

MODEL = """import torch
from torch import nn


def build():
    # The weights are on the accelerator.
    return torch.ones(3, device="cuda")


def halved(value):
    return value / 2
"""
RUN = """import torch
from model import build

weights = build()
weights + torch.ones(3)
"""
OTHER = """import torch

torch.ones(3, device="cuda") + torch.ones(3)
"""
PROJECT = {"pyproject.toml": "", "model.py": MODEL, "run.py": RUN, "other.py": OTHER}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(PROJECT)
    return tmp_path


def write(files: Mapping[str, str]) -> None:
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


def devlint(*arguments: str) -> tuple[int, str]:
    """The exit code and the report."""
    result = CliRunner().invoke(main, ("check", *arguments))
    assert not result.exception or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout


def warm_and_cold(*arguments: str) -> tuple[tuple[int, str], tuple[int, str], int]:
    """What a run finds, what one without a cache finds, and how many files the first spared."""
    result = CliRunner().invoke(main, ("check", ".", "-v", *arguments))
    (number,) = re.findall(r"(\d+) unchanged since the last run", result.stderr)
    warm = result.exit_code, result.stdout
    return warm, devlint(".", "--no-cache", *arguments), int(number)


def unchanged(*arguments: str) -> int:
    """How many files a run does not look at again; it finds what one without a cache does."""
    warm, cold, number = warm_and_cold(*arguments)
    assert warm == cold
    return number


def test_nothing_is_looked_at_twice() -> None:
    assert [unchanged() for _ in range(3)] == [0, 3, 3]


def test_nothing_is_imported_that_analyses() -> None:
    program = """
import sys
from devlint.cli import main
try:
    main()
finally:
    print(*sys.modules)
"""
    command = [sys.executable, "-c", program, "."]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=False) for _ in range(2)
    )
    assert first.stdout.partition("Found 2")[0] == second.stdout.partition("Found 2")[0] != ""
    modules = [set(each.stdout.splitlines()[-1].split()) for each in (first, second)]
    heavy = {"libcst", "devlint.api", "devlint_rules", "devlint.lower.ir", "devlint.rule.rule"}
    assert (heavy & modules[0], heavy & modules[1]) == (heavy, set())


def test_a_change_is_looked_at_with_what_uses_it() -> None:
    unchanged()
    write({"model.py": MODEL.replace('"cuda"', '"cpu"')})
    assert unchanged() == 1
    write({"other.py": OTHER + "print(1)\n"})
    assert unchanged() == 2


def test_a_comment_matters_to_its_file_alone() -> None:
    write({"run.py": RUN.replace(" + torch.ones(3)", ".sum()")})
    unchanged()
    write({"model.py": MODEL.replace("# The weights", "\n    # They\n    # all")})
    assert unchanged() == 2


def test_a_comment_matters_where_a_place_below_it_is_shown() -> None:
    unchanged()
    write({"model.py": "# One more line.\n" + MODEL})
    assert unchanged() == 1


def test_what_nobody_asked_a_module_for_does_not_matter() -> None:
    write({"far.py": "SIZE = 3\n", "model.py": MODEL + "\n\nfrom far import SIZE\n"})
    unchanged()
    write({"more.py": "import torch\n"})
    assert unchanged() == 4


@pytest.mark.parametrize("name", ["model/__init__.py", "src/model.py"])
def test_a_module_that_takes_the_place_of_another_matters(name: str) -> None:
    os.rename("model.py", "late.py")
    write({"late.py": "", "run.py": RUN, "src/README": ""})
    unchanged()
    write({name: MODEL})
    assert unchanged() == 2
    os.remove(name)
    assert unchanged() == 2


def test_a_module_that_appears_beside_a_file_that_is_named_matters() -> None:
    os.rename("model.py", "late.py")
    assert devlint("run.py")[0] == 0
    os.rename("late.py", "model.py")
    assert devlint("run.py")[0] == 1


def test_a_default_device_that_is_set_elsewhere_matters() -> None:
    write({"run.py": "import torch\nimport setup_all\n\ntorch.ones(3) + torch.ones(3).cpu()\n"})
    write({"setup_all.py": "import torch\n"})
    unchanged()
    write({"setup_all.py": 'import torch\ntorch.set_default_device("cuda")\n'})
    assert unchanged() == 0


HELPER = """import torch

def shifted(x: torch.Tensor, device: str = "cpu") -> torch.Tensor:
    return x - torch.ones(3)
"""


def test_a_new_use_of_what_nobody_used_matters() -> None:
    write({"ops.py": HELPER, "user.py": "import ops\nprint(ops)\n"})
    unchanged()
    assert "DEV203" not in devlint(".")[1]
    write({"late.py": "import ops\n\ndef step(x):\n    return ops.shifted(x), x.device\n"})
    assert unchanged() == 4
    assert "DEV203" in devlint(".")[1]
    os.remove("late.py")
    unchanged()
    assert "DEV203" not in devlint(".")[1]


def test_a_use_that_is_not_looked_at_may_be_there() -> None:
    write({"src/ops.py": HELPER, "src/user.py": "import ops\nprint(ops)\n"})
    assert ["DEV203" in devlint(path)[1] for path in (".", "src", "src/ops.py")] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "arguments", [["--ignore", "DEV201"], ["--ignore-noqa"], ["--no-follow-imports"]]
)
def test_other_questions_are_answered_anew(arguments: list[str]) -> None:
    unchanged()
    assert unchanged(*arguments) == 0
    assert unchanged(*arguments) == 3


@pytest.mark.parametrize(
    "arguments", [["--output-format", "sarif"], ["--confidence", "low"], ["--fail-level", "note"]]
)
def test_the_same_is_shown_in_other_ways(arguments: list[str]) -> None:
    unchanged()
    assert unchanged(*arguments) == 3


def test_fixes_of_what_is_known_are_applied() -> None:
    text = 'import torch\n\nx = torch.load("x.pt")\nnn = torch.nn.Linear(3, 3)\nnn.to("gpu")\n'
    write({"other.py": text})
    before = devlint("other.py")
    assert devlint("other.py", "--fix", "--unsafe-fixes")[1] != before[1]
    assert Path("other.py").read_text() != text
    assert unchanged() == 0


def test_a_baseline_holds_for_what_is_known() -> None:
    unchanged()
    devlint(".", "--write-baseline", "known.json")
    assert devlint(".", "--baseline", "known.json")[0] == 0
    write({"other.py": OTHER + OTHER})
    assert devlint(".", "--baseline", "known.json")[0] == 1


def test_files_of_which_something_could_not_be_said_are_looked_at_again() -> None:
    write({"other.py": "import torch\nx = torch.ones(\n"})
    assert [unchanged(), unchanged()] == [0, 2]


def test_the_folder_ignores_itself_and_can_be_removed() -> None:
    devlint(".")
    assert {"CACHEDIR.TAG", ".gitignore"} < {*os.listdir(FOLDER)}
    assert Path(FOLDER, ".gitignore").read_text().endswith("\n*\n")
    write({f"{FOLDER}/.run.json.1234.devlint": "left by a run that was ended"})
    result = CliRunner().invoke(main, ["clean"])
    assert (result.exit_code, result.stderr) == (0, f"Removed {FOLDER}.\n")
    assert not Path(FOLDER).exists()
    assert CliRunner().invoke(main, ["clean"]).stderr == f"There is no {FOLDER}.\n"


def test_only_a_cache_is_removed() -> None:
    write({f"{FOLDER}/precious.txt": ""})
    result = CliRunner().invoke(main, ["clean"])
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: cannot remove {FOLDER}: no cache of devlint, for it has no CACHEDIR.TAG that says "
        "so\n"
    )
    assert Path(FOLDER, "precious.txt").exists()


def test_what_lies_in_a_cache_that_is_not_devlints_is_said_before_anything_is_removed() -> None:
    devlint(".")
    before = {*os.listdir(FOLDER)}
    write({f"{FOLDER}/precious.txt": ""})
    result = CliRunner().invoke(main, ["clean"])
    assert result.exit_code == 2
    assert result.stderr == f"error: cannot remove {FOLDER}: precious.txt in it is not devlint's\n"
    assert {*os.listdir(FOLDER)} == before | {"precious.txt"}


def test_another_folder_can_be_named_and_none() -> None:
    devlint(".", "--no-cache")
    devlint(".", "--cache-dir", "elsewhere")
    assert not Path(FOLDER).exists()
    assert Path("elsewhere", "CACHEDIR.TAG").exists()
    write({"pyproject.toml": '[tool.devlint]\ncache-dir = "said"\n'})
    devlint(".")
    assert Path("said", "CACHEDIR.TAG").exists()


def test_the_oldest_are_removed() -> None:
    kept = Store("some")
    for number in range(store.KEPT + 2):
        kept.save(f"run-{number}", number)
        os.utime(f"some/run-{number}.json", (number, number))
    kept.save("run-last", 1)
    names = [*Path("some").glob("*.json")]
    assert len(names) == store.KEPT
    assert (kept.load("run-0"), kept.load("run-last")) == (None, 1)


def test_what_others_have_put_there_is_left_alone(tmp_path: Path) -> None:
    expected = devlint(".", "--no-cache")
    outside = tmp_path / "outside"
    outside.mkdir()
    os.symlink(outside, FOLDER)
    assert devlint(".") == expected
    assert [*outside.iterdir()] == []
    os.remove(FOLDER)
    write({FOLDER: "a file"})
    assert devlint(".") == expected
    result = CliRunner().invoke(main, [".", "--cache-dir", FOLDER])
    assert result.stderr == f"warning: cannot keep anything in {FOLDER}: file exists\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_a_pipe_is_not_waited_for() -> None:
    expected = devlint(".")
    for path in Path(FOLDER).glob("*.json"):
        path.unlink()
        os.mkfifo(path)
    assert devlint(".") == expected


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data.replace(b"DEV201", b"DEV202"),
        lambda data: sealed(b"[" * 100_000) + b"\n" + b"[" * 100_000,
        lambda data: sealed(b"{}") + b"\n{}",
        lambda data: b"\x80\x04\x95",
    ],
)
def test_damage_is_not_believed(damage: Any) -> None:
    expected = devlint(".")
    for path in Path(FOLDER).glob("*.json"):
        path.write_bytes(damage(path.read_bytes()))
    assert devlint(".") == expected
    assert unchanged() == 3


JUNK: list[Any] = [None, True, -1, 10**20, "?", [], {}, [[]]]


def places(content: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all parts of a JSON document."""
    if not isinstance(content, dict | list):
        return []
    inner = content.items() if isinstance(content, dict) else enumerate(content)
    return [e for key, part in inner for e in ((*way, key), *places(part, (*way, key)))]


def at(content: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        content = content[key]
    return content


@pytest.mark.parametrize("seed", range(40))
def test_no_cache_makes_devlint_fail(seed: int) -> None:
    """What is sealed and not what it should be leads to an answer all the same."""
    chosen = random.Random(seed)
    devlint(".")
    for path in sorted(Path(FOLDER).glob("*.json")):
        content = json.loads(path.read_bytes().partition(b"\n")[2])
        way = chosen.choice(places(content))
        at(content, way[:-1])[way[-1]] = chosen.choice(JUNK)
        body = json.dumps(content).encode()
        path.write_bytes(sealed(body) + b"\n" + body)
    write({"other.py": OTHER + "#\n" * (seed % 2)})
    assert devlint(".")[0] in (0, 1)


def test_runs_at_the_same_time_find_the_same() -> None:
    expected = devlint(".", "--no-cache")
    command = [sys.executable, "-m", "devlint", "."]
    for _ in range(2):
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        assert [(each.communicate()[0], each.returncode) for each in runs] == [expected[::-1]] * 4
    assert unchanged() == 3


def test_what_changes_while_somebody_looks_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Snapshot.read

    def edited(self: Snapshot, path: str) -> bytes:
        data = read(self, path)
        if path.endswith("model.py"):
            write({"model.py": MODEL + "#" * (len(data) - len(MODEL) + 1)})
        return data

    with monkeypatch.context() as patch:
        patch.setattr(Snapshot, "read", edited)
        devlint(".")
    assert unchanged() == 0


def test_a_restored_copy_of_a_project_is_known(tmp_path: Path) -> None:
    """As where CI restores a cache beside a fresh checkout: other times, the same content."""
    devlint(".")
    for name in PROJECT:
        text = Path(name).read_bytes()
        os.remove(name)
        Path(name).write_bytes(text)
        os.utime(name, (1, 1))
    assert unchanged() == 3


EDITS = {
    "model.py": [MODEL, MODEL.replace('"cuda"', '"cpu"'), "#\n" + MODEL, "from far import *\n"],
    "far.py": [MODEL, "from model import *\n", "import torch\ntorch.set_default_device('cuda')\n"],
    "run.py": [RUN, RUN.replace("model", "far"), RUN.replace("build()", "torch.ones(3)")],
    "other.py": [OTHER, OTHER + "import far\nfar.build() + torch.ones(3)\n"],
}


@settings(deadline=None, max_examples=15, suppress_health_check=[*HealthCheck])
@given(st.lists(st.tuples(st.sampled_from([*EDITS]), st.integers(0, 4)), min_size=1, max_size=6))
def test_any_edits_lead_to_what_is_found_without_a_cache(edits: list[tuple[str, int]]) -> None:
    write(PROJECT)
    for path, number in edits:
        if number < len(EDITS[path]):
            write({path: EDITS[path][number]})
        elif os.path.exists(path):
            os.remove(path)
        write({"keep.py": ""})
        warm, cold, _ = warm_and_cold()
        assert warm == cold


def test_of_a_thousand_files_only_those_concerned_are_looked_at() -> None:
    write({f"part{n}.py": f"import torch\n\nsize{n} = torch.ones({n})\n" for n in range(1000)})
    write({f"user{n}.py": "import torch\nfrom part7 import size7\nsize7.sum()\n" for n in range(3)})
    unchanged()
    write({"part7.py": 'import torch\n\nsize7 = torch.ones(7, device="cuda")\n'})
    assert unchanged() == 1006 - 4
    write({"part7.py": '# A comment.\nimport torch\n\nsize7 = torch.ones(7, device="cuda")\n'})
    assert unchanged() == 1006 - 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1\n", "x = 1  # one\n"),
        ("x = 1\ny = 2\n", "# a\n\nx = 1\n\n   # b\n\ny = 2"),
        ("x = '#'\n", "x = '#'  # '\n"),
        ('x = """\n# a\n"""\n', '# """\nx = """\n# a\n"""\n'),
        ("x = 1\n", "x = 1\r\n# a\r\n"),
    ],
)
def test_comments_and_empty_lines_are_no_part_of_an_interface(one: str, other: str) -> None:
    assert interface(one.encode()) == interface(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = '#a'\n", "x = '#b'\n"),
        ('x = """\n# a\n"""\n', 'x = """\n# b\n"""\n'),
        ('x = """\n\n"""\n', 'x = """\n"""\n'),
        ('x = f"""{y["""#a"""]}"""\n', 'x = f"""{y["""#b"""]}"""\n'),
        ("x = '\\'# a'\n", "x = '\\'# b'\n"),
        ("if x:\n    y\n", "if x:\n  y\n"),
        ("x = 1 \\\n\n-1\n", "x = 1 \\\n-1\n"),
        ("# coding: utf-8\nx = 1\n", "# coding: latin-1\nx = 1\n"),
        ("# %%\nx = 1\n", "x = 1\n"),
    ],
)
def test_all_else_is(one: str, other: str) -> None:
    assert interface(one.encode()) != interface(other.encode())


def test_what_a_change_concerns() -> None:
    asked = {
        "a.py": Asked(links={"b.py"}),
        "b.py": Asked(links={"c.py", "b.py"}),
        "text.py": Asked(texts={"c.py"}),
        "far.py": Asked(texts={"text.py"}),
        "through.py": Asked(texts={"pkg/__init__.py"}),
        "pkg/__init__.py": Asked(texts={"c.py"}),
    }
    reached = {"c.py", "b.py", "a.py", "text.py", "through.py", "pkg/__init__.py"}
    assert stale(asked, {"c.py"}) == reached
