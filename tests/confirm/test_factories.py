"""What factories make on emulated CUDA is to autograd and to memory what PyTorch makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402
from devlint.facts.dimensions import Size  # noqa: E402
from devlint.facts.effect import Makes, MakesLike  # noqa: E402
from devlint.facts.table import FACTS  # noqa: E402
from tests.torch_examples import UNCALLED, V, example, mapped, resolved  # noqa: E402

#: Makes nothing but what the CPU maps into its memory.
CPU_ONLY = "torch.from_file"
FACTORIES = [
    name
    for name, fact in FACTS.items()
    if isinstance(fact, (Makes, MakesLike)) and name.startswith("torch.")
    if name not in UNCALLED and name != CPU_ONLY
]
#: Those that take what others have made: a tensor in place of numbers.
OF_DATA = [name for name in FACTORIES if getattr(FACTS[name], "size", None) is Size.DATA]
OF_TYPES = [name for name in FACTORIES if re.fullmatch(r"torch\.(sparse\.)?[A-Z]\w+Tensor", name)]
OPTIONS: list[dict[str, Any]] = [
    {"requires_grad": True},
    {"requires_grad": False},
    {"copy": True, "requires_grad": True},
    {"copy": False},
    {"dtype": torch.float64},
]


@dataclass(frozen=True)
class Call:
    """Of a factory with fresh arguments, whose tensors are on `source`."""

    name: str
    options: tuple[tuple[str, Any], ...]
    source: str
    has_gradients: bool = False
    takes_tensor: bool = False

    def traits(self) -> tuple[Any, ...]:
        """What autograd and memory show of the result, or the class of the error."""
        args, kwargs = ((V.clone(),), {}) if self.takes_tensor else example(self.name)
        args = mapped(args, self._placed)
        given = [each for each in args if isinstance(each, torch.Tensor)]
        try:
            made = resolved(self.function)(*args, **kwargs, **dict(self.options))
        except (RuntimeError, TypeError, ValueError) as error:
            return (RuntimeError if isinstance(error, RuntimeError) else type(error),)
        return (
            *(made.dtype, made.shape, made.layout, made.is_leaf, made.requires_grad),
            *(made.grad_fn is None, made._version),
            [made is each for each in given],
            [memory(made) == memory(each) for each in given],
        )

    @property
    def function(self) -> str:
        """A type of tensors is of one device, whatever it is told."""
        is_there = self.name in OF_TYPES and self.source == "cuda"
        return self.name.replace("torch.", "torch.cuda.") if is_there else self.name

    def _placed(self, tensor: Any) -> Any:
        there = tensor.to(self.source)
        return there.requires_grad_(self.has_gradients and there.is_floating_point())


def memory(tensor: Any) -> object:
    """Where the data of a tensor is; what has none shares it with nothing."""
    try:
        return tensor.untyped_storage().data_ptr() or object()
    except (NotImplementedError, RuntimeError):
        return object()


def calls(source: str, device: str | None) -> list[Call]:
    """All ways to call all factories for a device, or for the default one."""
    named = () if device is None else (("device", device),)
    return [
        Call(name, (*named, *options.items()), source, has_gradients, takes_tensor)
        for name in FACTORIES
        for options in [{}, *OPTIONS]
        for has_gradients in (False, True)
        for takes_tensor in ((False, True) if name in (*OF_DATA, *OF_TYPES) else (False,))
    ]


def on_emulated(compared: list[Call]) -> list[tuple[Any, ...]]:
    with emulated_cuda(goes_on=True):
        return [call.traits() for call in compared]


@pytest.mark.parametrize(
    ("source", "device", "reference"),
    [
        # Where the tensors are that are given, and what is made, does not matter to a factory...
        pytest.param("cuda", "cuda", ("cpu", "cpu"), id="there"),
        pytest.param("cpu", None, ("cpu", None), id="on the CPU"),
        # ... but that one is elsewhere than the other: any other device than the CPU shows that.
        pytest.param("cpu", "cuda", ("cpu", "meta"), id="to there"),
    ],
)
def test_what_is_made_is_what_pytorch_makes(
    source: str, device: str | None, reference: tuple[str, str | None]
) -> None:
    asked = calls(source, device)
    plain: list[tuple[Any, ...]] = [call.traits() for call in calls(*reference)]
    pairs = zip(asked, plain, on_emulated(asked), strict=True)
    different = [call for call, made, emulated in pairs if made != emulated]
    # `torch.Tensor` is of the default device alone, and refuses any other.
    assert [call for call in different if (call.name, source) != ("torch.Tensor", "cuda")] == []
    assert sum(len(traits) > 1 for traits in plain) > 100
