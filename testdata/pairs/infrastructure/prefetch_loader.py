"""Moving batches to the accelerator while the previous batch is processed."""
import collections
import dataclasses
import queue
import threading
from collections.abc import Mapping
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional

import torch
from torch import Tensor


class SequenceBatch(NamedTuple):
    tokens: Tensor
    targets: Tensor
    weights: Optional[Tensor] = None


def is_namedtuple(obj: Any) -> bool:
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def apply_to_tensors(fn: Callable[[Tensor], Tensor], obj: Any) -> Any:
    """Applies ``fn`` to every tensor of a nested collection."""
    if isinstance(obj, Tensor):
        return fn(obj)
    if isinstance(obj, Mapping):
        items = ((k, apply_to_tensors(fn, v)) for k, v in obj.items())
        if isinstance(obj, collections.OrderedDict):
            return collections.OrderedDict(items)
        return dict(items)
    if isinstance(obj, list):
        return [apply_to_tensors(fn, v) for v in obj]
    if is_namedtuple(obj):
        return type(obj)(*(apply_to_tensors(fn, v) for v in obj))
    if type(obj) is tuple:
        return tuple(apply_to_tensors(fn, v) for v in obj)
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return dataclasses.replace(
            obj, **{f.name: apply_to_tensors(fn, getattr(obj, f.name)) for f in dataclasses.fields(obj)}
        )
    return obj


def to_device(obj: Any, device, non_blocking: bool = False) -> Any:
    device = torch.device(device)
    return apply_to_tensors(lambda t: t.to(device, non_blocking=non_blocking), obj)


def batch_size_of(obj: Any) -> Optional[int]:
    sizes = []
    apply_to_tensors(lambda t: sizes.append(t.size(0) if t.dim() else 1), obj)
    if is_namedtuple(obj):
        sizes.append(obj[0].size(0))
    return sizes[0] if sizes else None


def collate_sequences(samples, pad: int = 0, ignore: int = -100) -> SequenceBatch:
    """Pads ``(tokens, targets)`` pairs. Runs in the workers of the loader."""
    width = max(len(t) for t, _ in samples)
    tokens = torch.full((len(samples), width), pad, dtype=torch.long)
    targets = torch.full((len(samples), width), ignore, dtype=torch.long)
    for i, (tok, tgt) in enumerate(samples):
        tokens[i, : len(tok)] = torch.as_tensor(tok)
        targets[i, : len(tgt)] = torch.as_tensor(tgt)
    weights = (targets != ignore).float()
    return SequenceBatch(tokens, targets, weights / weights.sum().clamp(min=1.0))


class PrefetchLoader:
    """Wraps ``loader`` so that the next batches are already on ``device``.

    Args:
        loader: any iterable of batches.
        device: target of the batches.
        depth: how many batches wait in the queue.
        transform: called with every batch after it was moved.
    """

    _END = object()

    def __init__(self, loader: Iterable, device="cuda", depth: int = 2, transform: Optional[Callable] = None):
        if depth < 1:
            raise ValueError("depth must be at least 1")
        self.loader = loader
        self.device = torch.device(device)
        self.depth = depth
        self.transform = transform
        self.batches_served = 0

    def __len__(self) -> int:
        return len(self.loader)

    @property
    def dataset(self):
        return getattr(self.loader, "dataset", None)

    def _worker(self, out: queue.Queue, stop: threading.Event) -> None:
        try:
            for batch in self.loader:
                if stop.is_set():
                    return
                out.put(batch)
            out.put(self._END)
        except Exception as exc:
            out.put(exc)

    def __iter__(self) -> Iterator:
        out: queue.Queue = queue.Queue(maxsize=self.depth)
        stop = threading.Event()
        thread = threading.Thread(target=self._worker, args=(out, stop), daemon=True)
        thread.start()
        try:
            while True:
                item = out.get()
                if item is self._END:
                    break
                if isinstance(item, Exception):
                    raise item
                batch = to_device(item, self.device, non_blocking=True)
                if self.transform is not None:
                    batch = self.transform(batch)
                self.batches_served += 1
                yield batch
        finally:
            stop.set()
            while not out.empty():
                out.get_nowait()


class SequenceTrainer:
    def __init__(self, model: torch.nn.Module, optimizer, device="cuda", clip: Optional[float] = 1.0):
        self.model = model.to(device)
        self.optimizer = optimizer
        self.device = device
        self.clip = clip

    def training_step(self, batch: SequenceBatch) -> Tensor:
        logits = self.model(batch.tokens)
        losses = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), batch.targets.flatten(), ignore_index=-100, reduction="none"
        )
        if batch.weights is None:
            return losses.mean()
        return (losses * batch.weights.flatten()).sum()

    def fit_epoch(self, loader: Iterable) -> float:
        self.model.train()
        total, count = torch.zeros((), device=self.device), 0
        for batch in PrefetchLoader(loader, self.device):
            loss = self.training_step(batch)
            self.optimizer.zero_grad()
            loss.backward()
            if self.clip is not None:
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.optimizer.step()
            total += loss.detach()
            count += 1
        return total.item() / max(count, 1)
