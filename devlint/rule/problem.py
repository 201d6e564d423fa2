"""Problems: what rules yield, in terms of IR nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

from devlint.finding import Safety, Severity
from devlint.lower import ir
from devlint.lower.change import Change
from devlint.rule.presumption import Presumption


@dataclass(frozen=True, slots=True, eq=False)
class Fix:
    """What would mend a problem: all changes or none, told as an order ("move it too").

    It is `safe` only when what the program does on the CPU is provably unchanged; the `risk` of an
    unsafe one is what it may change, or presumes, as a clause ("other names keep the old tensor").
    """

    message: str
    changes: tuple[Change, ...]
    safety: Safety
    risk: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """`node` is where the author would edit.

    The places that explain it come in the order of time, as a value comes past them: `related`
    before the node, `later` after it.

    `fault` names the fault where rules of different codes see the same one at different places:
    of a pack, only the rule of the lowest precedence speaks. By default it is `node`. Where that
    `is_at_call` which leads to the fault, another call may lead to another one there.

    What it `presumes` decides the confidence of the finding, and its message has to say it.
    """

    node: ir.Node
    message: str
    related: tuple[tuple[ir.Node, str], ...] = ()
    later: tuple[tuple[ir.Node, str], ...] = field(default=(), kw_only=True)
    severity: Severity | None = None
    fault: ir.Node | None = None
    fix: Fix | None = None
    is_at_call: bool = field(default=False, kw_only=True)
    presumes: tuple[Presumption, ...] = field(default=(), kw_only=True)
