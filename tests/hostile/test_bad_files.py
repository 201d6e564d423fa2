"""One bad file is named, the others are linted, and nothing is waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devlint.text.reading import LARGEST
from tests.hostile.running import MIXED, devlint

#: Codecs that are none of text, or take quadratic time.
CODECS = [
    *("rot13", "hex", "zlib", "bz2", "base64", "quopri", "uu", "undefined", "idna", "punycode"),
    *("no-such-codec", "../../etc/passwd", "mbcs", "x" * 5_000),
]


def coded(codec: str) -> Callable[[Path], object]:
    text = f"# -*- coding: {codec} -*-\nimport torch\nx.cuda()\n"
    return lambda path: path.write_bytes(text.encode())


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10 << 30)


UNREADABLE: dict[str, Callable[[Path], object]] = {
    **{f"coding {each[:20]}": coded(each) for each in CODECS},
    "a link to itself": lambda path: path.symlink_to(path.name),
    "null bytes": lambda path: path.write_bytes(b"import torch\n\0x.cuda()\n"),
    "latin-1 without saying so": lambda path: path.write_bytes(b"import torch  # \xe9\n"),
    "half an expression": lambda path: path.write_text("import torch\nx = ("),
    "half an expression without torch": lambda path: path.write_text("x = ("),
    "bad indentation": lambda path: path.write_text("import torch\n  x\n y\n"),
    "tabs among blanks": lambda path: path.write_text("if torch:\n\tx\n        y\n"),
    "another language": lambda path: path.write_text("#include <torch/torch.h>\nint main() {}\n"),
    "bytes": lambda path: path.write_bytes(bytes(range(256))),
    "UTF-16": lambda path: path.write_bytes("import torch\n".encode("utf-16")),
    "half a string": lambda path: path.write_text('import torch\nx = """'),
    "a mark of an order after a coding": lambda path: path.write_bytes(
        b"\xef\xbb\xbf# coding: latin-1\nimport torch\n"
    ),
}
BEYOND: dict[str, Callable[[Path], object]] = {
    "ten gigabytes": sparse,
    "a byte too many": lambda path: path.write_bytes(b"#" * (LARGEST + 1)),
    "two million characters": lambda path: path.write_text(MIXED + "#" * 2_000_000),
    "a sum of many": lambda path: path.write_text(MIXED + "y = 1" + " + 1" * 20_000),
}
REFUSED: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to nothing": lambda path: path.symlink_to("nothing.py"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_named_and_the_rest_is_linted(name: str, folder: Path) -> None:
    UNREADABLE[name](folder / "bad.py")
    (folder / "good.py").write_text(MIXED)
    ran = devlint("--output-format=concise", "bad.py", "good.py")
    assert ran.returncode == 2
    assert b"bad.py:" in ran.stdout
    assert b"DEV902" in ran.stdout
    assert b"good.py:5:10: DEV201" in ran.stdout
    assert ran.stderr.startswith(b"error: bad.py: cannot ")
    assert ran.stderr.count(b"\n") == 1


@pytest.mark.parametrize("name", BEYOND)
def test_what_is_beyond_limits_is_skipped(name: str, folder: Path) -> None:
    BEYOND[name](folder / "bad.py")
    (folder / "good.py").write_text(MIXED)
    ran = devlint("--output-format=concise", ".")
    assert ran.returncode == 1
    assert b"bad.py:1:1: DEV903 note " in ran.stdout
    assert b"good.py:5:10: DEV201" in ran.stdout
    assert ran.stderr.startswith(b"note: bad.py: ")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_file_is_refused_or_passed_by(name: str, folder: Path) -> None:
    REFUSED[name](folder / "bad.py")
    (folder / "good.py").write_text(MIXED)
    named = devlint("--output-format=concise", "bad.py", "good.py")
    assert named.returncode == 2
    assert named.stderr.startswith(b"error: bad.py: no")
    assert b"good.py:5:10: DEV201" in named.stdout
    found = devlint("--output-format=concise", ".")
    assert (found.returncode, found.stderr) == (1, b"")
    assert b"good.py:5:10: DEV201" in found.stdout


