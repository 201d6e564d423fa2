"""Parameters that say where to make something, and that nobody reads."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    Applying,
    Ended,
    Presumption,
    Problem,
    Run,
    effect,
    ir,
    is_name,
    last_word,
    names_device_variable,
    on,
    path,
    place_named,
    walk,
)

#: What puts something somewhere that a function could be told of.
MAKERS = (effect.Makes, effect.Layer, effect.Loads)
#: Decorators that leave the signature of a function to its author.
OWN = frozenset({"staticmethod", "classmethod", "torch"})
#: What a docstring says of a parameter that is there for old callers.
DISUSE = ("ignored", "unused", "deprecated", "not used", "no effect")


class IgnoredParameters(Analysis[Run]):
    """Reports parameters for devices that a function which makes something never reads."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: What functions make first, by themselves or by what they call.
        self.made: dict[ir.Node, ir.Call] = {}

    @on(Applying)
    def make(self, signal: Applying) -> None:
        fact = signal.fact
        is_empty = isinstance(fact, effect.Layer) and not fact.holds_state
        if isinstance(fact, MAKERS) and not is_empty:
            for function in self.run.running:
                self.made.setdefault(function, signal.call.node)

    @on(Ended)
    def end(self, signal: Ended) -> None:
        for function in self.run.definitions:
            made = self.made.get(function)
            if made is not None and isinstance(function, ir.Def):
                for parameter in function.params:
                    if is_place(parameter) and self.is_ignored(function, parameter.name):
                        told = self.owner(function) if function.name == "__init__" else function
                        self.run.report(self, problem(told or function, parameter, made))

    def is_ignored(self, function: ir.Def, name: str) -> bool:
        is_known = is_read(function, name) or mentions(function, name)
        return not is_known and self.is_free(function)

    def is_free(self, function: ir.Def) -> bool:
        """Whether the signature of a function is its author's to choose."""
        if any(OWN.isdisjoint(path(each)[:1]) for each in function.decorators):
            return False
        if any(parameter.kind == "**" for parameter in function.params):
            return False
        if function.name == "__init__":
            return True
        return not self.is_inherited(function) and not self.is_handed_on(function.name)

    def is_inherited(self, function: ir.Def) -> bool:
        """Whether another class may ask for a method."""
        owner = self.owner(function)
        if owner is None:
            return False
        if any(last_word(base) != "Module" for base in owner.bases):
            return True
        others = (each for each in self.classes() if each is not owner)
        return any(defines(each, function.name) for each in others)

    def owner(self, function: ir.Def) -> ir.Class | None:
        return next((each for each in self.classes() if function in each.body), None)

    def classes(self) -> Iterator[ir.Class]:
        return (each for each in self.run.definitions if isinstance(each, ir.Class))

    def is_handed_on(self, name: str) -> bool:
        """Whether somebody takes a function for a value, and may call it with what he likes."""
        nodes = [node for module in self.run.modules for node in walk(module)]
        calls = [node for node in nodes if isinstance(node, ir.Call)]
        called = {each.func for each in calls}
        called |= {e.args[0] for e in calls if last_word(e.func) == "partial" and e.args}
        return any(
            node not in called and (node.id if isinstance(node, ir.Name) else node.name) == name
            for node in nodes
            if isinstance(node, (ir.Name, ir.Attribute))
        )


def is_place(parameter: ir.Parameter) -> bool:
    """Whether it says where to put something; what says the CPU by its name gets what it says."""
    if place_named(parameter.name).is_cpu:
        return False
    is_named = parameter.name == "map_location" or names_device_variable(parameter.name)
    return is_named and parameter.kind[0] != "*"


def is_read(function: ir.Def, name: str) -> bool:
    """Whether a name is read, or may be, before it is assigned anew on every path."""
    for statement in straight(function.body):
        if isinstance(statement, ir.Assign) and any(is_name(t, name) for t in statement.targets):
            return mentions_name(statement.value, name)
        if mentions_name(statement, name):
            return True
    return False


def straight(block: ir.Block) -> Iterator[ir.Node]:
    """The statements of a block in order, those of blocks that run once for certain among them."""
    for statement in block:
        if isinstance(statement, ir.With):
            yield from (node for item in statement.items for node in item if node is not None)
            yield from straight(statement.body)
        elif isinstance(statement, ir.Try) and not statement.handlers:
            yield from straight((*statement.body, *statement.orelse, *statement.final))
        else:
            yield statement


def mentions_name(node: ir.Node, name: str) -> bool:
    return any(is_name(each, name) or is_name(each, "locals") for each in walk(node))


def mentions(function: ir.Def, name: str) -> bool:
    """Whether a text in a function names a parameter, or its docstring says that it is not used."""
    constants = (node for node in walk(function) if isinstance(node, ir.Constant))
    texts = [(node, node.value) for node in constants if isinstance(node.value, str)]
    docstring = docstring_of(function)
    if any(node is docstring and name in text and says_disuse(text) for node, text in texts):
        return True
    return any(node is not docstring and name in listed(text) for node, text in texts)


def says_disuse(text: str) -> bool:
    return any(each in text.lower() for each in DISUSE)


def listed(text: str) -> list[str]:
    """The words of a text, such as of a list of names."""
    return text.replace(",", " ").split()


def docstring_of(function: ir.Def) -> ir.Expression | None:
    first = function.body[0] if function.body else None
    return first.value if isinstance(first, ir.Evaluate) else None


def defines(owner: ir.Class, name: str) -> bool:
    return any(isinstance(each, ir.Def) and each.name == name for each in owner.body)


def problem(told: ir.Def | ir.Class, parameter: ir.Parameter, made: ir.Call) -> Problem:
    what = "restores" if parameter.name == "map_location" else "makes"
    return Problem(
        parameter,
        f"`{told.name}` is told `{parameter.name}` and never reads it: what it {what} is "
        "elsewhere, whatever the caller asks for",
        later=((made, "made here"),),
        fault=made,
        presumes=(Presumption.ANOTHER_DEVICE,),
    )
