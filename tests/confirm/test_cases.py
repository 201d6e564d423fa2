"""The cases of `testdata/confirm`, on emulated CUDA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from devlint.confirm.device_tags.cuda_messages import is_of_devices  # noqa: E402
from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402
from devlint.confirm.evidence.programs import Case, cases  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Deprecations are not the cases' subject.

CASES = list(cases(Path(__file__).parents[2] / "testdata" / "confirm"))


@pytest.fixture(autouse=True)
def torch_as_it_was() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.set_default_device(None)
    torch.__future__.set_swap_module_params_on_conversion(False)
    torch.__future__.set_overwrite_module_params_on_conversion(False)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case, tmp_path: Any, monkeypatch: Any) -> None:
    if "numpy" in case.program:
        pytest.importorskip("numpy", reason="the program of this case uses NumPy")
    monkeypatch.chdir(tmp_path)
    with emulated_cuda(devices=case.devices) as record:
        end = case.run()
    events = record.events
    assert case.is_met(end), end
    assert end.line or not events
    assert all(is_of_devices(event.message) for event in events)
    born = {birth[1] for event in events for each in event.operands for birth in each.birth}
    assert set(case.births) <= born
