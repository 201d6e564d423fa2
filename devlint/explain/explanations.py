"""What is known of the values at a place of a file, and where that comes from."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from devlint.document.program import Program
from devlint.document.reader import document
from devlint.explain.clashes import CAUSE, places
from devlint.finding import Span
from devlint.interpret.language.observer import Observation, Observed, observed
from devlint.lower import from_ast, ir
from devlint.lower.lowered import Lowered
from devlint.lower.walk import walk
from devlint.models.libraries import libraries
from devlint.project.imports import used_by
from devlint.project.modules import Module
from devlint.project.order import place_of
from devlint.project.project import Place, Project
from devlint.run.locations import Location, Locations
from devlint.settings.project_names import PLAIN, Vocabulary
from devlint.text.display_paths import shown
from devlint.text.reading import content
from devlint.text.source_text import NEWLINE
from devlint.values.device import Chosen
from devlint.values.value import Kind

#: What has a device, and how it is told of.
NOUNS = {
    Kind.TENSOR: "tensor",
    Kind.MODULE: "module",
    Kind.GENERATOR: "generator",
    Kind.DEVICE: "device",
    Kind.CONTAINER: "container",
    Kind.OBJECT: "object",
    Kind.UNKNOWN: "value",
}
#: What is shown although no device of it is known.
BOUND = frozenset({Kind.TENSOR, Kind.MODULE, Kind.GENERATOR, Kind.DEVICE, Kind.UNKNOWN})
SHOWN = (ir.Name, ir.Attribute, ir.Subscript, ir.Call, ir.Binary, ir.Unary)
#: A text that is longer is cut.
WIDEST = 60


class Step(NamedTuple):
    """A place that a value has its device from."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an expression gives: `noun` says what, `device` where that is, or `why` not known.

    `steps` are the places that it has its device from, or that make it fail, the oldest first;
    `calls` those that have led to it, the outermost first.
    """

    location: Location
    text: str
    noun: str
    device: str
    why: str
    steps: tuple[Step, ...]
    calls: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A place in a file; a `column`, counted from 1, narrows a line down to what stands there."""

    path: str
    data: bytes
    line: int
    column: int | None = None
    cell: int | None = None


def explained(
    question: Question,
    project: Project | None = None,
    users: Iterable[str] = (),
    vocabulary: Vocabulary = PLAIN,
) -> list[Explanation]:
    """What is known of the values there, as the file shows them, and as those of `users` do that
    import it. Raise `UndecodableError`, or what `compile` raises."""
    programs = document(question.path, question.data).programs
    path = shown(os.path.abspath(question.path))

    def wanted(lowered: Lowered, program: Program) -> Mapping[ir.Node, Span]:
        spans = spans_of(lowered).items()
        return asked_for(question, {node: program.span(span) for node, span in spans})

    found = dict.fromkeys(
        each
        for program in programs
        for each in in_program(path, program, project, vocabulary, wanted)
    )
    if project is not None:
        module = Module(os.path.abspath(question.path))
        for user in users:
            found |= dict.fromkeys(by_user(question, module, project, user, vocabulary))
    told = surest(found)
    if question.column is None:
        return told
    least = min((each.location.span.extent for each in told), default=None)
    return [each for each in told if each.location.span.extent == least]


def in_program(
    path: str,
    program: Program,
    project: Project | None,
    vocabulary: Vocabulary,
    wanted: Callable[[Lowered, Program], Collection[ir.Node]],
) -> Iterator[Explanation]:
    """What is known of the expressions that are `wanted` of a program."""
    lowered = from_ast.lower(program.text)
    place = Place(project, Module(os.path.abspath(path)), program.text) if project else None
    asked = wanted(lowered, program)
    seen = observed(lowered.module, libraries(vocabulary), place, asked)
    for each in explanations(path, program.text, lowered, seen):
        yield in_document(each, path, program)


def by_user(
    question: Question, module: Module, project: Project, user: str, vocabulary: Vocabulary
) -> Iterator[Explanation]:
    """What is known of the values by a file that imports theirs."""
    source, place = project.source(module), place_of(project, Module(os.path.abspath(user)))
    if source is None or place.module == module or module not in used_by(place):
        return
    wanted = asked_for(question, spans_of(source.lowered))
    lowered = from_ast.lower(place.text)
    seen = observed(lowered.module, libraries(vocabulary), place, wanted)
    program = document(user, project.files.read(place.module.path)).programs[0]
    for each in explanations(user, source.text, lowered, seen):
        yield in_document(each, user, program)


def spans_of(lowered: Lowered) -> dict[ir.Node, Span]:
    return lowered.spans(node for node in walk(lowered.module) if isinstance(node, SHOWN))


