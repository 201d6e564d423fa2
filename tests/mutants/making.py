"""Operators on what makes tensors, modules and their state, and on what reads and saves them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst
from libcst import CSTNodeT

from .mutation import Operator
from .syntax import (
    argument,
    called,
    code,
    is_method_call,
    is_move,
    nodes_below,
    receiver,
    statement,
    target_of,
    value_of,
    with_arguments,
    without,
)

LIKE = ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like")
NEW = ("new_zeros", "new_ones", "new_empty", "new_full", "new_tensor")
LOADS = ("load", "load_url", "load_state_dict_from_url")


def lost_device(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`device=` goes."""
    if isinstance(node, cst.Call) and called(node) != "Generator" and argument(node, "device"):
        yield without(node, "device")


def cpu_generator(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`Generator(device=d)` and `Generator(d)` become `Generator()`."""
    if is_method_call(node, "Generator") and len(node.args) == 1:
        yield node.with_changes(args=[])


def lost_generator(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """A loader or sampler loses its `generator=`, or gets one of an accelerator."""
    if called(node) in ("DataLoader", "RandomSampler", "random_split"):
        assert isinstance(node, cst.Call)
        if given := argument(node, "generator"):
            yield without(node, "generator")
            if isinstance(given.value, cst.Call):
                other = cst.parse_expression('torch.Generator(device="cuda")')
                yield node.deep_replace(given.value, other)


def like_by_shape(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`zeros_like(x)` becomes `zeros(x.shape)`."""
    if called(node) in LIKE and isinstance(node, cst.Call) and node.args:
        name = called(node).removesuffix("_like")
        source, *rest = node.args
        shape = source.with_changes(value=cst.parse_expression(f"{code(source.value)}.shape"))
        yield with_arguments(renamed(node, name), [shape, *rest])


def renamed(call: cst.Call, name: str) -> cst.Call:
    if isinstance(call.func, cst.Attribute):
        return call.with_deep_changes(call.func, attr=cst.Name(name))
    return call.with_changes(func=cst.Name(name))


def new_by_factory(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`x.new_zeros(n)` becomes `torch.zeros(n)`."""
    if is_method_call(node, *NEW):
        name = called(node).removeprefix("new_")
        yield node.with_changes(func=cst.parse_expression(f"torch.{name}"))


def lost_type_as(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`x.type_as(y)` becomes `x`."""
    if is_method_call(node, "type_as"):
        yield receiver(node)


def plain_attribute(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`self.register_buffer("a", t)` becomes `self.a = t`, as does a Parameter."""
    value = value_of(node)
    if value and is_method_call(value, "register_buffer") and len(value.args) > 1:
        name, tensor = (each.value for each in value.args[:2])
        source = receiver(value)
        if source and isinstance(name, cst.SimpleString):
            yield statement(f"{code(source)}.{name.raw_value} = {code(tensor)}")
    if value and called(value) == "Parameter" and target_of(node).startswith("self."):
        assert isinstance(value, cst.Call)
        yield statement(f"{target_of(node)} = {code(value.args[0].value)}")


def plain_container(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`ModuleList([..])` becomes the list, `ModuleDict({..})` the dict."""
    if called(node) in ("ModuleList", "ModuleDict", "ParameterList") and isinstance(node, cst.Call):
        value = node.args[0].value if node.args else cst.List([])
        if isinstance(value, cst.GeneratorExp):
            yield cst.ListComp(elt=value.elt, for_in=value.for_in)
        elif not isinstance(value, cst.Name):
            yield value


def stale_alias(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """A method reads a second name of a buffer, one that the move does not replace."""
    if not isinstance(node, cst.ClassDef):
        return
    for block in (each for each in nodes_below(node) if isinstance(each, cst.IndentedBlock)):
        for at, line in enumerate(block.body):
            value = value_of(line)
            if value and is_method_call(value, "register_buffer"):
                name = value.args[0].value
                buffer = str(name.raw_value) if isinstance(name, cst.SimpleString) else ""
                read = next(reads(node, buffer), None)
                if read:
                    alias = statement(f"self.first_{buffer} = self.{buffer}")
                    body = [*block.body[: at + 1], alias, *block.body[at + 1 :]]
                    changes = Replacement({block: block.with_changes(body=body), read[0]: read[1]})
                    yield cst.ensure_type(node.visit(changes), cst.ClassDef)


class Replacement(cst.CSTTransformer):
    """Several nodes at once; none is inside another."""

    def __init__(self, changes: Mapping[cst.CSTNode, cst.CSTNode]) -> None:
        super().__init__()
        self.changes = changes

    def on_leave(self, original_node: CSTNodeT, updated_node: CSTNodeT) -> Any:
        return self.changes.get(original_node, updated_node)


def reads(node: cst.CSTNode, buffer: str) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Where methods read a buffer, and what they read instead."""
    for method in nodes_below(node):
        if isinstance(method, cst.FunctionDef) and method.name.value != "__init__":
            for each in nodes_below(method):
                if isinstance(each, cst.Attribute) and code(each) == f"self.{buffer}":
                    yield each, cst.parse_expression(f"self.first_{buffer}")


def untied(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`a.weight = b.weight` becomes `a.weight = nn.Parameter(b.weight.data)`."""
    value, target = value_of(node), target_of(node)
    is_weight = isinstance(value, cst.Attribute) and value.attr.value == "weight"
    if value and is_weight and target.endswith(".weight"):
        yield statement(f"{target} = torch.nn.Parameter({code(value)}.data)")


def lost_map_location(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    if isinstance(node, cst.Call) and argument(node, "map_location"):
        yield without(node, "map_location")


def numpy_unmoved(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`x.cpu().numpy()` becomes `x.numpy()`."""
    if is_method_call(node, "numpy") and (source := receiver(node)):
        yield from without_cpu(node, source)


def saved_unmoved(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """What is saved is not taken to the CPU first."""
    if called(node) == "save" and isinstance(node, cst.Call):
        yield from without_cpu(node, *(each.value for each in node.args))


def lengths_unmoved(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`pack_padded_sequence` gets lengths of the device."""
    if called(node) == "pack_padded_sequence" and isinstance(node, cst.Call):
        yield from without_cpu(node, *(each.value for each in node.args))


def without_cpu(node: cst.CSTNode, *parts: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for part in parts:
        for each in (part, *nodes_below(part)):
            if is_method_call(each, "cpu") and (source := receiver(each)):
                new = node.deep_replace(each, source)
                assert isinstance(new, cst.CSTNode)
                yield new


def kept_on_accelerator(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """Any other `.cpu()` goes."""
    if is_method_call(node, "cpu"):
        yield receiver(node)


def read_early(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """The copy to the CPU becomes `non_blocking`."""
    if is_method_call(node, "cpu"):
        attribute = node.with_deep_changes(node.func, attr=cst.Name("to"))
        arguments = cst.parse_expression('to("cpu", non_blocking=True)')
        assert isinstance(arguments, cst.Call)
        yield attribute.with_changes(args=arguments.args)
    if is_move(node) and node.args and code(node.args[0].value) == '"cpu"':
        yield cst.parse_expression(f"{code(node)[:-1]}, non_blocking=True)")


OPERATORS = (
    Operator("cpu-generator", cpu_generator),
    Operator("lost-generator", lost_generator),
    Operator("like-by-shape", like_by_shape),
    Operator("new-by-factory", new_by_factory),
    Operator("lost-type-as", lost_type_as),
    Operator("plain-attribute", plain_attribute),
    Operator("plain-container", plain_container),
    Operator("stale-alias", stale_alias),
    Operator("untied", untied, is_silent=True),
    Operator("lost-map-location", lost_map_location, is_silent=True),
    Operator("numpy-unmoved", numpy_unmoved),
    Operator("saved-unmoved", saved_unmoved, is_silent=True),
    Operator("lengths-unmoved", lengths_unmoved),
    Operator("kept-on-accelerator", kept_on_accelerator),
    Operator("read-early", read_early, is_silent=True),
    Operator("lost-device", lost_device),
)
