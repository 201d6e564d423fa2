"""What the arguments of functions are, by what those do with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TypeGuard

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import is_self, written
from devlint.queries.tensor_evidence import COMMON, PROPERTIES, TENSOR_WORDS

#: The comparisons of elements.
ORDERED = frozenset({"==", "!=", "<", "<=", ">", ">="})
#: What devices have.
PARTS = frozenset({"type", "index"})
#: What a function asks a tensor or a module for, beside its device.
OF_TENSORS = (PROPERTIES - {"device"}) | {"training"}
#: Methods of modules that no tensor has, nor what holds some.
OF_MODULES = frozenset("eval train parameters named_parameters state_dict load_state_dict".split())


def used_as_modules(scope: ir.Def | ir.Lambda | ir.Module) -> frozenset[str]:
    """The names that a function calls, or calls methods of that modules have."""
    called = callees(scope)
    return asked(called) | frozenset(each.id for each in called if isinstance(each, ir.Name))


def asked_as_modules(scope: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names that a function asks for what modules have and no function: parameters, a mode."""
    return asked(callees(scope))


def callees(scope: ir.Node) -> list[ir.Expression]:
    return [node.func for node in walk(scope) if isinstance(node, ir.Call)]


def asked(called: Iterable[ir.Expression]) -> frozenset[str]:
    methods = (each for each in called if isinstance(each, ir.Attribute))
    wholes = (each.value for each in methods if each.name in OF_MODULES)
    return frozenset(each.id for each in wholes if isinstance(each, ir.Name))


def used_as_data(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names of a function that it indexes, iterates over, or asks for what no device has."""
    return frozenset(node.id for node in subjects(function) if isinstance(node, ir.Name))


def taken_apart(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names of a function that an assignment takes apart: `x, y = batch`."""
    return frozenset(
        node.value.id
        for node in walk(function)
        if isinstance(node, ir.Assign)
        and isinstance(node.value, ir.Name)
        and any(isinstance(target, ir.Display) for target in node.targets)
    )


#: The functions that something is handed to, and as which argument.
Handed = Sequence[tuple[ir.Name, int]]


def used_as_records(
    function: ir.Def | ir.Lambda, keeping: frozenset[str] = frozenset()
) -> dict[str, Handed]:
    """The names of a function that it only asks for attributes, but for what it hands them to: no
    methods, and nothing that tensors have but their device. An object may keep one that it asks for
    what no tensor has, or under a name of `keeping`."""
    whole, asked = Counter[str](), Counter(kept(function, keeping))
    handed = dict[str, list[tuple[ir.Name, int]]]()
    for node in walk(function):
        if isinstance(node, ir.Name):
            whole[node.id] += 1
        elif isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name):
            asked[node.value.id] += node.name not in OF_TENSORS
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
            asked[written(node.func.value)] -= 1
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Name):
            for index, each in enumerate(node.args):
                if isinstance(each, ir.Name):
                    handed.setdefault(each.id, []).append((node.func, index))
    given = {name: handed.get(name, []) for name in asked}
    return {n: given[n] for n, count in asked.items() if count + len(given[n]) == whole[n] > 0}


def kept(function: ir.Def | ir.Lambda, keeping: frozenset[str]) -> Iterator[str]:
    """The names of what an object keeps as it is, of that which is asked for what no tensor has, or
    which it keeps under a name of `keeping`."""
    asked = {each.id for each in asked_by_name(function)}
    for node in walk(function):
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Name):
            places = {each.name for each in node.targets if isinstance(each, ir.Attribute)}
            is_kept = all(isinstance(target, ir.Attribute) for target in node.targets)
            if is_kept and (node.value.id in asked or places <= keeping):
                yield node.value.id


def kept_as_records(owner: ir.Class) -> frozenset[str]:
    """The attributes of an object that its class sets, and only asks for attributes otherwise, as
    `used_as_records` does; what it asks for one that no tensor has, it may hand on."""
    whole, asked, set_ = Counter[str](), Counter[str](), Counter[str]()
    handed, plain = Counter[str](), set[str]()
    for node in walk(owner):
        if name := own_name(node):
            whole[name] += 1
        elif isinstance(node, ir.Attribute) and (name := own_name(node.value)):
            asked[name] += node.name not in OF_TENSORS
            plain |= {name} if is_of_no_tensor(node) else set()
        elif isinstance(node, ir.Assign):
            set_.update(map(own_name, node.targets))
        elif isinstance(node, ir.Call):
            handed.update(map(own_name, (*node.args, *(value for _, value in node.keywords))))
            if isinstance(node.func, ir.Attribute):
                asked[own_name(node.func.value)] -= 1
    return frozenset(
        name
        for name, count in whole.items()
        if asked[name] > 0
        and asked[name] + set_[name] + handed[name] == count
        and (name in plain or not handed[name])
    )


