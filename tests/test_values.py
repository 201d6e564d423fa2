"""Values: the objects that one may be."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.interpret.core.object_ids import Child, Copied
from devlint.interpret.objects.copies import copy_of
from devlint.values.alternatives import ALTERNATIVES, breadth, either
from devlint.values.instance import ItemKey


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
