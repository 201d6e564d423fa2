"""Each operator makes the bug it is named after, and the facts and the measure fit together."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from .mutants.driver import DEVICE_ERROR
from .mutants.measure import Measure, Row, default_rules, found, is_clean, measured, table
from .mutants.mutation import Mutant, Program, mutants
from .mutants.operators import OPERATORS
from .mutants.programs import ROOT, named, programs
from .mutants.uses import touched_lines
from .mutants.verdicts import KINDS, Verdict, judged, read, written

CORRECT = sorted((ROOT / "testdata" / "projects" / "correct").glob("*.py"))
FACTS = ROOT / "testdata" / "mutants.jsonl"

EXAMPLES = [
    ("unmoved-value", "y = x.to(device) + 1", ["y = x + 1"]),
    ("unmoved-value", "y = x.to(torch.float16)", []),
    ("unmoved-value", "y = x.to(device, torch.long)", ["y = x.to(torch.long)"]),
    ("unmoved-value", "y = x.cuda(non_blocking=True)", ["y = x"]),
    ("unmoved-statement", "model.to(device)\nmodel(x)", ["model(x)"]),
    ("unmoved-statement", "if flag:\n    model.cuda()", ["if flag:\n    pass"]),
    (
        "unmoved-batch",
        "for x, y in loader:\n    x, y = x.to(device), y.to(device)\n    model(x)",
        ["for x, y in loader:\n    model(x)"],
    ),
    ("discarded-move", "x = x.to(device)", ["x.to(device)"]),
    ("discarded-move", "y = x.to(device)", []),
    (
        "unmoved-weight",
        "loss = CrossEntropyLoss(weight=w.to(device))",
        ["loss = CrossEntropyLoss(weight=w)"],
    ),
    (
        "unmoved-weight",
        "loss = BCEWithLogitsLoss(pos_weight=torch.ones(1, device=device))",
        ["loss = BCEWithLogitsLoss(pos_weight=torch.ones(1))"],
    ),
    (
        "attached-late",
        "model.fc = nn.Linear(2, 2)\nmodel.to(device)\nmodel(x)",
        ["model.to(device)\nmodel.fc = nn.Linear(2, 2)\nmodel(x)"],
    ),
    (
        "attached-late",
        "model.layers.append(nn.Linear(2, 2))\nmodel = model.cuda()",
        ["model = model.cuda()\nmodel.layers.append(nn.Linear(2, 2))"],
    ),
    (
        "optimizer-first",
        "model.to(device)\noptimizer.load_state_dict(state)",
        ["optimizer.load_state_dict(state)\nmodel.to(device)"],
    ),
    (
        "optimizer-first",
        "model = Net().to(device)\noptimizer.load_state_dict(state)",
        ["model = Net()\noptimizer.load_state_dict(state)\nmodel.to(device)"],
    ),
    ("other-device", 'x = y.to("cuda:0")', ['x = y.to("cuda:1")']),
    (
        "leaf-moved",
        "x = torch.zeros(2, device=device, requires_grad=True)",
        ["x = torch.zeros(2, requires_grad=True).to(device)"],
    ),
    ("leaf-moved", "x = y.to(device).requires_grad_()", ["x = y.requires_grad_().to(device)"]),
    (
        "leaf-moved",
        "self.w = nn.Parameter(x.to(device))",
        ["self.w = nn.Parameter(x).to(device)"],
    ),
    ("pinned-late", "x = y.pin_memory().to(device)", ["x = y.to(device).pin_memory()"]),
    (
        "moved-in-dataset",
        "def __getitem__(self, i):\n    return self.x[i], i",
        ["def __getitem__(self, i):\n    return self.x[i].cuda(), i"],
    ),
    ("lost-context", "with torch.device(device):\n    model = Net()", ["model = Net()"]),
    ("lost-context", "torch.set_default_device(device)\nf()", ["f()"]),
    ("cpu-generator", "g = torch.Generator(device=device)", ["g = torch.Generator()"]),
    (
        "lost-generator",
        "DataLoader(data, generator=torch.Generator())",
        ["DataLoader(data)", 'DataLoader(data, generator=torch.Generator(device="cuda"))'],
    ),
    (
        "like-by-shape",
        "y = torch.zeros_like(x, dtype=d)",
        ["y = torch.zeros(x.shape, dtype=d)"],
    ),
    ("new-by-factory", "y = x.new_zeros(2)", ["y = torch.zeros(2)"]),
    ("lost-type-as", "y = x.type_as(z)", ["y = x"]),
    (
        "plain-attribute",
        'self.register_buffer("mask", torch.ones(2), persistent=False)',
        ["self.mask = torch.ones(2)"],
    ),
    ("plain-attribute", "self.w = nn.Parameter(torch.ones(2))", ["self.w = torch.ones(2)"]),
    ("plain-container", "self.ls = nn.ModuleList([a, b])", ["self.ls = [a, b]"]),
    (
        "plain-container",
        "self.ls = nn.ModuleList(f(i) for i in x)",
        ["self.ls = [f(i) for i in x]"],
    ),
    ("untied", "a.weight = b.weight", ["a.weight = torch.nn.Parameter(b.weight.data)"]),
    ("lost-map-location", "torch.load(path, map_location=device)", ["torch.load(path)"]),
    ("numpy-unmoved", "y = x.detach().cpu().numpy()", ["y = x.detach().numpy()"]),
    ("saved-unmoved", "torch.save(x.cpu(), path)", ["torch.save(x, path)"]),
    (
        "lengths-unmoved",
        "pack_padded_sequence(x, lengths.cpu())",
        ["pack_padded_sequence(x, lengths)"],
    ),
    ("kept-on-accelerator", "y = x.cpu() + 1", ["y = x + 1"]),
    ("read-early", "y = x.cpu()", ['y = x.to("cpu", non_blocking=True)']),
    ("read-early", 'y = x.to("cpu")', ['y = x.to("cpu", non_blocking=True)']),
    ("lost-device", "x = torch.ones(2, device=device)", ["x = torch.ones(2)"]),
]
CLASS = """
    class Net(nn.Module):
        def __init__(self):
            self.register_buffer("mask", torch.ones(2))

        def forward(self, x):
            return x * self.mask
    """
ALIASED = """
    class Net(nn.Module):
        def __init__(self):
            self.register_buffer("mask", torch.ones(2))
            self.first_mask = self.mask

        def forward(self, x):
            return x * self.first_mask
    """
EXAMPLES.append(("stale-alias", dedent(CLASS), [dedent(ALIASED)]))


def seeded(text: str, *operators: str) -> list[Mutant]:
    chosen = [each for each in OPERATORS if not operators or each.name in operators]
    return list(mutants(Program("program.py", "", text), chosen))


@pytest.mark.parametrize(("operator", "before", "after"), EXAMPLES)
def test_operator(operator: str, before: str, after: list[str]) -> None:
    assert [each.text for each in seeded(before, operator)] == after


def test_every_operator_has_an_example() -> None:
    assert {name for name, *_ in EXAMPLES} == {operator.name for operator in OPERATORS}


def test_a_text_belongs_to_the_first_operator_that_makes_it() -> None:
    (mutant,) = seeded("x.to(device)", "unmoved-statement", "unmoved-value")[:1]
    assert mutant.operator.name == "unmoved-statement"
    texts = [each.text for each in seeded("y = x.cpu().numpy()")]
    assert len(texts) == len(set(texts))


def test_digest_is_that_of_the_code() -> None:
    first, second = (seeded(text)[0] for text in ("x = y.cuda()", "\n# why\nx = y.cuda()  # ok"))
    assert first.digest == second.digest
    assert first.digest != seeded("x = z.cuda()")[0].digest


def test_uses_are_where_the_changed_name_is_read() -> None:
    before = "x = ones(device=d)\ny = 2\nprint(x)\nprint(y)\n"
    assert touched_lines(before, before.replace("device=d", "")) == {1, 3}


def test_uses_of_a_statement_that_is_gone() -> None:
    before = "model = Net()\nmodel.to(device)\ny = 2\nout = model(z)\n"
    after = before.replace("model.to(device)\n", "")
    assert touched_lines(before, after) == {1, 3}


def test_uses_in_a_function_that_is_handed_the_changed_name() -> None:
    before = "def f(m, y):\n    z = y\n    m(z)\nmodel = Net().to(d)\nf(model, 1)\n"
    assert touched_lines(before, before.replace(".to(d)", "")) == {3, 4, 5}


def test_uses_of_what_a_function_returns() -> None:
    before = "def f():\n    return ones(device=d)\nx = f()\ny = x + z\n"
    assert touched_lines(before, before.replace("device=d", "")) == {2, 3, 4}


def test_uses_by_the_class_of_an_object_and_of_its_parts() -> None:
    part = "class Part(Module):\n    def forward(self, x):\n        return x\n"
    net = "class Net(Module):\n    def __init__(self):\n        self.part = Part()\n"
    other = "class Other:\n    size = 3\n"
    before = f"{part}{net}{other}model = Net()\nmodel.to(device)\ny = Other()\n"
    assert touched_lines(before, before.replace("model.to(device)\n", "")) == {*range(1, 7), 9}


BROKEN, CLEAN = seeded('x = torch.ones(2, device="cuda")\ny = x + torch.ones(2, device="cuda")\n')


def test_measure_counts_by_verdict() -> None:
    facts = {BROKEN.digest: Verdict("breaks", "hand", ""), CLEAN.digest: Verdict("correct", "", "")}
    prefix = "import torch\n"
    broken, clean = (
        Mutant(m.program, m.operator, m.line, prefix + m.text) for m in (BROKEN, CLEAN)
    )
    facts = {broken.digest: facts[BROKEN.digest], clean.digest: facts[CLEAN.digest]}
    measure = measured([broken, clean, BROKEN], facts, OPERATORS)
    row = measure.rows["lost-device"]
    assert row == Row(mutants=3, unjudged=1, breaking=1, flagged=1, correct=1, alarms=1)
    assert not measure.passes
    assert any(line.split()[:6] == ["all", "3", "0", "1", "1", "1"] for line in table(measure))


def test_bar_is_on_the_share_flagged() -> None:
    assert Measure({"x": Row(breaking=20, flagged=17)}).passes
    assert not Measure({"x": Row(breaking=20, flagged=16)}).passes
    assert not Measure({}).passes


@pytest.fixture
def stand_in(tmp_path: Path) -> list[str]:
    """Fails on a program with `bug` as on a device error, on one with `odd` otherwise."""
    script = tmp_path / "stand_in.py"
    script.write_text(
        "import sys\ntext = open(sys.argv[2]).read()\nprint('because')\n"
        f"sys.exit({DEVICE_ERROR} if 'bug' in text else 'odd' in text)\n"
    )
    return [sys.executable, str(script)]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("ok", "bug", "breaks"),
        ("ok", "ok", "correct"),
        ("ok", "odd", "unrunnable"),
        ("bug", "bug", "unrunnable"),
        ("odd", "ok", "unrunnable"),
    ],
)
def test_command_judges(before: str, after: str, kind: str, stand_in: list[str]) -> None:
    mutant = Mutant(Program("program.py", "", before), OPERATORS[0], 1, after)
    ((_, verdict),) = judged([mutant], stand_in, "stand-in")
    assert verdict.kind == kind


def test_facts_are_read_as_written(tmp_path: Path) -> None:
    verdict = Verdict("breaks", "hand", "a reason")
    path = tmp_path / "facts.jsonl"
    path.write_text(written(BROKEN, verdict) + "\n")
    assert read(path) == {BROKEN.digest: verdict}
    path.write_text(json.dumps({**json.loads(path.read_text()), "verdict": "perhaps"}))
    with pytest.raises(ValueError, match="none of breaks"):
        read(path)


def test_committed_facts_are_sound() -> None:
    facts = read(FACTS)
    assert {verdict.kind for verdict in facts.values()} == set(KINDS)
    assert all(verdict.why for verdict in facts.values() if verdict.kind != "correct")
    assert len(facts) == len(FACTS.read_text().splitlines())


def test_programs_are_correct_cases_and_projects() -> None:
    every = list(programs())
    assert {named(path) for path in CORRECT} <= {each.path for each in every}
    assert not any("# expect:" in each.text for each in every)


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: str(path.stem))
def test_correct_program_is_clean(path: Path) -> None:
    program = Program(named(path), "", path.read_text(encoding="utf-8"))
    assert found(program.text, default_rules()) == ()
    assert is_clean(program, default_rules())


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: str(path.stem))
def test_correct_program_runs(path: Path) -> None:
    torch = pytest.importorskip("torch")
    if "import numpy" in path.read_text(encoding="utf-8"):
        pytest.importorskip("numpy")
    try:
        assert runpy.run_path(str(path), run_name="__main__")
    finally:
        torch.set_default_device(None)  # "cpu" is not the same: it is a mode of its own.
