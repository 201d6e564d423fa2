"""Changes of LibCST nodes as the smallest edits of the text that the nodes came from."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from devlint.finding import Edit
from devlint.lower.change import Change
from devlint.lower.cst_fit import fitted
from devlint.lower.cst_span import Offsets
from devlint.text.source_text import NEWLINE, edited


def edits(
    offsets: Callable[[], Offsets], text: str, changes: Sequence[Change]
) -> tuple[Edit, ...] | None:
    """None where a change does not apply, loses a comment, meets another or breaks the syntax."""
    laid_out = offsets()
    found: list[Edit] = []
    for change in changes:
        made = replacement(laid_out, change)
        if made is None:
            return None
        found += made
    found.sort()
    are_apart = all(ends_before(one, other) for one, other in pairwise(found))
    if not found or not are_apart or not all(is_at_home(laid_out, text, edit) for edit in found):
        return None
    is_text = all_parse(changed_sections(laid_out, text, found)) or parses(edited(text, found))
    return tuple(found) if is_text else None


def ends_before(one: Edit, other: Edit) -> bool:
    """What two edits insert at one place would have no order."""
    return (one.span.end_line, one.span.end_column) < (other.span.line, other.span.column)


def is_at_home(offsets: Offsets, text: str, edit: Edit) -> bool:
    """LibCST drops a form feed that opens a file, and a carriage return that ends it: there its
    lines are not those of the text."""
    if offsets.code == text:
        return True
    ours, theirs = NEWLINE.split(text), offsets.rows
    start, end = edit.span.line - 1, edit.span.end_line
    are_counted_alike = len(ours) == len(theirs) or ours[:end] == theirs[:end]
    return are_counted_alike and ours[start:end] == theirs[start:end]


def changed_sections(offsets: Offsets, text: str, edits: Sequence[Edit]) -> list[str]:
    """The statements of the module that edits are in, as they become: where these parse, the whole
    does. None of them where that does not follow."""
    groups: dict[int, list[Edit]] = {}
    for edit in edits:
        start, end = offsets.offsets_of(edit.span)
        index = bisect_right(offsets.sections, start, hi=len(offsets.sections) - 1) - 1
        if text != offsets.code or end > offsets.sections[index + 1]:
            return []
        groups.setdefault(index, []).append(edit)
    made = [section(offsets, index, group) for index, group in groups.items()]
    return made if all(each.endswith(("\n", "\r")) for each in made) else []


def section(offsets: Offsets, index: int, edits: Iterable[Edit]) -> str:
    """A statement of the module after edits."""
    done, end = offsets.sections[index : index + 2]
    parts: list[str] = []
    for edit in edits:
        start, stop = offsets.offsets_of(edit.span)
        parts += offsets.code[done:start], edit.text
        done = stop
    return "".join([*parts, offsets.code[done:end]])


def all_parse(texts: Sequence[str]) -> bool:
    """Whether there are texts, which all parse."""
    return bool(texts) and all(map(parses, texts))


def parses(text: str) -> bool:
    try:
        cst.parse_module(text)
    except cst.ParserSyntaxError:
        return False
    return True


def replacement(offsets: Offsets, change: Change) -> list[Edit] | None:
    """The edits that turn the text of a node into that of its successor."""
    old = offsets.module if change.is_module else change.node.at
    if change.is_statement:
        old = statement(offsets, old)
    if not isinstance(old, cst.CSTNode):
        return None
    made = change.new(old)
    if made is None:
        return None
    new = [made] if isinstance(made, cst.CSTNode) else list(made)
    if comments(old) - sum(map(comments, new), Counter()):
        return None
    before, after = generated(offsets, old, [old]), generated(offsets, old, new)
    start, end = offsets.outer[id(old)]
    missing = start + len(before) - len(offsets.code)
    if missing > 0:
        # The last line of the file does not end: what stands there is one token short.
        before, after = before[:-missing], after[:-missing]
    if offsets.code[start:end] != before:
        return None
    found = [
        Edit(offsets.span(start + first, start + last), inserted)
        for first, last, inserted in differences(before, after)
    ]
    return fitted(offsets, old, found)


def generated(offsets: Offsets, place: cst.CSTNode, nodes: Sequence[cst.CSTNode]) -> str:
    """The code of nodes that stand at a place."""
    state = CodegenState(offsets.default_indent, offsets.default_newline)
    state.indent_tokens = list(offsets.indents[id(place)])
    for node in nodes:
        node._codegen(state)
    return "".join(state.tokens)


def differences(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and new text of what differs; what only grows at its ends keeps its middle."""
    head, found, tail = after.partition(before)
    if found:
        yield from ((0, 0, text) for text in [head] if text)
        if tail:
            # What comes below a line begins with its end: it belongs there, not to what follows.
            newline = shared_newline(before, tail)
            end = len(before) - len(newline)
            yield end, end, newline + tail.removesuffix(newline)
        return
    start = common(before, after)
    stop = common(before[start:][::-1], after[start:][::-1])
    while start and (is_inside_word(before, start) or is_inside_word(after, start)):
        start -= 1
    while stop and (
        is_inside_word(before, len(before) - stop) or is_inside_word(after, len(after) - stop)
    ):
        stop -= 1
    yield start, len(before) - stop, after[start : len(after) - stop]


def shared_newline(one: str, other: str) -> str:
    """The newline that both end with, or nothing."""
    both = (each for each in ("\r\n", "\n", "\r") if one.endswith(each) and other.endswith(each))
    return next(both, "")


def common(one: str, other: str) -> int:
    """How many characters two texts start with in common."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)


def is_inside_word(text: str, index: int) -> bool:
    """Whether the characters before and after a place belong to one word."""
    around = text[max(index - 1, 0) : index + 1]
    return len(around) == 2 and around.replace("_", "a").isalnum()


def comments(node: cst.CSTNode) -> Counter[str]:
    found: Counter[str] = Counter()
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, cst.Comment):
            found[each.value] += 1
        pending += each.children
    return found


def statement(offsets: Offsets, at: object) -> Any:
    """The statement around a node; None where others share its line or it is an `elif`."""
    for each in offsets.around(at):
        if isinstance(each, cst.SimpleStatementSuite):
            return None
        if isinstance(each, cst.SimpleStatementLine):
            return each if len(each.body) == 1 else None
        holder = offsets.holders[id(each)]
        is_elif = isinstance(holder, cst.If) and holder.orelse is each
        if isinstance(each, cst.BaseCompoundStatement) and not is_elif:
            return each
    return None
