"""Nothing that a tree contains acts on a terminal, a CI log or a shell."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from devlint.report import FORMATS
from tests.hostile.running import MIXED, devlint, forged

STALE = """import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4)).to(device)
model[0] = nn.Linear(4, 4)
model(torch.ones(4, device=device))
"""
NAMES = {
    "an escape": "a\x1b[31mb.py",
    "a title": "a\x1b]0;owned\x07.py",
    "a line end": "a\n::error file=x.py::forged\n.py",
    "a carriage return": "a\r::warning::forged.py",
    "a command of GitHub": "::error file=x.py::forged.py",
    "one behind blanks": "  ::set-output name=a::b.py",
    "one of its first kind": "##[error]forged.py",
    "a command of Azure": "##vso[task.setvariable variable=a]b.py",
    "one in capitals": "##VSO[task.complete result=Failed]b.py",
    "a line of Unicode": "a\u2028::error::b.py",
    "eight-bit control": "a\x9b31mb.py",
    "what reverses": "a\u202egnp.py",
    "bytes that are no text": os.fsdecode(b"a\xff\xfe.py"),
    "a shell": "$(touch owned) `touch owned` ; touch owned.py",
    "percent signs": "%0A::error::b.py",
    "markup": "<script>alert(1)<!--]]>.py",
    "backspaces": "a\b\b\b::error::b.py",
}
#: In the place of a comment, and of a text.
TEXTS = {
    **{name: text for name, text in NAMES.items() if text.isprintable()},
    "an escape": "\x1b[2J",
    "a tab and an escape": "\t\x1b]8;;http://x\x07",
    "eight-bit control": "\x9b31m",
    "an end of a string": "'''\"\"\"",
}
MODES = {
    **{f"--output-format={name}": ("--output-format", name) for name in FORMATS},
    **{each: (each,) for each in ("--diff", "--show-files", "--show-settings", "--statistics")},
    "--show-fixes": ("--diff", "--show-fixes"),
    "-v": ("-v",),
}


@pytest.mark.parametrize("mode", MODES)
def test_no_name_acts_on_who_reads_it(mode: str) -> None:
    for name in NAMES.values():
        Path(name).write_text(STALE)
        Path(f"broken {name}").write_text("import torch\nx = (")
    ran = devlint(*MODES[mode], ".")
    check(mode, ran.stdout)
    check("", ran.stderr)
    assert b"Traceback" not in ran.stderr
    assert "owned" not in os.listdir(".")


@pytest.mark.parametrize("mode", MODES)
def test_no_text_acts_on_who_reads_it(mode: str) -> None:
    for number, text in enumerate(TEXTS.values()):
        code = f"{STALE}model[0] = nn.Linear(4, 4)  # {text}\nmodel(torch.ones(4)) # {text}\n"
        Path(f"comment{number}.py").write_text(code)
        quoted = repr(text)[1:-1].replace("'", "\\'")
        code = f"{MIXED}x = weights[{text!r}] + mask['{quoted}']\n{text}\n"
        Path(f"text{number}.py").write_text(code)
        cell = {"cell_type": "code", "source": [*code.splitlines(keepends=True)]}
        Path(f"notebook{number}.ipynb").write_text(json.dumps({"cells": [cell]}))
    ran = devlint(*MODES[mode], ".")
    check(mode, ran.stdout)
    check("", ran.stderr)
    assert b"Traceback" not in ran.stderr


def check(mode: str, printed: bytes) -> None:
    """What a format itself writes are commands: as many as it has findings."""
    own = {"github": b"::", "azure": b"##vso[task.logissue "}.get(mode.rpartition("=")[2], b"\0")
    lines = [line for line in forged(printed) if not line.startswith(own)]
    assert lines == []


def test_commands_of_a_format_are_as_many_as_its_findings() -> None:
    for name in NAMES.values():
        Path(name).write_text(MIXED)
    for output_format in ("github", "azure"):
        ran = devlint(f"--output-format={output_format}", ".")
        lines = ran.stdout.splitlines()
        assert len(lines) == len(NAMES)
        assert all(line.count(b"##vso[") + line.startswith(b"::error") == 1 for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_a_named_file_that_is_not_there_is_one_harmless_line(name: str) -> None:
    ran = devlint(f"no {NAMES[name]}")
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1
    assert [*forged(ran.stderr)] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", ["select", "nonsense", "baseline"])
def test_settings_are_complained_of_harmlessly(name: str, key: str) -> None:
    value = json.dumps(NAMES[name].encode(errors="replace").decode())
    content = f"{key} = {value if key == 'baseline' else f'[{value}]'}\n{value} = 1\n"
    Path("devlint.toml").write_text(content)
    Path("a.py").write_text(MIXED)
    ran = devlint("a.py")
    assert ran.returncode == 2
    assert [*forged(ran.stderr)] == []
    assert b"Traceback" not in ran.stderr
