"""One tree: both front ends number the nodes alike, and the screen decides as LibCST does."""

from __future__ import annotations

from devlint.lower import from_cst
from devlint.lower.node_ids import NodeIds
from devlint.run.check import check

from .examples import PATH, Example, rules
from .law import Faults, of_each


def faults(example: Example) -> Faults:
    data, chosen, own = example.code.encode(), rules(), example.vocabulary
    before, after = (
        check(PATH, data, chosen, screen=screen, vocabulary=own) for screen in (True, False)
    )
    found = [] if are_alike(example) else ["the trees are not alike"]
    found += (
        f"by the screen alone: {each}" for each in before.findings if each not in after.findings
    )
    found += (f"by LibCST alone: {each}" for each in after.findings if each not in before.findings)
    return found or ([] if before.findings == after.findings else ["in another order"])


def are_alike(example: Example) -> bool:
    concrete = from_cst.lower(example.code).module
    return NodeIds(example.lowered.module).agrees(NodeIds(concrete))


LAW = of_each("one-tree", faults)
