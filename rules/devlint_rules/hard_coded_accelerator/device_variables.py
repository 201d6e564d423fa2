"""Variables that say which device to use, by the text of a file."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    by_type,
    children,
    ir,
    last_word,
    named_accelerator,
    names_device_variable,
    walk,
)


def bound(block: ir.Block, printed: frozenset[str]) -> Iterator[tuple[str, ir.Node]]:
    """The names of devices that a block assigns; literals are left out, and what is only
    `printed`."""
    for statement in block:
        if isinstance(statement, ir.Assign) and not is_constant(statement.value):
            for target in statement.targets:
                name = target.id if isinstance(target, ir.Name) else ""
                if names_device_variable(name) and name not in printed:
                    yield name, statement
        elif isinstance(statement, (ir.If, ir.With, ir.Try, ir.For)):
            yield from bound(statement.body, printed)


def attributes(node: ir.Class) -> Iterator[tuple[str, ir.Node]]:
    """The devices that a class keeps."""
    for each in walk(node):
        if isinstance(each, ir.Assign) and not is_literal(each.value):
            for target in each.targets:
                if isinstance(target, ir.Attribute) and names_device_variable(target.name):
                    yield target.name, each


def told(node: ir.Class) -> Iterator[tuple[str, ir.Node]]:
    """The devices that the constructor of a class is told."""
    for each in node.body:
        if isinstance(each, ir.Def) and each.name == "__init__":
            yield from ((p.name, p) for p in each.params if names_device_variable(p.name))


def only_printed(module: ir.Module) -> frozenset[str]:
    """The names that a program reads to print them, and for nothing else."""
    texts = [each for each in by_type(module)[ir.Call] if is_print(each)]
    inside_texts = [each for text in (*texts, *by_type(module)[ir.Text]) for each in walk(text)]
    names = {each.id for each in inside_texts if isinstance(each, ir.Name)}
    return frozenset(names - {*read(module)})


def is_print(node: ir.Node) -> bool:
    return isinstance(node, ir.Call) and last_word(node.func) == "print"


def read(node: ir.Node) -> Iterator[str]:
    """The names that a program reads for more than to print them."""
    if isinstance(node, ir.Text) or is_print(node):
        return
    if isinstance(node, ir.Name):
        yield node.id
    targets = node.targets if isinstance(node, ir.Assign) else ()
    for part in children(node):
        if not (isinstance(part, ir.Name) and part in targets):
            yield from read(part)


def is_device_name(target: ir.Expression) -> bool:
    return names_device_variable(last_word(target))


def is_constant(node: ir.Expression) -> bool:
    return is_literal(node) or (
        isinstance(node, ir.Constant) and not isinstance(node.value, (str, type(None)))
    )


def is_literal(node: ir.Expression) -> bool:
    """`"cuda:0"`, `torch.device("cuda")`"""
    if isinstance(node, ir.Call) and last_word(node.func) == "device" and node.args:
        return is_literal(node.args[0])
    return isinstance(node, ir.Constant) and named_accelerator(node) is not None
