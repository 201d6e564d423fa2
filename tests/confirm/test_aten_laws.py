"""The bridge from the facts to aten's operators, compared with how PyTorch generates its checks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devlint.facts.signature import Mark

torch: Any = pytest.importorskip("torch")

from devlint.confirm.device_tags.aten_facts import Law, law  # noqa: E402

_NATIVE = (
    Path(torch.__file__).parents[1] / "torchgen" / "packaged/ATen/native/native_functions.yaml"
)


@pytest.mark.parametrize(
    ("operator", "exempt"),
    [
        ("add.Tensor", {"self", "other"}),
        ("add_.Tensor", {"other"}),
        ("where.self", {"condition", "self", "other"}),
        ("masked_fill.Tensor", {"value"}),
        ("lerp.Tensor", {"weight"}),
        ("binary_cross_entropy_with_logits", {"self", "weight", "pos_weight"}),
        ("mse_loss", set()),
        ("huber_loss", set()),
        ("complex", set()),
        ("cat", set()),
        ("clamp.Tensor", set()),
        ("embedding", set()),
        ("mm", set()),
        ("_softmax_backward_data", set()),
    ],
)
def test_which_scalars_on_the_cpu_are_exempt(operator: str, exempt: set[str]) -> None:
    assert scalars(resolved(operator)) == exempt


@pytest.mark.parametrize(
    ("operator", "name", "mark"),
    [
        ("copy_", "src", Mark.FREE),
        ("index.Tensor", "indices", Mark.FREE),
        ("_pack_padded_sequence", "lengths", Mark.STAYS_ON_CPU),
        ("_ctc_loss", "targets", Mark.FREE),
        ("slice_scatter", "src", Mark.FREE),
        ("gather", "index", Mark.OPERAND),
    ],
)
def test_marks(operator: str, name: str, mark: Mark) -> None:
    found = resolved(operator)
    names = [argument.name for argument in found._schema.arguments]
    assert law(found).marks[names.index(name)] is mark


def test_lists_of_optimizers_agree_place_by_place() -> None:
    known: Law = law(resolved("_foreach_addcdiv_.Scalar"))
    assert known.by_position
    assert known.is_iterated
    assert known.name == "addcdiv_"


def test_no_scalar_is_exempt_where_the_generated_code_excepts_none() -> None:
    """`device_check: NoCheck` is what lets a kernel except them."""
    checked = list(strict_operators())
    assert len(checked) > 300
    wrong = {name for name in checked if scalars(resolved(name))}
    assert {name for name in wrong if len(read(resolved(name))) > 1} == set()


def strict_operators() -> Iterator[str]:
    for entry in _NATIVE.read_text().split("\n- func: "):
        name = entry.partition("(")[0]
        has_kernel = "CUDA" in entry or "structured_delegate" in entry
        if has_kernel and "NoCheck" not in entry and resolved(name) is not None:
            yield name


def resolved(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)


def read(operator: Any) -> list[Any]:
    """The tensors that an operator reads."""
    arguments = zip(operator._schema.arguments, law(operator).written, strict=True)
    return [each for each, is_written in arguments if "Tensor" in str(each.type) and not is_written]


def scalars(operator: Any) -> set[str]:
    """Those of its tensors that may be 0-dim ones on the CPU."""
    known = law(operator)
    marks = {
        argument.name: mark
        for argument, mark in zip(operator._schema.arguments, known.marks, strict=True)
    }
    exempt = (Mark.OPERAND, Mark.SCALAR_EXEMPT) if known.is_pointwise else (Mark.SCALAR_EXEMPT,)
    return {argument.name for argument in read(operator) if marks[argument.name] in exempt}
