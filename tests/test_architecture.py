"""The engine names no rule, a library has one home, and nothing grows past its budget."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devlint.models.libraries import MODELS
from devlint.rule.analysis import in_order
from devlint.rule.registry import load_rules
from tests.test_layers import MODULES, ROOT

RULES = load_rules()
#: PyTorch itself, of which a part is a model, is everywhere.
PACKAGES = frozenset[str]().union(*(model.packages for model in MODELS)) - {"torch"}
#: What else the names of these packages mean: data sets, PyTorch's transformers, a verb.
WORDS = {"accelerate", "datasets", "ignite", "lightning", "transformers", "wandb"}
ENGINE = {
    name: path
    for name, path in MODULES.items()
    if re.match(r"devlint\.(interpret|facts|values|flow|queries)(\.|$)", name)
}
SOURCES = {name: path for name, path in MODULES.items() if name.startswith("devlint")}
#: Which libraries read and write files in native code is a question of the sandbox.
NATIVE = "devlint.confirm.sandbox.native_io"
#: Flat registries of alike files, which may have more than 20.
FLAT = {"analyses", "cli", "devlint_rules", "facts", "models", "torch_patches"}
#: Files of more than 300 lines: a class for each kind of node or signal, a line for each name.
LONG = {"devlint.api", "devlint.interpret.core.signals", "devlint.lower.ir"}
#: Functions of the engine with more than four parameters besides the run: how an assignment is
#: written, what a call starts from, and how a loop ends come apart.
WIDE = {"_leave_loop", "attach", "attachment", "invoke", "operated", "relocated", "set_attribute"}
#: Fields of the engine whose types say nothing: a class or a fact that the layer does not know, a
#: value that refers to its condition, what a memo compares.
VAGUE = {
    "Condition.subject",
    "Condition.narrowed",
    "Instance.type",
    "LoaderOptions.workers",
    "Recall.facts",
    "View.answers",
}


@pytest.mark.parametrize("module", ENGINE)
def test_the_engine_names_no_rule_and_no_analysis(module: str) -> None:
    text = code(ENGINE[module])
    analyses = in_order(tuple(kind for rule in RULES for kind in rule.needs))
    names = {kind.__name__ for kind in analyses} | {rule.name for rule in RULES}
    assert re.findall(r"\bDEV\d", text) == []
    assert names.isdisjoint(re.findall(r"[A-Za-z][A-Za-z-]+", text))


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_a_library_has_one_home(package: str) -> None:
    mentions = re.compile(rf"^{package}\b" if package in WORDS else rf"\b{package}\b", re.M)
    text = strings if package in WORDS else code
    looking = ENGINE if package in sys.stdlib_module_names else SOURCES
    modules = {**looking, **{name: SOURCES[name] for name in SOURCES if ".models." in name}}
    found = {n for n, path in modules.items() if n != NATIVE and mentions.search(text(path))}
    homes = {name for name in found if name.startswith("devlint.models.")}
    registry = {"devlint.models.libraries"}
    assert found <= homes
    assert len(homes - registry) == 1


@pytest.mark.parametrize("module", SOURCES)
def test_files_are_short(module: str) -> None:
    lines = len(SOURCES[module].read_text().splitlines())
    assert lines <= 300 or module in LONG


def test_folders_are_small() -> None:
    folders: dict[Path, int] = {}
    for path in SOURCES.values():
        folders[path.parent] = folders.get(path.parent, 0) + 1
    full = {folder.name for folder, count in folders.items() if count > 20}
    assert full <= FLAT


@pytest.mark.parametrize("module", ENGINE)
def test_functions_of_the_engine_take_few_arguments(module: str) -> None:
    for function in functions(ENGINE[module]):
        names = [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]
        given = [name for name in names if name not in ("self", "cls", "machine", "run")]
        assert len(given) <= 4 or function.name in WIDE, function.name


@pytest.mark.parametrize("module", ENGINE)
def test_fields_of_the_engine_have_types(module: str) -> None:
    for owner, field in fields(ENGINE[module]):
        vague = re.search(r"(?<!\[)\b(Any|object)\b", ast.unparse(field.annotation))
        assert vague is None or f"{owner}.{ast.unparse(field.target)}" in VAGUE


def strings(path: Path) -> str:
    """The dotted names and patterns of them among the strings of a file."""
    constants = (node for node in ast.walk(ast.parse(code(path))) if isinstance(node, ast.Constant))
    texts = (each.value for each in constants if isinstance(each.value, str))
    return "\n".join(text for text in texts if " " not in text)


def code(path: Path) -> str:
    """The text of a file without comments and docstrings."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    tree = ast.parse(path.read_text())
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def fields(path: Path) -> Iterator[tuple[str, ast.AnnAssign]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef):
            yield from ((node.name, each) for each in node.body if isinstance(each, ast.AnnAssign))


def test_the_sources_are_found() -> None:
    assert len(ENGINE) > 80
    assert (ROOT / "devlint" / "api.py") in SOURCES.values()
