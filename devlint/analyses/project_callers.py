"""Who comes to what runs, by the texts of all files of its project."""

from __future__ import annotations

from typing import cast

from devlint.analyses.data_makers import makes_data
from devlint.interpret.core import class_summary
from devlint.interpret.core.definitions import is_transparent
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries.placements import may_place
from devlint.queries.references import Name, Reach, Reference, is_implicit, reach


def is_unused(run: Run) -> bool:
    """Whether nobody in the project comes to what runs: a function, a private method, or, where
    nobody else can use it, any method of a class."""
    owner = run.owners[0] if run.owners else None
    begun = beginning(run)
    if begun is None or (owner is not None and not is_closed(run, begun, owner)):
        return False
    found = reached(run)
    return found is not None and not found.references


def is_unaware(run: Run) -> bool:
    """Whether a file of a project that is looked at as a whole says nothing of devices, nor puts
    what comes to it anything on an accelerator; what modules compute that others may install, those
    may run anywhere."""
    place, begun = run.home.place, beginning(run)
    if place is None or not place.is_used or run.seeds.knows_devices:
        return False
    if begun is not None and is_implicit(begun) and is_distributed(run):
        return False
    return not may_put_away(run, reached(run)) and not may_put_away(run, reached_by_class(run))


def is_for_project_alone(run: Run) -> bool:
    """Whether all who come to a function, or to a class that is no module, are in the project: what
    they put on an accelerator is followed from there."""
    users = but_for_tests(reached(run))
    return bool(users) and not any(each.is_export for each in users)


def is_for_data_alone(run: Run) -> bool:
    """Whether all that comes to what runs makes data."""
    found = reached(run)
    return found is not None and bool(found.references) and not found.open


def is_for_cpu_alone(run: Run) -> bool:
    """Whether nothing that comes to what runs, through whatever files, puts anything on an
    accelerator, or nothing that comes to its class. What tests do, or others may, shows nothing."""
    return puts_nothing_away(run, reached(run)) or puts_nothing_away(run, reached_by_class(run))


def puts_nothing_away(run: Run, found: Reach | None) -> bool:
    """Whether there are references, none of which is in a file that uses accelerators."""
    users = but_for_tests(found)
    if not users or (any(each.is_export for each in users) and is_distributed(run)):
        return False
    return not may_put_away(run, found)


def may_put_away(run: Run, found: Reach | None) -> bool:
    """Whether one of the references is in a file that uses accelerators."""
    movers = run.libraries.movers
    return any(each.source.once(may_place, movers) for each in but_for_tests(found))


def is_distributed(run: Run) -> bool:
    """Whether others than the project may use what it makes public."""
    return run.home.place is None or run.home.place.is_distributed


def is_notebook(run: Run) -> bool:
    """Whether nobody can use what it defines."""
    return run.home.place is not None and run.home.place.module.path.endswith(".ipynb")


def but_for_tests(found: Reach | None) -> list[Reference]:
    """The references that are in view, those in tests left out."""
    return [] if found is None else [each for each in found.references if not each.is_of_test]


def reached(run: Run) -> Reach | None:
    """From where in the project what runs is come to; None where that is not in view."""
    begun = beginning(run)
    if begun is None:
        return None
    is_named = run.owners[0] is None or not is_implicit(begun)
    return reached_by(run, Name(begun.name)) if is_named else reached_by_class(run)


def reached_by_class(run: Run) -> Reach | None:
    """From where the objects come whose method runs."""
    owner = run.owners[0] if run.owners else None
    if owner is None or beginning(run) is None:
        return None
    return reached_by(run, Name(owner.node.name, is_class=True))


def reached_by(run: Run, name: Name) -> Reach | None:
    answers, key, place = run.home.answers, (reached, name), run.home.place
    if place is None:
        return None
    if key not in answers:
        answers[key] = reach(place, name, is_of_data)
    return cast("Reach | None", answers[key])


def is_of_data(reference: Reference) -> bool:
    """Whether it stands in what makes data. A constructor calls a function at once, but what it
    makes of a class is called later."""
    is_made = reference.name.is_class
    skipped = {"__init__"} if is_made else set()
    return makes_data(*(each for each in reference.within if each.name not in skipped))


def beginning(run: Run) -> ir.Def | None:
    """The function of the program that runs without a caller in view."""
    begun = run.running[0] if run.running else None
    if not isinstance(begun, ir.Def) or not is_transparent(begun):
        return None
    return begun if begun in run.home.seeds.definitions else None


def is_closed(run: Run, method: ir.Def, owner: ClassInfo) -> bool:
    """Whether all that may call a method are in view; what decorates its class may register that
    for others."""
    if is_implicit(method):
        return not is_distributed(run) and not owner.node.decorators
    is_named_private = method.name.startswith("_")
    return (is_named_private or not is_distributed(run)) and class_summary.is_all_in_view(owner)
