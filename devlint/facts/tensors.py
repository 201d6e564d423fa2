"""What shows that an object out of view is a tensor, or is moved as one: into a copy."""

from __future__ import annotations

#: Methods that only tensors have; what they give is a tensor.
TENSOR_METHODS = frozenset(
    (
        "unsqueeze unsqueeze_ repeat_interleave permute expand_as view_as reshape_as masked_fill "
        "masked_fill_ masked_select masked_scatter index_select index_add index_add_ scatter_ "
        "scatter_add scatter_add_ type_as new_zeros new_ones new_full new_empty new_tensor "
        "log_softmax contiguous"
    ).split()
)
#: Methods of tensors and arrays that nothing has which moves in place: no module, no
#: `BatchEncoding`, no `Data` of torch_geometric, no metric.
ARRAY_METHODS = TENSOR_METHODS | frozenset(
    (
        "view reshape squeeze transpose flatten expand softmax sigmoid argmax argmin topk cumsum "
        "clamp clamp_ tolist item numpy fill_ zero_ copy_ eq ne gt lt ge le unfold narrow nonzero "
        "bmm mm new"
    ).split()
)
#: The same without arguments, or given plain numbers; with others they may be layers that a module
#: has under such names: `self.encoder.mean(x)`.
REDUCTIONS = frozenset("sum mean std var prod max min abs sqrt".split())
