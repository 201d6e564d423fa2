"""The kinds of thing a function of PyTorch does, as far as devices are concerned.

A fact names its parameters in positional order in one string. A bare name is a tensor operand;
the mark before a name says otherwise:

    -name   not a tensor operand (sizes, dims, flags, names)
    *name   a sequence of tensor operands; `*-name`, a sequence of what are not
    ?name   a tensor operand that may be a 0-dim CPU tensor where the others agree strictly
    =name   a tensor that has to stay on the CPU whatever the others do
    +name   a tensor operand, or a number
    <name   the same, and read as a number where another one so marked is a number
    ~name   a tensor whose device is free (`copy_`'s source, an index)

A sequence at the end also takes every further positional argument (`zeros(2, 3)`). Arguments that a
signature does not name are no operands: what follows the last operand may be left out. Methods of
`Tensor` name their receiver `self`. Source: PyTorch 2.13, and the table in CONTRIBUTING.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.dimensions import Rank, Size


@dataclass(frozen=True, slots=True)
class Fact:
    signature: str


@dataclass(frozen=True, slots=True)
class Makes(Fact):
    """A new tensor on `device=`, else on the default device, else on the CPU.

    `samples`: draws from `generator=`. `honours_default`: `set_default_device` and
    `with torch.device(..)` apply; they do not for legacy constructors and `from_numpy`.
    `device`: the type of accelerator that the function itself names (`torch.cuda.FloatTensor`).
    `copies`: PyTorch warns where it is given a tensor, which it copies where that is; an argument
    is taken for none unless it shows.
    """

    size: Size
    samples: bool = False
    honours_default: bool = True
    device: str = ""
    copies: bool = False


@dataclass(frozen=True, slots=True)
class MakesLike(Fact):
    """A new tensor on `device=`, else on the device of the first operand (`*_like`, `new_*`).

    Where no operand is a tensor (`torch.normal(0.0, 1.0, size)`) it is a new one as by `Makes`.
    """

    rank: Rank = Rank.SAME
    samples: bool = False


@dataclass(frozen=True, slots=True)
class Pointwise(Fact):
    """Operands agree, but a 0-dim CPU tensor may meet any device.

    `in_place`: the receiver is also the result; a 0-dim CPU receiver is not excepted.
    """

    rank: Rank = Rank.SAME
    in_place: bool = False


@dataclass(frozen=True, slots=True)
class Agrees(Fact):
    """Operands agree strictly, 0-dim or not (`cat`, `matmul`, `linear`, losses).

    `in_place`: the receiver is also the result. `expands`: all get one shape before they meet, so
    that only among 0-dim tensors one may be on the CPU.
    """

    rank: Rank = Rank.UNKNOWN
    in_place: bool = False
    expands: bool = False


@dataclass(frozen=True, slots=True)
class Follows(Fact):
    """The result is on the device of the first operand, and nothing else meets it.

    `samples`: draws from `generator=` on that device (`bernoulli`, `Tensor.normal_`).
    `in_place`: the receiver is also the result.
    `as_needed`: of a contiguous tensor of the default type, too, to which there is nothing to do.
    `several`: with one of these arguments it gives more than one such tensor.
    """

    rank: Rank = Rank.UNKNOWN
    several: tuple[str, ...] = ()
    samples: bool = False
    in_place: bool = False
    as_needed: bool = False


@dataclass(frozen=True, slots=True)
class Many(Fact):
    """A sequence of tensors where the operands are, which agree strictly (`chunk`, `split`,
    `unbind`, and reductions that return values with indices).

    `rank`: of each of them. `on_cpu`: the places of results that are on the CPU whatever the
    operands are on.
    """

    rank: Rank = Rank.UNKNOWN
    on_cpu: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Expands(Fact):
    """A sequence with each operand where it is, in a shape that all share (`broadcast_tensors`)."""


@dataclass(frozen=True, slots=True)
class Differentiates(Fact):
    """A gradient, the last operand, is where the output is, the first; a 0-dim one goes there."""


@dataclass(frozen=True, slots=True)
class Picks(Fact):
    """`max`, `min`, `median`: 0-dim without a `dim`, values with indices (`Many`) with one.

    A second operand that is a tensor makes it `Pointwise` (`torch.max(a, b)`).
    """


@dataclass(frozen=True, slots=True)
class Communicates(Fact):
    """Hands its operands to other processes; NCCL does so between accelerators only."""


@dataclass(frozen=True, slots=True)
class Reads(Fact):
    """A plain Python value: `item`, `tolist`, `size`; legal on every device."""


@dataclass(frozen=True, slots=True)
class Compares(Reads):
    """A truth about operands that agree strictly (`equal`)."""


@dataclass(frozen=True, slots=True)
class Locates(Fact):
    """The device of its operand."""


@dataclass(frozen=True, slots=True)
class Exports(Fact):
    """A NumPy array of each operand, or, where it `reduces` and is told no axis, a number; raises
    for a tensor on an accelerator. `of` says what it makes arrays of: `self` (`Tensor.numpy`, which
    a flag may let move by itself), `lists` of tensors alone, `tensors` alone, or `both`."""

    of: str = "both"
    reduces: bool = False


@dataclass(frozen=True, slots=True)
class MakesArray(Fact):
    """A new NumPy array, of what `size` or `shape` says; without that, where `needs_size`, one
    number."""

    needs_size: bool = False


@dataclass(frozen=True, slots=True)
class Pins(Fact):
    """`pin_memory`: a copy on the CPU; raises for a tensor on an accelerator."""


@dataclass(frozen=True, slots=True)
class Moves(Fact):
    """A move in one of its spellings.

    `how` is `to`, `cuda`, `cpu`, `type` or `to_accelerator` (`.xpu()`, `.npu()`: `where` names it).
    """

    how: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Layer(Fact):
    """A constructor of `torch.nn`; `device=` says where its parameters are made.

    `moves_targets`: a loss that takes them to its input. `is_recurrent`: what it is called with
    after the input is a hidden state. `several`: it gives more than one tensor, or tuples of them,
    of as many dimensions at least. `is_metric`: of torchmetrics, whose state and inputs have to
    be in one place. `masks`: inputs, by position and name, that are read where they are and dropped
    when they turn out to be causal.
    """

    holds_state: bool = False
    is_loss: bool = False
    moves_targets: bool = False
    is_recurrent: bool = False
    several: int = 0
    is_metric: bool = False
    masks: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Container(Fact):
    """`Sequential`, `ModuleList`, `ModuleDict`, `ParameterList`: holds what it is given.

    `is_metric`: gives each of what it holds all that it is given (`MetricCollection`).
    """

    is_metric: bool = False


@dataclass(frozen=True, slots=True)
class Wraps(Fact):
    """Returns its first operand as far as devices go.

    `places`: it takes over where inputs go (`DataParallel`); `Parameter` and `compile` do not.
    `needs`: it does so only if it is given this argument.
    """

    places: bool = False
    needs: str | None = None


@dataclass(frozen=True, slots=True)
class MakesGenerator(Fact):
    """`torch.Generator(device)`; with `is_default`, the CPU's own, which `manual_seed` returns."""

    is_default: bool = False


