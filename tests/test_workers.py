"""Several processes find what one would find, whatever becomes of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from devlint.run.check import Checked
from devlint.run.elsewhere import NOTHING
from devlint.run.workers import pool
from devlint.run.workers.checker import Checker
from devlint.run.workers.count import EACH, MOST, worthwhile
from devlint.run.workers.pool import Pool
from devlint.run.workers.schedule import Schedule
from devlint.run.workers.task import Answer, Task
from devlint.settings import Configuration

#: What it does with its argument is found when its callers are looked at.
HELPER = """import torch
from user_0 import NAME


def shifted(x):
    return x + torch.zeros(3)
"""
USER = """import torch
from helper import shifted

NAME = "user"

shifted(torch.ones(3, device="cuda"))
"""
#: So large that two workers are worth their while.
LARGE = "import torch\n\ntorch.ones(3, device='cuda') + torch.ones(3)\n" + "# ..\n" * (EACH // 2)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which modules use each other, two of them in a circle."""
    monkeypatch.chdir(tmp_path)
    write({"pyproject.toml": "", "helper.py": HELPER, "large.py": LARGE})
    write({f"user_{number}.py": USER for number in range(6)})
    return tmp_path


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path(name).write_text(text)


def command(*options: str, way: str = "fork") -> list[str]:
    """`devlint check` with workers that are started in a way."""
    program = (
        "import devlint.run.workers.pool as pool; from devlint.cli import main\n"
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"pool.can_fork = lambda: {way == 'fork'}\n"
        "if __name__ == '__main__': main()"
    )
    return [sys.executable, "-c", program, "check", "--output-format", "json", *options]


def report(*options: str, way: str = "fork") -> tuple[int, Any, str]:
    """The exit code, the findings and what is complained of."""
    line = command(*options, way=way)
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_workers_find_what_one_process_finds(way: str) -> None:
    alone = report("--no-cache", "--jobs", "1")
    assert {each["path"] for each in alone[1]} == {"helper.py", "large.py"}
    assert report("--no-cache", "--jobs", "3", way=way) == alone


def test_what_takes_longer_than_its_user_is_looked_at_again() -> None:
    """It is begun without what its user shows of it, and nothing else is left to do by then."""
    busy = "".join(
        f"\n\ndef more_{number}(x):\n    for y in x:\n        y = torch.ones(3) + y.cuda()\n"
        for number in range(400)
    )
    write({"helper.py": HELPER + busy + "# ..\n" * (EACH // 2)})
    line = ("--no-cache", "helper.py", "user_1.py")
    assert report(*line, "--jobs", "2") == report(*line, "--jobs", "1")


def test_what_workers_find_is_kept() -> None:
    first = report("--jobs", "2")
    *again, account = report("--jobs", "2", "-v")
    assert again == [*first[:2]]
    assert "8 files, 8 unchanged since the last run" in account


def test_what_modules_ask_of_the_others_is_kept() -> None:
    """Who fills a registry is looked for by its name in all files."""
    registry = "KINDS = {}\n\n\ndef kind(cls):\n    KINDS[cls.__name__] = cls\n    return cls\n"
    kinds = (
        "from torch import nn\nfrom registry import kind\n\n\n@kind\nclass Net(nn.Linear): ...\n"
    )
    user = "import torch\nfrom registry import KINDS\n\nKINDS['Net'](3, 3).to('cuda')\n"
    write({"registry.py": registry, "kinds.py": kinds, "uses_kinds.py": user})
    report("--jobs", "2")
    write({"large.py": LARGE + "print(1)\n"})
    assert "11 files, 10 unchanged since the last run" in report("--jobs", "2", "-v")[2]


def test_what_a_change_matters_to_is_looked_at_again() -> None:
    report("--jobs", "2")
    write({"helper.py": HELPER.replace("torch.zeros(3)", "1"), "large.py": LARGE + "# ..\n" * EACH})
    warm = report("--jobs", "2")
    assert warm == report("--no-cache", "--jobs", "1")
    assert {each["path"] for each in warm[1]} == {"large.py"}


def test_a_file_that_cannot_be_read_is_named() -> None:
    Path("bad.py").write_bytes(b"# coding: nonsense\nimport torch\n")
    assert report("--no-cache", "--jobs", "2") == report("--no-cache", "--jobs", "1")


class Fatal(Checker):
    """Ends its process where a file says so."""

    def answer(self, task: Task, kept: Checked | None = None) -> Answer:
        if task.path.startswith("signal"):
            os.kill(os.getpid(), signal.SIGKILL)
        elif task.path.startswith("exit"):
            os._exit(3)
        return super().answer(task, kept)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.setattr(pool, "can_fork", lambda: True)
    with closing(Pool(Fatal(Configuration()), 2)) as some:
        yield some


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("signal.py", "skipped: SIGKILL ended its analysis, as happens where memory runs out"),
        ("exit.py", "skipped: its analysis ended by itself with exit code 3"),
    ],
)
def test_a_file_that_ends_its_worker_is_named_and_the_others_are_finished(
    workers: Pool, path: str, message: str
) -> None:
    found = dict[str, Checked]()
    for name in (path, "large.py", path, "helper.py"):
        worker = workers.idle
        assert worker is not None
        worker.give(Task(name, NOTHING, is_named=False))
        found |= {each.task.path: each.one for each in workers.answers()}
    codes = {name: [each.code for each in one.findings] for name, one in found.items()}
    assert codes == {path: ["DEV903"], "large.py": ["DEV201"], "helper.py": []}
    assert found[path].findings[0].message == message
    farewells = [*workers.farewells()]
    assert len([each for each in farewells if each is None]) == 2
    assert len([each for each in farewells if each is not None]) == 2


def test_an_interrupt_ends_all_of_them() -> None:
    write({f"slow_{number}.py": USER * 2000 for number in range(4)})
    line = command("--no-cache", "--jobs", "2")
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        while len(children.read_text().split()) < 2:
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGINT)
        _, complaints = run.communicate()
    assert (run.returncode, complaints.split()) == (130, ["interrupted"])
    with pytest.raises(ProcessLookupError):
        os.killpg(run.pid, 0)


def test_there_are_as_many_as_the_work_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlint.run.workers.count.processors", lambda: 64)
    much = EACH * 100
    assert [worthwhile(None, 0), worthwhile(None, EACH * 3), worthwhile(None, much)] == [0, 3, MOST]
    assert [worthwhile(20, much), worthwhile(1, much)] == [20, 1]


def handed_out(schedule: Schedule) -> list[str | None]:
    """What is handed out before anything is done."""
    return [schedule.next() for _ in range(len(schedule))]


def test_what_uses_others_is_handed_out_before_them() -> None:
    """`a` uses `b`, and that `c`; nothing uses `d`."""
    uses = {"a": ["b"], "b": ["c"], "d": list[str]()}
    schedule = Schedule("abcd", uses)
    assert handed_out(schedule) == ["a", "d", "b", "c"]
    assert schedule.next() is None
    schedule.repeat()
    assert (schedule.turn, schedule.next()) == ("a", "a")
    schedule = Schedule("abcd", uses)
    assert schedule.next() == "a"
    schedule.close()
    assert (schedule.turn, schedule.next(), len(schedule)) == ("b", "b", 3)


def test_a_circle_is_handed_out_in_order() -> None:
    assert handed_out(Schedule("ab", {"a": ["b"], "b": ["a"]})) == ["a", "b"]
