"""What the rules say of a program: events in, findings out, one for each fault and place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from traceback import format_exception
from typing import Any, TypeAlias

from devlint.event import Event, Exhausted
from devlint.finding import CONFIDENCES, Finding, Patch, Presumed, Related, Severity
from devlint.interpret.core.scopes import ClassInfo, Frame, Function
from devlint.lower import ir
from devlint.lower.lowered import Lowered
from devlint.lower.node_ids import NodeIds, rebound
from devlint.project.project import Place, Used
from devlint.queries.test_code import is_test_code
from devlint.rule.analysis import Analysis, Failure, Report
from devlint.rule.presumption import Presumption, confidence
from devlint.rule.problem import Problem
from devlint.rule.rule import Rule
from devlint.rule.self_reports import InternalError
from devlint.run.locations import Location, Locations
from devlint.run.overrides import at_cause
from devlint.settings.project_names import PLAIN, Vocabulary


@dataclass(frozen=True, slots=True)
class Crash:
    """An exception that `where` (a rule or the analysis) raised, at `node` if that is known."""

    where: str
    error: Exception
    node: ir.Node | None = None


#: What events refer to that belongs to a run and not to a tree.
AS_IS = (Rule, Frame, Function, ClassInfo)
#: What rules have found problems in.
Evidence: TypeAlias = tuple[tuple[Rule[Any], Event | Report], ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules say of one module."""

    problems: tuple[tuple[Rule[Any], Problem], ...]
    crashes: tuple[Crash, ...]
    exhausted: int = 0
    #: The events and reports that they said it of.
    evidence: Evidence = ()
    #: The modules of its project that it uses, and how.
    others: tuple[Used, ...] = ()


def judge(
    module: ir.Module,
    rules: Sequence[Rule[Any]],
    vocabulary: Vocabulary = PLAIN,
    place: Place | None = None,
) -> Judgement:
    """Every rule on every event it watches. A rule that raises is left out from there on."""
    from devlint.interpret.language.program import events
    from devlint.models.libraries import libraries

    problems: list[tuple[Rule[Any], Problem]] = []
    evidence: list[tuple[Rule[Any], Event | Report]] = []
    crashes: list[Crash] = []
    active = list(rules)
    others: list[Used] = []
    exhausted = 0
    try:
        for event in events(module, libraries(vocabulary), needed_by(rules), place):
            if isinstance(event, Used):
                others.append(event)
                continue
            if isinstance(event, Exhausted):
                exhausted = event.calls
            elif isinstance(event, Failure):
                crashes.append(Crash(event.analysis.__name__, event.error))
                continue
            for rule in [rule for rule in active if hears(rule, event)]:
                before = len(problems)
                try:
                    problems += ((rule, problem) for problem in problems_of(rule, event))
                except (RecursionError, MemoryError):
                    raise
                except Exception as error:
                    active.remove(rule)
                    crashes.append(Crash(rule.code, error, node_of(event)))
                if len(problems) > before:
                    evidence.append((rule, event))
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        crashes.append(Crash("the analysis", error))
    placed = tuple(at_causes(problems, module, others))
    return Judgement(placed, tuple(crashes), exhausted, tuple(evidence), tuple(others))


def at_causes(
    problems: Iterable[tuple[Rule[Any], Problem]], module: ir.Module, others: Iterable[Used]
) -> Iterator[tuple[Rule[Any], Problem]]:
    modules: dict[int | None, ir.Module] = {None: module}
    modules |= {e.source.number: e.source.lowered.module for e in others}
    return ((rule, at_cause(problem, modules)) for rule, problem in problems)


def hears(rule: Rule[Any], event: Event | Report) -> bool:
    """Whether an event, or what an analysis reports, is for a rule."""
    if isinstance(event, Report):
        return event.analysis in rule.needs
    return isinstance(event, rule.watches)


def problems_of(rule: Rule[Any], event: Event | Report) -> Iterable[Problem]:
    return (event.problem,) if isinstance(event, Report) else rule.check(event)


def decided(judgement: Judgement, screened: ir.Module, module: ir.Module) -> Judgement | None:
    """The same of another tree of the same text: what rules found problems in, with the nodes of
    that, is checked by them again. None where the trees are not alike."""
    before, after = NodeIds(screened), NodeIds(module)
    if judgement.crashes or not before.agrees(after):
        return None
    evidence = rebound(judgement.evidence, before, after, AS_IS)
    problems = [(rule, problem) for rule, event in evidence for problem in problems_of(rule, event)]
    placed = tuple(at_causes(problems, module, judgement.others))
    return replace(judgement, problems=placed, evidence=evidence)


def needed_by(rules: Iterable[Rule[Any]]) -> list[type[Analysis[Any]]]:
    """The analyses that rules need, each once."""
    return list(dict.fromkeys(each for rule in rules for each in rule.needs))


