"""Imports point down the pipeline; nobody reaches back up it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: Top to bottom: each imports those on lines below its own, and none on its line.
LAYERS = """
devlint.__main__
devlint.cli devlint.confirm.pytest_plugin
devlint.server devlint.testing devlint.scaffold devlint.integrations devlint.scan
devlint.explain
devlint.run
devlint_rules
devlint.api
devlint.analyses devlint.models
devlint.interpret.language
devlint.interpret.calls
devlint.interpret.modules
devlint.interpret.objects
devlint.interpret.tensors
devlint.interpret.conditions
devlint.interpret.core
devlint.confirm
devlint.confirm.pytest
devlint.confirm.shift
devlint.confirm.dry_run devlint.confirm.witnesses
devlint.confirm.emulation
devlint.confirm.torch_patches
devlint.confirm.device_tags devlint.confirm.sandbox
devlint.report devlint.queries
devlint.findings devlint.event devlint.cache
devlint.project
devlint.facts devlint.rule devlint.values devlint.flow devlint.files devlint.document
devlint.lower devlint.settings
devlint.text
devlint.finding
""".strip().splitlines()

DEPTHS = {name: depth for depth, line in enumerate(LAYERS) for name in line.split()}
#: These hold nothing but others.
PACKAGES = ("devlint", "devlint.interpret")
MODULES = {
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
    for root in (ROOT, ROOT / "rules")
    for path in sorted(root.glob("devlint*/**/*.py"))
}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    for imported in imports(module):
        if is_ours(imported) and module not in PACKAGES:
            is_below = DEPTHS[layer(imported)] > DEPTHS[layer(module)]
            assert is_below or layer(imported) == layer(module), f"{module} imports {imported}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {module: {each for each in imports(module) if each in MODULES} for module in MODULES}
    while free := [module for module, others in graph.items() if graph.keys().isdisjoint(others)]:
        graph = {module: others for module, others in graph.items() if module not in free}
    assert graph == {}, "these, or what they import, are in circles"


@pytest.mark.parametrize("module", MODULES)
def test_only_the_companion_imports_torch(module: str) -> None:
    if module.startswith("devlint.confirm"):
        return
    assert "torch" not in packages(imports(module))
    assert not any(name.startswith("devlint.confirm") for name in imports(module, at_once=True))


def test_the_companion_itself_says_nothing_of_torch() -> None:
    assert "torch" not in packages(imports("devlint.confirm"))


@pytest.mark.parametrize("module", MODULES)
def test_only_the_concrete_front_end_imports_libcst(module: str) -> None:
    if module.startswith(("devlint.lower.from_cst", "devlint.lower.cst_")):
        return
    assert "libcst" not in packages(imports(module, at_once=True))
    if module != "devlint.run.front_ends":
        assert "libcst" not in packages(imports(module))


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("devlint_rules")])
def test_rules_import_the_api_alone(module: str) -> None:
    for imported in filter(is_ours, imports(module)):
        own = ".".join(module.split(".")[:2])
        assert imported == "devlint.api" or imported.startswith(f"{own}."), imported


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("devlint.")])
def test_the_engine_knows_no_rule_pack(module: str) -> None:
    assert "devlint_rules" not in packages(imports(module))


def test_flow_knows_nothing_of_devices() -> None:
    for module in (name for name in MODULES if name.startswith("devlint.flow")):
        for imported in filter(is_ours, imports(module)):
            assert imported.startswith(("devlint.flow", "devlint.lower")), f"{module}: {imported}"


def layer(module: str) -> str:
    """The module's layer; a module that LAYERS forgets is an error."""
    names = sorted(DEPTHS, key=len, reverse=True)
    return next(name for name in names if f"{module}.".startswith(f"{name}."))


def imports(module: str, *, at_once: bool = False) -> Iterator[str]:
    """What a module imports by its full name; `at_once`, when it is imported itself."""
    tree = ast.parse(MODULES[module].read_text())
    for node in tree.body if at_once else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (submodule(node.module, alias.name) for alias in node.names)


def submodule(package: str, name: str) -> str:
    return f"{package}.{name}" if f"{package}.{name}" in MODULES else package


def packages(names: Iterator[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def is_ours(name: str) -> bool:
    return name.partition(".")[0] in {"devlint", "devlint_rules"}
