"""Devices as far as they are known, and the law of which exclude which."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from devlint.values.condition import STAYS, Condition, Sense
from devlint.values.steps import step

#: All accelerators that PyTorch, or a package that extends it, has a name for.
ACCELERATORS = frozenset("cuda mps xpu npu hpu xla mtia hip ipu mlu musa privateuseone".split())
#: Devices that are none: what else a device is called, it accelerates.
HOSTS = frozenset({"cpu", "meta"})
NAMES = ACCELERATORS | HOSTS

#: A device that depends on more tests than this is the set of what they may give.
DEPTH = 2


@dataclass(frozen=True, slots=True)
class On:
    """A device by its name; without an index, whichever of them is current."""

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A device chosen at run time, which may be an accelerator.

    Any two are taken to be the same: `text` is how the program writes it.
    """

    text: str = field(compare=False)

    def __str__(self) -> str:
        return f"`{self.text}`"


@dataclass(frozen=True, slots=True)
class Like:
    """Whatever device something is on that only the caller knows.

    `is_asked`: by `device=x.device`, so that the program means to run on any device.
    """

    source: Hashable
    text: str = field(compare=False)
    is_asked: bool = field(default=False, compare=False)
    #: What came later has a higher number: two may have one text.
    order: int = field(default_factory=step, compare=False)

    def __str__(self) -> str:
        return f"like {self.text}"


Atom = On | Chosen | Like
CPU = On("cpu")


@dataclass(frozen=True, slots=True)
class Device:
    """The alternatives; none when nothing is known. With `test`, which arm it takes."""

    atoms: frozenset[Atom] = frozenset()
    test: Condition | None = None
    arms: tuple[Device, Device] | None = None

    @property
    def is_known(self) -> bool:
        return bool(self.atoms)

    @property
    def is_partly_known(self) -> bool:
        """On some path, if not on all."""
        return self.is_known or self.arms is not None

    @property
    def is_cpu(self) -> bool:
        return self.atoms == {CPU}

    @property
    def is_accelerator(self) -> bool:
        """Every alternative is an accelerator, or may be one at run time."""
        return bool(self.atoms) and all(map(accelerates, self.atoms))

    @property
    def is_named(self) -> bool:
        """Whether it is written out, where no test chooses."""
        is_certain = self.test is None and bool(self.atoms)
        return is_certain and all(atom.__class__ is On for atom in self.atoms)

    @property
    def may_accelerate(self) -> bool:
        return any(map(accelerates, self.atoms))

    def excludes(self, other: Device) -> bool:
        """Whether no run of this path puts both on one device.

        Tests may tell of each other: it has to be shown whichever is gone through first.
        """
        return self.is_apart(other) and (self.test is other.test or other.is_apart(self))

    def is_apart(self, other: Device) -> bool:
        """Whether each arm excludes the other device, this one's arms first."""
        if self.test is not None and self.arms is not None and not self.is_chosen:
            return all(
                arm.is_apart(other.given(self.test, truth))
                for arm, truth in zip(self.arms, (True, False), strict=True)
            )
        if other.test is not None and not other.is_chosen:
            return other.is_apart(self)
        if not self.atoms or not other.atoms:
            return False
        return all(exclude(one, another) for one in self.atoms for another in other.atoms)

    def join(self, other: Device, test: Condition | None = None) -> Device:
        if self == other or (test is None and self.is_alike(other)):
            return self
        if test is not None and test.is_negated:
            return other.join(self, test.negated())
        if test is not None and test.asks_for_place:
            return UNKNOWN  # What is moved if another value is on CUDA goes to where that is.
        if test is not None and is_choice(self, other, test):
            is_shallow = max(self.depth, other.depth) < DEPTH
            return choice(self, other, test if is_shallow else None)
        if test is not None and max(self.depth, other.depth) < DEPTH:
            return armed(self, other, test)
        if not self.atoms or not other.atoms:
            return UNKNOWN
        return Device(self.atoms | other.atoms)

    def is_alike(self, other: Device) -> bool:
        """Whether it is as in another round of a loop, whose rounds a test tells apart that each
        asks anew."""
        one, another = self.test, other.test
        if one is None or another is None or one.loop is None:
            return False
        return one.loop is another.loop and self.arms == other.arms

    def tests(self) -> Iterator[Condition]:
        """The tests that decide which arm it takes."""
        if self.test is not None and self.arms is not None and not self.is_chosen:
            yield self.test
            for arm in self.arms:
                yield from arm.tests()

    def given(self, test: Condition, truth: bool) -> Device:
        """This device on the paths where `test` came out as `truth`."""
        test, truth = test.upright(truth)
        if self.test is not None and self.arms is not None:
            if self.test == test:
                return self.arms[0 if truth else 1].given(test, truth)
            if self.is_chosen:
                return self.chosen_given(test.sense(truth))
            then, orelse = (arm.given(test, truth) for arm in self.arms)
            return armed(then, orelse, self.test)
        if not any(atom.__class__ is not On for atom in self.atoms):
            return self
        return self.chosen_given(test.sense(truth))

    def chosen_given(self, sense: Sense) -> Device:
        changed = ON_CPU if sense is Sense.CPU else UNKNOWN
        return self if sense is Sense.NOTHING else changed

    @property
    def is_chosen(self) -> bool:
        """A flag chooses it: the law goes by the choice, not by the arms one at a time."""
        return self.arms is not None and self.is_from_choice

    @property
    def is_from_choice(self) -> bool:
        """Whether it is nothing but what was chosen at run time."""
        return {atom.__class__ for atom in self.atoms} == {Chosen}

    @property
    def likes(self) -> list[Like]:
        """The alternatives that are where something else is, in the order of their texts."""
        found = [atom for atom in self.atoms if atom.__class__ is Like]
        return found if len(found) < 2 else sorted(found, key=lambda each: (each.text, each.order))

    @property
    def is_like(self) -> bool:
        """Every alternative is where something is of which only the caller knows."""
        return bool(self.atoms) and len(self.likes) == len(self.atoms)

    @property
    def accelerated(self) -> Device:
        """The alternatives that are, or may be, an accelerator."""
        return Device(frozenset(filter(accelerates, self.atoms)))

    def possible(self) -> frozenset[Atom]:
        """All that it may be on some path, those where another is not known included."""
        if self.arms is None:
            return self.atoms
        return self.arms[0].possible() | self.arms[1].possible()

    @property
    def depth(self) -> int:
        return 0 if self.arms is None else 1 + max(arm.depth for arm in self.arms)

    @property
    def told(self) -> str:
        """The alternatives as messages name them: `the CPU or cuda:1`."""
        return " or ".join(sorted({told(each) for each in self.atoms})) or "another device"

    def __str__(self) -> str:
        return " | ".join(sorted(map(str, self.atoms))) or "unknown"


