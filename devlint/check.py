"""One file from bytes to findings: decode, prefilter, screen, decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from traceback import format_exception
from typing import Any, Literal

from devlint.audit import Audit
from devlint.event import Exhausted
from devlint.faults import InternalError, SkippedFile, UnreadableFile
from devlint.finding import Finding, Patch, Related, Span
from devlint.lower import ir
from devlint.lower.lowered import Lowered
from devlint.problem import Problem
from devlint.rule import Rule
from devlint.source import UndecodableError, decode
from devlint.suppression import Suppressions

#: What a file has to mention, besides torch, for any value of it to be on a known device: a move,
#: a device by name or by argument, a generator, a checkpoint, or a factory. Wide rather than
#: narrow: a miss here is a finding lost, a false hit costs one `ast.parse`.
SEED = re.compile(
    rb"cuda|\.to\b|device|generator|manual_seed|\bsave\b|\bload\b|load_url|map_location"
    rb"|pin_memory|accelerator|\b(?:xpu|mps|npu|hpu|mtia|xla|ipu|mlu)\b"
    rb"|torch\.(?:zeros|ones|empty|full|eye|arange|linspace|tensor|rand|from_numpy|Tensor)",
    re.I,
)
#: What a module has to mention, where it makes no tensors by a factory, for its own state to stay
#: behind when somebody moves it: a tensor of a type or that it is given, or layers in a list.
STATE = re.compile(
    rb"torch\.\w*Tensor|:\s*(?:torch\.|Optional\[)?Tensor\b|(?:[\[(]|:\s)\s*(?:torch\.)?nn\.[A-Z]"
)
TOO_DEEP = "nested too deeply to analyse"

#: How far a file got: `passed` by the prefilter, `screened` by ast, `decided` by LibCST.
Stage = Literal["passed", "screened", "decided"]


@dataclass(frozen=True, slots=True)
class Checked:
    findings: tuple[Finding, ...] = ()
    stage: Stage = "passed"
    #: Calls that were not followed because a budget was spent.
    exhausted: int = 0
    #: Of every internal error.
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Crash:
    """An exception that `where` (a rule or the analysis) raised, at `node` if that is known."""

    where: str
    error: Exception
    node: ir.Node | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules say of one module."""

    problems: tuple[tuple[Rule[Any], Problem], ...]
    crashes: tuple[Crash, ...]
    exhausted: int = 0


class RefusedError(Exception):
    """A text that goes no further; `fault` says why."""

    def __init__(self, fault: Finding) -> None:
        super().__init__(fault.message)
        self.fault = fault


def check(
    path: str,
    data: bytes,
    rules: Sequence[Rule[Any]],
    audit: Audit | None = None,
    *,
    screen: bool = True,
) -> Checked:
    """The findings of one file, shown under `path`, faults included.

    Without `screen` every file that the prefilter keeps goes straight through LibCST.
    """
    try:
        text = decode(data)
    except UndecodableError as error:
        return Checked((UnreadableFile.at(path, f"cannot read: {error}"),))
    suppressions = Suppressions(text)
    if suppressions.is_whole_file:
        return Checked()
    if not mentions_devices(data):
        return Checked(tuple(left(path, suppressions, audit, ())))
    try:
        return analysed(path, text, rules, suppressions, audit, screen)
    except RefusedError as refused:
        return Checked((refused.fault,), "decided")
    except (RecursionError, MemoryError):
        return Checked((SkippedFile.at(path, TOO_DEEP),), "decided")
    except Exception as error:
        crash = Crash("the analysis", error)
        found = (crash_finding(path, crash),)
        return Checked(found, "decided", traceback=traceback_of((crash,)))


def mentions_devices(data: bytes) -> bool:
    if b"torch" not in data:
        return False
    if SEED.search(data) is not None:
        return True
    return b"def forward" in data and STATE.search(data) is not None


def analysed(
    path: str,
    text: str,
    rules: Sequence[Rule[Any]],
    suppressions: Suppressions,
    audit: Audit | None,
    screen: bool,
) -> Checked:
    candidate = screened(text, rules) if screen else None
    if candidate and not candidate.problems and not candidate.crashes:
        found = left(path, suppressions, audit, ())
        return Checked(tuple(found), "screened", candidate.exhausted)
    lowered = concrete(path, text)
    judgement = judge(lowered.module, rules)
    # A crash of the screen alone is still a fault of devlint.
    crashes = [*(judgement.crashes or (candidate.crashes if candidate else ()))]
    found = list(findings(path, lowered, judgement.problems, crashes))
    found = left(path, suppressions, None if crashes else audit, found)
    found += (crash_finding(path, crash, lowered) for crash in crashes)
    found.sort(key=lambda finding: (finding.span, finding.code))
    return Checked(tuple(found), "decided", judgement.exhausted, traceback_of(crashes))


def left(
    path: str, suppressions: Suppressions, audit: Audit | None, found: Sequence[Finding]
) -> list[Finding]:
    """What no comment silences, and the comments that silence nothing."""
    loud = [finding for finding in found if not suppressions.cover(finding)]
    return loud if audit is None else [*loud, *audit.findings(path, suppressions, found)]