@pytest.mark.parametrize("suffix", ["py", "ipynb"])
@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"cells": [', '{"cells": 3}', "x = ("])
def test_a_named_file_is_never_taken_for_clean_unless_it_is(suffix: str, text: str) -> None:
    Path(f"named.{suffix}").write_text(text)
    ran = devlint(f"named.{suffix}")
    is_python = suffix == "py" and text in ("", "[]", "null", '{"cells": 3}')
    assert ran.returncode == (0 if is_python else 2)


def test_what_looks_empty_is_not_waited_for(folder: Path) -> None:
    (folder / "log.py").symlink_to("/proc/kmsg")
    (folder / "good.py").write_text(MIXED)
    ran = devlint("--output-format=concise", "log.py", "good.py")
    assert b"good.py:5:10: DEV201" in ran.stdout
    assert ran.returncode in (1, 2)


CONFIGURATIONS: dict[str, Callable[[Path], object]] = {
    "ten gigabytes": sparse,
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "bytes": lambda path: path.write_bytes(b"\xff\xfe"),
    "brackets": lambda path: path.write_text("select = " + "[" * 100_000),
    "a null byte": lambda path: path.write_bytes(b'select = ["DEV\0"]\n'),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("file", ["devlint.toml", "named.toml", "base.toml", "known.json"])
def test_settings_that_cannot_be_read_are_one_line(name: str, file: str, folder: Path) -> None:
    CONFIGURATIONS[name](folder / file)
    (folder / "good.py").write_text(MIXED)
    arguments = {"named.toml": ["--config", file], "known.json": ["--baseline", file]}
    if file == "base.toml":
        (folder / "devlint.toml").write_text('extend = "base.toml"\n')
    ran = devlint(*arguments.get(file, []), "good.py")
    is_passed_by = file == "devlint.toml" and name in ("a pipe", "a device", "a folder")
    assert ran.returncode == (1 if is_passed_by else 2), ran.stderr
    assert ran.stderr.count(b"\n") == (0 if is_passed_by else 1)


@pytest.mark.parametrize("file", [".gitignore", ".git", ".git/info/exclude", ".git/config"])
@pytest.mark.parametrize("name", ["a pipe", "a device", "bytes"])
def test_what_git_reads_cannot_hold_a_run_up(name: str, file: str, folder: Path) -> None:
    if "/" in file:
        (folder / ".git/info").mkdir(parents=True)
    CONFIGURATIONS[name](folder / file)
    (folder / "good.py").write_text(MIXED)
    ran = devlint("--output-format=concise", ".")
    assert ran.returncode == 1, ran.stderr
    assert b"good.py:5:10: DEV201" in ran.stdout


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 200 + ".py"),
        ("**/a/" * 30 + "b.py", "a/" * 60 + "c.py"),
        ("**/" * 30 + "x.py", "a/" * 60 + "c.py"),
        ("**a*" * 30 + "b", "a" * 200 + ".py"),
        ("*[a-z]*" * 30 + "!", "a" * 200 + ".py"),
        ("[" * 50_000, "c.py"),
        ("*" * 100_000 + "b", "c.py"),
    ],
)
@pytest.mark.parametrize("file", [".gitignore", "devlint.toml"])
def test_no_pattern_takes_exponential_time(
    pattern: str, path: str, file: str, folder: Path
) -> None:
    """`devlint` gives up after a minute, which is a failure."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("")
    settings = f"exclude = ['{pattern}']\n"
    (folder / file).write_text(pattern if file == ".gitignore" else settings)
    ran = devlint("--show-files", ".")
    assert (ran.returncode, ran.stdout.decode()) == (0, f"{path}\n")