def asked_for(question: Question, spans: Mapping[ir.Node, Span]) -> dict[ir.Node, Span]:
    """The expressions at a place: those that begin in the line, or else go on in it, or that hold
    the column."""
    if question.column is None:
        line = question.line
        own = {node: span for node, span in spans.items() if span.cell == question.cell}
        begun = {node: span for node, span in own.items() if span.line == line}
        return begun or {n: span for n, span in own.items() if span.line < line <= span.end_line}
    at = question.line, question.column
    return {
        node: span
        for node, span in spans.items()
        if span.cell == question.cell
        and (span.line, span.column) <= at < (span.end_line, span.end_column)
    }


def explanations(path: str, text: str, lowered: Lowered, seen: Observed) -> Iterator[Explanation]:
    """`text` is that of the expressions."""
    called = {each.func for each in seen.wanted if isinstance(each, ir.Call)}
    told = [each for each in seen.seen if is_of_interest(each, called)]
    nodes: list[ir.Node] = [each.node for each in told]
    ways = [each.chain if each.clash is None else places(each.clash) for each in told]
    nodes += [node for each in told for node in each.path]
    nodes += [node for way in ways for node, _ in way]
    located = Locations(path, lowered, seen.others).of(nodes)
    for each, way in zip(told, ways, strict=True):
        location = located[each.node]
        spelled = excerpt(text, location.span)
        device = device_of(each, spelled)
        yield Explanation(
            location,
            spelled,
            NOUNS[each.value.kind],
            device,
            "" if device else reason(each),
            tuple(Step(located[node], said) for node, said in way),
            tuple(located[node] for node in each.path),
        )


def is_of_interest(seen: Observation, called: Container[ir.Node]) -> bool:
    """Whether it is anything that can be on a device: what is only `called`, or what a statement
    lets go, would have to show that it is."""
    kind = seen.value.kind
    if kind not in NOUNS or seen.device.is_partly_known:
        return kind in NOUNS
    return kind in BOUND and not (kind is Kind.UNKNOWN and (seen.is_dropped or seen.node in called))


def device_of(seen: Observation, spelled: str) -> str:
    """Where something is; empty where nothing is known but that it is where it is."""
    if not seen.device.is_known or seen.device.told == f"the device of `{spelled}`":
        return ""
    is_chosen = any(isinstance(each, Chosen) for each in seen.device.atoms)
    return f"{seen.device.told}, chosen at run time" if is_chosen else seen.device.told


def reason(seen: Observation) -> str:
    """Why a device is not known."""
    if seen.is_left_out:
        return "it comes from a call that is beyond the budget of the analysis"
    if seen.device.is_known:
        return "it is wherever a caller has it, and no caller in view says where"
    if seen.device.is_partly_known:
        return "it depends on the path, and is not known on each"
    if seen.clash is not None:
        return CAUSE
    if isinstance(seen.node, ir.Binary):
        return "what it is computed of is on several devices, or on one that is not known"
    if seen.value.kind is Kind.UNKNOWN and isinstance(seen.node, ir.Call):
        return "what is called is not in view, or says nothing of devices"
    return "nothing in view says where it comes from"


def excerpt(text: str, span: Span) -> str:
    """What stands at a span, on one line."""
    lines = NEWLINE.split(text)[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    whole = " ".join(" ".join(lines).split())
    return whole if len(whole) <= WIDEST else f"{whole[:WIDEST]}..."


def in_document(one: Explanation, path: str, program: Program) -> Explanation:
    """What is told of a program, with the places of its document."""

    def placed(location: Location) -> Location:
        is_own = location.path == path
        return Location(path, program.span(location.span)) if is_own else location

    return replace(
        one,
        location=placed(one.location),
        steps=tuple(Step(placed(each.location), each.text) for each in one.steps),
        calls=tuple(map(placed, one.calls)),
    )


def surest(found: Iterable[Explanation]) -> list[Explanation]:
    """In the order of the text, each answer about a text once. Where callers are in view, what a
    function looks like by itself need not be said, nor where a device is known that it is not."""
    every = sorted(found, key=lambda each: each.location.span)
    called = {each.location for each in every if each.calls}
    every = [each for each in every if each.calls or each.location not in called]
    known = {each.location for each in every if each.device}
    first: dict[tuple[object, ...], Explanation] = {}
    for each in every:
        if each.device or each.location not in known:
            way = each.steps if each.device else ()
            answer = (each.text, each.noun, each.device, each.why, way)
            first.setdefault(answer, each)
    return list(first.values())


def candidates(paths: Sequence[str], asked: str) -> list[str]:
    """Of files, those whose text may import another one."""
    stem = os.path.splitext(os.path.basename(asked))[0]
    word = os.path.basename(os.path.dirname(os.path.abspath(asked))) if stem == "__init__" else stem
    return [each for each in paths if word.encode() in content(each)]
