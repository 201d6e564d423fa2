"""Chat style generation with pluggable stopping criteria and logits processors."""
import abc

import torch
from torch import nn

ROLE_USER, ROLE_BOT, EOS, PAD = 1, 2, 3, 0
VOCAB = 40


class StoppingCriteria(abc.ABC):
    @abc.abstractmethod
    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> bool:
        ...


class StoppingCriteriaList(list):
    def __call__(self, input_ids, scores):
        return any(criterion(input_ids, scores) for criterion in self)


class MaxNewTokens(StoppingCriteria):
    def __init__(self, start_length, max_new_tokens):
        self.limit = start_length + max_new_tokens

    def __call__(self, input_ids, scores):
        return input_ids.shape[-1] >= self.limit


class EosCriteria(StoppingCriteria):
    def __init__(self, eos_id):
        self.eos_id = torch.tensor(eos_id)

    def __call__(self, input_ids, scores):
        return bool((input_ids[:, -1] == self.eos_id).all())


class StopOnSequences(StoppingCriteria):
    def __init__(self, sequences, prompt_length):
        self.sequences = [torch.tensor(s, dtype=torch.long) for s in sequences]
        self.prompt_length = prompt_length

    def __call__(self, input_ids, scores):
        generated = input_ids[0, self.prompt_length:]
        for seq in self.sequences:
            if generated.numel() < seq.numel():
                continue
            if torch.equal(generated[-seq.numel():], seq.to(generated.device)):
                return True
        return False


class RepetitionPenalty:
    def __init__(self, penalty):
        self.penalty = penalty

    def __call__(self, input_ids, scores):
        picked = scores.gather(1, input_ids)
        picked = torch.where(picked < 0, picked * self.penalty, picked / self.penalty)
        return scores.scatter(1, input_ids, picked)


class SuppressTokens:
    def __init__(self, token_ids):
        self.token_ids = token_ids

    def __call__(self, input_ids, scores):
        scores[:, self.token_ids] = float("-inf")
        return scores


class TinyDecoder(nn.Module):
    def __init__(self, vocab=VOCAB, d=32, heads=4, max_pos=64):
        super().__init__()
        self.wte = nn.Embedding(vocab, d, padding_idx=PAD)
        self.wpe = nn.Embedding(max_pos, d)
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.0, batch_first=True)
        self.h = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, vocab)

    @property
    def device(self):
        return self.wte.weight.device

    def forward(self, input_ids):
        t = input_ids.shape[1]
        pos = torch.arange(t, device=input_ids.device)
        causal = torch.full((t, t), float("-inf"), device=input_ids.device).triu(1)
        return self.head(self.h(self.wte(input_ids) + self.wpe(pos), mask=causal))

    @torch.no_grad()
    def generate(self, input_ids, logits_processors=(), stopping_criteria=None):
        criteria = stopping_criteria if stopping_criteria is not None else StoppingCriteriaList()
        while True:
            scores = self(input_ids)[:, -1, :]
            for proc in logits_processors:
                scores = proc(input_ids, scores)
            next_tokens = scores.argmax(-1, keepdim=True)
            input_ids = torch.cat([input_ids, next_tokens], dim=-1)
            if criteria(input_ids, scores):
                return input_ids


class ChatSession:
    stop_sequences = [[ROLE_USER], [ROLE_BOT, ROLE_USER], [7, 7]]

    def __init__(self, model):
        self.model = model
        self.history = []

    def ask(self, words):
        self.history += [ROLE_USER, *words, ROLE_BOT]
        prompt = torch.tensor([self.history]).to(self.model.device)
        n = prompt.shape[1]
        criteria = StoppingCriteriaList([
            MaxNewTokens(n, 8),
            EosCriteria(EOS),
            StopOnSequences(self.stop_sequences, n),
        ])
        out = self.model.generate(prompt, [RepetitionPenalty(1.3), SuppressTokens([PAD])], criteria)
        reply = out[0, n:].tolist()
        self.history += reply
        return reply


if __name__ == "__main__":
    torch.manual_seed(0)
    model = TinyDecoder().eval()
    if torch.cuda.is_available():
        model = model.cuda()
    chat = ChatSession(model)
    for turn in ([11, 12, 13], [20, 21]):
        print(chat.ask(turn))
