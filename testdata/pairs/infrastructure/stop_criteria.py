"""Autoregressive decoding for the inference service."""
from __future__ import annotations

import time
from abc import ABC
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class DecodingConfig:
    max_new_tokens: int = 16
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    repetition_penalty: float = 1.0
    eos_token_id: int | list[int] | None = None
    pad_token_id: int = 0
    max_time: float | None = None
    do_sample: bool = False
    bad_token_ids: list[int] | None = None


class StoppingCriteria(ABC):
    """Returns a boolean per sequence: whether it is finished."""

    def __call__(self, input_ids: torch.LongTensor) -> torch.BoolTensor:
        raise NotImplementedError("StoppingCriteria needs to be subclassed")


class MaxTimeCriteria(StoppingCriteria):
    def __init__(self, max_time: float):
        self.deadline = time.time() + max_time

    def __call__(self, input_ids):
        is_done = time.time() > self.deadline
        return torch.full((input_ids.shape[0],), is_done, device=input_ids.device, dtype=torch.bool)


class MaxLengthCriteria(StoppingCriteria):
    def __init__(self, max_length: int):
        self.max_length = max_length

    def __call__(self, input_ids):
        is_done = input_ids.shape[-1] >= self.max_length
        return torch.full((input_ids.shape[0],), is_done, device=input_ids.device, dtype=torch.bool)


class EosTokenCriteria(StoppingCriteria):
    """Stops at one of several end-of-sequence tokens."""

    def __init__(self, eos_token_id: int | list[int] | torch.Tensor):
        if not isinstance(eos_token_id, torch.Tensor):
            if isinstance(eos_token_id, int):
                eos_token_id = [eos_token_id]
            eos_token_id = torch.tensor(eos_token_id)
        if eos_token_id.is_floating_point() or (eos_token_id < 0).any():
            raise ValueError(f"`eos_token_id` has to be a list of positive integers, got {eos_token_id}")
        self.eos_token_id = eos_token_id

    def __call__(self, input_ids):
        return torch.isin(input_ids[:, -1], self.eos_token_id.to(input_ids.device))


class StoppingCriteriaList(list):
    def __call__(self, input_ids):
        done = torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)
        for criterion in self:
            done = done | criterion(input_ids)
        return done


def build_criteria(config: DecodingConfig, prompt_length: int) -> StoppingCriteriaList:
    criteria = StoppingCriteriaList([MaxLengthCriteria(prompt_length + config.max_new_tokens)])
    if config.max_time is not None:
        criteria.append(MaxTimeCriteria(config.max_time))
    if config.eos_token_id is not None:
        criteria.append(EosTokenCriteria(config.eos_token_id))
    return criteria


def apply_repetition_penalty(logits, input_ids, penalty: float):
    score = torch.gather(logits, 1, input_ids)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, input_ids, score)


def filter_logits(logits, top_k=None, top_p=None, bad_tokens=None):
    if bad_tokens:
        mask = torch.zeros(logits.size(-1), dtype=torch.bool)
        mask[torch.tensor(bad_tokens)] = True
        logits = logits.masked_fill(mask.to(logits.device), float("-inf"))
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.size(-1)), dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    if top_p is not None:
        sorted_logits, order = logits.sort(descending=True)
        cumulative = sorted_logits.softmax(-1).cumsum(-1)
        remove = cumulative > top_p
        remove[:, 1:] = remove[:, :-1].clone()
        remove[:, 0] = False
        logits = logits.masked_fill(remove.scatter(1, order, remove), float("-inf"))
    return logits


class Generator:
    """Generates continuations with any model that maps ids ``[B, T]`` to logits ``[B, T, V]``."""

    def __init__(self, model: nn.Module, config: DecodingConfig | None = None):
        self.model = model.eval()
        self.config = config or DecodingConfig()

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def _select(self, logits, input_ids):
        cfg = self.config
        if cfg.repetition_penalty != 1.0:
            logits = apply_repetition_penalty(logits, input_ids, cfg.repetition_penalty)
        if not cfg.do_sample:
            return filter_logits(logits, bad_tokens=cfg.bad_token_ids).argmax(-1)
        logits = filter_logits(logits / cfg.temperature, cfg.top_k, cfg.top_p, cfg.bad_token_ids)
        return torch.multinomial(logits.softmax(-1), 1).squeeze(1)

    @torch.inference_mode()
    def generate(self, prompts: list[list[int]]) -> list[list[int]]:
        if not prompts or any(len(p) == 0 for p in prompts):
            raise ValueError("every prompt needs at least one token")
        width = max(map(len, prompts))
        pad = self.config.pad_token_id
        input_ids = torch.tensor([[pad] * (width - len(p)) + p for p in prompts]).to(self.device)
        criteria = build_criteria(self.config, width)
        finished = torch.zeros(len(prompts), dtype=torch.bool, device=self.device)
        while not finished.all():
            logits = self.model(input_ids)[:, -1].float()
            token = self._select(logits, input_ids)
            token = token.masked_fill(finished, pad)
            input_ids = torch.cat([input_ids, token[:, None]], dim=-1)
            finished = finished | criteria(input_ids)
        return input_ids[:, width:].tolist()
