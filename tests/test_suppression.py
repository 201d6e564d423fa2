"""Comments silence what they say."""

from __future__ import annotations

import pytest

from devlint.finding import Finding, Span
from devlint.findings.suppressions import Suppressions


def is_silenced(text: str, line: int, code: str = "DEV101") -> bool:
    span = Span(None, line, 1, line, 2)
    finding = Finding(code, "submodule-after-move", "", "error", "a.py", span)
    return Suppressions(text).cover(finding)


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# NoQA",
        "#noqa",
        "# noqa: DEV101",
        "# noqa:dev101",
        "# noqa: E501, DEV101",
        "# noqa: E501 DEV101 for a reason",
        "# type: ignore # noqa",
        "# devlint: ignore",
        "# devlint: ignore[DEV101]",
        "# Devlint:ignore[DEV201, dev101]",
        "# devlint: ignore[submodule-after-move]",
    ],
)
def test_comment_silences_its_line(comment: str) -> None:
    text = f"a\nx  {comment}\nb\n"
    assert [is_silenced(text, line) for line in (1, 2, 3)] == [False, True, False]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: because",
        "# noqable",
        "# devlint: ignore[DEV201]",
        "# devlint: ignore[]",
        "# devlint: ignored",
        "# devlint: ignore-file[DEV401]",
        "# flake8 has noqa",
    ],
)
def test_comment_for_others_silences_nothing(comment: str) -> None:
    assert not is_silenced(f"x  {comment}\n", 1)


@pytest.mark.parametrize("text", ['x = "# noqa"\n', 'x = """\n# noqa\n"""\n'])
def test_string_silences_nothing(text: str) -> None:
    assert not is_silenced(text, 1)


CALL = "a = 1\nmodel.head = Linear({first}\n    3,{middle}\n    4,\n){last}\nb = 2\n"


@pytest.mark.parametrize(
    ("place", "silenced"), [("first", [2, 3, 4, 5]), ("middle", [3]), ("last", [2, 3, 4, 5])]
)
def test_comment_at_either_end_silences_the_statement(place: str, silenced: list[int]) -> None:
    text = CALL.format(**{"first": "", "middle": "", "last": "", place: "  # noqa"})
    assert [line for line in range(1, 7) if is_silenced(text, line)] == silenced


def test_statement_starts_after_comments_and_decorators_of_others() -> None:
    text = "# noqa\n\nif a:\n    # noqa\n    x = (\n        1)\n"
    assert not any(is_silenced(text, line) for line in (3, 5, 6))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_end_as_in_python(newline: str) -> None:
    text = newline.join(["a = '\x0c'", "b = 1  # noqa", "c"])
    assert [is_silenced(text, line) for line in (1, 2, 3)] == [False, True, False]


def test_file_can_be_silenced_by_code() -> None:
    text = "a\nb\n# devlint: ignore-file[DEV401]\n"
    assert is_silenced(text, 1, "DEV401")
    assert not is_silenced(text, 1, "DEV101")
    assert not Suppressions(text).is_whole_file


def test_file_can_be_silenced_altogether() -> None:
    text = "a\n# devlint: ignore-file\nb\n"
    assert is_silenced(text, 1)
    assert Suppressions(text).is_whole_file


def test_file_is_not_silenced_from_behind_code() -> None:
    text = "a\nb  # devlint: ignore-file\n"
    assert not is_silenced(text, 1)
    assert not Suppressions(text).is_whole_file


def test_text_that_tokenize_refuses_is_read_by_line() -> None:
    text = "x = 1  # noqa\ny = (\n"
    assert is_silenced(text, 1)
    assert not is_silenced(text, 2)