def node_of(event: object) -> ir.Node | None:
    node = getattr(event, "node", None)
    return node if isinstance(node, ir.Node) else None


def findings(
    path: str,
    lowered: Lowered,
    judgement: Judgement,
    crashes: list[Crash],
) -> Iterator[Finding]:
    """One finding for each fault and place, by the rule that speaks first in each pack.

    A fix that cannot be made because it raises is one of the `crashes`.
    """
    spoken = list(one_a_call(spokesmen(judgement.problems)))
    is_test = is_test_code(path, lowered.module)
    nodes = [node for _, problem in spoken for node in places(problem)]
    sources = [each.source for each in judgement.others]
    located = Locations(path, lowered, sources).of(nodes)
    seen: set[tuple[str, Location]] = set()
    for rule, problem in spoken:
        location = located[problem.node]
        if (rule.code, location) not in seen:
            seen.add((rule.code, location))
            related = tuple(
                Related(*located[node], text, is_later=is_later)
                for is_later, known in ((False, problem.related), (True, problem.later))
                for node, text in known
            )
            is_own = all(located[node].path == path for node in places(problem))
            severity = problem.severity or rule.severity
            presumes = presumed(problem, severity, is_test=is_test)
            yield Finding(
                rule.code,
                rule.name,
                problem.message,
                severity,
                *location,
                related,
                as_sure(patch(rule, problem, lowered, crashes), presumes) if is_own else None,
                confidence=confidence(presumes),
                presumed=tuple(Presumed(each.key, each.claim) for each in presumes),
            )


def presumed(problem: Problem, severity: Severity, *, is_test: bool) -> tuple[Presumption, ...]:
    """What a finding rests on: in a test all that does not raise where it stands."""
    added = (Presumption.TEST_CODE,) if is_test and severity != "error" else ()
    return (*problem.presumes, *added)


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
    if edits is None:
        return None
    return Patch(fix.message, fix.safety, edits, fix.risk)


def as_sure(fix: Patch | None, presumes: Iterable[Presumption]) -> Patch | None:
    """A fix is no safer than the finding is sure."""
    if fix is None or fix.safety == "unsafe" or confidence(presumes) == CONFIDENCES[0]:
        return fix
    return replace(fix, safety="unsafe", risk="the finding is not proven")


def places(problem: Problem) -> Iterator[ir.Node]:
    yield problem.node
    yield from (node for node, _ in (*problem.related, *problem.later))


def spokesmen(
    problems: Iterable[tuple[Rule[Any], Problem]],
) -> Iterator[tuple[Rule[Any], Problem]]:
    """Of the problems that share a fault, those that no rule of a lower precedence masks which is
    at least as sure: one that is not reported masks none that is.

    What one rule sees at several places, such as each call that goes wrong, it tells of each.
    """
    faults: dict[ir.Node, list[tuple[Rule[Any], Problem]]] = {}
    for rule, problem in problems:
        faults.setdefault(problem.fault or problem.node, []).append((rule, problem))
    for shared in faults.values():
        shared.sort(key=lambda each: (each[0].precedence, each[0].code))
        for index, (rule, problem) in enumerate(shared):
            others = [each for each in shared[:index] if each[0] is not rule]
            if not any(masks(*earlier, rule, problem) for earlier in others):
                yield rule, problem


def one_a_call(
    spoken: Iterable[tuple[Rule[Any], Problem]],
) -> Iterator[tuple[Rule[Any], Problem]]:
    """Of several errors to which one call leads, the first: behind that nothing runs."""
    first: dict[ir.Node, Rule[Any]] = {}
    for rule, problem in spoken:
        is_error = (problem.severity or rule.severity) == "error"
        is_led_to = problem.fault not in (None, problem.node) and isinstance(problem.node, ir.Call)
        before = first.setdefault(problem.node, rule) if is_error and is_led_to else rule
        if before is rule or not before.may_mask(rule):
            yield rule, problem


def masks(earlier: Rule[Any], problem: Problem, later: Rule[Any], other: Problem) -> bool:
    """Whether another rule need not speak of a fault; two calls lead to it in different ways."""
    if problem.is_at_call and other.is_at_call and problem.node is not other.node:
        return False
    sure, needed = (CONFIDENCES.index(confidence(each.presumes)) for each in (problem, other))
    return earlier.may_mask(later) and sure <= needed


def crash_finding(path: str, crash: Crash, lowered: Lowered | None = None) -> Finding:
    message = f"internal error in {crash.where}: {type(crash.error).__name__}: {crash.error}"
    if crash.node is None or lowered is None:
        return InternalError.at(path, message)
    # A crash of the screen has a node of the other tree: it stands at line 1.
    return InternalError.at(path, message, lowered.spans([crash.node])[crash.node])


def traceback_of(crashes: Iterable[Crash]) -> str:
    return "".join(line for crash in crashes for line in format_exception(crash.error))
