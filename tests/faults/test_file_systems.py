"""File systems that are full, cannot be written, or change while devlint looks at them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devlint.cache.store import FOLDER
from tests.faults.running import CONCISE, FIXED, TEXT, devlint, is_whole, said, shell

#: In a name space of its own, and as its root: a file system of 64 KiB, all of which is used.
FULL = """
mount -t tmpfs -o size=64k none "$1" && cd "$1" && cp ../here/a.py . &&
{ cat /dev/zero > filling 2> /dev/null || true; }
"""
READ_ONLY = """
mount --bind ../here "$1" && mount -o remount,ro,bind "$1" && cd "$1"
"""


def mounts() -> bool:
    """Whether file systems can be mounted where nobody else sees them."""
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-r", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    return subprocess.run(command, capture_output=True).returncode == 0


needs_mounts = pytest.mark.skipif(not mounts(), reason="the system lets users mount nothing")


def within(mount: str, script: str) -> subprocess.CompletedProcess[bytes]:
    os.mkdir("../mounted")
    return shell('exec unshare -r -m sh -c "$1" sh ../mounted', f"{mount}\n{script}")


@needs_mounts
@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--fix", "a.py: cannot be written: no space left on device"),
        ("--fix-only", "a.py: cannot be written: no space left on device"),
        ("--add-noqa", "a.py: cannot be written: no space left on device"),
        ("-o out.txt", "cannot write out.txt: no space left on device"),
        ("--write-baseline known.json", "cannot write known.json: no space left on device"),
    ],
)
def test_a_full_disk_is_a_line(options: str, line: str) -> None:
    ran = within(FULL, f"$devlint {options} a.py; echo status $?; cmp a.py ../here/a.py; ls -A")
    left = ran.stdout.decode().partition("status 2\n")[2].split()
    assert f"error: {line}" in said(ran)
    assert sorted({*left} - {FOLDER}) == ["a.py", "filling"]


@needs_mounts
def test_a_full_disk_keeps_no_cache_and_nothing_else_is_different() -> None:
    ran = within(FULL, "$devlint --output-format concise a.py; echo $?")
    assert (ran.stdout.count(b"a.py:"), said(ran)) == (2, [])
    assert ran.stdout.endswith(b"\n1\n")


@needs_mounts
@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--fix", "a.py: cannot be written: "),
        ("--add-noqa", "a.py: cannot be written: "),
        ("-o out.txt", "cannot write out.txt: "),
        ("--write-baseline known.json", "cannot write known.json: "),
    ],
)
def test_what_cannot_be_written_is_a_line(options: str, line: str) -> None:
    ran = within(READ_ONLY, f"$devlint {options} a.py; echo $?")
    assert ran.stdout.endswith(b"2\n")
    assert [each for each in said(ran) if each.startswith(f"error: {line}")]
    assert b"Traceback" not in ran.stderr
    assert is_whole()


@needs_mounts
def test_a_folder_that_cannot_be_written_is_checked_without_a_cache() -> None:
    ran = within(READ_ONLY, "$devlint --output-format concise .; echo $?")
    assert (ran.stdout.count(b"a.py:"), said(ran)) == (2, [])
    assert os.listdir() == ["a.py"]


CACHES: dict[str, Callable[[Path], object]] = {
    "a file": Path.touch,
    "a pipe": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to a device": lambda path: path.symlink_to("/dev/null"),
    "a link out of the project": lambda path: path.symlink_to("../home"),
}


@pytest.mark.parametrize("name", CACHES)
@pytest.mark.parametrize("options", [(), ("--fix",)], ids=["check", "fix"])
def test_a_cache_that_is_none_does_not_matter(name: str, options: tuple[str, ...]) -> None:
    CACHES[name](Path(FOLDER))
    for _ in range(2):
        ran = devlint(*CONCISE, *options, ".")
        assert ran.returncode == 1
        assert b"DEV401" in ran.stdout
        assert b"Traceback" not in ran.stderr
    assert Path("a.py").read_text() == (FIXED if options else TEXT)


@pytest.fixture
def changing(folder: Path) -> Iterator[Path]:
    """A folder that comes and goes, with all that is in it."""
    there, away, is_over = folder / "b", folder.parent / "b", threading.Event()
    there.mkdir()
    for number in range(40):
        (there / f"{number}.py").write_text(TEXT)

    def change() -> None:
        while not is_over.is_set():
            for one, other in ((there, away), (away, there)):
                os.rename(one, other)
                time.sleep(0.003)

    thread = threading.Thread(target=change)
    thread.start()
    yield there
    is_over.set()
    thread.join()


@pytest.mark.parametrize("options", [(), ("--fix",), ("--add-noqa",), ("--no-cache", "--diff")])
def test_files_that_come_and_go(changing: Path, options: tuple[str, ...]) -> None:
    for _ in range(2):
        ran = devlint(*CONCISE, *options, ".")
        assert ran.returncode in (0, 1, 2)
        assert b"Traceback" not in ran.stderr
        assert b"DEV999" not in ran.stdout


def test_a_folder_takes_the_place_of_a_file(folder: Path) -> None:
    """Between the look at what is there and the reading."""
    program = (
        "import os\nfrom devlint.cache.snapshot import Snapshot\n"
        "read = Snapshot.read\n"
        "def late(self, path):\n"
        "    if path.endswith('b.py') and os.path.isfile(path):\n"
        "        os.unlink(path)\n        os.mkdir(path)\n"
        "    return read(self, path)\n"
        "Snapshot.read = late\n"
        "from devlint.cli import main\nmain(['--output-format=concise', '.'])\n"
    )
    (folder / "b.py").write_text(TEXT)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert ran.returncode == 2
    assert ran.stdout.count(b"a.py:") == 2
    assert said(ran) == ["error: b.py: cannot read: is a directory"]


@pytest.mark.parametrize("second", [0, 1, 2**31, 2**33])
def test_clocks_do_not_matter(second: int) -> None:
    """A change is one, whatever the time of the file says."""
    assert devlint(*CONCISE, ".").returncode == 1
    os.utime("a.py", (second, second))
    assert devlint(*CONCISE, ".").stdout.count(b"a.py:") == 2
    Path("a.py").write_text(FIXED)
    os.utime("a.py", (second, second))
    assert devlint(*CONCISE, ".").stdout.count(b"a.py:") == 1


def test_a_clock_that_goes_back() -> None:
    program = (
        "import time\nnow = time.time()\n"
        "time.time = lambda: now - next(later)\n"
        "time.time_ns = lambda: int(time.time() * 1e9)\n"
        "import itertools\nlater = itertools.count(0, 1000)\n"
        "from devlint.cli import main\nmain(['--output-format=concise', '.'])\n"
    )
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
        assert (ran.returncode, ran.stderr) == (1, b"")
        assert ran.stdout.count(b"a.py:") == 2
