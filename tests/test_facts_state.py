"""What becomes of optimizer state, ties and identity, as the rules take it to be, in the installed
PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from devlint.facts.effect import Layer, Opaque
from devlint.facts.layers import LAYERS
from devlint.facts.table import named_facts
from devlint.interpret.objects.optimizers import EAGER

torch: Any = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore")  # Deprecations are not the facts' subject.

OPTIMIZERS = sorted(
    name.rpartition(".")[2]
    for name, fact in named_facts()
    if isinstance(fact, Opaque) and fact.kind == "optimizer" and name.startswith("torch.optim.")
)


def tied(device: str = "cpu") -> Any:
    with torch.device(device):
        first, second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    second.weight = first.weight
    return torch.nn.Sequential(first, second)


def is_tied(model: Any) -> bool:
    return model[0].weight is model[1].weight


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_state_is_made_with_the_optimizer_or_by_its_first_step(name: str) -> None:
    if not hasattr(torch.optim, name):
        pytest.skip("of another version of PyTorch")
    parameter = torch.nn.Parameter(torch.ones(4, 4))
    optimizer = getattr(torch.optim, name)([parameter], lr=0.1)
    assert bool(optimizer.state) is (name in EAGER)


def test_loaded_state_goes_where_the_parameters_are() -> None:
    saved = torch.optim.Adam([torch.nn.Parameter(torch.ones(2))])
    saved.param_groups[0]["params"][0].grad = torch.ones(2)
    saved.step()
    parameter = torch.nn.Parameter(torch.ones(2, device="meta"))
    optimizer = torch.optim.Adam([parameter])
    optimizer.load_state_dict(saved.state_dict())
    assert optimizer.state[parameter]["exp_avg"].device == parameter.device


def test_to_empty_from_meta_makes_new_parameters() -> None:
    model = tied("meta")
    before = model[0].weight
    model.to_empty(device="cpu")
    assert model[0].weight is not before
    assert not is_tied(model)


def test_to_empty_from_elsewhere_keeps_them() -> None:
    model = tied()
    before = model[0].weight
    model.to_empty(device="cpu")
    assert model[0].weight is before
    assert is_tied(model)


def test_a_state_dict_is_copied_or_assigned() -> None:
    model = tied()
    model.load_state_dict(model.state_dict())
    assert is_tied(model)
    model.load_state_dict(model.state_dict(), assign=True)
    assert not is_tied(model)


def test_a_parameter_of_data_shares_memory_and_no_more() -> None:
    weight = torch.nn.Linear(2, 2).weight
    for other in (weight.data, weight.detach(), weight.to("cpu"), weight):
        parameter = torch.nn.Parameter(other)
        assert parameter is not weight
        assert parameter.data_ptr() == weight.data_ptr()


def test_a_move_to_where_a_tensor_is_gives_the_tensor() -> None:
    tensor = torch.ones(2)
    assert tensor.to("cpu") is tensor
    assert tensor.to("meta") is not tensor.to("meta")


@pytest.mark.parametrize("name", ["Transformer", "TransformerEncoder", "TransformerDecoder"])
def test_causal_masks_are_dropped(name: str) -> None:
    fact = LAYERS[name]
    assert isinstance(fact, Layer)
    assert fact.masks
    x = torch.zeros(5, 2, 8, device="meta")
    inputs = [x] * min(index for index, _ in fact.masks)
    causal = torch.full((5, 5), float("-inf")).triu(1)
    masks = {name: causal for _, name in fact.masks}
    assert transformer(name)(*inputs, **masks).device.type == "meta"
    with pytest.raises(RuntimeError, match="not on the expected device"):
        transformer(name)(*inputs, **dict.fromkeys(masks, torch.zeros(5, 5)))


def transformer(name: str) -> Any:
    layer = getattr(torch.nn, f"{name}Layer", None)
    made = getattr(torch.nn, name)
    return made(layer(8, 2), 1).to("meta") if layer else made(8, 2, 1, 1).to("meta")


@pytest.mark.parametrize("there", ["cpu", "meta"])
def test_gradients_are_where_their_outputs_are_unless_they_have_no_dimensions(there: str) -> None:
    other = "cpu" if there == "meta" else "meta"
    x = torch.ones(3, device=there, requires_grad=True)
    torch.autograd.grad(x * 2, x, torch.ones(3, device=there))
    for misplaced in (torch.ones(3, device=other), [torch.ones(3, device=other)]):
        with pytest.raises(RuntimeError, match=f"expected device {there}"):
            torch.autograd.grad(x * 2, x, misplaced)
    with pytest.raises(RuntimeError, match=f"expected device {there}"):
        (x * 2).backward(torch.ones(3, device=other))
    if other == "cpu":  # Nothing leaves `meta`.
        torch.autograd.grad((x * 2).sum(), x, torch.tensor(1.0))
