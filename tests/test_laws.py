"""The laws of the abstract domain: joins, exclusion, and what a test leaves of a device."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from devlint.lower import ir
from devlint.values.condition import SILENT, Condition, Sense
from devlint.values.device import (
    ACCELERATORS,
    CPU,
    DEPTH,
    ON_CPU,
    UNKNOWN,
    Atom,
    Chosen,
    Device,
    Like,
    On,
    exclude,
    named,
)
from devlint.values.dimensions import Dimensions, broadcast, exactly, of
from devlint.values.origin import Origin
from devlint.values.value import DEVICE_BOUND, NONE, Kind, Value

# The same examples in every run: a law that fails must fail for whoever broke it.
settings.register_profile("laws", derandomize=True)
settings.load_profile("laws")

LITERALS = st.sampled_from([CPU, On("meta")]) | st.builds(
    On, st.sampled_from(sorted(ACCELERATORS)), st.none() | st.integers(0, 2)
)
LIKES = st.builds(Like, st.sampled_from("xyz"), st.sampled_from("xyz"), st.booleans())
CHOICES = st.builds(Chosen, st.sampled_from(["device", "args.device"]))
ATOMS: st.SearchStrategy[Atom] = LITERALS | LIKES | CHOICES
#: What each test says of devices chosen at run time.
SENSES = {
    "verbose": SILENT,
    "use_cuda": (Sense.NOTHING, Sense.CPU),
    "device is None": (Sense.UNCLEAR, Sense.UNCLEAR),
}
CONDITIONS = st.builds(
    lambda key, is_negated: Condition(key, SENSES[key], is_negated),
    st.sampled_from(sorted(SENSES)),
    st.booleans(),
)
#: Devices that depend on no test. The one without alternatives is unknown.
PLAIN = st.builds(Device, st.frozensets(ATOMS, max_size=4))
NAMED = st.builds(Device, st.frozensets(LITERALS, max_size=4))


def depending(devices: st.SearchStrategy[Device]) -> st.SearchStrategy[Device]:
    """Devices, and those with such devices for the arms of tests."""
    return st.recursive(
        devices, lambda arms: st.builds(Device.join, arms, arms, CONDITIONS), max_leaves=4
    )


DEVICES = depending(PLAIN)
NAMED_DEVICES = depending(NAMED)
ORIGINS = st.builds(Origin, st.just(ir.Name(None, "x")), st.sampled_from(["made", "moved"]))
COUNTS = st.integers(0, 3)
DIMENSIONS = st.builds(of, COUNTS, st.none() | COUNTS)
VALUES = (
    st.builds(
        Value,
        st.sampled_from(sorted({*DEVICE_BOUND, Kind.UNKNOWN}, key=str)),
        PLAIN,
        DIMENSIONS,
        st.sampled_from([None, "a", "b"]),
        origin=st.none() | ORIGINS,
    )
    | st.builds(Value, st.just(Kind.CONSTANT), payload=st.sampled_from(["cpu", "cuda:1", "x", 1]))
    | st.just(NONE)
)


@given(PLAIN, PLAIN)
def test_join_is_commutative(one: Device, other: Device) -> None:
    assert one.join(other) == other.join(one)


@given(DEVICES, DEVICES, CONDITIONS)
def test_join_by_a_test_is_that_by_its_negation(
    one: Device, other: Device, test: Condition
) -> None:
    assert one.join(other, test) == other.join(one, test.negated())


@given(PLAIN, PLAIN, PLAIN)
def test_join_is_associative(one: Device, two: Device, three: Device) -> None:
    assert one.join(two).join(three) == one.join(two.join(three))


@given(DEVICES, CONDITIONS)
def test_join_is_idempotent(device: Device, test: Condition) -> None:
    assert device.join(device) == device.join(device, test) == device


@given(DEVICES)
def test_what_may_be_anywhere_is_unknown(device: Device) -> None:
    assert not device.join(UNKNOWN).is_known


@given(DEVICES, DEVICES, CONDITIONS)
def test_dependence_on_tests_is_bounded(one: Device, other: Device, test: Condition) -> None:
    assert one.join(other, test).depth <= max(one.depth, other.depth, DEPTH)


@given(DEVICES, DEVICES)
def test_excludes_is_symmetric(one: Device, other: Device) -> None:
    assert one.excludes(other) == other.excludes(one)


@given(DEVICES)
def test_no_device_excludes_itself(device: Device) -> None:
    assert not device.excludes(device)


@given(DEVICES)
def test_unknown_excludes_nothing(device: Device) -> None:
    assert not UNKNOWN.excludes(device)
    assert not device.excludes(UNKNOWN)


@given(PLAIN, PLAIN, PLAIN)
def test_more_alternatives_never_exclude_more(one: Device, more: Device, other: Device) -> None:
    if one.join(more).excludes(other):
        assert one.excludes(other)
        assert more.excludes(other)


@given(LITERALS, LITERALS)
def test_devices_of_one_type_exclude_each_other_by_index(one: On, other: On) -> None:
    is_indexed = one.index is not None and other.index is not None
    same_type = one.type == other.type
    assert exclude(one, other) == (not same_type or (is_indexed and one.index != other.index))


@given(ATOMS)
def test_a_chosen_device_excludes_the_cpu_alone(atom: Atom) -> None:
    assert exclude(Chosen("device"), atom) == (atom == CPU)


@given(LIKES, ATOMS)
def test_the_device_of_an_argument_excludes_nothing(like: Like, atom: Atom) -> None:
    assert not exclude(like, atom)


@given(LITERALS)
def test_a_device_is_named_as_it_is_written(literal: On) -> None:
    assert named(str(literal)) == Device(frozenset({literal}))


@given(NAMED_DEVICES, CONDITIONS, st.booleans())
def test_given_only_narrows(device: Device, test: Condition, truth: bool) -> None:
    narrowed = device.given(test, truth)
    allowed = device.atoms | device.possible() | ({CPU} if chooses(device) else set())
    assert narrowed.atoms <= allowed or not device.is_known
    assert narrowed.depth <= device.depth


@given(PLAIN, CONDITIONS, st.booleans())
def test_given_leaves_a_chosen_device_the_cpu_or_unknown(
    device: Device, test: Condition, truth: bool
) -> None:
    assert device.given(test, truth) in (device, ON_CPU, UNKNOWN)


@given(DEVICES, CONDITIONS, st.booleans())
def test_given_says_nothing_new_twice(device: Device, test: Condition, truth: bool) -> None:
    once = device.given(test, truth)
    assert once.given(test, truth) == once


@given(PLAIN, PLAIN, CONDITIONS)
def test_given_takes_the_arm_of_its_test(one: Device, other: Device, test: Condition) -> None:
    joined = one.join(other, test)
    assert joined.given(test, True) == one.given(test, True)
    assert joined.given(test, False) == other.given(test, False)


def chooses(device: Device) -> bool:
    """A device chosen at run time excludes the CPU, though it may turn out to be just that."""
    return any(isinstance(atom, Chosen) for atom in device.atoms | device.possible()) or (
        device.arms is not None and any(map(chooses, device.arms))
    )


@given(NAMED_DEVICES, NAMED_DEVICES, CONDITIONS, st.booleans())
def test_what_excludes_on_every_path_does_on_one(
    one: Device, other: Device, test: Condition, truth: bool
) -> None:
    if one.excludes(other) and not chooses(one) and not chooses(other):
        assert one.given(test, truth).excludes(other.given(test, truth))


@given(VALUES, CONDITIONS)
def test_join_of_values_is_idempotent(value: Value, test: Condition) -> None:
    assert value.join(value) == value.join(value, test) == value


@given(VALUES, VALUES)
def test_join_of_values_is_commutative_in_kind_and_device(one: Value, other: Value) -> None:
    joined, reverse = one.join(other), other.join(one)
    assert (joined.kind, joined.device) == (reverse.kind, reverse.device)


@given(DIMENSIONS, DIMENSIONS, COUNTS)
def test_dimensions_stand_for_all_that_they_are_made_of(
    one: Dimensions, other: Dimensions, count: int
) -> None:
    """By the numbers from `least` to `most`, of which none is left out by what comes of them."""
    if is_in(count, one):
        assert is_in(count, one.join(other))
        assert is_in(count, other.join(one))
        assert is_in(count + 1, one.changed(1))
        assert is_in(max(count - 1, 0), one.changed(-1))
        least = max(count, other.least)
        assert is_in(least, broadcast([one, exactly(other.least)]))


def is_in(count: int, dimensions: Dimensions) -> bool:
    most = count if dimensions.most is None else dimensions.most
    return dimensions.least <= count <= most


@given(VALUES, CONDITIONS, st.booleans())
def test_given_of_a_value_is_that_of_its_device(value: Value, test: Condition, truth: bool) -> None:
    assert value.given(test, truth).device == value.device.given(test, truth)
