"""The facts, compared with the installed torch on CPU and meta tensors."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from devlint.facts.dimensions import Rank, Size
from devlint.facts.effect import (
    Agrees,
    Follows,
    Layer,
    Makes,
    MakesLike,
    Many,
    Picks,
    Pins,
    Pointwise,
    Reads,
)
from devlint.facts.table import FACTS
from devlint.interpret.tensors.dimensions import of_operands
from devlint.values.dimensions import Dimensions, exactly

torch: Any = pytest.importorskip("torch")


from .torch_examples import (  # noqa: E402
    UNCALLED,
    VERSION,
    X,
    as_is,
    as_scalar,
    called,
    example,
    is_in_place,
    known,
    placed,
    resolved,
    tensors,
)

pytestmark = pytest.mark.filterwarnings("ignore")  # Deprecations are not the facts' subject.

CALLED = (Makes, MakesLike, Pointwise, Agrees, Follows, Many, Picks, Pins, Reads)

NOT_IN_TORCH = {"npu", "hpu", "mlu", "musa"}  # Vendors' packages add these methods.
NEEDS_TENSORBOARD = {"torch.utils.tensorboard.SummaryWriter"}
WITHOUT_META = {
    "the result depends on values": "allclose argwhere bincount corrcoef cov equal "
    "gaussian_nll_loss is_nonzero istft item masked_select nonzero repeat_interleave tolist "
    "unique unique_consecutive unpad_sequence",
    "no meta kernel": "binomial ctc_loss histogram is_set_to lstsq share_memory_ "
    "to_sparse to_sparse_coo to_sparse_csc to_sparse_csr",
    "depended on values before 2.15": "" if VERSION >= (2, 15) else "combinations",
}
NO_META = {name for names in WITHOUT_META.values() for name in names.split()}


def test_every_name_is_one_of_torch() -> None:
    absent = {f"torch.Tensor.{vendor}" for vendor in NOT_IN_TORCH} | NEEDS_TENSORBOARD
    names = [name for name in FACTS if name.startswith("torch.")]
    missing = [name for name in names if name not in absent and not is_there(name)]
    assert missing == []


def is_there(name: str) -> bool:
    try:
        resolved(name)
    except (AttributeError, ModuleNotFoundError):
        return False
    return True


def test_results_are_of_the_kind_that_the_fact_says() -> None:
    assert [name for name in called(*CALLED) if not is_kind(name)] == []


def is_kind(name: str) -> bool:
    result = placed(name, as_is)
    plain = known(name)
    if isinstance(plain, Reads):
        return not tensors(result)
    if isinstance(plain, Many):
        return isinstance(result, (tuple, list)) and len(tensors(result)) == len(result)
    return isinstance(result, (torch.Tensor, torch.nn.utils.rnn.PackedSequence))


def test_results_are_scalars_when_the_rank_says_so() -> None:
    ranked = called(MakesLike, Pointwise, Agrees, Follows)
    assert [name for name in ranked if not has_rank(name)] == []


def has_rank(name: str) -> bool:
    """The results for the example and, where they are accepted, for 0-dim operands."""
    plain = known(name)
    assert isinstance(plain, (MakesLike, Pointwise, Agrees, Follows))
    if plain.rank is Rank.UNKNOWN or is_in_place(plain):
        return True
    example_is_scalar = plain.rank in (Rank.REDUCED, Rank.SCALAR, Rank.LOSS)
    if (tensors(placed(name, as_is))[0].dim() == 0) != example_is_scalar:
        return False
    try:
        result = placed(name, as_scalar)
    except (RuntimeError, IndexError, ValueError, AssertionError):
        return True
    is_scalar: bool = tensors(result)[0].dim() == 0
    return is_scalar == (plain.rank not in NEVER_SCALAR)


NEVER_SCALAR = {Rank.ARRAY, Rank.KEPT, Rank.MATRIX, Rank.MORE}


def test_results_have_as_many_dimensions_as_the_rank_says() -> None:
    """Those that the engine leaves to the rank alone, of the operands of the example."""
    ranked = [name for name in called(Pointwise, Agrees, Follows, Many) if is_ranked(name)]
    assert len(ranked) > 300
    assert [name for name in ranked if not is_within(name)] == []


def is_ranked(name: str) -> bool:
    plain = known(name)
    assert isinstance(plain, (Pointwise, Agrees, Follows, Many))
    return plain.rank not in (Rank.UNKNOWN, Rank.REDUCED, Rank.LOSS)


def is_within(name: str) -> bool:
    plain = known(name)
    assert isinstance(plain, (Pointwise, Agrees, Follows, Many))
    given: list[Dimensions] = []

    def note(where: tuple[int, int], tensor: Any) -> Any:
        given.append(exactly(tensor.dim()))
        return tensor

    results = tensors(placed(name, note))
    said = of_operands(plain.rank, given[:1] if isinstance(plain, Follows) else given)
    return all(
        said.least <= each.dim() and (said.most is None or each.dim() <= said.most)
        for each in results
    )


def test_factories_make_as_many_dimensions_as_their_size_says() -> None:
    sizes = {
        name: plain.size
        for name, plain in FACTS.items()
        if isinstance(plain, Makes) and name not in UNCALLED and plain.size is not Size.UNKNOWN
    }
    scalars = {name for name in sizes if placed(name, as_is).dim() == 0}
    assert scalars == {name for name, size in sizes.items() if size is Size.SCALAR}
    of_sizes = [name for name, size in sizes.items() if size is Size.SIZE]
    fills = {"torch.full": (1.0,), "torch.empty_strided": ((),), "torch.empty_permuted": ((),)}
    assert all(resolved(name)((), *fills.get(name, ())).dim() == 0 for name in of_sizes)
    of_data = [name for name, size in sizes.items() if size is Size.DATA]
    assert all(resolved(name)(1.0).dim() == 0 for name in of_data)
    assert all(resolved(name)(X.to("meta")).device.type == "meta" for name in of_data)


def test_default_device_is_honoured_where_the_fact_says_so() -> None:
    facts = {name: plain for name, plain in FACTS.items() if isinstance(plain, Makes)}
    makers = [name for name in facts if name not in UNCALLED]
    honouring = [name for name in makers if facts[name].honours_default]
    with torch.device("meta"):
        assert [name for name in makers if placed(name, as_is).is_meta] == honouring


def test_results_are_on_the_device_of_the_operands() -> None:
    operated = called(MakesLike, Pointwise, Agrees, Follows, Many, Picks, Reads)
    names = [name for name in operated if name.rpartition(".")[2] not in NO_META]
    assert [name for name in names if not is_followed(name)] == []


def is_followed(name: str) -> bool:
    args, _ = example(name)
    if isinstance(args[0], torch.nn.utils.rnn.PackedSequence):
        return True
    plain = known(name)
    on_cpu = plain.on_cpu if isinstance(plain, Many) else ()
    results = tensors(placed(name, lambda where, tensor: tensor.to("meta")))
    return all(result.is_meta or index in on_cpu for index, result in enumerate(results))


def test_without_meta_is_current() -> None:
    unmade = {name.rpartition(".")[2] for name in called(*CALLED) if not runs_on_meta(name)}
    assert unmade == NO_META


def runs_on_meta(name: str) -> bool:
    try:
        placed(name, lambda where, tensor: tensor.to("meta"))
    except (NotImplementedError, RuntimeError):
        return False
    return True


def test_in_place_methods_return_their_receiver() -> None:
    names = [name for name in called(Agrees, Follows, Pointwise) if is_in_place(known(name))]
    methods = [name for name in names if name.startswith("torch.Tensor.")]
    assert len(methods) > 100
    assert [name for name in methods if not returns_receiver(name)] == []


def test_methods_return_their_receiver_where_there_is_nothing_to_do() -> None:
    names = [name for name in called(Follows) if name.startswith("torch.Tensor.")]
    told = {name for name in names if getattr(known(name), "as_needed", False)}
    others = {name for name in names if not is_in_place(known(name)) and returns_receiver(name)}
    assert told == others - {"torch.Tensor.type_as"}  # What it follows is its other operand.


def returns_receiver(name: str) -> bool:
    receiver: list[Any] = []

    def keep(where: tuple[int, int], tensor: Any) -> Any:
        if where == (0, 0):
            receiver.append(tensor)
        return tensor

    return placed(name, keep) is receiver[0]


def test_samples_are_drawn_from_a_generator() -> None:
    sampling = [name for name in called(*CALLED) if getattr(known(name), "samples", False)]
    assert [name for name in called(*CALLED) if takes_generator(name)] == sampling


def takes_generator(name: str) -> bool:
    args, kwargs = example(name)
    try:
        resolved(name)(*args, **kwargs, generator=torch.Generator())
    except TypeError:
        return False
    return True


BUILT_WITH: dict[str, tuple[Any, ...]] = {
    "torch.nn.RNN": (2, 2),
    "torch.nn.LSTM": (2, 2),
    "torch.nn.GRU": (2, 2),
    "torch.nn.TransformerEncoder": (torch.nn.TransformerEncoderLayer(2, 2), 1),
    "torch.nn.TransformerDecoder": (torch.nn.TransformerDecoderLayer(2, 2), 1),
    "torch.nn.AdaptiveLogSoftmaxWithLoss": (4, 4, [2]),
    "torch.nn.FractionalMaxPool2d": (2, 1),
    "torch.nn.FractionalMaxPool3d": (2, 1),
    "torch.nn.Unflatten": (0, (2,)),
}


def test_layers_hold_state_where_the_fact_says_so() -> None:
    layers = {name: plain for name, plain in FACTS.items() if isinstance(plain, Layer)}
    built = {name: layer(name) for name in layers}
    stateful = [n for n, module in built.items() if [*module.parameters(), *module.buffers()]]
    assert stateful == [name for name, plain in layers.items() if plain.holds_state]


def layer(name: str) -> Any:
    built = resolved(name)
    wanted = [
        parameter
        for parameter in inspect.signature(built).parameters.values()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    return built(*BUILT_WITH.get(name, [2] * len(wanted)))
