"""`devlint explain` says which device the values at a place are on, and where that comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x)


def shifted(x, offset):
    return x - offset
"""
MAIN = """\
import torch
from model import Net, shifted

device = torch.device("cuda")
net = Net()
net.to(device)
x = torch.ones(3)
y = shifted(x.to(device), x)
z = unheard(of)
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)
    Path("main.py").write_text(MAIN)


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", "--isolated", *arguments])


def test_a_module_is_where_its_state_was_made_in_another_file() -> None:
    assert explain("main.py:5").stdout == (
        "main.py:5:1: `net` is a module on the CPU\n"
        "    model.py:8:19: made on the CPU here\n"
        "main.py:5:7: `Net()` is a module on the CPU\n"
        "    model.py:8:19: made on the CPU here\n"
    )


def test_a_move_names_where_its_device_was_named() -> None:
    assert explain("main.py:6:10").stdout == (
        "main.py:6:8: `device` is a device: cuda\n    main.py:4:10: the device is named here\n"
    )
    assert explain("main.py:8:20").stdout == (
        "main.py:8:18: `device` is a device: cuda\n    main.py:4:10: the device is named here\n"
    )


def test_a_column_means_the_least_expression_there_that_has_a_device() -> None:
    assert explain("main.py:8:15").stdout.startswith("main.py:8:13: `x.to(device)` is a tensor on")
    assert explain("main.py:8:13").stdout.startswith("main.py:8:13: `x` is a tensor on the CPU")


def test_a_function_is_explained_by_the_files_that_call_it() -> None:
    assert explain("model.py:15").stdout == (
        "model.py:15:12: `x` is a tensor on cuda\n"
        "    main.py:4:10: the device is named here\n"
        "    main.py:8:13: moved to cuda here\n"
        "    when called from main.py:8:5\n"
        "model.py:15:12: `x - offset` is a tensor on a device that is not known: "
        "it comes from an operation whose operands are on different devices, which fails\n"
        "    main.py:7:5: `offset`: made on the CPU here\n"
        "    main.py:8:13: `x`: moved to cuda here\n"
        "    model.py:15:12: combined here\n"
        "    when called from main.py:8:5\n"
        "model.py:15:16: `offset` is a tensor on the CPU\n"
        "    main.py:7:5: made on the CPU here\n"
        "    when called from main.py:8:5\n"
    )


def test_what_is_not_known_has_a_reason() -> None:
    told = explain("main.py:9:5").stdout
    assert told == (
        "main.py:9:5: `unheard(of)` is a value on a device that is not known: "
        "what is called is not in view, or says nothing of devices\n"
    )


def test_the_same_as_json() -> None:
    found = json.loads(explain("model.py:15:12", "--output-format", "json").stdout)
    assert found == [
        {
            "path": "model.py",
            "line": 15,
            "column": 12,
            "text": "x",
            "kind": "tensor",
            "device": "cuda",
            "why": None,
            "steps": [
                {
                    "path": "main.py",
                    "line": 4,
                    "column": 10,
                    "message": "the device is named here",
                },
                {"path": "main.py", "line": 8, "column": 13, "message": "moved to cuda here"},
            ],
            "calls": [{"path": "main.py", "line": 8, "column": 5}],
        }
    ]


def test_a_device_that_branches_choose_is_named_in_each() -> None:
    Path("chosen.py").write_text(
        "import torch\nif torch.cuda.is_available():\n    device = torch.device('cuda')\nelse:\n"
        "    device = torch.device('cpu')\nx = torch.ones(3, device=device)\n"
    )
    assert explain("chosen.py:6:1").stdout == (
        "chosen.py:6:1: `x` is a tensor on `device`, chosen at run time\n"
        "    chosen.py:3:14: the device is named here\n"
        "    chosen.py:5:14: the device is named here\n"
        "    chosen.py:6:5: made on `device` here\n"
    )


def test_an_argument_that_nobody_in_view_gives_is_not_known() -> None:
    Path("library.py").write_text("import torch\n\ndef f(x):\n    return x + torch.ones(3)\n")
    assert explain("library.py:4:12").stdout.startswith(
        "library.py:4:12: `x` is a value on a device that is not known: it is wherever a caller"
    )


def test_a_loop_is_explained_as_its_end_leaves_it() -> None:
    Path("loop.py").write_text(
        "import torch\nx = torch.ones(3)\nfor _ in range(3):\n    print(x)\n    x = x.cuda()\n"
    )
    assert "the CPU" not in explain("loop.py:5:5").stdout
    assert "on cuda" in explain("loop.py:5:5").stdout


def test_places_of_notebooks_name_cells() -> None:
    cells = ["import torch\n", "x = torch.ones(3)\nx"]
    listed = [{"cell_type": "code", "source": each} for each in cells]
    metadata = {"language_info": {"name": "python"}}
    Path("a.ipynb").write_text(json.dumps({"cells": listed, "metadata": metadata}))
    assert explain("a.ipynb:cell 2:2").stdout == (
        "a.ipynb:cell 2:2:1: `x` is a tensor on the CPU\n"
        "    a.ipynb:cell 2:1:5: made on the CPU here\n"
    )


def test_notebooks_that_call_a_function_are_named_by_their_cells() -> None:
    cells = ["import torch\nfrom model import shifted\n", "\nshifted(torch.ones(3), 1)"]
    listed = [{"cell_type": "code", "source": each} for each in cells]
    metadata = {"language_info": {"name": "python"}}
    Path("a.ipynb").write_text(json.dumps({"cells": listed, "metadata": metadata}))
    assert "    when called from a.ipynb:cell 2:2:1\n" in explain("model.py:15:12").stdout


def test_without_imports_only_the_file_counts() -> None:
    told = explain("model.py:15:12", "--config", "follow-imports = false").stdout
    assert "main.py" not in told


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("main.py", "'main.py' is not a location; expected PATH:LINE[:COLUMN]"),
        ("gone.py:1", "gone.py: cannot read: no such file or directory"),
        ("deep.py:1", "deep.py: nested too deeply to analyse"),
        ("bad.py:1", "bad.py: cannot parse: '(' was never closed"),
    ],
)
def test_what_cannot_be_explained_is_one_line(where: str, told: str) -> None:
    Path("bad.py").write_text("x = (\n")
    Path("deep.py").write_text(f"x = {'-' * 9000}1\n")
    result = explain(where)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_nothing_there() -> None:
    assert explain("main.py:3").stdout == "No values to explain at main.py:3.\n"


def test_what_has_nothing_to_do_with_devices_is_explained_too() -> None:
    Path("block.py").write_text(
        "from torch import nn\n"
        "\n"
        "class Block(nn.Module):\n"
        "    def __init__(self, inner):\n"
        "        super().__init__()\n"
        "        self.inner = inner\n"
        "\n"
        "    def forward(self, x):\n"
        "        return self.inner(x).view(x.shape[0], -1)\n"
    )
    assert "`self.inner(x)` is a" in explain("block.py:9").stdout


def test_an_absolute_path_is_the_same_file() -> None:
    assert explain(str(Path("model.py").absolute()) + ":15").stdout == explain("model.py:15").stdout


def test_a_line_in_which_nothing_begins_is_part_of_what_goes_on_there() -> None:
    Path("long.py").write_text("import torch\nx = torch.ones(\n    3,\n).cuda()\n")
    assert "long.py:2:5: `torch.ones( 3, ).cuda()` is a tensor on" in explain("long.py:4").stdout


def test_an_attribute_that_is_assigned_is_explained() -> None:
    Path("head.py").write_text(
        "from torch import nn\nnet = nn.Sequential()\nnet.fc = nn.Linear(3, 3).cuda()\n"
    )
    assert explain("head.py:3:4").stdout == (
        "head.py:3:1: `net.fc` is a module on cuda\n    head.py:3:10: moved to cuda here\n"
    )


def test_what_comes_of_a_failure_names_the_operands_that_clash() -> None:
    Path("fails.py").write_text(
        "import torch\nfrom torch import nn\n"
        "net = nn.Linear(3, 3).cuda()\nx = torch.ones(3)\nout = net(x)\ny = out.sum() + 1\n"
    )
    assert explain("fails.py:6:1").stdout == (
        "fails.py:6:1: `y` is a tensor on a device that is not known: it comes from an operation "
        "whose operands are on different devices, which fails\n"
        "    fails.py:3:7: `net`: moved to cuda here\n"
        "    fails.py:4:5: `x`: made on the CPU here\n"
        "    fails.py:5:7: combined here\n"
    )


def test_what_comes_of_a_module_that_is_on_two_devices_names_its_part() -> None:
    Path("split.py").write_text(
        "import torch\nfrom torch import nn\nfrom torchvision.models import resnet18\n"
        "net = resnet18().cuda()\nnet.fc = nn.Linear(512, 3)\n"
        "loss = net(torch.ones(3).cuda())\n"
    )
    assert explain("split.py:6:1").stdout.splitlines()[1:] == [
        "    split.py:4:7: the module: moved to cuda here",
        "    split.py:5:1: `fc`: assigned here, on the CPU",
        "    split.py:6:8: combined here",
    ]
