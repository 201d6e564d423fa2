"""Puts device bugs into modules of a package, and counts how many `devlint shift` finds.

`python -m tests.shift_injections FOLDER MODULE..`: FOLDER holds the packages of the modules, and is
not changed. Of each kind as many bugs count as `--each` says, one at a time: those whose line runs
in calls that devlint makes, and that a run on the CPU does not show.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

from devlint.confirm.shift.without_tests.account import Account
from devlint.confirm.shift.without_tests.parent import Expedition, Terms, shifted_without_tests
from devlint.confirm.shift.without_tests.request import Order

Outcome = Literal["found", "missed", "not run", "fails on the CPU"]
_SECONDS = 600.0
_FACTORIES = {"zeros", "ones", "arange", "full", "empty", "eye", "linspace", "tensor", "rand"}


@dataclass(frozen=True, slots=True)
class Bug:
    kind: str
    path: Path
    line: int
    text: str


def bugs(path: Path) -> Iterator[Bug]:
    """Those that one file can get, each on its own."""
    source = path.read_text()
    tree = ast.parse(source)
    last = results(tree)
    for node in ast.walk(tree):
        for kind, change in KINDS.items():
            if not isinstance(node, (ast.expr, ast.stmt)) or not (new := change(node)):
                continue
            if not isinstance(node, ast.Return) or node in last:
                yield Bug(kind, path, node.lineno, replaced(source, node, new))


def results(tree: ast.AST) -> set[ast.stmt]:
    """The last statements of what calls modules."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {each.body[-1] for each in functions if each.name == "forward"}


def replaced(source: str, node: ast.expr | ast.stmt, new: str) -> str:
    text = source.encode().splitlines(keepends=True)
    last = (node.end_lineno or node.lineno) - 1
    before, after = text[node.lineno - 1][: node.col_offset], text[last][node.end_col_offset :]
    changed = [before, new.encode(), after]
    return b"".join([*text[: node.lineno - 1], *changed, *text[last + 1 :]]).decode()


def called(node: ast.AST) -> str:
    """The name of a function that is called, without what it is an attribute of."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def without_device(node: ast.AST) -> str:
    if called(node) not in _FACTORIES or not isinstance(node, ast.Call):
        return ""
    kept = [each for each in node.keywords if each.arg != "device"]
    if len(kept) == len(node.keywords):
        return ""
    return ast.unparse(ast.Call(node.func, node.args, kept))


def plain_buffer(node: ast.AST) -> str:
    if not isinstance(node, ast.Expr) or called(node.value) != "register_buffer":
        return ""
    given = node.value.args  # type: ignore[attr-defined]
    if len(given) < 2 or ast.unparse(given[1]) == "None":
        return ""
    name = ast.literal_eval(given[0]) if isinstance(given[0], ast.Constant) else ""
    return f"self.{name} = {ast.unparse(given[1])}" if name else ""


def plain_list(node: ast.AST) -> str:
    if called(node) != "ModuleList" or not node.args:  # type: ignore[attr-defined]
        return ""
    return f"list({ast.unparse(node.args[0])})"  # type: ignore[attr-defined]


def plain_parameter(node: ast.AST) -> str:
    if called(node) != "Parameter" or not node.args:  # type: ignore[attr-defined]
        return ""
    return f"({ast.unparse(node.args[0])})"  # type: ignore[attr-defined]


def of_result(form: str) -> Callable[[ast.AST], str]:
    """What `forward` gives is put into another expression."""

    def change(node: ast.AST) -> str:
        if not isinstance(node, ast.Return) or node.value is None:
            return ""
        return f"return {form.format(ast.unparse(node.value))}"

    return change


def operand_on_cpu(node: ast.AST) -> str:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Mult)):
        return ""
    if not isinstance(node.left, ast.Name) or not isinstance(node.right, ast.Name):
        return ""
    sign = "+" if isinstance(node.op, ast.Add) else "*"
    return f"({node.left.id}.cpu() {sign} {node.right.id})"


KINDS: dict[str, Callable[[ast.AST], str]] = {
    "a factory loses its device": without_device,
    "a buffer is a plain attribute": plain_buffer,
    "a list of modules is a plain one": plain_list,
    "a parameter is a plain tensor": plain_parameter,
    "numpy of a result": of_result("__import__('torch').from_numpy(({0}).detach().numpy())"),
    "an operand is taken to the CPU": operand_on_cpu,
    "a constant is kept by the module": of_result(
        "({0}) * self.__dict__.setdefault('_kept', __import__('torch').ones(1))"
    ),
    "a table of numbers": of_result("({0}) + __import__('torch').tensor([0.0])"),
}


class Bench:
    """A copy of a package, in which one file at a time has a bug."""

    def __init__(self, folder: Path, module: str, scratch: Path) -> None:
        name = module.partition(".")[0]
        self.module, self.root = module, scratch / name
        shutil.copytree(folder / name, self.root)
        os.chdir(scratch)
        self.base = shifted_without_tests(Terms(module, _SECONDS))
        self.known = {each.event.stack[:1] for each in self.base.tally.events}

    def files(self) -> list[Path]:
        """Those with classes that run."""
        modules = {each.subject.rpartition(".")[0] for each in self.base.recipes}
        paths = (self.root.parent / f"{name.replace('.', os.sep)}.py" for name in sorted(modules))
        return [path for path in paths if path.is_file()]

    def outcome(self, bug: Bug) -> Outcome:
        before = bug.path.read_text()
        bug.path.write_text(bug.text)
        try:
            return self._outcome(bug)
        finally:
            bug.path.write_text(before)

    def _outcome(self, bug: Bug) -> Outcome:
        name = ".".join(bug.path.relative_to(self.root.parent).with_suffix("").parts)
        recipes = [each for each in self.base.recipes if each.subject.startswith(f"{name}.")]
        watched = ((str(bug.path), bug.line, bug.line),)
        order = Order(self.module, True, recipes=tuple(recipes), watched=watched)
        account = Account()
        Expedition(Terms(self.module, _SECONDS), account, monotonic() + _SECONDS).send(order)
        if {each.event.stack[:1] for each in account.tally.events} - self.known:
            return "found"
        if account.broke or account.lost or account.unimported:
            return "fails on the CPU"
        return "missed" if account.ran else "not run"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--each", type=int, default=3)
    arguments = parser.parse_args()
    for module in arguments.modules:
        with tempfile.TemporaryDirectory() as scratch:
            bench = Bench(arguments.folder.resolve(), module, Path(scratch).resolve())
            report(bench, arguments.each)


def report(bench: Bench, each: int) -> None:
    """A line for each bug that counts, and how many were found."""
    found: dict[str, list[Bug]] = {kind: [] for kind in KINDS}
    for path in bench.files():
        for bug in bugs(path):
            found[bug.kind].append(bug)
    for kind, candidates in found.items():
        random.Random(0).shuffle(candidates)
        counted: Counter[Outcome] = Counter()
        for bug in candidates[: 4 * each]:
            if counted["found"] + counted["missed"] < each:
                outcome = bench.outcome(bug)
                counted[outcome] += 1
                place = f"{bug.path.relative_to(bench.root.parent)}:{bug.line}"
                print(f"  {outcome}: {kind}, {place}", flush=True)
        total = counted["found"] + counted["missed"]
        print(f"{bench.module}: {kind}: {counted['found']} of {total}", flush=True)


if __name__ == "__main__":
    main()
