"""Pretrain a small encoder, then fine-tune it on another task with LoRA adapters."""

import torch

from peftlite import LoraConfig, get_lora_model, print_trainable
from peftlite.lora import merge_lora
from transformer import ModelArgs, SequenceClassifier


class MajorityTask:
    def __init__(self, vocab, length):
        self.vocab, self.length = vocab, length

    def label(self, ids):
        return (ids.float().mean(1) > (self.vocab - 1) / 2).long()

    def sample(self, n):
        ids = torch.randint(self.vocab, (n, self.length))
        return ids, self.label(ids)


class ParityTask(MajorityTask):
    def label(self, ids):
        return (ids[:, 0] + ids[:, -1]) % 2


def run_task(model, task, steps, lr, device):
    params = [p for p in model.parameters() if p.requires_grad]
    optim = torch.optim.AdamW(params, lr=lr)
    sched = torch.optim.lr_scheduler.LambdaLR(optim, lambda s: min(1.0, (s + 1) / 3))
    model.train()
    for step in range(steps):
        ids, labels = (t.to(device) for t in task.sample(16))
        loss = torch.nn.functional.cross_entropy(model(ids), labels)
        loss.backward()
        optim.step()
        sched.step()
        optim.zero_grad()
    return loss.item()


@torch.no_grad()
def score(model, task, device):
    model.eval()
    ids, labels = task.sample(64)
    return (model(ids.to(device)).argmax(-1).cpu() == labels).float().mean().item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SequenceClassifier(ModelArgs(vocab_size=8, max_len=8)).to(device)
    print("pretrain loss %.3f" % run_task(model, MajorityTask(8, 8), steps=8, lr=3e-3, device=device))

    model = get_lora_model(model, LoraConfig(r=2, alpha=8, targets=("q_proj", "v_proj")))
    print_trainable(model)
    task = ParityTask(8, 8)
    print("finetune loss %.3f" % run_task(model, task, steps=8, lr=1e-2, device=device))
    before = score(model, task, device)
    print("acc %.3f, merged %.3f" % (before, score(merge_lora(model), task, device)))


if __name__ == "__main__":
    main()
