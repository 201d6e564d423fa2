"""The kinds of thing that the libraries around PyTorch do, beside those of PyTorch itself."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Fact


@dataclass(frozen=True, slots=True)
class Metric(Fact):
    """A metric of torchmetrics: a module whose state is on the CPU until it is moved.

    `lists_with`: arguments with which it keeps lists, of tensors that may be anywhere.
    """

    lists_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Serves(Fact):
    """A loader that puts its batches on `device=` by itself, else on `otherwise`.

    `position`: of that argument. `switch`: an argument without which, when it is false, batches
    stay on the CPU. `is_split`: makes several. `gives_objects`: batches that cannot be moved, only
    the tensors that are their attributes.
    """

    otherwise: str = "cpu"
    position: int | None = None
    switch: str = ""
    is_split: bool = False
    gives_objects: bool = False


@dataclass(frozen=True, slots=True)
class Placer(Fact):
    """An object that chooses a device at run time and places what it is given (`Accelerator`).

    Operands are placed at once. `kind` is the name that its methods have facts under; `stays` are
    the flags that choose the CPU, `named` the argument that names the kind of accelerator, and
    `settings` the argument that is such an object itself. It places nothing unless the arguments
    in `only` are None or the constants given there. With one of `feeds` it may move the inputs
    of modules, too.
    """

    kind: str
    stays: tuple[str, ...] = ()
    named: str = ""
    settings: str = ""
    feeds: tuple[str, ...] = ()
    only: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Places(Fact):
    """Takes modules, and what loaders give, to one device, and gives its operands back.

    `to` is the argument with that device: `self`, an object that places, or `device`, a device.
    Without one, and unless `only` holds as for a `Placer`, where things are is not known any more.
    `feeds`: inputs are moved too. `gives`: something else than the operands comes back.
    """

    to: str = ""
    only: tuple[tuple[str, object], ...] = ()
    feeds: bool = False
    gives: bool = False


@dataclass(frozen=True, slots=True)
class Initialises(Fact):
    """A context whose modules are made on the device of `self`, or nobody knows where."""


@dataclass(frozen=True, slots=True)
class Carries(Fact):
    """Moves its operand, tensors and what holds them too, to the device of `self`."""


@dataclass(frozen=True, slots=True)
class Converts(Fact):
    """What it is given first, with every tensor in it on `device=`; as it is without one."""


@dataclass(frozen=True, slots=True)
class Distributes(Fact):
    """Moves a module to the device of its process, in place, and wraps it if there are several."""


@dataclass(frozen=True, slots=True)
class Supervises(Fact):
    """An engine that lets a model, which it does not move, compute with batches on `device=`.

    `position`: of that argument. `replaced_by`: arguments by which it does something else.
    """

    position: int
    replaced_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Processes(Fact):
    """An engine that hands batches to a function, as they are."""


@dataclass(frozen=True, slots=True)
class Averages(Fact):
    """A module that averages another: a copy of it, on `device=` or where the other was by then.

    `position`: of that argument. `inner`: the attribute that is the copy. Without a device its
    `update(model)` computes with both.
    """

    inner: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Relocates(Fact):
    """Moves what it is given, and what that holds, to the argument that is a device, or else to
    one chosen at run time; a method that is given nothing else moves its receiver."""


@dataclass(frozen=True, slots=True)
class BatchClass(Fact):
    """An object whose attributes are tensors, which its `to` moves together."""


@dataclass(frozen=True, slots=True)
class Supplies(Fact):
    """Gives loaders, or an object that does, which put their batches on an accelerator."""
