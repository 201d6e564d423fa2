"""Generates with a small GPT-2: sampling with a cache, beams, and an own logits processor."""

import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteria,
    StoppingCriteriaList,
)

device = "cuda"
config = GPT2Config(vocab_size=50, n_positions=64, n_embd=16, n_layer=2, n_head=2)
config.bos_token_id = config.eos_token_id = config.pad_token_id = 0


class Bias(LogitsProcessor):
    def __init__(self, banned, strength):
        self.bias = torch.zeros(50, device=strength.device)  # born 1
        self.bias[banned] = strength

    def __call__(self, input_ids, scores):
        return scores + self.bias  # crash 1


class LongEnough(StoppingCriteria):
    def __call__(self, input_ids, scores, **kwargs):
        return torch.full((len(input_ids),), input_ids.shape[1] >= 20, device=input_ids.device)
        # bug 2: return torch.full((len(input_ids),), input_ids.shape[1] >= 20)  # born 2


model = GPT2LMHeadModel(config).eval().to(device)
banned = torch.tensor([3, 7, 9], device=device)
bias = Bias(banned, torch.tensor(-5.0, device=device))
# bug 1: bias = Bias(banned, torch.tensor(-5.0))
processors = LogitsProcessorList([bias])
prompts = torch.tensor([[0, 0, 5, 6], [1, 2, 3, 4]], device=device)
mask = (prompts != 0).long()
torch.manual_seed(0)
with torch.inference_mode():
    sampled = model.generate(  # crash 2
        prompts,
        attention_mask=mask,
        do_sample=True,
        top_k=10,
        temperature=0.8,
        max_new_tokens=12,
        logits_processor=processors,
        stopping_criteria=StoppingCriteriaList([LongEnough()]),
    )
    beams = model.generate(
        prompts,
        attention_mask=mask,
        num_beams=3,
        max_new_tokens=6,
        logits_processor=processors,
    )
    scores = model(sampled, labels=sampled).loss
print(sampled.cpu().numpy().shape, beams.shape, scores.item())
