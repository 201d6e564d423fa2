"""Calls of PyTorch's functions with example arguments, by name, for `tests/test_facts.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

from devlint.facts.effect import Agrees, Fact, Follows, Pointwise
from devlint.facts.signature import Mark, signature
from devlint.facts.table import FACTS, fact

torch: Any = pytest.importorskip("torch")

Example = tuple[tuple[Any, ...], dict[str, Any]]
Place = Callable[[tuple[int, int], Any], Any]
VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
X = torch.eye(3) * 0.5 + 0.1
V = torch.tensor([0.1, 0.2, 0.3])
J = torch.tensor([0, 2, 1])
JJ = torch.tensor([[0, 2, 1]] * 3)
B = X > 0.2
C = torch.complex(X, X)
IMG = torch.rand(1, 4, 8, 8)
LONG = torch.rand(1, 32)
SPECTRUM = torch.stft(LONG, 8, 4, 8, torch.ones(8), return_complex=True)
PACKED = torch.nn.utils.rnn.pack_sequence([X, X])
SPARSE = torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.tensor([1.0, 2.0]), (3,))
WITH_GRADIENT = torch.nn.Parameter(V.clone())


def on(*args: Any, **kwargs: Any) -> Example:
    return args, kwargs


EXAMPLES: dict[str, Example] = {
    name: arguments
    for names, arguments in [
        ("zeros ones empty rand randn", on(2, 3)),
        ("functional_call", on(torch.nn.Linear(3, 3, bias=False), {"weight": X}, (X,))),
        ("new_zeros new_ones new_empty new expand repeat", on(X, 3, 3)),
        ("full", on((2, 3), 1.0)),
        ("new_full", on(X, (2, 3), 1.0)),
        ("empty_strided empty_permuted", on((2, 3), (0, 1))),
        ("new_empty_strided", on(X, (2, 3), (3, 1))),
        ("new_tensor", on(X, [1.0])),
        ("kaiser_window arange eye randperm fftfreq rfftfreq scalar_tensor", on(4)),
        ("hann hamming hann_window hamming_window blackman_window bartlett_window", on(4)),
        ("gaussian", on(4, std=1.0)),
        ("range tril_indices triu_indices", on(1, 4)),
        ("_shape_as_tensor shape_as_tensor", on(X)),
        ("linspace logspace", on(0, 1, 5)),
        ("randint", on(0, 9, (3,))),
        ("frombuffer", on(bytearray(8), dtype=torch.float32)),
        ("tensor as_tensor asarray torch.Tensor", on([1.0, 2.0])),
        ("FloatTensor DoubleTensor HalfTensor BFloat16Tensor", on([1, 2])),
        ("IntTensor LongTensor ShortTensor ByteTensor CharTensor BoolTensor", on([1, 2])),
        (
            " ".join(n for n in FACTS if re.fullmatch(r"torch\.sparse(\.\w+T|_coo_t)ensor", n)),
            on(torch.tensor([[0, 2]]), torch.tensor([1.0, 2.0]), (3,)),
        ),
        (
            "sparse_csr_tensor",
            on(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.tensor([1.0, 2.0]), (2, 2)),
        ),
        ("coalesce _indices _values", on(SPARSE)),
        ("indices", on(SPARSE.coalesce())),
        ("crow_indices col_indices", on(X.to_sparse_csr())),
        ("ccol_indices row_indices", on(X.to_sparse_csc())),
        ("multigammaln", on(X + 2, 2)),
        ("split_with_sizes unsafe_split_with_sizes", on(X, [1, 2])),
        ("unsafe_chunk unsafe_split", on(X, 2)),
        ("tensorinv", on(torch.eye(6).reshape(6, 2, 3), 1)),
        ("tensorsolve", on(torch.eye(6).reshape(6, 2, 3), torch.rand(6))),
        ("orgqr", on(X, V)),
        ("ormqr", on(X, V, X)),
        ("full_like fill_ fill_diagonal_ constant_", on(X, 1.0)),
        ("randint_like", on(X, 0, 9)),
        ("binomial", on(torch.full((3,), 4.0), V)),
        ("multinomial", on(V, 2)),
        ("normal_ uniform_ cauchy_ log_normal_", on(X, 0.5, 1.0)),
        ("geometric_", on(X, 0.5)),
        ("exponential_", on(X, 1.0)),
        ("sparse_", on(X, 0.1)),
        ("dirac_", on(torch.rand(2, 2, 2))),
        ("logsumexp", on(X[0], 0)),
        ("softmax log_softmax softmin cumsum cumprod logcumsumexp", on(X, 0)),
        ("cummax cummin unsqueeze", on(X, 0)),
        ("float_power", on(X.double(), X)),
        ("polygamma", on(1, X)),
        ("torch.Tensor.polygamma", on(X, 1)),
        ("mvlgamma", on(X + 2, 2)),
        ("bitwise_not", on(J)),
        ("bitwise_and bitwise_or bitwise_xor gcd lcm", on(J, J)),
        ("bitwise_left_shift bitwise_right_shift dot vdot outer ger bincount", on(J, J)),
        ("dropout dropout_", on(X, 0.5, True)),
        ("threshold", on(X, 0.1, 0.2)),
        ("prelu", on(X, V)),
        ("quantile nanquantile", on(X, V)),
        ("kthvalue topk chunk split hsplit vsplit", on(X, 1)),
        ("dsplit", on(IMG, 1)),
        ("tensor_split", on(X, J[:1])),
        ("renorm", on(X, 2, 0, 1.0)),
        ("bucketize searchsorted cumulative_trapezoid trapezoid trapz isin", on(V, V)),
        ("combinations vander", on(V)),
        ("flip", on(X, (0,))),
        ("reshape view broadcast_to sum_to_size resize_", on(X, (3, 3))),
        ("tile", on(X, (2, 1))),
        ("unflatten", on(X, 0, (3, 1))),
        ("transpose swapaxes swapdims movedim moveaxis", on(X, 0, 1)),
        ("permute", on(X, (1, 0))),
        ("roll", on(X, 1)),
        ("repeat_interleave", on(X, J, 0)),
        ("narrow narrow_copy", on(X, 0, 0, 2)),
        ("diagonal_scatter", on(X, V)),
        ("select_scatter", on(X, V, 0, 0)),
        ("select", on(X, 0, 0)),
        ("as_strided", on(X, (2, 2), (1, 1))),
        ("is_nonzero item", on(X.sum())),
        ("unfold", on(X, 0, 2, 1)),
        ("block_diag cartesian_prod meshgrid", on(V, V)),
        ("unravel_index", on(J, (3, 3))),
        ("view_as_real imag", on(C)),
        ("view_as_complex", on(torch.rand(3, 2))),
        ("pack_padded_sequence", on(IMG[0], torch.tensor([8, 8, 8, 8]), batch_first=True)),
        ("pad_packed_sequence", on(PACKED)),
        ("unpad_sequence", on(X, J + 1)),
        ("broadcast_shapes", on((3,), (3, 3))),
        ("mv", on(X, V)),
        ("bmm", on(IMG[0], IMG[0])),
        ("addmv", on(V, X, V)),
        ("addr", on(X, V, V)),
        ("addbmm", on(IMG[0, 0], IMG[0], IMG[0])),
        ("baddbmm", on(IMG[0], IMG[0], IMG[0])),
        ("matrix_power", on(X, 2)),
        ("chain_matmul", on(X, X)),
        ("einsum", on("ij,jk->ik", X, X)),
        ("stft", on(LONG, 8, 4, 8, torch.ones(8), return_complex=True)),
        ("istft", on(SPECTRUM, 8, 4, 8, torch.ones(8))),
        ("solve_triangular", on(X, X, upper=True)),
        ("householder_product", on(X, V)),
        ("gather", on(X, 0, JJ)),
        ("take_along_dim", on(X, JJ, 0)),
        ("index_select", on(X, 0, J)),
        ("scatter scatter_add", on(X, 0, JJ, X)),
        ("scatter_reduce", on(X, 0, JJ, X, "sum")),
        ("index_add index_copy", on(X, 0, J, X)),
        ("index_reduce", on(X, 0, J, X, "amax")),
        ("index_fill", on(X, 0, J, 1.0)),
        ("index_put", on(X, (J,), V)),
        ("masked_fill", on(X, B, X.sum())),
        ("masked_scatter", on(X, B, X)),
        ("masked_select", on(X, B)),
        ("take", on(X, J)),
        ("put_", on(X, J, V)),
        ("where", on(B, X, X)),
        ("torch.Tensor.where", on(X, B, X)),
        ("glu", on(IMG)),
        ("bilinear", on(X, X, torch.rand(2, 3, 3), torch.rand(2))),
        ("linear", on(X, X, V)),
        ("embedding", on(J, X)),
        ("embedding_bag", on(J, X, torch.tensor([0, 1]))),
        ("one_hot", on(J, 3)),
        ("conv1d", on(IMG[0], torch.rand(2, 8, 3), torch.rand(2))),
        ("conv2d", on(IMG, torch.rand(2, 4, 3, 3), torch.rand(2))),
        ("conv3d", on(IMG[None], torch.rand(2, 1, 3, 3, 3), torch.rand(2))),
        ("conv_transpose1d", on(IMG[0], torch.rand(8, 2, 3), torch.rand(2))),
        ("conv_transpose2d", on(IMG, torch.rand(4, 2, 3, 3), torch.rand(2))),
        ("conv_transpose3d", on(IMG[None], torch.rand(1, 2, 3, 3, 3), torch.rand(2))),
        ("torch.nn.functional.unfold pixel_shuffle pixel_unshuffle", on(IMG, 2)),
        ("avg_pool2d max_pool2d channel_shuffle local_response_norm", on(IMG, 2)),
        ("adaptive_avg_pool2d adaptive_max_pool2d", on(IMG, 2)),
        ("avg_pool1d max_pool1d adaptive_avg_pool1d adaptive_max_pool1d", on(IMG[0], 2)),
        ("avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d", on(IMG[None], 1)),
        ("lp_pool1d", on(IMG[0], 2, 2)),
        ("lp_pool2d", on(IMG, 2, 2)),
        ("max_unpool2d", on(IMG, torch.arange(256).view(1, 4, 8, 8) % 64, 2)),
        ("fold", on(torch.rand(1, 4, 4), (4, 4), 2, stride=2)),
        ("layer_norm", on(X, (3,), V, V)),
        ("rms_norm", on(X, (3,), V)),
        ("group_norm", on(IMG, 2, torch.rand(4), torch.rand(4))),
        ("batch_norm", on(X, V, V, V, V)),
        ("instance_norm", on(IMG, *[torch.rand(4)] * 4)),
        ("torch.nn.functional.pad", on(X, (1, 1))),
        ("interpolate upsample", on(IMG, 4)),
        ("grid_sample", on(IMG, torch.rand(1, 2, 2, 2))),
        ("affine_grid", on(torch.rand(1, 2, 3), (1, 1, 2, 2))),
        ("scaled_dot_product_attention", on(IMG, IMG, IMG, IMG[0, 0])),
        ("dropout1d", on(IMG[0])),
        ("dropout2d", on(IMG)),
        ("dropout3d feature_alpha_dropout", on(IMG[None])),
        ("clip_grad_norm_ clip_grad_value_", on([WITH_GRADIENT], 1.0)),
        ("cross_entropy nll_loss", on(X, J, V)),
        ("multi_margin_loss", on(X, J, 1, 1.0, V)),
        ("multilabel_margin_loss", on(X, JJ)),
        ("cosine_embedding_loss", on(X, X, V)),
        ("ctc_loss", on(torch.rand(5, 1, 4), J[None] + 1, torch.tensor([5]), torch.tensor([3]))),
        ("binary_cross_entropy_with_logits", on(X, X, X, pos_weight=V)),
        ("random_", on(X, 0, 9)),
        ("from_file", on(__file__, False, 4)),
    ]
    for name in names.split()
}

REMOVED = ("torch.Tensor.cholesky", "torch.Tensor.qr", "torch.cholesky", "torch.qr")
# What a plain build of PyTorch on a CPU cannot call, and why.
UNCALLED = {
    "torch.from_numpy": "the tests do without NumPy",
    "torch.Tensor.pin_memory": "wants an accelerator",
    "torch.nn.utils.clip_grad_norm_": "the norm of no gradients is made on the CPU",
    **{name: "wants CUDA" for name in FACTS if re.fullmatch(r"torch\.cuda\.[\w.]+Tensor", name)},
    **{name: "only raises an error since 2.15" for name in REMOVED if VERSION >= (2, 15)},
}


def example(name: str) -> Example:
    """Fresh arguments for a call: from the examples, else a matrix for each operand."""
    plain = name if name in FACTS else name[:-1]
    found = EXAMPLES.get(plain) or EXAMPLES.get(plain.rpartition(".")[2]) or _matrices(name)
    args, kwargs = found
    return mapped(args, fresh), mapped(kwargs, fresh)


def _matrices(name: str) -> Example:
    args: list[Any] = []
    for parameter in signature(known(name).signature).parameters:
        if parameter.mark is Mark.SETTING:
            break
        args.append([X, X] if parameter.is_sequence else X)
    return tuple(args), {}


def known(name: str) -> Fact:
    found = fact(name)
    assert found is not None, name
    return found


def resolved(name: str) -> Any:
    module, *attributes = name.split(".")
    found: Any = import_module(module)
    for attribute in attributes:
        if not hasattr(found, attribute):
            import_module(f"{found.__name__}.{attribute}")
        found = getattr(found, attribute)
    return found


def fresh(tensor: Any) -> Any:
    return tensor.detach().clone()


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """`value` with each tensor in it changed."""
    if isinstance(value, (torch.Tensor, torch.nn.utils.rnn.PackedSequence)):
        return change(value) if isinstance(value, torch.Tensor) else value
    if isinstance(value, (tuple, list)):
        return type(value)(mapped(item, change) for item in value)
    if isinstance(value, dict):
        return {key: mapped(item, change) for key, item in value.items()}
    return value


def tensors(value: Any) -> list[Any]:
    """The tensors in a result; a packed sequence is where its data is."""
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        return [value.data]
    if isinstance(value, (tuple, list)):
        return [found for item in value for found in tensors(item)]
    return [value] if isinstance(value, torch.Tensor) else []


def called(*kinds: type[Fact]) -> Iterator[str]:
    """The facts of these kinds, and their in-place methods."""
    for name, plain in FACTS.items():
        if isinstance(plain, kinds) and name not in UNCALLED:
            yield name
            last = name.removeprefix("torch.Tensor.")
            if last != name and hasattr(torch.Tensor, last + "_") and name + "_" not in FACTS:
                yield name + "_"


def placed(name: str, place: Place) -> Any:
    """The result of a call whose tensors are `place(where, tensor)`; `where` counts arguments.

    What has to stay on the CPU stays there.
    """
    args, kwargs = example(name)
    parameters = signature(known(name).signature).bind(len(args), kwargs)
    values = []
    for index, (parameter, value) in enumerate(
        zip(parameters, [*args, *kwargs.values()], strict=True)
    ):
        keys = [*value] if isinstance(value, dict) else None
        items = [value] if isinstance(value, torch.Tensor) else value
        items = items if keys is None else [value[key] for key in keys]
        stays = parameter is not None and parameter.mark is Mark.STAYS_ON_CPU
        if type(items) in (list, tuple) and not stays:
            moved = [
                place((index, inner), item) if isinstance(item, torch.Tensor) else item
                for inner, item in enumerate(items)
            ]
            value = dict(zip(keys, moved, strict=True)) if keys is not None else value
            value = moved[0] if isinstance(value, torch.Tensor) else value
            value = type(value)(moved) if isinstance(value, (list, tuple)) else value
        values.append(value)
    named = dict(zip(kwargs, values[len(args) :], strict=True))
    return resolved(name)(*values[: len(args)], **named)


def is_in_place(plain: Fact) -> bool:
    return isinstance(plain, (Agrees, Follows, Pointwise)) and plain.in_place


def as_is(where: tuple[int, int], tensor: Any) -> Any:
    return tensor


def as_scalar(where: tuple[int, int], tensor: Any) -> Any:
    return tensor.flatten()[0]
