"""`devlint shift`: a package is called without tests, and nothing in it ends the run."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from devlint.confirm.shift.without_tests.account import Account
from tests.confirm.shift.without_tests import NAME, POSITIONS, WIDE, Done, lay_out, shift

FOUND = "2 classes: 2 built, 2 ran on the CPU, 2 shifted"


def test_a_plain_attribute_is_found_without_a_test(tmp_path: Path) -> None:
    lay_out(tmp_path, POSITIONS, WIDE)
    done = shift(tmp_path, "--output-format", "json")
    [finding] = done.found
    assert (done.status, finding["code"], finding["line"]) == (1, "DEV911", 10)
    assert (
        f"(in a call of `{NAME}.Positions` by `Positions(size=4)(torch.rand("
        in (finding["message"])
    )
    assert 7 in [each["line"] for each in finding["related"]]
    assert f"{NAME}: 1 module imported; {FOUND};" in done.summary
    assert done.summary.endswith("in 1 place, 0 not judged")


def test_nothing_is_found_in_what_is_right(tmp_path: Path) -> None:
    lay_out(tmp_path, WIDE)
    done = shift(tmp_path)
    assert done.status == 0
    assert "No device problems" in done.out
    assert done.summary.endswith("no events, 0 not judged")


def test_backward_is_shifted(tmp_path: Path) -> None:
    text = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * torch.full(gradient.shape, 2.0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return Twice.apply(self.weight) * x
"""
    lay_out(tmp_path, text)
    [finding] = shift(tmp_path, "--output-format", "json").found
    assert finding["line"] == 12


def test_a_report_is_written_in_any_format(tmp_path: Path) -> None:
    lay_out(tmp_path, POSITIONS)
    done = shift(tmp_path, "--output-format", "sarif", "-o", "new/found.sarif")
    assert (done.status, done.out) == (1, "")
    assert '"DEV911"' in (tmp_path / "new/found.sarif").read_text()


DOCUMENTED = '''
def made(size):
    """A net.

    >>> net = made(3)
    >>> net(torch.ones(3))
    tensor([3., 4., 5.])
    {more}
    """
    return _Hidden(size)


class _Hidden(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.table = torch.arange(2, 2 + size)

    def forward(self, x):
        return x + self.table
'''


@pytest.mark.parametrize(
    ("more", "ran"),
    [
        ("", "1 ran on the CPU, 1 shifted"),
        (">>> net(None)", "0 ran on the CPU, 0 shifted"),
        (">>> net(None)  # doctest: +SKIP", "1 ran on the CPU, 1 shifted"),
    ],
)
def test_an_example_is_run_if_it_ends_well_on_the_cpu(more: str, ran: str, tmp_path: Path) -> None:
    lay_out(tmp_path, DOCUMENTED.format(more=more))
    done = shift(tmp_path)
    assert f"0 classes: 0 built, 0 ran on the CPU, 0 shifted; 1 docstring example: {ran}" in (
        done.summary
    )
    assert done.status == int("1 ran" in ran)
    assert (f"by the docstring of {NAME}.made)" in done.out) == ("1 ran" in ran)


def test_a_block_of_code_is_an_example(tmp_path: Path) -> None:
    text = '''
def halved(x):
    """Half of it.

    Example::

        net = Halves()
        net(torch.ones(3))

    What follows is no code: (
    """
    return Halves()(x)


class Halves(nn.Module):
    """::

        this is no Python
    """

    def forward(self, x):
        return x * torch.tensor([0.5, 0.5, 0.5])
'''
    lay_out(tmp_path, text)
    done = shift(tmp_path)
    assert "1 docstring example: 1 ran on the CPU, 1 shifted" in done.summary
    assert f"by the docstring of {NAME}.halved)" in done.out


@pytest.mark.parametrize("options", [[], ["--functions"]])
def test_functions_in_examples_are_shifted_if_that_is_wanted(
    options: list[str], tmp_path: Path
) -> None:
    text = '''
def moved(x):
    """
    >>> moved(torch.ones(3))
    """
    return x + torch.ones(3)
'''
    lay_out(tmp_path, text)
    assert shift(tmp_path, *options).status == len(options)


