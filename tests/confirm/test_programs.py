"""The programs of `testdata/programs`, clean and with bugs, on emulated CUDA."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from devlint.confirm.device_tags.device_event import EventOperand  # noqa: E402
from devlint.confirm.device_tags.provenance import Birth  # noqa: E402
from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402
from devlint.confirm.evidence.programs import FILE, Case  # noqa: E402
from tests.confirm.runs import Run  # noqa: E402
from tests.programs.variants import TORCH_ALONE, Variant, programs, variants  # noqa: E402

# Deprecations are not the programs' subject.
pytestmark = pytest.mark.filterwarnings("ignore")

VARIANTS = [each for path in programs(TORCH_ALONE) for each in variants(path)]
#: Those that start processes need a file, which the processes import. It takes them ten seconds
#: each: their bugs are left to `python -m tests.programs`.
STARTING = [each for each in VARIANTS if "__main__" in each.text]
ALONE = [each for each in VARIANTS if each not in STARTING]


@pytest.fixture
def left_as_it_was() -> Iterator[None]:
    before, threads = dict(os.environ), torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    os.environ.clear()
    os.environ.update(before)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


@pytest.mark.usefixtures("left_as_it_was")
@pytest.mark.parametrize("variant", ALONE, ids=str)
def test_a_program(variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if ".numpy()" in variant.text:
        pytest.importorskip("numpy", reason="the program uses NumPy")
    monkeypatch.chdir(tmp_path)
    case = Case(str(variant), variant.text, variant.crash, "", False, variant.births, 1)
    with emulated_cuda() as record:
        end = case.run()
    events = record.events
    assert bool(end.line) == bool(events) == bool(variant.bug), end
    births = (birth for event in events for each in event.operands for birth in lines_of(each))
    assert {variant.crash} <= {0, *(line for event in events for line in here(event.stack))}
    assert set(variant.births) <= set(births)


def lines_of(operand: EventOperand) -> Iterator[int]:
    """Where it was made, and what it was computed from."""
    for birth in (operand.birth, *operand.roots):
        yield from here(birth)


def here(frames: Birth) -> list[int]:
    return [line for path, line, _ in frames if path == FILE]


@pytest.mark.skipif(os.name != "posix", reason="Windows starts processes otherwise")
@pytest.mark.parametrize("variant", [each for each in STARTING if not each.bug], ids=str)
def test_a_program_that_starts_processes(variant: Variant, run: Run) -> None:
    Path("program.py").write_text(variant.text, encoding="utf-8")
    status, _, err = run("--devices", "2", "program.py")
    assert status == 0, err
    assert "0 device events" in err
