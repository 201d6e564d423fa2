"""Values: the objects that one may be."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from devlint.interpret.core.object_ids import Child, Copied
from devlint.interpret.objects.copies import copy_of
from devlint.values.alternatives import ALTERNATIVES, breadth, either
from devlint.values.condition import Condition
from devlint.values.device import Device, named
from devlint.values.instance import ItemKey
from devlint.values.value import Kind, Value


def test_a_part_stands_for_as_many_objects_as_what_it_is_a_part_of() -> None:
    pair = either("a", "b")
    assert breadth(Child(pair, ItemKey(0))) == 2
    assert breadth(either(Child(pair, ItemKey(0)), "c")) == 3


def test_a_loop_that_nests_items_comes_to_an_end() -> None:
    """`x[key] = f(x[key])`, round after round: what it was, or an item of that."""
    ref: Hashable = "x"
    for _ in range(60):
        ref = either(ref, Child(ref, ItemKey("key"))) if ref is not None else None
        assert ref is None or breadth(ref) <= ALTERNATIVES
    assert ref is None


def test_a_place_that_copies_what_it_has_made_gives_the_same_copy() -> None:
    once = copy_of("one", "here")
    assert copy_of(once, "here") == copy_of(either("one", once), "here") == once
    assert copy_of(copy_of(once, "there"), "here") == once


def test_copies_of_several_stand_for_several() -> None:
    assert copy_of("one", "here") != copy_of("other", "here")
    assert breadth(Copied(either("one", "other"), "here")) == 2


@pytest.mark.parametrize(
    ("names", "is_told_apart"),
    [(("cuda:1", "cuda:0"), True), (("cuda", "mps"), False), (("cuda", "cuda:1"), False)],
)
def test_which_accelerator_a_test_takes_matters_where_they_have_numbers(
    names: tuple[str, str], is_told_apart: bool
) -> None:
    """A notebook that takes "cuda", "mps" or the CPU was said to move its model to the CPU."""
    one, other = (Value(Kind.CONSTANT, payload=name) for name in names)
    chosen = one.join(other, Condition("test")).device
    assert (chosen.arms is not None) is is_told_apart
    assert chosen.atoms == {atom for name in names for atom in as_known(name).atoms}


def as_known(name: str) -> Device:
    device = named(name)
    assert device is not None
    return device
