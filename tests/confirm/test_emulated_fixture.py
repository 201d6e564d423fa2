"""`emulated_cuda`, the fixture: some tests of a project on emulated CUDA."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("torch")

import devlint.confirm.pytest.session  # noqa: F401

pytest_plugins = ["pytester"]

TESTS = """
import pytest, torch

def test_without():
    assert not torch.cuda.is_available()

def test_with(emulated_cuda):
    assert torch.cuda.device_count() == 1
    with pytest.raises(RuntimeError):
        torch.ones(2, device="cuda") + torch.ones(2)
    [event] = emulated_cuda
    assert event.message.startswith("Expected all tensors to be on the same device")

@pytest.mark.parametrize("emulated_cuda", [1, 2], indirect=True)
def test_numbers(emulated_cuda, request):
    assert torch.cuda.device_count() == request.node.callspec.params["emulated_cuda"]
    assert emulated_cuda == []

def test_fails(emulated_cuda):
    torch.ones(2, device="cuda") + torch.ones(2)

def test_afterwards():
    assert not torch.cuda.is_available()
"""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "devlint.confirm.pytest_plugin")


def test_tests_that_ask_for_it_are_on_emulated_cuda(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=5, failed=1)
    lines = result.stdout.str().replace("\\", "/")
    assert "devlint/confirm" not in lines
    assert ">       torch.ones(2, device=" in lines
    is_noted = "devlint: an operand of shape [2] on cpu was made at" in lines
    assert is_noted is (sys.version_info >= (3, 11))


def test_where_the_run_is_on_emulated_cuda_it_is_that_one(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, torch

        def test_refused():
            with pytest.raises(RuntimeError):
                torch.ones(2, device="cuda") + torch.ones(2)

        def test_it(emulated_cuda):
            assert torch.cuda.device_count() == 2
            assert emulated_cuda == []
            torch.ones(2, device="cuda") + torch.ones(2)

        @pytest.mark.parametrize("emulated_cuda", [3], indirect=True)
        def test_another(emulated_cuda):
            pass
        """
    )
    options = ("--devlint-device", "emulated", "--devlint-devices", "2")
    result = pytester.runpytest_inprocess(*options)
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "E *EmulationError: CUDA is emulated already: 2 devices",
            "* device events on emulated CUDA (2 devices) *",
            "test_where_*.py:10: Expected all tensors *",
        ]
    )


def test_a_torch_that_is_too_old_is_told_in_a_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devlint.confirm.emulation.torch_requirement.version", lambda name: "2.5.1")
    pytester.makepyfile("def test_it(emulated_cuda): pass")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E *emulated_cuda() needs torch >= 2.10, this is 2.5.1"])
    assert "devlint/confirm" not in result.stdout.str().replace("\\", "/")


def test_it_is_listed_with_what_it_does(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--fixtures")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["emulated_cuda*", "    Emulated CUDA until the test *"])
