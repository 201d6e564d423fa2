"""What loads a file that it has saved itself does so in one run; others may do so elsewhere."""

from __future__ import annotations

import json

from devlint.testing.project_spec import found_in
from tests.default_findings import RULES

SAVED = (
    "import torch\nfrom torch import nn\n"
    "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    "model = nn.Linear(2, 2).to(device)\ntorch.save(model.state_dict(), 'model.pt')\n"
)
LOADED = "model.load_state_dict(torch.load('model.pt'))\n"


def notebook(*cells: str) -> str:
    listed = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def confidences(files: dict[str, str]) -> list[str]:
    return [each.confidence for each in found_in(files, RULES) if each.code == "DEV401"]


def test_a_notebook_alone_reads_what_it_has_saved_in_one_session() -> None:
    assert confidences({"a.ipynb": notebook(SAVED, LOADED)}) == ["low"]


def test_a_script_alone_reads_what_it_has_saved_in_one_run() -> None:
    assert confidences({"a.py": SAVED + LOADED}) == ["low"]


def test_another_program_may_read_it_on_another_machine() -> None:
    play = "import torch\nstate = torch.load('model.pt')\n"
    assert confidences({"a.ipynb": notebook(SAVED, LOADED), "play.py": play}) == ["high"]
