"""What is recorded of a machine beside the verdicts of witnesses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
pytest.importorskip("expecttest", reason="the samples of PyTorch need it")

from devlint.confirm.evidence import machine_record, operator_shares  # noqa: E402
from devlint.confirm.evidence.operators import Trial  # noqa: E402
from devlint.confirm.evidence.session import without_folders  # noqa: E402
from devlint.confirm.witnesses.judge import Bench, BenchError  # noqa: E402

PROGRAMS = """
# Two programs

```python
x = torch.ones(2, device="cuda")
x + torch.ones(2)  # raises: at least two devices
```

```python
# devices: 2
assert torch.ones(2, device="cuda:1").is_cuda
```
"""
#: Tries three functions; the process ends in the second one, and the third breaks CUDA.
FUNCTIONS = """
import json, os, sys
order = json.load(sys.stdin)
for name in ("add", "bad", "mul", "sub"):
    if name in order["tried"]:
        continue
    print(json.dumps({"begun": name}), flush=True)
    if name == "bad":
        os._exit(1)
    fault = "an illegal access" if name == "mul" else None
    told = {"name": name, "outcomes": {"input": ["on cuda"]}, "fault": fault}
    print(json.dumps(told), flush=True)
    if fault:
        break
"""


def test_programs_are_told_as_they_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_record, "tried", lambda *_: {"add": {}})
    (tmp_path / "few.md").write_text(PROGRAMS)
    found = machine_record.beyond_rules("emulated", tmp_path, 60.0)
    assert found["operators"] == {"add": {}}
    first, second = found["programs"].values()
    assert (first["line"], first["is_silent"]) == (2, False)
    assert "at least two devices" in first["message"]
    assert (second["line"], second["message"]) == (0, "")


def test_a_message_names_no_folder_of_the_machine() -> None:
    folder = Path(torch.__file__).parents[1]
    message = without_folders(f"{folder}/torch/nn/modules/linear.py(134): forward")
    assert message == "torch/nn/modules/linear.py(134): forward"


@pytest.mark.parametrize(("cuda", "where"), [("CUDA, NVIDIA A100", "cuda"), (None, "emulated")])
def test_all_is_recorded_where_the_witnesses_ran(
    cuda: str | None, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_record, "run", lambda *_: Bench({}, "2.13.0", cuda))
    monkeypatch.setattr(machine_record, "beyond_rules", lambda device, *_: {"ran on": device})
    found = machine_record.record_of([], "auto", 60.0, Path())
    assert found["ran on"] == where


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ("NVIDIA A100-SXM4-40GB", "cuda-nvidia-a100-sxm4-40gb-torch2.13.0.json"),
        ("emulated CUDA", "emulated-cuda-torch2.13.0.json"),
    ],
)
def test_a_record_is_named_for_its_device(device: str, name: str) -> None:
    assert machine_record.file_of({"device": device, "torch": "2.13.0+cu130"}) == name


def test_a_process_that_ends_early_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_shares, "_COMMAND", (sys.executable, "-c", FUNCTIONS))
    assert operator_shares.tried("cuda", 1, 60.0) == {
        "add": {"input": ["on cuda"]},
        "bad": {"fault": "the process ended"},
        "mul": {"input": ["on cuda"], "fault": "an illegal access"},
        "sub": {"input": ["on cuda"]},
    }


def test_a_function_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = FUNCTIONS.replace("os._exit(1)", "import time; time.sleep(60)")
    monkeypatch.setattr(operator_shares, "_COMMAND", (sys.executable, "-c", hanging))
    assert operator_shares.tried("cuda", 1, 5.0)["bad"] == {"fault": "the process ended"}


def test_what_cannot_be_tried_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        operator_shares, "_COMMAND", (sys.executable, "-c", "import no_such_module")
    )
    with pytest.raises(BenchError, match="cannot be tried: exit code 1"):
        operator_shares.tried("cuda", 1, 60.0)
    monkeypatch.setattr(operator_shares, "find_spec", lambda name: None)
    with pytest.raises(BenchError, match="pip install expecttest"):
        operator_shares.tried("cuda", 1, 60.0)


def test_each_operand_is_moved_in_its_turn() -> None:
    from torch.testing._internal.common_methods_invocations import op_db

    from devlint.confirm.emulation.emulate import emulated_cuda

    function = next(each for each in op_db if each.name == "mm")
    with emulated_cuda():
        trial = Trial(function)
        trial.run()
    assert dict(trial.outcomes) == {
        f"{place}, n-dim, on {device}, others n-dim": {"refused"}
        for place in ("input", "args[0]")
        for device in ("cpu", "cuda")
    }
