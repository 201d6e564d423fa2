"""`pytest --devlint-device`: processes that tests start and fork."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

pytest.importorskip("torch")

# `pytester` forgets what is imported in it first.
import devlint.confirm.pytest.session  # noqa: F401
from devlint.confirm import pytest_plugin

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows starts processes otherwise")
pytest_plugins = ["pytester"]

PLUGIN = pytest_plugin.__name__
#: Line 4 makes what line 5 meets on the wrong device.
WORK = """\
import torch

def work(*ignored):
    left = torch.ones(2)
    return (torch.ones(2, device="cuda") + left).tolist()

def awaited():
    try:
        work()
    except RuntimeError:
        pass

if __name__ == "__main__":
    import sys
    awaited() if sys.argv[1:] else work()
"""
HEAD = """\
import multiprocessing, os, pytest, subprocess, sys
import torch.multiprocessing
from work import awaited, work

def start(*words, **options):
    return subprocess.run([sys.executable, *words], **options).returncode

def process(method, target):
    started = multiprocessing.get_context(method).Process(target=target)
    started.start()
    started.join()
    return started.exitcode

"""
LAUNCHER = "-m torch.distributed.run --standalone --nproc-per-node 2 work.py"
WAYS = {
    "subprocess": "assert start('work.py') == 1",
    "shell": "os.system(f'cd . && {sys.executable} work.py')",
    "own path": "start('work.py', env={**os.environ, 'PYTHONPATH': 'src'})",
    "spawn": "assert process('spawn', work) == 1",
    "forkserver": "assert process('forkserver', work) == 1",
    "fork": "assert process('fork', work) == 1",
    "launcher": f"start(*{LAUNCHER.split()})",
    "torch spawn": (
        "with pytest.raises(torch.multiprocessing.ProcessRaisedException):\n"
        "        torch.multiprocessing.spawn(work, nprocs=1)"
    ),
    "own fork": (
        "if not (pid := os.fork()):\n        try: work()\n        finally: os._exit(1)\n"
        "    os.waitpid(pid, 0)"
    ),
}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", PLUGIN)


def run(pytester: pytest.Pytester, test: str, *options: str) -> pytest.RunResult:
    """A test, in a process of its own, for children import what this one has."""
    pytester.makepyfile(work=WORK, test_it=HEAD + test)
    return pytester.runpytest_subprocess("--devlint-device", "emulated", *options)


def told(result: pytest.RunResult) -> list[str]:
    return re.findall(r"^(\S+:\d+): Expected all tensors", result.stdout.str(), re.M)


@pytest.mark.parametrize("way", WAYS)
def test_what_ends_a_process_is_told(pytester: pytest.Pytester, way: str) -> None:
    result = run(pytester, f"def test_it():\n    {WAYS[way]}\n")
    result.assert_outcomes(passed=1)
    assert told(result) == ["work.py:5"], result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "* device events on emulated CUDA (1 device) *",
            "work.py:5: Expected all tensors *cpu! (in *)",
            "  an operand of shape ?2? is on cpu since work.py:4",
        ]
    )
    assert "incomplete" not in result.stdout.str()


@pytest.mark.parametrize("way", ["start('work.py', 'x')", "process('fork', awaited)"])
def test_what_a_process_awaits_is_not_told(pytester: pytest.Pytester, way: str) -> None:
    tests = f"def test_it():\n    assert {way} == 0\n\ndef test_fails():\n    assert False\n"
    result = run(pytester, tests)
    result.assert_outcomes(passed=1, failed=1)
    assert told(result) == []
    assert "incomplete" not in result.stdout.str()


@pytest.mark.parametrize("way", ["start('work.py', 'x')", "process('fork', awaited)"])
def test_what_happens_in_processes_of_a_test_that_fails_is_told(
    pytester: pytest.Pytester, way: str
) -> None:
    result = run(pytester, f"def test_it():\n    assert {way} == 1\n")
    result.assert_outcomes(failed=1)
    assert told(result) == ["work.py:5"]


def test_what_xfail_awaits_is_not_told(pytester: pytest.Pytester) -> None:
    test = "@pytest.mark.xfail\ndef test_it():\n    assert start('work.py') == 0\n"
    result = run(pytester, test)
    result.assert_outcomes(xfailed=1)
    assert told(result) == []


def test_processes_have_as_many_devices_as_the_tests(pytester: pytest.Pytester) -> None:
    test = (
        "def test_it():\n"
        "    count = 'import torch, sys; sys.exit(torch.cuda.device_count())'\n"
        "    assert start('-c', count) == 3\n"
    )
    run(pytester, test, "--devlint-devices", "3").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("does", "gap"),
    [
        ("start('-S', 'work.py')", "1 Python process not watched: *python* -S work.py"),
        ("start('work.py', env={})", "1 Python process not watched: *python* work.py"),
        (
            "start('-c', 'import os, torch; os.abort()')",
            "1 process ended without a word, as after a crash: -c *",
        ),
        (
            "subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)",
            "1 process still running when the program had ended: -c *",
        ),
    ],
)
def test_what_was_not_seen_is_told(pytester: pytest.Pytester, does: str, gap: str) -> None:
    result = run(pytester, f"def test_it():\n    {does}\n")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["* not seen on emulated CUDA (1 device) *", f"incomplete: {gap}"], consecutive=True
    )


def test_workers_of_xdist_tell_of_their_processes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xdist")
    monkeypatch.setenv("PYTEST_PLUGINS", f"{PLUGIN},xdist.plugin")
    test = (
        "def test_one():\n    start('work.py')\n\n"
        "def test_two():\n    start('-S', 'work.py')\n\n"
        "def test_awaited():\n    with pytest.raises(RuntimeError): work()\n"
    )
    result = run(pytester, test, "-n", "1")
    result.assert_outcomes(passed=3)
    assert told(result) == ["work.py:5"]
    result.stdout.fnmatch_lines(["incomplete: 1 Python process not watched: *python* -S work.py"])
    assert result.stdout.str().count("incomplete") == 1


def test_a_run_in_a_run_tells_the_outer_one(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(inner="from work import work\ndef test_work():\n    work()\n")
    test = (
        "def test_it():\n"
        "    words = ['-m', 'pytest', '--devlint-device', 'emulated', 'inner.py']\n"
        "    assert start(*words) == 1\n"
        "    assert start(*words, '--devlint-devices', '2') == 4\n"
    )
    result = run(pytester, test, "-s")
    result.assert_outcomes(passed=1)
    assert told(result) == ["work.py:5"] * 2
    result.stderr.fnmatch_lines(["ERROR: CUDA is emulated already, with 1 device"])


def test_nothing_is_left_behind_in_this_process(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os

        def test_it():
            assert "DEVLINT_DRY_RUN" in os.environ
            os.system("true")
        """
    )
    before = state()
    result = pytester.runpytest_inprocess("--devlint-device", "emulated")
    result.assert_outcomes(passed=1)
    assert state() == before


def state() -> list[object]:
    """What has processes watched that start."""
    start = vars(subprocess).get("_fork_exec")  # Since Python 3.11.
    functions = (os._exit, os.kill, os.system, os.posix_spawn, start)
    return [*functions, os.environ.get("PYTHONPATH"), os.environ.get("DEVLINT_DRY_RUN")]