def test_what_cannot_be_built_or_called_is_counted(tmp_path: Path) -> None:
    text = """
from abc import abstractmethod, ABC

class Unbuildable(nn.Module):
    def __init__(self, path: str):
        super().__init__()
        self.data = open(path).read()

class Raising(Unbuildable):
    def __init__(self):
        nn.Module.__init__(self)

    def forward(self, x):
        assert torch.cuda.is_available(), "this runs on the CPU"

class Abstract(nn.Module, ABC):
    @abstractmethod
    def forward(self, x): ...

class _Private(nn.Module):
    def forward(self, x):
        return x + torch.ones(1)
"""
    lay_out(tmp_path, text)
    done = shift(tmp_path, "-v")
    assert "2 classes: 1 built, 0 ran on the CPU, 0 shifted" in done.summary
    assert f"note: {NAME}.Raising did not run: Raising()(" in done.err
    assert "AssertionError: this runs on the CPU" in done.err
    assert f"note: {NAME}.Unbuildable did not run: Unbuildable(" in done.err
    assert done.status == 0


def test_classes_are_built_for_others(tmp_path: Path) -> None:
    text = """
import enum
from typing import Callable, Literal, Optional, Sequence

class Way(enum.Enum):
    UP = 1

class Options:
    def __init__(self, width: int):
        self.width = width

class Built(nn.Module):
    def __init__(self, options: Options, way: Way, how: Literal["a{b}"], net: nn.Module,
                 call: Callable, sizes: tuple[int, int], most: Optional[float], *others,
                 flag: bool, some: Sequence[nn.Module], weight: torch.Tensor):
        super().__init__()
        assert (way, how, flag, sizes) == (Way.UP, "a{b}", False, (4, 4))
        self.net = nn.ModuleList([net, *some])
        self.call, self.most, self.width = call, most, options.width
        self.register_buffer("weight", weight[0])

    def forward(self, x):
        return self.call(self.net[0](x)) * self.most + self.width + self.weight
"""
    lay_out(tmp_path, text)
    assert "1 class: 1 built, 1 ran on the CPU, 1 shifted" in shift(tmp_path, "-v").summary


def test_what_stands_for_a_missing_package_may_raise(tmp_path: Path) -> None:
    text = """
class Lazy:
    def __getattr__(self, name):
        raise ImportError(name)

missing = Lazy()

class Net(nn.Module):
    part = missing

    def forward(self, x):
        return x
"""
    lay_out(tmp_path, text)
    assert "1 class: 1 built, 1 ran on the CPU, 1 shifted" in shift(tmp_path).summary


def test_layers_tell_what_a_module_takes(tmp_path: Path) -> None:
    text = """
class Looks(nn.Module):
    def __init__(self, words=7, width=12):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.layer = nn.Linear(width, 2)

    def forward(self, ids):
        return self.layer(self.table(ids))


class Sees(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(6, 5, 3), nn.Flatten(), nn.Linear(980, 2))

    def forward(self, image, *, mask):
        return self.layers(image)[mask[:, 0, 0]]
"""
    lay_out(tmp_path, text)
    assert FOUND in shift(tmp_path, "-v").summary


