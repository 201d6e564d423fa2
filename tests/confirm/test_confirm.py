"""`devlint confirm` and `devlint evidence`, as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main
from devlint.confirm.evidence.machine_record import KEYS
from devlint.confirm.witnesses import judge
from devlint.confirm.witnesses.witness import witnesses_of
from devlint.rule.registry import load_rules

torch: Any = pytest.importorskip("torch")

PROGRAM = """\
import torch

x = torch.ones(3, device="cuda:0")
y = torch.ones(3)
x.mul(y)
torch.nn.functional.embedding(y, x)
open("it-ran", "w")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def devlint(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, [*arguments], input=text)


def evidence_of(result: Result) -> list[dict[str, Any]]:
    return [each["evidence"] for each in json.loads(result.stdout)]


def test_findings_have_verdicts(folder: Path) -> None:
    result = devlint("confirm", "--device", "emulated", "--output-format", "json")
    assert result.exit_code == 1, result.output
    special, general = evidence_of(result)
    error = "RuntimeError: Expected all tensors to be on the same device, but found at least two "
    error += "devices, cuda:0 and cpu!"
    told = {"verdict": "confirmed", "on": "emulated CUDA", "torch": torch.__version__}
    assert special == {**told, "error": error, "is_general": False}
    assert general == {**told, "error": error, "is_general": True}
    assert not (folder / "it-ran").exists()


def test_in_full(folder: Path) -> None:
    result = devlint("confirm", "--device", "emulated", "--ignore", "DEV901", "program.py")
    assert "= confirmed (emulated CUDA, torch" in result.stdout
    assert ", by the general witness): RuntimeError: Expected all" in result.stdout
    assert result.stdout.count("= confirmed") == 2


def test_witnesses_are_shown(folder: Path) -> None:
    result = devlint("confirm", "--device", "emulated", "-v")
    first, *_ = result.stderr.split("\n\n# ")
    assert first.splitlines()[-6:] == [
        "# program.py:5:1: witness of DEV201, buggy",
        "import torch",
        "",
        'x = torch.ones(4, 4).to("cuda:0")',
        "y = torch.ones(4, 4)",
        "x.mul(y)",
    ]
    assert result.stderr.count("# program.py:6:1: witness of DEV201, fixed\n") == 1


def test_standard_input_and_a_file_for_the_report(folder: Path) -> None:
    options = ["--device", "emulated", "--output-format", "json", "-o", "out.json", "--exit-zero"]
    result = devlint("confirm", "-", *options, text=PROGRAM)
    assert (result.exit_code, result.stdout) == (0, "")
    rows = json.loads((folder / "out.json").read_text())
    assert [each["evidence"]["is_general"] for each in rows] == [False, True]


def test_nothing_is_mended(folder: Path) -> None:
    (folder / "devlint.toml").write_text("fix = true\nunsafe-fixes = true\n")
    text = "import torch\nx = torch.ones(3).cuda()\nx.numpy()\n"
    (folder / "program.py").write_text(text)
    result = devlint("confirm", "--device", "emulated", "--output-format", "concise")
    assert result.stdout.splitlines()[0].endswith(" (safe fix) (confirmed)")
    assert (folder / "program.py").read_text() == text


def test_rules_without_a_witness(folder: Path) -> None:
    (folder / "program.py").write_text("import torch\nx = torch.arange(3).to('cuda')\n")
    options = ["--device", "emulated", "--output-format", "json", "--select", "DEV802"]
    (evidence,) = evidence_of(devlint("confirm", *options))
    assert evidence["verdict"] == "no witness"


def test_faults_have_no_evidence(folder: Path) -> None:
    (folder / "program.py").write_text("import torch\nx.cuda(\n")
    result = devlint("confirm", "--output-format", "json")
    assert result.exit_code == 2
    assert evidence_of(result) == [None]


def test_without_findings(folder: Path) -> None:
    (folder / "program.py").write_text("import torch\n")
    assert devlint("confirm").exit_code == 0


@pytest.mark.parametrize("verb", ["confirm", "evidence"])
def test_a_torch_that_is_too_old(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlint.confirm.emulation.torch_requirement.version", lambda name: "2.5.1")
    result = devlint(verb)
    needed = f"error: devlint {verb} needs torch >= 2.10, this is 2.5.1\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", needed)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA here")
@pytest.mark.parametrize("verb", ["confirm", "evidence"])
def test_without_cuda(verb: str) -> None:
    result = devlint(verb, "--device", "cuda")
    needed = "error: --device cuda: this machine has no CUDA that torch can use\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", needed)


@pytest.mark.parametrize("verb", ["run", "confirm", "evidence", "shift"])
def test_nobody_waits_for_ever(verb: str) -> None:
    result = devlint(verb, "--time-limit", "inf")
    assert (result.exit_code, "is not in the range" in result.stderr) == (2, True)


def test_help_says_what_is_not_run() -> None:
    assert "This does NOT run your program" in devlint("confirm", "--help").stdout


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> dict[str, str | None]:
    """Has the programs end as it says in place of running them; those that it leaves out pass."""
    errors: dict[str, str | None] = {}

    def answer(what: str, module: str, order: Mapping[str, Any]) -> dict[str, Any]:
        results = {program: errors.get(program) for program in order["programs"]}
        return {"cuda": "CUDA, NVIDIA A100", "torch": "2.13.0", "results": results}

    monkeypatch.setattr(judge, "answer", answer)
    return errors


def test_evidence_is_told_and_recorded(folder: Path, answered: dict[str, str | None]) -> None:
    result = devlint("evidence", "--record", "new/record.json")
    known = [each.code for rule in load_rules() for each in witnesses_of(rule)]
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*known, "On"]
    assert lines[0] == "DEV101 refuted"
    assert lines[-1] == "On CUDA, NVIDIA A100, torch 2.13.0."
    assert result.exit_code == 1
    record = json.loads((folder / "new" / "record.json").read_text())
    assert (record["device"], record["torch"]) == ("NVIDIA A100", "2.13.0")
    assert [row["code"] for row in record["evidence"]] == known
    assert json.loads(devlint("evidence", "--output-format", "json").stdout) == record["evidence"]
    assert list(record["evidence"][0]) == ["code", *KEYS, "witness"]
