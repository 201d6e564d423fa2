"""The bridge from the facts, which know functions by their Python names, to aten's operators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from devlint.facts.effect import Agrees, Fact, Follows, Many, Pointwise, Reads
from devlint.facts.signature import Mark, Signature, signature
from devlint.facts.table import fact

#: Where aten's names are in Python, tried in this order: `aten::linalg_inv` is `torch.linalg.inv`.
_HOMES = ("torch.", "torch.Tensor.", "torch.nn.functional.")
_NAMESPACES = ("linalg_", "fft_", "special_")

#: Those of PyTorch itself.
_NAMESPACES_KNOWN = {name.partition("::")[0] for name in torch._C._dispatch_get_all_op_names()}

_INDEX = "torch.index_put"
_ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
#: Operators that Python reaches under another name.
_ALIASES = {
    "index": _INDEX,
    "_unsafe_index": _INDEX,
    "_unsafe_index_put": _INDEX,
    "_index_put_impl_": _INDEX,
    "_ctc_loss": "torch.nn.functional.ctc_loss",
    "_ctc_loss_backward": "torch.nn.functional.ctc_loss",
    "_pack_padded_sequence": "torch.nn.utils.rnn.pack_padded_sequence",
    "_scaled_dot_product_flash_attention_for_cpu": _ATTENTION,
    "_scaled_dot_product_fused_attention_overrideable": _ATTENTION,
}
#: Operators that Python has no name for, or whose function of that name broadcasts before.
_OWN: dict[str, Fact] = {
    "linspace": Follows("~start ~end -steps"),
    "logspace": Follows("~start ~end -steps -base"),
    "_unsafe_masked_index": Agrees("self mask *~indices -fill"),
    "_unsafe_masked_index_put_accumulate": Agrees("self mask *~indices values"),
    "_to_copy": Follows("self"),
    "_copy_from": Follows("~self ~dst"),
    "copy_sparse_to_sparse_": Follows("self ~src"),
    "as_strided_scatter": Follows("self ~src"),
    "_resize_output_": Follows("self"),
    "_has_compatible_shallow_copy_type": Follows("self ~from"),
    "is_same_size": Follows("self ~other"),
    "_nested_view_from_jagged": Follows(
        "self ~offsets ~dummy ~lengths -ragged_idx ~min_seqlen ~max_seqlen"
    ),
}
#: Sums of products, which CUDA adds up in float32 and a CPU without float16 adds up slowly.
_PRODUCTS = frozenset(
    "mm addmm bmm baddbmm addbmm mv addmv addr "
    "convolution _convolution convolution_backward".split()
)
#: Results that are on the CPU whatever the operands are on.
_ON_CPU = {"_pack_padded_sequence": 1, "_shape_as_tensor": 0}


@dataclass(frozen=True, slots=True)
class Law:
    """What an operator asks of its operands' devices.

    `is_pointwise`: a 0-dim tensor on the CPU may meet any device; `is_iterated`: what goes through
    the elements refuses the others. `by_position`: of several lists, what stands in one place has
    to agree (`_foreach_add_`). `is_particular`: operands may be wrong even where all are on one
    device. `is_free`: nothing can be wrong, and no storage is new, where the one tensor has a
    storage. `on_cpu`: the place of a result on the CPU.
    `adds_products`: it computes its results in a wider type than theirs.
    `is_foreign`: others than PyTorch made it, and what it does with tensors is not known.
    `tensors`: the places of arguments that have to be tensors, no numbers.
    """

    name: str
    marks: tuple[Mark, ...]
    written: tuple[bool, ...]
    is_pointwise: bool
    is_iterated: bool
    by_position: bool
    samples: bool
    is_particular: bool
    is_free: bool
    on_cpu: int | None
    adds_products: bool
    is_foreign: bool
    tensors: tuple[int, ...]

    @property
    def puts_by_index(self) -> bool:
        """Such an operator moves its indices itself, and what it puts if that is 0-dim."""
        return self.name.rstrip("_").endswith(("index_put", "index_put_impl"))

    @property
    def reads_by_index(self) -> bool:
        return self.name in ("index", "_unsafe_index", "_unsafe_masked_index")


@cache
def law(operator: Any) -> Law:
    """The law of one overload of an operator of aten."""
    schema = operator._schema
    namespace, _, name = schema.name.partition("::")
    by_position = name.startswith(("_foreach_", "_fused_ad", "_fused_sgd"))
    base = name.removeprefix("_foreach_") if by_position else name
    known = fact_of(base)
    marks = tuple(_mark(known, each, place) for place, each in enumerate(schema.arguments))
    is_iterated = _is_tagged_pointwise(operator, base)
    is_particular = Mark.STAYS_ON_CPU in marks
    samples = any("Generator" in str(argument.type) for argument in schema.arguments)
    return Law(
        base,
        marks,
        tuple(_is_written(argument) for argument in schema.arguments),
        isinstance(known, Pointwise) if known else is_iterated,
        is_iterated or by_position or isinstance(known, Pointwise),
        by_position,
        samples,
        is_particular,
        not is_particular and not samples and _has_one_storage(operator),
        _ON_CPU.get(name),
        name in _PRODUCTS and not schema.is_mutable,
        namespace not in _NAMESPACES_KNOWN and _has_tensors(schema),
        _tensors(schema, name),
    )


def _tensors(schema: Any, name: str) -> tuple[int, ...]:
    if torch._C._should_allow_numbers_as_tensors(name):
        return ()
    kinds = [str(each.type) for each in schema.arguments]
    return tuple(place for place, kind in enumerate(kinds) if kind == "Tensor")


def _has_tensors(schema: Any) -> bool:
    """Whether it takes or gives any: others say what a library was built with."""
    return any("Tensor" in str(each.type) for each in (*schema.arguments, *schema.returns))


def _has_one_storage(operator: Any) -> bool:
    """Whether the first argument is the one tensor, and results that are tensors share its data.

    Those that C++ builds of others may copy where they say that they share (`reshape`, `to`). In
    inference mode they are seen themselves.
    """
    schema, name = operator._schema, operator.name()
    if name.startswith("prim::"):  # TorchScript's own have no kernels.
        return False
    if torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"):
        return False
    kinds = [str(argument.type) for argument in schema.arguments]
    shares = [each.alias_info is not None for each in schema.returns if "Tensor" in str(each.type)]
    is_set = schema.name == "aten::set_"  # It replaces the storage.
    return kinds[:1] == ["Tensor"] and "Tensor" not in str(kinds[1:]) and all(shares) and not is_set


@cache
def fact_of(name: str) -> Fact | None:
    """The fact of an operator of aten, if it says which operands have to agree."""
    found = _OWN.get(name) or _named(name)
    return found if isinstance(found, (Agrees, Follows, Many, Pointwise, Reads)) else None


def _named(name: str) -> Fact | None:
    if name in _ALIASES:
        return fact(_ALIASES[name])
    for namespace in _NAMESPACES:
        if name.startswith(namespace):
            return fact(f"torch.{namespace[:-1]}.{name.removeprefix(namespace)}")
    return next((found for home in _HOMES if (found := fact(home + name))), None)


def _mark(known: Fact | None, argument: Any, place: int) -> Mark:
    """What an argument is; one that no fact names has to agree."""
    if known is None or _is_written(argument):
        return Mark.OPERAND
    parameter = _parameter(signature(known.signature), argument.name, place)
    return parameter if parameter and parameter is not Mark.SETTING else Mark.OPERAND


def _parameter(known: Signature, name: str, place: int) -> Mark | None:
    """The facts call the first operand `input` where aten says `self`."""
    names = ("input", "self") if name == "self" else (name,)
    named = next((found for each in names if (found := known.keyword(each))), None)
    found = named or known.positional(place)
    return found.mark if found else None


def _is_written(argument: Any) -> bool:
    return argument.alias_info is not None and bool(argument.alias_info.is_write)


def _is_tagged_pointwise(operator: Any, base: str) -> bool:
    """PyTorch tags its pointwise operators, but few of those in place.

    Those of a backward pass are tagged as well, but generated with a check that excepts nothing.
    """
    if base.endswith("_backward"):
        return False
    if torch.Tag.pointwise in operator.tags:
        return True
    packet = getattr(torch.ops.aten, base.rstrip("_"), None)
    if packet is None or operator._overloadname not in packet.overloads():
        return False
    return torch.Tag.pointwise in getattr(packet, operator._overloadname).tags