@dataclass(frozen=True, slots=True)
class Opaque(Fact):
    """An object that devlint knows by its kind alone.

    `kind` is `optimizer`, `scheduler`, `scaler`, `loader`, `dataset`, `split` (several of those),
    `collator`, `sampler` or `temporary`. A data set holds the parameters that its signature marks
    `~`. `gives_tensors`: a loader makes tensors of all that the data set gives.
    """

    kind: str
    gives_tensors: bool = False


@dataclass(frozen=True, slots=True)
class Model(Fact):
    """A module of a library, which computes with its inputs where they are.

    `is_layer`: one of many layers, some of which have no parameters. `reads`: methods that leave
    it where it is.
    """

    is_layer: bool = False
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transform(Fact):
    """Turns images into others: into tensors on the CPU, or what is no tensor, where that is so."""

    gives_tensor: bool = False
    gives_image: bool = False


@dataclass(frozen=True, slots=True)
class NamesDevice(Fact):
    """A device: `torch.device(..)`; with `is_chosen`, one chosen at run time (`current_device`)."""

    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class NamesType(Fact):
    """The type of a tensor's elements: `torch.get_default_dtype()`."""


@dataclass(frozen=True, slots=True)
class SetsDefault(Fact):
    """Changes the default device; `by` is `device` or `tensor_type`."""

    by: str


@dataclass(frozen=True, slots=True)
class Saves(Fact):
    """Writes its first argument to its second (`torch.save`, `pickle.dump`)."""


@dataclass(frozen=True, slots=True)
class Loads(Fact):
    """Reads tensors back where they were saved, unless `map_location` says otherwise."""


@dataclass(frozen=True, slots=True)
class Inert(Fact):
    """Known to move, call and keep none of its arguments (`print`, `torch.no_grad`)."""
