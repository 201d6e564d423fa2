"""The places that explain a finding are told in the order of time."""

from __future__ import annotations

import pytest

from devlint.report import steps
from devlint.rule.registry import load_rules
from devlint.run.check import check

MIXED = """import torch
mask = torch.ones(3)
weights = torch.ones(3, device="cuda")
scaled = {}
"""
CALLED = """import torch
from torch import nn

def use(model, x):
    return model(x)

def move(model):
    model.to("cuda")

model = nn.Sequential(nn.Linear(1, 1))
move(model)
model.head = nn.Linear(1, 1)
use(model, torch.ones(1, device="cuda"))
"""
SAVED = """import torch
from torch import nn

model = nn.Linear(1, 1).cuda()
torch.save(model.state_dict(), "a.pt")
torch.save(model.state_dict(), "b.pt")
"""


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (MIXED.format("mask * weights"), [2, 3, 4]),
        (MIXED.format("weights * mask"), [2, 3, 4]),
        (CALLED, [8, 12, 5]),
        (SAVED, [4, 5, 6]),
    ],
    ids=["two values", "the other way round", "calls", "places after the finding"],
)
def test_path_is_in_the_order_of_time(code: str, lines: list[int]) -> None:
    rules = [rule() for rule in load_rules()]
    [finding] = check("a.py", code.encode(), rules).findings
    assert [step.span.line for step in steps(finding)] == lines
