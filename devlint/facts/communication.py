"""Collective operations of `torch.distributed`."""

from __future__ import annotations

from devlint.facts.effect import Communicates, Fact

FUNCTIONS: dict[str, Fact] = {
    "torch.distributed.all_reduce": Communicates("tensor -op -group -async_op"),
    "torch.distributed.reduce": Communicates("tensor -dst -op -group -async_op"),
    "torch.distributed.broadcast": Communicates("tensor -src -group -async_op"),
    "torch.distributed.all_gather": Communicates("*tensor_list tensor -group -async_op"),
    "torch.distributed.gather": Communicates("tensor -gather_list -dst -group -async_op"),
    "torch.distributed.scatter": Communicates("tensor -scatter_list -src -group -async_op"),
    "torch.distributed.send": Communicates("tensor -dst -group -tag"),
    "torch.distributed.recv": Communicates("tensor -src -group -tag"),
    "torch.distributed.isend": Communicates("tensor -dst -group -tag"),
    "torch.distributed.irecv": Communicates("tensor -src -group -tag"),
    "torch.distributed.all_to_all_single": Communicates("output input"),
    "torch.distributed.reduce_scatter": Communicates("output *input_list -op -group -async_op"),
    "torch.distributed.all_gather_into_tensor": Communicates("output_tensor input_tensor -group"),
    "torch.distributed.reduce_scatter_tensor": Communicates("output input -op -group -async_op"),
}