def screened(text: str, rules: Sequence[Rule[Any]]) -> Judgement | None:
    """What the rules say of the `ast`; None when this Python does not parse the text."""
    from devlint.lower import from_ast

    try:
        lowered = from_ast.lower(text)
    except (SyntaxError, ValueError):
        return None
    return judge(lowered.module, rules)


def concrete(path: str, text: str) -> Lowered:
    """The text through LibCST, unless a limit or a syntax error forbids."""
    from devlint.lower.limits import obstacle

    if reason := obstacle(text):
        raise RefusedError(SkippedFile.at(path, f"skipped: {reason}"))

    from libcst import ParserSyntaxError

    from devlint.lower import from_cst

    try:
        return from_cst.lower(text)
    except ParserSyntaxError as error:
        raise RefusedError(syntax_fault(path, text)) from error


def syntax_fault(path: str, text: str) -> Finding:
    """Why LibCST refused a text, in the words of Python's own parser."""
    from devlint.lower import from_ast

    try:
        from_ast.lower(text)
    except SyntaxError as error:
        line = error.lineno or 1
        column = max(error.offset or 1, 1)
        return UnreadableFile.at(
            path, f"cannot parse: {error.msg}, line {line}", Span(None, line, column, line, column)
        )
    except ValueError as error:
        return UnreadableFile.at(path, f"cannot parse: {error}")
    return SkippedFile.at(path, "skipped: LibCST cannot parse syntax that this Python accepts")


def judge(module: ir.Module, rules: Sequence[Rule[Any]]) -> Judgement:
    """Every rule on every event it watches. A rule that raises is left out from there on."""
    from devlint.interpret.program import events

    problems: list[tuple[Rule[Any], Problem]] = []
    crashes: list[Crash] = []
    active = list(rules)
    exhausted = 0
    try:
        for event in events(module, watched_by(rules)):
            if isinstance(event, Exhausted):
                exhausted = event.calls
            for rule in [rule for rule in active if isinstance(event, rule.watches)]:
                try:
                    problems += ((rule, problem) for problem in rule.check(event))
                except (RecursionError, MemoryError):
                    raise
                except Exception as error:
                    active.remove(rule)
                    crashes.append(Crash(rule.code, error, node_of(event)))
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        crashes.append(Crash("the analysis", error))
    return Judgement(tuple(problems), tuple(crashes), exhausted)


def watched_by(rules: Iterable[Rule[Any]]) -> frozenset[type]:
    """The event types that rules look at."""
    watches = [rule.watches for rule in rules]
    return frozenset(
        each for types in watches for each in (types if isinstance(types, tuple) else (types,))
    )


def node_of(event: object) -> ir.Node | None:
    node = getattr(event, "node", None)
    return node if isinstance(node, ir.Node) else None


def findings(
    path: str,
    lowered: Lowered,
    problems: Iterable[tuple[Rule[Any], Problem]],
    crashes: list[Crash],
) -> Iterator[Finding]:
    """One finding for each fault and place, by the rule that speaks first.

    A fix that cannot be made because it raises is one of the `crashes`.
    """
    spoken = list(spokesmen(problems))
    nodes = [node for _, problem in spoken for node in places(problem)]
    spans = lowered.spans(nodes)
    seen: set[tuple[str, Span]] = set()
    for rule, problem in spoken:
        span = spans[problem.node]
        if (rule.code, span) not in seen:
            seen.add((rule.code, span))
            related = tuple(Related(path, spans[node], text) for node, text in problem.related)
            severity = problem.severity or rule.severity
            fix = patch(rule, problem, lowered, crashes)
            yield Finding(rule.code, rule.name, problem.message, severity, path, span, related, fix)


def patch(
    rule: Rule[Any], problem: Problem, lowered: Lowered, crashes: list[Crash]
) -> Patch | None:
    """The fix of a problem as edits of the text; None where it cannot be one."""
    fix = problem.fix
    if fix is None:
        return None
    try:
        edits = lowered.edits(fix.changes)
    except Exception as error:
        crashes.append(Crash(f"the fix of {rule.code}", error, problem.node))
        return None
    return None if edits is None else Patch(fix.message, fix.safety, edits)


def places(problem: Problem) -> Iterator[ir.Node]:
    yield problem.node
    yield from (node for node, _ in problem.related)


def spokesmen(
    problems: Iterable[tuple[Rule[Any], Problem]],
) -> Iterator[tuple[Rule[Any], Problem]]:
    """Of the problems that share a fault, the first of the rule with the lowest precedence."""
    faults: dict[ir.Node, list[tuple[Rule[Any], Problem]]] = {}
    for rule, problem in problems:
        faults.setdefault(problem.fault or problem.node, []).append((rule, problem))
    for shared in faults.values():
        yield min(shared, key=lambda each: (each[0].precedence, each[0].code))


def crash_finding(path: str, crash: Crash, lowered: Lowered | None = None) -> Finding:
    message = f"internal error in {crash.where}: {type(crash.error).__name__}: {crash.error}"
    if crash.node is None or lowered is None:
        return InternalError.at(path, message)
    # A crash of the screen has a node of the other tree: it stands at line 1.
    return InternalError.at(path, message, lowered.spans([crash.node])[crash.node])


def traceback_of(crashes: Iterable[Crash]) -> str:
    return "".join(line for crash in crashes for line in format_exception(crash.error))
