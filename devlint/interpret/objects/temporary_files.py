"""Files and folders that are gone when the program ends."""

from __future__ import annotations

from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import names_temporary
from devlint.values.value import Kind, Value

#: The role of such a file, a folder, or a path below one.
TEMPORARY = "temporary"


def is_temporary(run: Run, argument: Argument) -> bool:
    """Whether an argument is one, or has one in it: `f"{folder}/model.pt"`, `file.name`."""
    if argument.value.payload == TEMPORARY:
        return True
    names = (each for each in walk(argument.node) if isinstance(each, ir.Name))
    return any(is_named_temporary(run, each) for each in names)


def is_named_temporary(run: Run, node: ir.Name) -> bool:
    value = run.lookup(node.id)
    if value is None:
        return False
    is_given = isinstance(value.ref, ir.Parameter) and names_temporary(value.ref.name)
    is_made = value.kind is Kind.IMPORTED and str(value.payload).startswith("tempfile")
    return is_given or is_made or value.payload == TEMPORARY


def path_of(run: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`os.path.join(folder, name)`, `Path(folder)`."""
    if any(is_temporary(run, each) for each in arguments):
        return Value(Kind.OBJECT, payload=TEMPORARY)
    return Value(ref=run.key(node))
