"""What a witness takes over from a finding."""

from __future__ import annotations

import json

import pytest

from devlint.confirm.witnesses.finding_usage import Usage
from devlint.confirm.witnesses.specialise import specialised
from devlint.confirm.witnesses.witness import Witness
from devlint.finding import Finding, Related, Span

HEAD = (
    "import numpy as np\nimport torch as t\nimport torch.nn.functional as F\nfrom torch import nn\n"
)


def witness(text: str, **slots: str) -> Witness:
    return Witness("ACME001", "One", text, f"fixed {text}", ("anything",), "", slots)


def finding(path: str, *spans: Span) -> Finding:
    related = tuple(Related(path, span, "here") for span in spans[1:])
    return Finding("ACME001", "acme", "message", "error", path, spans[0], related)


def filled(code: str, text: str, **slots: str) -> str:
    """The buggy program for a finding at the start of the first line below the imports."""
    lines = HEAD.count("\n") + 1
    found = finding("a.py", Span(None, lines, 1, lines, 2))
    result = specialised(witness(text, **slots), found, Usage("a.py", f"{HEAD}{code}\n".encode()))
    assert result.fixed == f"fixed {result.buggy}"
    return result.buggy


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("t.full((n,), -1.0)", "torch.full((4,), 1.0, device=x.device)"),
        ("y = [f(t.arange(n))]", "torch.arange(4.0, device=x.device)"),
        ("t.from_numpy(a)", "torch.ones(4, device=x.device)"),
        ("zeros(3)", "torch.ones(4, device=x.device)"),
    ],
)
def test_the_factory(code: str, expected: str) -> None:
    text = "torch.ones(4, device=x.device)"
    assert filled(code, text, factory="torch.ones(4") == expected


def test_a_draw_takes_a_generator() -> None:
    text = "torch.rand(4, generator=g)"
    assert filled("t.ones(3) * t.randint(9, (3,))", text, draw="torch.rand(4") == (
        "torch.randint(2, (4,), generator=g)"
    )


def test_the_layer() -> None:
    text = "nn.Linear(4, 4).to(d)"
    assert filled("m.fc = nn.Conv2d(3, 8, 5)", text, layer="nn.Linear(4, 4)") == (
        "nn.Conv2d(4, 4, 1).to(d)"
    )
    assert filled("m.fc = nn.LSTM(3, 8)", text, layer="nn.Linear(4, 4)") == text


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a @ b", "x @ y"),
        ("t.maximum(a, b)", "torch.maximum(x, y)"),
        ("F.mse_loss(a, b, reduction='sum')", "torch.nn.functional.mse_loss(x, y)"),
        ("t.stack([a, b])", "torch.stack([x, y])"),
        ("a.mul(b)", "x.mul(y)"),
        ("t.where(m, a, b)", "torch.where(x > 0, x, y)"),
        ("a.masked_fill(m, 0.0)", "x.masked_fill(y > 0, 0.0)"),
        ("t.relu(a)", "x + y"),
        ("t.zeros(a, b)", "x + y"),
        ("model(a, b)", "x + y"),
        ("own.maximum(a, b)", "x.maximum(y)"),
    ],
)
def test_the_operation(code: str, expected: str) -> None:
    assert filled(code, "z = x + y", operation="x + y") == f"z = {expected}"


def test_what_makes_an_array() -> None:
    slots = {"operation": "numpy.asarray(x)"}
    assert filled("np.argsort(scores)", "numpy.asarray(x)", **slots) == "numpy.argsort(x)"
    assert filled("scores.numpy()", "numpy.asarray(x)", **slots) == "x.numpy()"
    assert filled("np.mean([a, b])", "numpy.asarray(x)", **slots) == "numpy.mean([x])"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("m.cuda()", 'a.cuda(); f(device="cuda")'),
        ("m.to('cuda:0')", 'a.to("cuda:0"); f(device="cuda:0")'),
        ("m.to(device=t.device('cuda'))", 'a.to(device=torch.device("cuda")); f(device=$)'),
        ("t.ones(3, device='cuda:0')", 'a.to("cuda:0"); f(device="cuda:0")'),
        ("m.to(device)", 'a.to("cuda"); f(device="cuda")'),
        ("t.cuda.synchronize()", 'a.to("cuda"); f(device="cuda")'),
        ("m.to('mps')", 'a.to("cuda"); f(device="cuda")'),
    ],
)
def test_how_cuda_is_named(code: str, expected: str) -> None:
    wanted = expected.replace("$", 'torch.device("cuda")')
    assert filled(code, 'a.to("cuda"); f(device="cuda")') == wanted


def test_the_finding_comes_before_its_related_places() -> None:
    code = "é = nn.Linear(3, 3)\nm.fc = nn.Conv2d(3, 3, 1)\nreturned = [g(a, b), é * b]\n"
    head = HEAD.count("\n")
    meeting = Span(None, head + 3, 22, head + 3, 27)
    places = Span(None, head + 2, 1, head + 2, 5), Span(None, head + 1, 1, head + 1, 2), meeting
    usage = Usage("a.py", (HEAD + code).encode())
    text = witness("l; x + y", layer="l", operation="x + y")
    result = specialised(text, finding("a.py", *places), usage)
    assert result.buggy == "nn.Conv2d(4, 4, 1); x * y"


def test_compound_statements_have_their_own_line_only() -> None:
    code = "for x in t.arange(3):\n    y = t.zeros(3)"
    assert filled(code, "d(4", factory="d(4") == "torch.arange(4.0"
    assert filled("if x:\n    y = t.zeros(3)", "d(4", factory="d(4") == "d(4"


def test_notebooks() -> None:
    cells = ["import torch", "%time\n", "x = torch.eye(3)"]
    notebook = {
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    usage = Usage("a.ipynb", json.dumps(notebook).encode())
    found = finding("a.ipynb", Span(3, 1, 5, 1, 17))
    assert specialised(witness("d(4", factory="d(4"), found, usage).buggy == "torch.eye(4"


@pytest.mark.parametrize("data", [b"\xff\xfe\xfa", b"this is no Python\n", b""])
def test_what_cannot_be_read_leaves_the_witness_as_it_is(data: bytes) -> None:
    general = witness("d(4", factory="d(4")
    found = finding("a.py", Span(None, 1, 1, 1, 2))
    assert specialised(general, found, Usage("a.py", data)) == general
