"""What CUDA refuses in a shifted call is the package's fault, or it is not judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from devlint.confirm.device_tags.device_event import DeviceError
from tests.confirm.shift.packages import HEAD, births, crash, line_of, module, shifted

PLAIN = module("return x + self.given['factor']  # crash")

#: A package, and what the test does with it; each has one line `# birth` and one `# crash`.
BUGS = {
    "made without a device": "made = torch.arange(3)  # birth\nreturn x + made  # crash",
    "made from numbers": "made = torch.tensor([1.0, 2, 3])  # birth\nreturn x + made  # crash",
    "an array": "made = torch.as_tensor(named['array'])  # birth\nreturn x * made  # crash",
    "taken to the CPU": "made = x.cpu()  # birth\nreturn x + made  # crash",
    "computed there": "made = torch.ones(3)\nmade = made * 2  # birth\nreturn x + made  # crash",
}

STATES = {
    "plain attribute": "self.kept = torch.ones(3)  # birth",
    "list": "self.kept = [torch.ones(3)]  # birth",
    "object": "self.kept = torch.distributions.Normal(torch.ones(3), 1)  # birth",
    "registered": "self.register_buffer('kept', torch.ones(3))",
    "list of parameters": "self.kept = [nn.Parameter(torch.ones(3))]  # birth",
}
READS = {"list": "self.kept[0]", "object": "self.kept.mean", "list of parameters": "self.kept[0]"}


@pytest.mark.parametrize("bug", BUGS)
def test_what_the_call_makes_on_the_cpu_is_its_fault(bug: str, tmp_path: Path) -> None:
    with shifted(tmp_path, module(BUGS[bug])) as (package, tally):
        package.Net()(torch.ones(3), array=[1.0, 2.0, 3.0])
        [found] = tally.events
        assert crash(found.event) == line_of(tmp_path, "# crash")
        assert births(found.event) == [line_of(tmp_path, "# birth")]
        assert found.callee == "shifted_package.Net"


@pytest.mark.parametrize("state", STATES)
def test_what_the_constructor_leaves_on_the_cpu_is_its_fault(state: str, tmp_path: Path) -> None:
    text = module(f"return x + {READS.get(state, 'self.kept')}  # crash")
    text = text.replace("self.given = given", STATES[state])
    with shifted(tmp_path, text) as (package, tally):
        net = package.Net()
        net(torch.ones(3))
        net(torch.ones(3))
        if state == "registered":
            assert tally.events == []
            return
        [found] = tally.events
        assert crash(found.event) == line_of(tmp_path, "# crash")
        assert births(found.event) == [line_of(tmp_path, "# birth")]
        assert tally.counts["events"] == 2


def test_what_the_constructor_has_computed_it_from_is_its_fault_too(tmp_path: Path) -> None:
    text = module("return x + self.kept.float()").replace(
        "self.given = given",
        "base = torch.arange(3)\n"
        "        self.register_buffer('base', base)\n"
        "        self.kept = base * 2",
    )
    with shifted(tmp_path, text) as (package, tally):
        assert package.Net()(torch.ones(3)).tolist() == [1, 3, 5]
        assert len(tally.events) == 1


def test_what_is_made_on_import_is_its_fault(tmp_path: Path) -> None:
    text = f"{HEAD}TABLE = torch.ones(3)  # birth\n{module('return x + TABLE  # crash')}"
    with shifted(tmp_path, text) as (package, tally):
        package.Net()(torch.ones(3))
        [found] = tally.events
        assert births(found.event) == [line_of(tmp_path, "# birth")]


def test_a_tensor_given_to_the_constructor_is_state(tmp_path: Path) -> None:
    with shifted(tmp_path, PLAIN) as (package, tally):
        package.Net({"factor": torch.ones(3)})(torch.ones(3))
        [found] = tally.events
        assert crash(found.event) == line_of(tmp_path, "# crash")


def test_an_array_of_what_is_on_cuda_is_its_fault(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    with shifted(tmp_path, module("return x.detach().numpy()  # crash")) as (package, tally):
        package.Net()(torch.ones(3))
        [found] = tally.events
        assert found.event.error == "TypeError"
        assert crash(found.event) == line_of(tmp_path, "# crash")


def test_a_bug_of_the_backward_pass_is_found(tmp_path: Path) -> None:
    text = HEAD + (
        "class Double(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x * 2\n"
        "    @staticmethod\n"
        "    def backward(ctx, gradient):\n"
        "        return gradient * torch.full((3,), 2.0)  # crash\n"
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        return Double.apply(x)\n"
    )
    with shifted(tmp_path, text) as (package, tally):
        x = torch.ones(3, requires_grad=True)
        (package.Net()(x) + torch.ones(3)).sum().backward()
        assert x.grad.tolist() == [2, 2, 2]
        [found] = tally.events
        assert crash(found.event) == line_of(tmp_path, "# crash")


def set_after_construction(package: Any) -> Any:
    net = package.Net()
    net.given = {"factor": torch.ones(3)}
    return net


def given_an_object(package: Any) -> Any:
    net = package.Net(torch.distributions.Normal(torch.ones(3), 1.0))
    net.given = {"factor": net.given.mean}
    return net


def made_by_a_method(package: Any) -> Any:
    net = package.Net()
    net.given = {"factor": net.table()}
    return net


@pytest.mark.parametrize("build", [set_after_construction, given_an_object, made_by_a_method])
def test_what_a_user_would_have_put_on_cuda_is_not_judged(build: Any, tmp_path: Path) -> None:
    text = PLAIN + "\n    def table(self):\n        return torch.arange(3)\n"
    with shifted(tmp_path, text) as (package, tally):
        assert build(package)(torch.ones(3)).device.type == "cpu"
        assert tally.events == []
        assert sum(tally.unjudged.values()) == 1


def test_what_is_computed_of_it_is_not_judged_either(tmp_path: Path) -> None:
    text = module("return x + self.given['factor'] * 2") + (
        "\n    def table(self):\n        return torch.arange(3)\n"
    )
    with shifted(tmp_path, text) as (package, tally):
        assert made_by_a_method(package)(torch.ones(3)).device.type == "cpu"
        assert tally.events == []
        assert sum(tally.unjudged.values()) == 1


def test_what_a_callback_of_the_test_makes_is_not_judged(tmp_path: Path) -> None:
    with shifted(tmp_path, module("return x + others[0]()")) as (package, tally):
        assert package.Net()(torch.ones(3), lambda: torch.ones(3)).tolist() == [2, 2, 2]
        assert tally.events == []
        assert sum(tally.unjudged.values()) == 1


def test_lengths_that_belong_on_the_cpu_are_not_judged(tmp_path: Path) -> None:
    text = module("return nn.utils.rnn.pack_padded_sequence(x, others[0])")
    with shifted(tmp_path, text) as (package, tally):
        package.Net()(torch.ones(3, 1, 1), torch.tensor([3]))
        assert tally.events == []
        assert sum(tally.unjudged.values()) == 1


CATCHES = """
try:
    return x + torch.ones(3)
