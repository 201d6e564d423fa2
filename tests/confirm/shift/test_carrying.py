"""All that a call is given is on CUDA while it runs, and as the test has it afterwards."""

from __future__ import annotations

import functools
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from tests.confirm.shift.packages import module, shifted

#: The first tensor that an argument holds, each kind its own way.
USES = "return x * self.weight + use(others[0])"
TAKES = module("use = named['use']\n" + USES)

Pair = namedtuple("Pair", "left right")


@dataclass
class Batch:
    x: Any


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x


class InPlace:
    """It is moved by its own method, and is the same object afterwards."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self.moves: list[str] = []

    def to(self, device: Any) -> InPlace:
        self.x = self.x.to(device)
        self.moves.append(torch.device(device).type)
        return self


class Anew(InPlace):
    """Its own method makes another object."""

    def to(self, device: Any) -> Anew:
        return Anew(self.x.to(device))


class Storing(InPlace):
    """What it holds is in another one that can be moved."""

    def __init__(self, x: Any) -> None:
        super().__init__(x)
        self.x = InPlace(x)

    def to(self, device: Any) -> Storing:
        self.x.to(device)
        return self


class Cyclic(Anew):
    """It has others in it that have it."""

    def __init__(self, x: Any) -> None:
        super().__init__(x)
        self.other = Anew(x)
        self.other.whole = self  # type: ignore[attr-defined]


def closing_over(x: Any) -> Callable[[], Any]:
    return lambda: x


def yielding(x: Any) -> Any:
    yield x


KINDS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "tensor": (lambda x: x, lambda held: held),
    "view": (lambda x: x.expand(2, 3), lambda held: held[0]),
    "list": (lambda x: [[x]], lambda held: held[0][0]),
    "tuple": (lambda x: (1, x), lambda held: held[1]),
    "named tuple": (lambda x: Pair(0, x), lambda held: held.right),
    "dict": (lambda x: {"a": {"b": x}}, lambda held: held["a"]["b"]),
    "ordered dict": (lambda x: OrderedDict(a=x), lambda held: held["a"]),
    "dataclass": (Batch, lambda held: held.x),
    "object": (lambda x: SimpleNamespace(x=[x]), lambda held: held.x[0]),
    "slots": (Slotted, lambda held: held.x),
    "in place": (InPlace, lambda held: held.x),
    "anew": (Anew, lambda held: held.x),
    "storing": (Storing, lambda held: held.x.x),
    "cyclic": (Cyclic, lambda held: held.other.x),
    "partial": (lambda x: functools.partial(torch.mul, x), lambda held: held(1)),
    "keyword of a partial": (
        lambda x: functools.partial(torch.mul, other=x),
        lambda held: held(torch.ones(())),
    ),
    "closure": (closing_over, lambda held: held()),
    "method": (lambda x: Batch(x).__eq__, lambda held: held.__self__.x),
    "iterator": (lambda x: iter([x]), next),
    "generator": (yielding, next),
    "map": (lambda x: map(torch.abs, [x]), next),
    "distribution": (lambda x: torch.distributions.Normal(x, 1.0), lambda held: held.mean),
    "packed sequence": (
        lambda x: torch.nn.utils.rnn.pack_sequence([x]),
        lambda held: held.data,
    ),
    "module": (lambda x: torch.nn.ParameterList([x]), lambda held: held[0]),
    "sparse tensor": (lambda x: x.to_sparse(), lambda held: held.to_dense()),
    "subclass": (lambda x: x.as_subclass(type("Own", (torch.Tensor,), {})), lambda held: held),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_argument_holds_is_carried(kind: str, tmp_path: Path) -> None:
    hold, use = KINDS[kind]

    def used(held: Any) -> Any:
        found = use(held)
        assert found.is_cuda
        return found

    with shifted(tmp_path, TAKES) as (package, tally):
        result = package.Net()(torch.ones(3), hold(torch.ones(3)), use=used)
        assert result.device.type == "cpu"
        assert result.tolist() == [2, 2, 2]
    assert tally.events == []
    assert not tally.unjudged
    assert tally.counts["shifted"] == tally.counts["calls"]


def test_what_is_shared_stays_shared(tmp_path: Path) -> None:
    text = module(
        "assert others[0]['a'] is x and others[0]['b'].data_ptr() == x.data_ptr()\nreturn x"
    )
    with shifted(tmp_path, text) as (package, _):
        x = torch.ones(3)
        assert package.Net()(x, {"a": x, "b": x[:2]}) is x


def test_changes_in_place_are_the_tests(tmp_path: Path) -> None:
    body = "x.add_(1)\nself.steps += 1\nothers[0].append(x * 2)\nself.cache = x.sum()\nreturn None"
    with shifted(tmp_path, module(body)) as (package, tally):
        x, made, net = torch.ones(3), list[Any](), package.Net()
        steps = net.steps
        net(x, made)
        net(x, made)
        assert x.tolist() == [3, 3, 3]
        assert net.steps is steps
        assert steps.tolist() == [2, 2, 2]
        assert [each.device.type for each in (*made, net.cache, steps)] == ["cpu"] * 4
    assert tally.events == []


def test_gradients_reach_the_leaves_of_the_test(tmp_path: Path) -> None:
    with shifted(tmp_path, module("return x * self.weight")) as (package, tally):
        x, net = torch.ones(3, requires_grad=True), package.Net()
        weight = net.weight
        loss = (net(x) - torch.ones(3)).pow(2).sum() + net(x * 2).sum()
        loss.backward()
        torch.optim.SGD(net.parameters(), lr=1.0).step()
        assert net.weight is weight
        assert x.grad.tolist() == [2, 2, 2]
        assert weight.grad.tolist() == [2, 2, 2]
        assert weight.tolist() == [-1, -1, -1]
        assert {each.device.type for each in (x.grad, weight.grad, loss)} == {"cpu"}
        assert torch.autograd.gradcheck(net, torch.rand(3, dtype=torch.double, requires_grad=True))
    assert tally.events == []


def test_gradients_are_carried_with_their_leaves(tmp_path: Path) -> None:
    with shifted(tmp_path, module("return x.grad + self.weight.grad")) as (package, tally):
        x, net = torch.ones(3, requires_grad=True), package.Net()
        (net.weight * x).sum().backward()
        assert net(x).tolist() == [2, 2, 2]
    assert tally.events == []


def test_all_comes_back_if_the_call_raises(tmp_path: Path) -> None:
    text = module("self.cache = x * 2\nothers[0].append(x + 1)\nraise KeyError('own')")
    with shifted(tmp_path, text) as (package, _):
        x, made, net = torch.ones(3), list[Any](), package.Net()
        with pytest.raises(KeyError, match="own"):
            net(x, made)
        assert [each.device.type for each in (x, *made, net.cache, net.weight)] == ["cpu"] * 4
        assert (made[0] + torch.ones(3)).numpy().tolist() == [3, 3, 3]
        assert not torch.cuda.is_available()


def test_generators_go_on_where_they_were(tmp_path: Path) -> None:
    text = module("return torch.rand(3, generator=others[0], device=others[0].device) * x")
    with shifted(tmp_path, text) as (package, tally):
        generator = torch.Generator().manual_seed(7)
        drawn = [
            package.Net()(torch.ones(3), generator).tolist(),
            torch.rand(3, generator=generator),
        ]
        again = torch.Generator().manual_seed(7)
        assert drawn[0] == torch.rand(3, generator=again).tolist()
        assert drawn[1].tolist() == torch.rand(3, generator=again).tolist()
        assert generator.device.type == "cpu"
    assert tally.events == []


@pytest.mark.parametrize("device", ["cpu", torch.device("cpu")])
def test_a_device_that_is_given_is_cuda(device: Any, tmp_path: Path) -> None:
    text = module("return x + torch.ones(3, device=self.given) + torch.ones(3, device=others[0])")
    with shifted(tmp_path, text) as (package, tally):
        net = package.Net(device)
        assert net(torch.ones(3), device).tolist() == [3, 3, 3]
        assert net.given == device
    assert tally.events == []


def test_what_moves_itself_is_moved_once_and_forgets_nothing(tmp_path: Path) -> None:
    text = module("self.cached = self.given\nreturn x + others[0].x") + (
        "\n    def _apply(self, function, recurse=True):\n"
        "        self.cached = None\n"
        "        self.place = function(self.weight).device\n"
        "        return super()._apply(function, recurse)\n"
    )
    with shifted(tmp_path, text) as (package, _):
        net, batch = package.Net(1), InPlace(torch.ones(3))
        net(torch.ones(3), batch)
        net(torch.ones(3), batch)
        assert batch.moves == ["cuda"]
        assert net.cached == 1
        assert net.place == batch.x.device == torch.device("cpu")


def test_what_a_move_copies_elsewhere_stays_itself(tmp_path: Path) -> None:
    text = module("assert self.made.is_cuda and self.given.is_cpu\nreturn x + self.made") + (
        "\n    def _apply(self, function, recurse=True):\n"
        "        module = super()._apply(function, recurse)\n"
        "        self.made = self.given.to(self.weight.device)\n"  # The same, at first.
        "        return module\n"
    )
    with shifted(tmp_path, text) as (package, tally):
        net = package.Net(torch.ones(3))
        net.cpu()
        assert net.made is net.given
        assert [net(torch.ones(3)).tolist() for _ in range(2)] == [[2, 2, 2]] * 2
        assert tally.events == []


@pytest.mark.parametrize("alias", ["self.steps", "self.steps[:2]", "self.weight.detach()[0:3]"])
def test_what_shares_memory_without_being_registered_is_left(alias: str, tmp_path: Path) -> None:
    text = module("assert self.kept[0].is_cpu and self.steps.is_cuda\nreturn x * self.weight")
    text = text.replace("self.register_buffer", "self.kept = ()\n        self.register_buffer", 1)
    text = text.replace("\n    def forward", f"\n        self.kept = ({alias},)\n\n    def forward")
    with shifted(tmp_path, text) as (package, tally):
        net = package.Net()
        weight = net.weight
        assert [net(torch.ones(3)).tolist() for _ in range(2)] == [[1, 1, 1]] * 2
        assert net.weight is weight
        assert tally.events == []


def test_caches_stay_where_they_were_made(tmp_path: Path) -> None:
    body = """
if not hasattr(self, "cache"):
    self.cache = torch.zeros(3, device=x.device)
self.cache = self.cache + x
return self.cache
"""
    with shifted(tmp_path, module(body)) as (package, tally):
        net = package.Net()
        net(torch.ones(3))
        net.cache = net.cache * 2  # By the test, on the CPU.
        assert net(torch.ones(3)).tolist() == [3, 3, 3]
    assert tally.events == []
