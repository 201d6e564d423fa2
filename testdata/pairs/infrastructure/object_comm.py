"""Communication of arbitrary Python objects between workers.

All collectives work on byte tensors on the device of the communicator, as some backends
do not handle host memory.
"""
import abc
import io
import pickle
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

import torch
from torch import Tensor

_HEADER = 8


class Communicator(abc.ABC):
    """What a backend has to provide."""

    _registry: Dict[str, Type["Communicator"]] = {}

    def __init_subclass__(cls, name: Optional[str] = None, **kwargs):
        super().__init_subclass__(**kwargs)
        if name is not None:
            Communicator._registry[name] = cls

    def __init__(self, device="cpu"):
        self.device = torch.device(device)

    @classmethod
    def create(cls, name: str, **kwargs) -> "Communicator":
        if name not in cls._registry:
            raise KeyError(f"no communicator {name!r}; known: {sorted(cls._registry)}")
        return cls._registry[name](**kwargs)

    @property
    @abc.abstractmethod
    def rank(self) -> int:
        ...

    @property
    @abc.abstractmethod
    def world_size(self) -> int:
        ...

    @abc.abstractmethod
    def all_gather(self, tensor: Tensor) -> List[Tensor]:
        ...

    @abc.abstractmethod
    def all_reduce(self, tensor: Tensor, op: str = "sum") -> Tensor:
        ...


class LocalCommunicator(Communicator, name="local"):
    """A world of one worker."""

    rank = 0
    world_size = 1

    def all_gather(self, tensor):
        return [tensor.clone()]

    def all_reduce(self, tensor, op="sum"):
        return tensor


class TorchCommunicator(Communicator, name="torch"):
    """Uses the default process group."""

    @property
    def rank(self):
        return torch.distributed.get_rank()

    @property
    def world_size(self):
        return torch.distributed.get_world_size()

    def all_gather(self, tensor):
        out = [torch.empty_like(tensor) for _ in range(self.world_size)]
        torch.distributed.all_gather(out, tensor.contiguous())
        return out

    def all_reduce(self, tensor, op="sum"):
        ops = {"sum": torch.distributed.ReduceOp.SUM, "max": torch.distributed.ReduceOp.MAX}
        torch.distributed.all_reduce(tensor, op=ops[op])
        return tensor


def _encode(obj: Any, device: torch.device) -> Tuple[Tensor, Tensor]:
    stream = io.BytesIO()
    pickle.Pickler(stream, protocol=4).dump(obj)
    payload = torch.frombuffer(bytearray(stream.getvalue()), dtype=torch.uint8)
    size = torch.tensor([payload.numel()], dtype=torch.long)
    return payload.to(device), size.to(device)


def _decode(buffer: Tensor, size: int) -> Any:
    if buffer.dtype != torch.uint8:
        raise TypeError(f"expected bytes, got {buffer.dtype}")
    return pickle.loads(buffer[:size].cpu().numpy().tobytes())


def all_gather_object(comm: Communicator, obj: Any) -> List[Any]:
    """Every worker gets the objects of all workers, in the order of ranks."""
    payload, size = _encode(obj, comm.device)
    sizes = [int(s.item()) for s in comm.all_gather(size)]
    padded = torch.zeros(max(sizes) + _HEADER, dtype=torch.uint8, device=comm.device)
    padded[: payload.numel()] = payload
    return [_decode(buf, n) for buf, n in zip(comm.all_gather(padded), sizes)]


def broadcast_object(comm: Communicator, obj: Any, src: int = 0) -> Any:
    if comm.world_size == 1:
        return obj
    return all_gather_object(comm, obj if comm.rank == src else None)[src]


def gather_tensors(comm: Communicator, tensor: Tensor) -> Tensor:
    """Concatenates tensors whose first dimensions may differ between workers."""
    if tensor.dim() == 0:
        tensor = tensor[None]
    n = torch.tensor([tensor.size(0)], device=comm.device)
    counts = [int(c) for c in comm.all_gather(n)]
    padded = tensor.new_zeros((max(counts),) + tuple(tensor.shape[1:]))
    padded[: tensor.size(0)] = tensor
    return torch.cat([t[:c] for t, c in zip(comm.all_gather(padded), counts)])


def reduce_dict(comm: Communicator, values: Dict[str, Tensor], average: bool = True) -> Dict[str, Tensor]:
    names = sorted(values)
    stacked = torch.stack([values[k].detach().to(comm.device) for k in names])
    stacked = comm.all_reduce(stacked)
    if average:
        stacked = stacked / comm.world_size
    return dict(zip(names, stacked))


def merge_logs(comm: Communicator, logs: dict, merge: Callable[[List[dict]], dict]) -> Optional[dict]:
    """Gathers the logs of all workers, the first one merges them."""
    gathered = all_gather_object(comm, logs)
    return merge(gathered) if comm.rank == 0 else None
