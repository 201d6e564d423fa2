"""Accelerators that are written out, by the text of a file alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce

from devlint.api import (
    Presumption,
    Problem,
    by_type,
    children,
    ir,
    is_guard,
    last_word,
    literal_accelerator,
    mentions_backend,
    names_device_variable,
    walk,
)
from devlint_rules.hard_coded_accelerator.device_variables import (
    attributes,
    bound,
    is_device_name,
    is_literal,
    only_printed,
    told,
)
from devlint_rules.hard_coded_accelerator.guards import (
    asked,
    flags,
    makes_sure,
    sets_device,
)

#: Calls whose device is no place of a tensor, or the default of an option.
EXEMPT = frozenset(
    "autocast GradScaler add_argument set_device is_available device_count synchronize field "
    "startswith is_autocast_enabled get_device_properties getLogger".split()
)

IN_FORWARD = (Presumption.MOVED_MODULE, Presumption.PORTABLE)


@dataclass(frozen=True, slots=True)
class Scope:
    """`variables` are the names of devices here; `printed` are the names that the program only
    prints; `flags` are those of what tests of accelerators gave, and `asked` such a test, of
    whether there is one; `passes` are the methods of a class that run as `forward` does;
    `pipelines` are the classes that put their parts on several accelerators, on purpose;
    `is_guarded`: a test has made sure of an accelerator."""

    variables: dict[str, ir.Node] = field(default_factory=dict)
    printed: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    asked: ir.Node | None = None
    passes: frozenset[str] = frozenset()
    pipelines: frozenset[str] = frozenset()
    in_forward: bool = False
    is_guarded: bool = False


def hard_coded(module: ir.Module) -> Iterator[Problem]:
    if not any(map(literal_accelerator, by_type(module)[ir.Call])):
        return
    printed = only_printed(module)
    scope = Scope(
        dict(bound(module.body, printed)),
        printed,
        flags(module.body),
        asked(module.body, printed),
        pipelines=pipelines(module),
        is_guarded=any(map(sets_device, module.body)),
    )
    for statement in module.body:
        yield from within(statement, scope)


def pipelines(module: ir.Module) -> frozenset[str]:
    """The classes that put their parts on several accelerators, and those that derive from them."""
    found = set[str]()
    for each in by_type(module)[ir.Class]:
        if is_spread(each) or not found.isdisjoint(map(last_word, each.bases)):
            found.add(each.name)
    return frozenset(found)


def is_spread(node: ir.Node) -> bool:
    return len(set(indices(node))) > 1


def within(node: ir.Node, scope: Scope) -> Iterator[Problem]:
    """What is hard coded in a node."""
    if isinstance(node, ir.Def) and is_spread(node):
        return
    if isinstance(node, ir.Class) and node.name in scope.pipelines:
        return
    if isinstance(node, ir.Class):
        held = {f"self.{name}": at for name, at in attributes(node)}
        variables = {**scope.variables, **held, **dict(told(node))}
        inner = replace(scope, variables=variables, passes=passes(node))
        yield from told_once(inside(node.body, inner))
    elif isinstance(node, ir.Def):
        yield from inside(node.body, of_function(node, scope))
    elif isinstance(node, (ir.If, ir.Conditional, ir.While)):
        yield from within(node.test, scope)
        arms = fitted(scope, node.test)
        if isinstance(node, ir.Conditional):
            yield from inside((node.then, node.orelse), arms)
        else:
            body = () if is_false(node.test) else node.body
            yield from inside((*body, *node.orelse), arms)
    elif isinstance(node, ir.Match):
        for case in node.cases:
            tests = [each for each in (case.test, case.guard) if each is not None]
            arms = reduce(fitted, tests, scope)
            yield from inside(case.body, arms)
    elif isinstance(node, ir.Assign):
        if not (is_literal(node.value) and any(is_device_name(t) for t in node.targets)):
            yield from within(node.value, scope)
    elif isinstance(node, ir.Call):
        yield from of_call(node, scope)
    elif not isinstance(node, (ir.Compare, ir.Parameter)):
        yield from inside(children(node), scope)


def is_false(test: ir.Expression) -> bool:
    return isinstance(test, ir.Constant) and not test.value


def told_once(found: Iterable[Problem]) -> Iterator[Problem]:
    """What is found in a class: its forward passes are one problem, however often they have it."""
    problems = list(found)
    in_forward = [each for each in problems if each.presumes == IN_FORWARD]
    yield from (each for each in problems if each.presumes != IN_FORWARD)
    for first in in_forward[:1]:
        yield replace(first, later=tuple((each.node, "and here") for each in in_forward[1:]))


def passes(node: ir.Class) -> frozenset[str]:
    """`forward` and the methods that it comes to; none of a class that can be no module, or where
    another method puts parts of it on accelerators that it names, as pipelines do."""
    if all(last_word(base) == "object" for base in node.bases):
        return frozenset()
    methods = {each.name: each for each in node.body if isinstance(each, ir.Def)}
    pending, found = ["forward"], set[str]()
    while pending:
        name = pending.pop()
        if name in methods and name not in found and name != "__init__":
            found.add(name)
            pending += methods[name].words & methods.keys()
    others = (each for name, each in methods.items() if name not in found)
    return frozenset() if any(map(puts_on_literal, others)) else frozenset(found)


def puts_on_literal(node: ir.Node) -> bool:
    """Whether a call in a node puts something on an accelerator that is written out."""
    calls = (each for each in walk(node) if isinstance(each, ir.Call))
    return any(literal_accelerator(each) is not None for each in calls)


def indices(node: ir.Node) -> Iterator[str]:
    """The indices of accelerators that calls put something on: `.cuda(1)`, `.to("cuda:1")`."""
    for call in walk(node):
        if isinstance(call, ir.Call) and literal_accelerator(call) is not None:
            given = (*call.args, *(value for _, value in call.keywords))
            texts = [str(each.value) for each in given if isinstance(each, ir.Constant)]
            is_bare = last_word(call.func) == "cuda"
            yield from (text.rpartition(":")[2] for text in texts if is_bare or ":" in text)


def inside(nodes: Iterable[ir.Node], scope: Scope) -> Iterator[Problem]:
    for node in nodes:
        yield from within(node, scope)


def fitted(scope: Scope, test: ir.Expression) -> Scope:
    """The scope below a test; who passes any may know that there is an accelerator."""
    return replace(scope, asked=None, is_guarded=scope.is_guarded or is_guard(test, scope.flags))


def of_function(node: ir.Def, scope: Scope) -> Scope:
    given = {p.name: p for p in node.params if names_device_variable(p.name)}
    is_asked_for = mentions_backend(node.name)  # `def cuda(self)`
    made_sure = is_asked_for or any((*map(makes_sure, node.body), *map(is_guard, node.decorators)))
    return Scope(
        variables={**scope.variables, **given, **dict(bound(node.body, scope.printed))},
        printed=scope.printed,
        flags=scope.flags,
        asked=asked(node.body, scope.printed),
        in_forward=scope.in_forward or node.name in scope.passes,
        is_guarded=scope.is_guarded or made_sure,
    )


def of_call(node: ir.Call, scope: Scope) -> Iterator[Problem]:
    name = last_word(node.func)
    yield from within(node.func, scope)
    if name in EXEMPT:
        return
    for given in (*node.args, *(value for _, value in node.keywords)):
        yield from within(given, scope)
    text = literal_accelerator(node)
    if text is None:
        return
    if not scope.is_guarded and scope.in_forward:
        message = (
            f"this names `{text}` in a forward pass, although the module is where its user moved "
            "it: take the device of an input or of a parameter"
        )
        yield Problem(node, message, presumes=IN_FORWARD)
    elif not scope.is_guarded and scope.asked is not None:
        message = f"this names `{text}`, although a test shows that there may be none"
        related = ((scope.asked, "whether there is one is asked here"),)
        yield Problem(node, message, related, presumes=(Presumption.OPTIONAL_ACCELERATOR,))
    elif not scope.is_guarded and scope.variables:
        variable, because = next(iter(scope.variables.items()))
        message = f"this names `{text}`, although `{variable}` says which device to use"
        related = ((because, f"`{variable}` is set here"),)
        is_open = asked([because], scope.printed) is not None
        presumed = Presumption.OPTIONAL_ACCELERATOR if is_open else Presumption.PORTABLE
        yield Problem(node, message, related, presumes=(presumed,))