except {caught}:
    {then}
"""


@pytest.mark.parametrize(
    ("caught", "then", "events"),
    [
        ("RuntimeError", "return x * 5", 0),
        ("(KeyError, Exception)", "return x * 5", 0),
        ("KeyError", "return x * 5", 1),
        ("RuntimeError", "raise", 1),
    ],
)
def test_what_the_package_catches_is_no_event(
    caught: str, then: str, events: int, tmp_path: Path
) -> None:
    text = module(CATCHES.format(caught=caught, then=then))
    with shifted(tmp_path, text) as (package, tally):
        result = package.Net()(torch.ones(3))
        assert len(tally.events) == events
        assert result.tolist() == ([2, 2, 2] if events else [5, 5, 5])


def test_it_raises_unless_it_goes_on(tmp_path: Path) -> None:
    with shifted(tmp_path, module("return x + torch.ones(3)"), goes_on=False) as (package, tally):
        with pytest.raises(DeviceError, match="same device"):
            package.Net()(torch.ones(3))
        assert len(tally.events) == 1


def test_no_graph_has_our_devices(tmp_path: Path) -> None:
    text = (
        f"{HEAD}class Net(nn.Module):\n    def forward(self, x):\n        return x.to(x.device)\n"
    )
    with shifted(tmp_path, text) as (package, tally):
        nets = torch.nn.Sequential(package.Net(), package.Net())
        traced = torch.jit.trace(nets, torch.ones(3))
        graph = torch.fx.symbolic_trace(nets)
        assert traced(torch.ones(3)).tolist() == graph(torch.ones(3)).tolist() == [1, 1, 1]
        assert "cuda" not in f"{traced.inlined_graph}{graph.code}"
        assert tally.counts["traced"] > 0


def test_nested_calls_are_one(tmp_path: Path) -> None:
    text = (
        module("return others[0](x)") + "\nclass Inner(Net):\n    def forward(self, x): return x\n"
    )
    with shifted(tmp_path, text) as (package, tally):
        package.Net()(torch.ones(3), package.Inner())
        package.Inner()(torch.ones(3))
        assert tally.counts["calls"] == 2


def test_modules_of_others_are_left_alone(tmp_path: Path) -> None:
    with shifted(tmp_path, module("return x")) as (package, tally):

        class Own(package.Net):  # type: ignore[misc, name-defined]
            def forward(self, x: Any) -> Any:
                assert not torch.cuda.is_available()
                return x

        Own()(torch.ones(3))
        torch.nn.Linear(3, 3)(torch.ones(3))
        assert tally.counts["calls"] == 0
