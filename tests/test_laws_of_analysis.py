"""The laws of the analysis hold on a part of the cases, and each of them can be broken."""

from __future__ import annotations

import pytest

from devlint.event import Exhausted
from devlint.testing.spec import Case

from .laws.clean_calls import clean_calls, telling_calls
from .laws.definition_order import new_order
from .laws.examples import Example, drawn, examples
from .laws.known_names import conventions
from .laws.law import Law
from .laws.laws import LAWS
from .laws.observed import Appended
from .laws.register import Register, register
from .laws.renaming import new_names, renamed
from .laws.same_line import put_before
from .laws.verdict import Verdict, verdict

EVERY = tuple(examples())
KNOWN = register()
BY_NAME = {law.name: law for law in LAWS}
BAD = """\
import torch

def add(a, b):
    return a + b

def scale(c):
    return add(c, torch.ones(3))

y = scale(torch.ones(3, device="cuda"))
"""


def example(code: str) -> Example:
    return Example("example", Case("example", code))


def faults(law: str, code: str) -> list[str] | None:
    return verdict(BY_NAME[law], [example(code)]).broken.get("example")


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law_holds_but_for_what_is_listed(law: Law) -> None:
    chosen = drawn(EVERY, seed=LAWS.index(law), named=KNOWN.cases(law.name))
    assert [*verdict(law, chosen).errors(KNOWN.reasons(law.name))] == []


def test_listed_failures_are_cases_of_laws_and_have_reasons() -> None:
    names = {each.name for each in EVERY}
    for entry in (*KNOWN.failing, *KNOWN.mended):
        assert entry.law in BY_NAME
        assert entry.case in names
        assert entry.reason


def test_names_of_examples_are_unique() -> None:
    assert len({each.name for each in EVERY}) == len(EVERY)


def test_failure_that_is_not_listed_is_an_error() -> None:
    result = Verdict("log", held={"page/b"}, broken={"page/a": ["a fault"]})
    assert [*result.errors({"page/a": "known"})] == []
    assert [*result.errors({})] == ["log: page/a: fails and is not listed: a fault"]
    assert [*result.errors({"page/a": "known", "page/b": "known"})] == [
        "log: page/b: is listed as failing and holds"
    ]


def test_mended_case_is_tried_and_may_hold() -> None:
    text = '[[mended]]\nlaw = "log"\ncase = "page/a"\nreason = "it was so"\n'
    assert Register(text).cases("log") == {"page/a"}
    assert Register(text).reasons("log") == {}


def test_names_are_neutral_after_renaming_and_lines_stay() -> None:
    code = "import torch\ndef pour(_jug, device):\n    Glass = _jug.to(device, dim=1)\n"
    names = new_names(example(code))
    assert names == {"pour": "q1", "_jug": "_q2", "Glass": "Q3"}
    assert renamed(code, names) == (
        "import torch\ndef q1(_q2, device):\n    Q3 = _q2.to(device, dim=1)\n"
    )


@pytest.mark.parametrize(
    "name", ["device", "local_rank", "use_cuda", "train_epoch", "lr_scheduler"]
)
def test_name_of_a_convention_is_kept(name: str) -> None:
    assert conventions().know(name, is_member=False)


def test_name_of_a_library_is_kept_where_it_is_a_member() -> None:
    assert conventions().know("run", is_member=True)
    assert not conventions().know("run", is_member=False)
    assert not conventions().know("placed", is_member=True)


def test_definitions_turn_round_as_far_as_they_can() -> None:
    code = "def f(): pass\nclass A: pass\n@f\nclass B(A):\n    def m(self): C\nclass C: pass\n"
    assert new_order(example(code), 7) == [6, 2, 1, 3, 4, 5, 7]


def test_clean_calls_stand_on_the_line_of_the_call() -> None:
    case = example(BAD)
    assert {call.lineno for _, call in telling_calls(case)} == {7, 9}
    lines = put_before(BAD, clean_calls(case)).split("\n")
    assert lines[6].startswith("    add(torch.ones(1), torch.ones(1)); add(")
    assert lines[6].endswith("; return add(c, torch.ones(3))")


def test_log_tells_who_rewrites_it() -> None:
    told: list[str] = []
    log = Appended([Exhausted(0)], told.append)
    log += [Exhausted(1)]
    log.append(Exhausted(2))
    log[3:] = []
    assert told == []
    del log[0]
    assert told == ["`test_log_tells_who_rewrites_it` takes events from the log or moves them"]