FATAL = {
    "segmentation fault in a call": ("", "os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
    "segmentation fault in a constructor": ("os.kill(os.getpid(), signal.SIGSEGV)", "", "SIGSEGV"),
    "leaves at once": ("", "os._exit(7)", "left with exit code 7"),
}


@pytest.mark.parametrize("name", FATAL)
def test_what_ends_the_process_loses_no_others(name: str, tmp_path: Path) -> None:
    built, called, how = FATAL[name]
    text = f"""
import os, signal

class Fatal(nn.Module):
    def __init__(self):
        super().__init__()
        {built}

    def forward(self, x):
        {called}
        return x
"""
    lay_out(tmp_path, text, POSITIONS, WIDE)
    done = shift(tmp_path)
    assert done.status == 1
    assert f"warning: {NAME}.Fatal ended its process: Fatal()" in done.err
    assert how in done.err
    assert "3 classes: 2 built, 2 ran on the CPU, 2 shifted" in done.summary


def test_events_are_there_that_come_before_the_end(tmp_path: Path) -> None:
    text = """
import os

class Fatal(nn.Module):
    def forward(self, x):
        result = x + torch.ones(1)
        if torch.cuda.is_available():
            os._exit(0)
        return result
"""
    lay_out(tmp_path, text, WIDE)
    done = shift(tmp_path)
    assert done.status == 1
    assert "by `Fatal()(" in done.out
    assert f"warning: {NAME}.Fatal ended its process: " in done.err
    assert "2 classes: 2 built, 2 ran on the CPU, 1 shifted; " in done.summary


def test_part_that_was_not_seen_is_no_success(tmp_path: Path) -> None:
    lay_out(tmp_path, "import os\n\nclass Net(nn.Module):\n    def forward(self): os._exit(0)\n")
    assert shift(tmp_path).status == 3


ENDLESS = """
class WideLoop(nn.Module):
    def __init__(self):
        super().__init__()
        while True:
            pass
"""


def test_an_endless_loop_leaves_time_for_the_rest(tmp_path: Path) -> None:
    lay_out(tmp_path, WIDE, ENDLESS, "class WideToo(Wide): pass")
    done = shift(tmp_path, "--time-limit", "36")
    assert done.status == 3
    assert f"warning: {NAME}.WideLoop ended its process: WideLoop(): not done when" in done.err
    assert "warning: time was up: 1 more class or example not done" in done.err
    assert "3 classes: 1 built, 1 ran on the CPU, 1 shifted" in done.summary


NOISY = """
import atexit, os, sys, threading, time

class Noisy(nn.Module):
    def forward(self, x):
        print("[]", flush=True)
        os.write(1, b"[]")
        sys.stdin.read()
        threading.Thread(target=time.sleep, args=[1_000_000]).start()
        atexit.register(time.sleep, 1_000_000)
        os.chdir("/")
        torch.set_default_dtype(torch.float64)
        if os.fork() == 0:
            return x + torch.ones(1)
        return x

class Leaving(nn.Module):
    def forward(self, x):
        sys.exit(5)
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no forks")
def test_what_calls_do_to_the_process_is_not_in_the_report(tmp_path: Path) -> None:
    lay_out(tmp_path, NOISY, POSITIONS)
    done = shift(tmp_path, "--output-format", "json")
    [finding] = done.found
    assert "Positions" in finding["message"]
    assert "3 classes: 3 built, 2 ran on the CPU, 2 shifted" in done.summary


def test_files_are_written_to_a_copy(tmp_path: Path) -> None:
    text = "class Net(nn.Module):\n    def forward(self, x): open('written', 'w'); return x\n"
    lay_out(tmp_path, text)
    assert "written" in shift(tmp_path).err
    assert not (tmp_path / "written").exists()
    shift(tmp_path, "--no-sandbox")
    assert (tmp_path / "written").exists()


def test_a_submodule_that_cannot_be_imported_is_said_to_be(tmp_path: Path) -> None:
    modules = {
        "broken": "import not_there_at_all",
        "fatal": "import os\nos._exit(0)",
        "leaving": "raise SystemExit",
        "positions": POSITIONS,
    }
    lay_out(tmp_path, **modules, test_it="raise ValueError", __main__="raise ValueError")
    done = shift(tmp_path)
    assert done.status == 1
    assert f"note: {NAME}.broken cannot be imported: ModuleNotFoundError: " in done.err
    assert f"note: {NAME}.leaving cannot be imported: SystemExit\n" in done.err
    assert f"warning: the import of {NAME}.fatal ended its process: left with" in done.err
    assert "2 modules imported, 2 not; 1 class: 1 built" in done.summary


def refused(done: Done) -> str:
    assert (done.status, done.out) == (2, "")
    [line] = done.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import not_there_at_all", "ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("import os; os._exit(3)", "left with exit code 3"),
    ],
)
def test_a_package_that_cannot_be_imported_is_an_error(text: str, why: str, tmp_path: Path) -> None:
    lay_out(tmp_path, text)
    assert refused(shift(tmp_path)) == f"error: {NAME} cannot be imported: {why}"


def test_a_package_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert refused(shift(tmp_path)).startswith(f"error: no package '{NAME}' can be imported")


def test_only_packages_have_names_like_these(tmp_path: Path) -> None:
    lay_out(tmp_path)
    assert "is no name of a package" in refused(shift(tmp_path, package=f"{NAME}/"))


def test_a_folder_that_is_too_large_is_not_copied(tmp_path: Path) -> None:
    lay_out(tmp_path)
    line = refused(shift(tmp_path, HOME=str(tmp_path)))
    assert line.endswith("run from the folder of the project, or with --no-sandbox")


@pytest.mark.parametrize("about", ["", "begin", "nothing of the kind"])
def test_what_a_process_tells_and_nobody_can_read_is_told(about: str) -> None:
    account = Account()
    account.take(about, {"unknown": 1})
    assert not account.is_whole
    assert [*account.complaints()] == ["warning: what a process told cannot be read in part"]
