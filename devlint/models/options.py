"""Libraries that read options: from the command line, and from files."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.facts.effect import Fact, Opaque
from devlint.interpret.core.call import NO_ARGUMENTS, Call
from devlint.interpret.core.containers import container, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.interpret.objects.records import OPTIONS, namespace
from devlint.values.value import NOTHING, Value

_PARSERS = frozenset({"argparse", "configargparse", "jsonargparse", "simple_parsing"})
_PARSER = "parser"


@dataclass(frozen=True, slots=True)
class Reads(Fact):
    """Options that somebody may set. `has_rest`: with the arguments that are left over. `keeps`:
    those that it is given."""

    has_rest: bool = False
    keeps: bool = False


def read(run: Run, fact: Reads, call: Call) -> Value:
    given = call.arguments if fact.keeps else NO_ARGUMENTS
    made = namespace(run, call.node, given)
    options = replace(made, payload=OPTIONS)
    if not fact.has_rest:
        return options
    return container(run, call.node.func, numbered([options, NOTHING]))


MODEL = LibraryModel[Run](
    packages=_PARSERS | {"omegaconf"},
    patterns=(
        (rf"({'|'.join(sorted(_PARSERS))})\.(\w+\.)?Arg\w*Parser", Opaque("", _PARSER)),
        (r"argparse\.Namespace", Reads("", keeps=True)),
        (r"omegaconf\.OmegaConf\.(create|from_cli|from_dotlist|load|merge)", Reads("")),
    ),
    methods={
        _PARSER: {
            "parse_args": Reads(""),
            "parse_intermixed_args": Reads(""),
            "parse_known_args": Reads("", has_rest=True),
        }
    },
    handlers={Reads: read},
)
