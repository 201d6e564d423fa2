"""Modules in view: the one that is looked at, and those of its project that it uses."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from devlint.interpret.core.relevance import Seeds
from devlint.interpret.core.scopes import Frame
from devlint.lower import ir
from devlint.project.modules import Module
from devlint.project.project import Place, Source


class Symbol(str):
    """The dotted name of something that a module of the project has, as a program imports it;
    without a `name` of the module itself. It is the payload of what has not been looked up."""

    __slots__ = ("module", "name")

    def __new__(cls, dotted: str, module: Module, name: str = "") -> Symbol:
        symbol = super().__new__(cls, dotted)
        symbol.module, symbol.name = module, name
        return symbol

    module: Module
    name: str

    def __reduce__(self) -> tuple[type[Symbol], tuple[str, Module, str]]:
        return Symbol, (str(self), self.module, self.name)


class ModuleFrame(Frame):
    """The frame of a module, from which names are looked up last."""

    view: View


@dataclass(slots=True, eq=False)
class View:
    """A module that is interpreted: `frame` has its names, `stars` are those whose names it takes
    over by `*`. Without a `place` it belongs to no project; `source` is that of other modules than
    the one that is looked at."""

    module: ir.Module
    frame: ModuleFrame
    seeds: Seeds
    place: Place | None = None
    source: Source | None = None
    stars: list[str] = field(default_factory=list)
    #: What questions about its text are answered.
    answers: dict[Hashable, object] = field(default_factory=dict)
    #: The modules of the project that it has used.
    used: dict[Module, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.frame.view = self