def told(atom: Atom) -> str:
    if isinstance(atom, Like):
        return f"the device of `{atom.text}`"
    return "the CPU" if atom == CPU else str(atom)


def is_choice(then: Device, orelse: Device, test: Condition) -> bool:
    """Whether a flag (`if use_cuda:`) moves something, and so chooses the device. What a test such
    as `device == "cuda"` leaves open has to be on the CPU."""
    told, other = test.senses
    if told is not Sense.NOTHING or not then.is_accelerator:
        then, orelse, told, other = orelse, then, other, told
    is_left = orelse.is_cpu or (other in STAYS and not orelse.may_accelerate)
    return told is Sense.NOTHING is not other and then.is_accelerator and is_left


def armed(then: Device, orelse: Device, test: Condition) -> Device:
    """The device that takes one of two arms."""
    if then == orelse:
        return then
    is_known = then.is_known and orelse.is_known
    return Device(then.atoms | orelse.atoms if is_known else frozenset(), test, (then, orelse))


def are_of_purposes(one: Device, other: Device) -> bool:
    """Whether they are the CPU and what was chosen before: an argument decides by purpose."""
    return (one.is_cpu and other.is_from_choice) or (other.is_cpu and one.is_from_choice)


def choice(one: Device, other: Device, test: Condition | None) -> Device:
    """The device that a test chooses; by its name the accelerator that it may be."""
    if test is not None and test.is_negated:
        one, other, test = other, one, test.negated()
    taken = one if one.is_accelerator else other
    names = sorted(a.text if isinstance(a, Chosen) else str(a) for a in taken.atoms)
    atoms: frozenset[Atom] = frozenset({Chosen(" | ".join(names))})
    return Device(atoms) if test is None else Device(atoms, test, (one, other))


def accelerates(atom: Atom) -> bool:
    return atom.__class__ is Chosen or (isinstance(atom, On) and atom.type not in HOSTS)


def exclude(one: Atom, other: Atom) -> bool:
    """The law: cpu excludes accelerators and what may be one, cuda:0 excludes cuda:1.

    An accelerator without an index is whichever is current, so it excludes no other of its kind.
    """
    if one.__class__ is Like or other.__class__ is Like:
        return False
    if isinstance(one, On) and isinstance(other, On):
        are_numbered = None not in (one.index, other.index)
        return one.type != other.type or (are_numbered and one.index != other.index)
    return CPU in (one, other) and one != other


UNKNOWN = Device()
ON_CPU = Device(frozenset({CPU}))
ON_CUDA = Device(frozenset({On("cuda")}))
META = Device(frozenset({On("meta")}))


def chosen(text: str) -> Device:
    return Device(frozenset({Chosen(text)}))


def like(source: Hashable, text: str) -> Device:
    return Device(frozenset({Like(source, text)}))


def asked(device: Device) -> Device:
    """The device as the program itself asks for it."""
    if not any(isinstance(atom, Like) for atom in device.atoms) or device.arms is not None:
        return device
    atoms = [replace(a, is_asked=True) if isinstance(a, Like) else a for a in device.atoms]
    return Device(frozenset(atoms))


def named(text: str) -> Device | None:
    """The device that a string such as `cuda:1` names, if it names one."""
    kind, _, index = text.partition(":")
    if kind not in NAMES or (index and not index.isdecimal()):
        return None
    number = int(index) if index and kind != "cpu" else None
    return Device(frozenset({On(kind, number)}))
