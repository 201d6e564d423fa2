"""Stopping criteria and the sampling loop of causal language models."""
import time
from abc import ABC, abstractmethod
from typing import Callable, List, Optional, Union

import torch
import torch.nn.functional as F


class StoppingCriteria(ABC):
    """Called after every new token; returns one flag per row of the batch."""

    @abstractmethod
    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.BoolTensor:
        ...


class MaxLengthCriteria(StoppingCriteria):
    def __init__(self, max_length: int, max_position_embeddings: Optional[int] = None):
        self.max_length = max_length
        self.max_position_embeddings = max_position_embeddings

    def __call__(self, input_ids, scores):
        cur_len = input_ids.shape[1]
        if self.max_position_embeddings is not None and cur_len > self.max_position_embeddings:
            raise ValueError("sequence is longer than the position embeddings of the model")
        return torch.full((input_ids.shape[0],), cur_len >= self.max_length, device=input_ids.device, dtype=torch.bool)


class MaxTimeCriteria(StoppingCriteria):
    def __init__(self, max_time: float, initial_timestamp: Optional[float] = None):
        self.max_time = max_time
        self.initial_timestamp = time.time() if initial_timestamp is None else initial_timestamp

    def __call__(self, input_ids, scores):
        late = time.time() - self.initial_timestamp > self.max_time
        return torch.full((input_ids.shape[0],), late, device=input_ids.device, dtype=torch.bool)


class EosTokenCriteria(StoppingCriteria):
    """Stops a row once its last token is one of ``eos_token_id``."""

    def __init__(self, eos_token_id: Union[int, List[int], torch.Tensor]):
        if not isinstance(eos_token_id, torch.Tensor):
            if isinstance(eos_token_id, int):
                eos_token_id = [eos_token_id]
            eos_token_id = torch.tensor(eos_token_id)
        if eos_token_id.is_floating_point() or (eos_token_id < 0).any():
            raise ValueError(f"`eos_token_id` has to hold non-negative integers, got {eos_token_id}")
        self.eos_token_id = eos_token_id

    def __call__(self, input_ids, scores):
        self.eos_token_id = self.eos_token_id.to(input_ids.device)
        return torch.isin(input_ids[:, -1], self.eos_token_id)


class ConfidenceCriteria(StoppingCriteria):
    """Stops when the most likely token has too small a probability (assistant models)."""

    def __init__(self, threshold: float):
        self.threshold = threshold

    def __call__(self, input_ids, scores):
        return scores.softmax(-1).amax(-1) < self.threshold


class StoppingCriteriaList(list):
    def __call__(self, input_ids, scores):
        done = torch.zeros((input_ids.shape[0],), device=input_ids.device, dtype=torch.bool)
        for criteria in self:
            done = done | criteria(input_ids, scores)
        return done

    @property
    def max_length(self) -> Optional[int]:
        for criteria in self:
            if isinstance(criteria, MaxLengthCriteria):
                return criteria.max_length
        return None


def top_k_filter(scores: torch.Tensor, top_k: int, filter_value: float = -float("inf")) -> torch.Tensor:
    top_k = min(top_k, scores.size(-1))
    return scores.masked_fill(scores < torch.topk(scores, top_k)[0][..., -1, None], filter_value)


def top_p_filter(scores: torch.Tensor, top_p: float, filter_value: float = -float("inf")) -> torch.Tensor:
    ordered, indices = torch.sort(scores, descending=False)
    remove = ordered.softmax(-1).cumsum(-1) <= 1 - top_p
    remove[..., -1:] = False
    return scores.masked_fill(remove.scatter(1, indices, remove), filter_value)


def build_criteria(max_new_tokens: int, prompt_length: int, eos_token_id=None, max_time=None) -> StoppingCriteriaList:
    criteria = StoppingCriteriaList([MaxLengthCriteria(prompt_length + max_new_tokens)])
    if max_time is not None:
        criteria.append(MaxTimeCriteria(max_time))
    if eos_token_id is not None:
        criteria.append(EosTokenCriteria(eos_token_id))
    return criteria


@torch.no_grad()
def sample(
    forward_fn: Callable[[torch.Tensor], torch.Tensor],
    input_ids: torch.LongTensor,
    *,
    max_new_tokens: int = 20,
    eos_token_id: Union[None, int, List[int]] = None,
    pad_token_id: int = 0,
    temperature: float = 1.0,
    top_k: Optional[int] = None,
    top_p: Optional[float] = None,
    do_sample: bool = True,
    max_time: Optional[float] = None,
) -> torch.LongTensor:
    if temperature <= 0:
        raise ValueError("`temperature` has to be positive")
    criteria = build_criteria(max_new_tokens, input_ids.shape[1], eos_token_id, max_time)
    unfinished = torch.ones(input_ids.shape[0], dtype=torch.long, device=input_ids.device)
    while True:
        scores = forward_fn(input_ids)[:, -1].float() / temperature
        if top_k is not None:
            scores = top_k_filter(scores, top_k)
        if top_p is not None and top_p < 1.0:
            scores = top_p_filter(scores, top_p)
        if do_sample:
            tokens = torch.multinomial(F.softmax(scores, dim=-1), 1).squeeze(1)
        else:
            tokens = scores.argmax(-1)
        if eos_token_id is not None:
            tokens = tokens * unfinished + pad_token_id * (1 - unfinished)
        input_ids = torch.cat([input_ids, tokens[:, None]], dim=-1)
        unfinished = unfinished & ~criteria(input_ids, scores)
        if unfinished.max() == 0:
            return input_ids
