"""What pages show raises on emulated CUDA, unless the rule says that it is wrong in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from devlint.rule.registry import every_rule
from devlint.testing import emulated_cuda
from devlint.testing.spec import marks
from tests.documents import Block
from tests.marked_programs import PAGES, PROGRAMS, marked

SILENT = {rule.code for rule in every_rule() if rule.is_silent}


@pytest.mark.parametrize("page", PAGES)
def test_each_program_does_what_its_rules_say(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, since one may read what another has written."""
    monkeypatch.chdir(tmp_path)
    programs = [block for block in PROGRAMS if block.document == page]
    assert {block.file: does_raise(block) for block in programs} == {
        block.file: not {code for _, code in marks(marked(block.text), "expect")} <= SILENT
        for block in programs
    }


def does_raise(block: Block) -> bool:
    assert block.file
    with emulated_cuda(keep_going=True) as events:
        exec(compile(block.text, block.file, "exec"), {"__name__": "__main__"})
    return bool(events)
