"""Functions that make a tensor from sizes or data."""

from __future__ import annotations

from devlint.facts.dimensions import Rank, Size
from devlint.facts.effect import Fact, Makes, MakesLike

_LEGACY = ["Float", "Double", "Half", "BFloat16", "Int", "Long", "Short", "Byte", "Char", "Bool"]
_SPARSE = [f"sparse.{kind}" for kind in _LEGACY if kind != "Bool"]

FUNCTIONS: dict[str, Fact] = {
    "torch.zeros": Makes("*-size", Size.SIZE),
    "torch.ones": Makes("*-size", Size.SIZE),
    "torch.empty": Makes("*-size", Size.SIZE),
    "torch.full": Makes("-size -fill_value", Size.SIZE),
    "torch.empty_strided": Makes("-size -stride", Size.SIZE),
    "torch.empty_permuted": Makes("-size -physical_layout", Size.SIZE),
    "torch.arange": Makes("-start -end -step", Size.ARRAY),
    "torch.range": Makes("-start -end -step", Size.ARRAY, honours_default=False),
    "torch.linspace": Makes("-start -end -steps", Size.ARRAY),
    "torch.logspace": Makes("-start -end -steps -base", Size.ARRAY),
    "torch._shape_as_tensor": Makes("-self", Size.ARRAY, honours_default=False),
    "torch.onnx.operators.shape_as_tensor": Makes("-x", Size.ARRAY, honours_default=False),
    "torch.eye": Makes("-n -m", Size.MATRIX),
    "torch.tril_indices": Makes("-row -col -offset", Size.MATRIX),
    "torch.triu_indices": Makes("-row -col -offset", Size.MATRIX),
    "torch.hann_window": Makes("-window_length -periodic", Size.ARRAY),
    "torch.hamming_window": Makes("-window_length -periodic -alpha -beta", Size.ARRAY),
    "torch.blackman_window": Makes("-window_length -periodic", Size.ARRAY),
    "torch.bartlett_window": Makes("-window_length -periodic", Size.ARRAY),
    "torch.kaiser_window": Makes("-window_length -periodic -beta", Size.ARRAY),
    "torch.fft.fftfreq": Makes("-n -d", Size.ARRAY),
    "torch.fft.rfftfreq": Makes("-n -d", Size.ARRAY),
    "torch.signal.windows.hann": Makes("-M", Size.ARRAY),
    "torch.signal.windows.hamming": Makes("-M", Size.ARRAY),
    "torch.signal.windows.gaussian": Makes("-M", Size.ARRAY),
    "torch.tensor": Makes("~data -dtype -device -requires_grad", Size.DATA, copies=True),
    "torch.as_tensor": Makes("~data -dtype -device", Size.DATA),
    "torch.asarray": Makes("~obj", Size.DATA),
    "torch.scalar_tensor": Makes("-s", Size.SCALAR),
    "torch.sparse_coo_tensor": MakesLike("indices values -size", Rank.ARRAY),
    "torch.sparse_csr_tensor": MakesLike("crow_indices col_indices values -size", Rank.ARRAY),
    "torch.from_numpy": Makes("-ndarray", Size.LIKE, honours_default=False),
    "torch.frombuffer": Makes("-buffer", Size.ARRAY, honours_default=False),
    "torch.from_file": Makes("-filename -shared -size", Size.ARRAY, honours_default=False),
    "torch.Tensor": Makes("*-data", Size.ARRAY, honours_default=False),
    "torch.zeros_like": MakesLike("input"),
    "torch.ones_like": MakesLike("input"),
    "torch.empty_like": MakesLike("input"),
    "torch.full_like": MakesLike("input -fill_value"),
    **{
        f"torch.{kind}Tensor": Makes("*-data", Size.ARRAY, honours_default=False)
        for kind in _LEGACY
    },
    **{
        f"torch.cuda.{kind}Tensor": Makes(
            "*-data", Size.ARRAY, honours_default=False, device="cuda"
        )
        for kind in _LEGACY
    },
    # Of indices and values it is where these are, by whatever type it is called.
    **{
        f"torch.{place}{kind}Tensor": MakesLike("indices values -size", Rank.ARRAY)
        for place in ("", "cuda.")
        for kind in _SPARSE
    },
}

METHODS: dict[str, Fact] = {
    "new_zeros": MakesLike("self *-size", Rank.UNKNOWN),
    "new_ones": MakesLike("self *-size", Rank.UNKNOWN),
    "new_empty": MakesLike("self *-size", Rank.UNKNOWN),
    "new_empty_strided": MakesLike("self -size -stride", Rank.UNKNOWN),
    "new_full": MakesLike("self -size -fill_value", Rank.UNKNOWN),
    "new_tensor": MakesLike("self -data", Rank.UNKNOWN),
    "new": MakesLike("self *-size", Rank.UNKNOWN),
}
