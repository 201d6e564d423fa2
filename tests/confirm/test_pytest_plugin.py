"""`pytest --devlint-device`: other projects' tests on emulated CUDA."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

pytest.importorskip("torch")

# `pytester` forgets what is imported in it first, and `torch._dynamo` cannot be imported twice.
import torch._dynamo  # noqa: F401

import devlint.confirm.pytest.session  # noqa: F401
from devlint.confirm import pytest_plugin

pytest_plugins = ["pytester"]

PLUGIN = pytest_plugin.__name__
#: A test that fails, on line 11, for what was made on line 10 of what line 7 made.
FAILING = """\
import pytest
import torch

if not torch.cuda.is_available():
    pytest.skip("needs CUDA", allow_module_level=True)

base = torch.arange(4.0)

def test_scale():
    scale = base * 2
    torch.ones(4, device="cuda") * scale
"""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only our plugin, whether or not devlint is installed with it."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", PLUGIN)


def run(pytester: pytest.Pytester, *options: str, **files: str) -> pytest.RunResult:
    pytester.makepyfile(**files)
    return pytester.runpytest_inprocess("--devlint-device", "emulated", *options)


def told(result: pytest.RunResult) -> list[str]:
    """The events of the summary: the lines that crash."""
    return re.findall(r"^(\S+:\d+): Expected all tensors", result.stdout.str(), re.M)


def test_a_test_fails_at_its_line_with_the_births(pytester: pytest.Pytester) -> None:
    result = run(pytester, test_it=FAILING)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "devlint: emulated CUDA (1 device)",
            ">       torch.ones(4, device=*cuda*) * scale",
            "E       RuntimeError: Expected all tensors to be on the same device, but found at *",
            "test_it.py:11: RuntimeError",
            "* device events on emulated CUDA (1 device) *",
            "test_it.py:11: Expected all tensors to be on the same device, but found at least *",
            "  an operand of shape ?4? is on cpu since test_it.py:10",
            "    computed from what was made at test_it.py:7",
        ],
        consecutive=False,
    )
    assert "devlint/confirm" not in result.stdout.str().replace("\\", "/")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_notes_tell_the_births(pytester: pytest.Pytester) -> None:
    result = run(pytester, test_it=FAILING)
    assert "devlint: an operand of shape [4] on cpu was made at" in result.stdout.str()


def test_without_the_option_nothing_of_torch_is_imported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_it():
            ours = {name for name in sys.modules if name.startswith("devlint")}
            assert ours == {"devlint", "devlint.confirm", "devlint.confirm.pytest_plugin"}
            assert "torch" not in sys.modules
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_conftest_and_decorators_see_as_many_devices_as_asked(pytester: pytest.Pytester) -> None:
    conftest = "import torch\nCOUNT = torch.cuda.device_count()\n"
    test = """
        import pytest, torch, unittest
        from conftest import COUNT

        @pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
        def test_it():
            assert COUNT == 2
            with pytest.raises(RuntimeError, match="cuda:1 and cuda:0"):
                torch.ones(2, device="cuda:1") + torch.ones(2, device="cuda:0")

        @unittest.skipUnless(torch.cuda.is_available(), "needs CUDA")
        class TestIt(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                cls.x = torch.ones(2).cuda()

            def test_passes(self):
                with self.assertRaises(RuntimeError):
                    self.x + torch.ones(2)

            def test_fails(self):
                self.x + torch.ones(2)
    """
    result = run(pytester, "--devlint-devices", "2", conftest=conftest, test_it=test)
    result.assert_outcomes(passed=2, failed=1)
    assert told(result) == ["test_it.py:21"]


def test_what_is_expected_is_not_told(pytester: pytest.Pytester) -> None:
    test = """
        import pytest, torch

        def refused():
            torch.ones(2, device="cuda") + torch.ones(2)

        def test_raises():
            with pytest.raises(RuntimeError, match="same device"):
                refused()

        def test_falls_back():
            try:
                refused()
            except RuntimeError:
                torch.ones(2) + torch.ones(2)

        @pytest.mark.xfail(raises=RuntimeError, strict=True)
        def test_known():
            refused()

        def test_other_failure():
            with pytest.raises(RuntimeError):
                refused()
            assert False
    """
    result = run(pytester, test_it=test)
    result.assert_outcomes(passed=2, xfailed=1, failed=1)
    assert "device events on" not in result.stdout.str()


def test_one_culprit_is_told_once_wherever_it_fails(pytester: pytest.Pytester) -> None:
    test = """
        import pytest, torch

        @pytest.fixture(scope="session")
        def model():
            left = torch.ones(2)
            return lambda x: x + left

        @pytest.fixture(scope="session")
        def broken():
            return torch.ones(2, device="cuda") @ torch.ones(2)

        @pytest.mark.parametrize("scale", [1, 2])
        def test_model(model, scale):
            model(scale * torch.ones(2, device="cuda"))

        @pytest.mark.parametrize("scale", [1, 2])
        def test_broken(broken, scale):
            pass

        def test_caused():
            try:
                torch.ones(2, device="cuda").sub(torch.ones(2))
            except RuntimeError as error:
                raise ValueError("no model") from error
    """
    result = run(pytester, test_it=test)
    result.assert_outcomes(failed=3, errors=2)
    assert told(result) == ["test_it.py:6", "test_it.py:10", "test_it.py:22"]


def test_threads_and_imports(pytester: pytest.Pytester) -> None:
    thread = """
        import threading, torch
        from concurrent.futures import ThreadPoolExecutor

        def refused():
            torch.ones(2, device="cuda") + torch.ones(2)

        def test_thread():
            thread = threading.Thread(target=refused)
            thread.start()
            thread.join()

        def test_pool():
            with ThreadPoolExecutor() as pool:
                x = pool.submit(torch.ones, 2).result()
                pool.submit(lambda: torch.ones(2, device="cuda") + x).result()
    """
    imported = "import torch\nx = torch.ones(2).cuda() + torch.ones(2)\n"
    result = run(pytester, "--continue-on-collection-errors", test_a=imported, test_b=thread)
    result.assert_outcomes(passed=1, failed=1, errors=1)
    assert told(result) == ["test_a.py:2", "test_b.py:5", "test_b.py:15"]


def test_examples_in_docstrings(pytester: pytest.Pytester) -> None:
    module = """
        def function():
            \"\"\"
            >>> import torch
            >>> x = torch.ones(2)
            >>> (x.cuda() + x).device
            \"\"\"
    """
    result = run(pytester, "--doctest-modules", module=module)
    result.assert_outcomes(failed=1)
    assert result.stdout.str().count(" is on cpu since ") == 1


def test_replicas_of_data_parallel(pytester: pytest.Pytester) -> None:
    test = """
        import torch

        class Net(torch.nn.Linear):
            def forward(self, x):
                return super().forward(x) + torch.ones(2)

        def test_it():
            torch.nn.DataParallel(Net(2, 2).cuda())(torch.ones(4, 2).cuda())
    """
    result = run(pytester, "--devlint-devices", "2", test_it=test)
    result.assert_outcomes(failed=1)
    assert told(result) == ["test_it.py:5"]


def test_workers_send_what_happened_to_them(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xdist")
    monkeypatch.setenv("PYTEST_PLUGINS", f"{PLUGIN},xdist.plugin")
    pytester.makepyfile(test_a=FAILING, test_b=FAILING)
    options = ("--devlint-device", "emulated", "-n", "2")
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(failed=2)
    assert sorted(told(result)) == ["test_a.py:11", "test_b.py:11"]
    assert "called at" not in result.stdout.str()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--devlint-device", "cuda"], "cuda: torch.cuda.is_available() is False"),
        (["--devlint-device", "tpu"], "invalid choice: 'tpu'"),
        (["--devlint-device", "auto", "--devlint-devices", "0"], "'0' is no number of devices"),
    ],
)
def test_usage_errors(pytester: pytest.Pytester, options: list[str], words: str) -> None:
    result = pytester.runpytest_inprocess(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in result.stderr.str()


def test_a_torch_that_is_too_old(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devlint.confirm.emulation.torch_requirement.version", lambda name: "2.5.1")
    result = pytester.runpytest_inprocess("--devlint-device", "emulated")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == ["ERROR: --devlint-device needs torch >= 2.10, this is 2.5.1", ""]


def test_a_torch_that_cannot_be_replaced(pytester: pytest.Pytester, broken: str) -> None:
    result = pytester.runpytest_subprocess("--devlint-device", "emulated")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == [f"ERROR: {broken}", ""]


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_a_real_device_is_not_replaced(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    torch: Any = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Real")
    pytester.makepyfile(
        "import torch\ndef test_it(): assert torch.cuda.get_device_name() == 'Real'"
    )
    result = pytester.runpytest_inprocess("--devlint-device", device)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["devlint: CUDA (Real)"])