def sections(scope: ir.Node) -> frozenset[str]:
    """The parts of records, as `cfg.train`, that code only asks for attributes, as it does the
    records, and for some that no tensor has."""
    whole, asked, found = Counter[str](), Counter[str](), dict[str, str]()
    called = {each.func for each in walk(scope) if isinstance(each, ir.Call)}
    for node in walk(scope):
        if isinstance(node, (ir.Name, ir.Attribute)):
            whole[written(node)] += 1
        if isinstance(node, ir.Attribute):
            part = node.value
            asked[written(part)] += node.name not in OF_TENSORS and node not in called
            if is_of_no_tensor(node) and isinstance(part, ir.Attribute) and not is_self(part.value):
                found[written(part)] = written(part.value)
    only = {each for each, count in whole.items() if asked[each] == count}
    return frozenset(part for part, record in found.items() if {part, record} <= only)


def own_name(node: ir.Node) -> str:
    """`x` of `self.x`."""
    return node.name if isinstance(node, ir.Attribute) and is_self(node.value) else ""


def gone_through_as_records(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names of a function whose items it asks for parts by name, or in loops for attributes
    that tensors lack: `sample["x"]`, `for data in loader: data.x`."""
    asked = {each.id for each in asked_by_name(function)}
    loops = [each for each in walk(function) if isinstance(each, (ir.For, ir.Clause))]
    given = {name for each in loops for name in names(each.iter) if names(each.target) & asked}
    keyed = (each.value for each in walk(function) if is_keyed(each))
    return frozenset(given | {each.id for each in keyed if isinstance(each, ir.Name)})


def asked_by_name(function: ir.Def | ir.Lambda) -> Iterator[ir.Name]:
    """What is asked for an item at a text, or for an attribute that no tensor has."""
    called = {each.func for each in walk(function) if isinstance(each, ir.Call)}
    for node in walk(function):
        if node not in called and (is_keyed(node) or is_of_no_tensor(node)):
            yield from (node.value,) if isinstance(node.value, ir.Name) else ()


def is_of_no_tensor(node: ir.Node) -> TypeGuard[ir.Attribute]:
    if not isinstance(node, ir.Attribute):
        return False
    return node.name not in TENSOR_WORDS | COMMON | PROPERTIES


def is_keyed(node: ir.Node) -> TypeGuard[ir.Subscript]:
    if not isinstance(node, ir.Subscript) or not isinstance(node.index, ir.Constant):
        return False
    return isinstance(node.index.value, str)


def names(node: ir.Node) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, ir.Name)}


def subjects(function: ir.Def | ir.Lambda) -> Iterator[ir.Expression]:
    for node in walk(function):
        if isinstance(node, ir.Subscript):
            yield node.value
        elif isinstance(node, ir.Attribute):
            yield from () if node.name in PARTS else (node.value,)
        elif isinstance(node, (ir.For, ir.Clause)):
            yield node.iter


#: Methods and functions that give a truth for each element, and methods that keep one.
OF_TRUTHS = frozenset(
    "bool eq ne lt le gt ge isnan isinf isfinite logical_and logical_or logical_not logical_xor "
    "isclose".split()
)
KEEPING = frozenset("clone detach squeeze unsqueeze view reshape expand flatten cuda cpu".split())


def masks(scope: ir.Node) -> frozenset[str]:
    """The names that a function binds to truths alone."""
    truths, others = set[str](), set[str]()
    for node in walk(scope):
        if isinstance(node, ir.Assign):
            bound = {target.id for target in node.targets if isinstance(target, ir.Name)}
            if not is_mask(node.value, truths):
                others |= bound
            truths |= bound
            truths -= others & bound
    return frozenset(truths)


def is_mask(node: ir.Expression, known: Set[str]) -> bool:
    """Whether an expression gives truths, by what is written; `known` are names of such."""
    match node:
        case ir.Compare(ops=ops):
            return ORDERED.issuperset(ops)
        case ir.Unary(op="~", operand=part):
            return is_mask(part, known)
        case ir.Binary(op="&" | "|" | "^", left=left, right=right):
            return is_mask(left, known) or is_mask(right, known)
        case ir.Name(id=name):
            return name in known
        case ir.Call(func=ir.Attribute(value=whole, name=name)):
            return name in OF_TRUTHS or (name in KEEPING and is_mask(whole, known))
    return False
