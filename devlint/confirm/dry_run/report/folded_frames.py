"""The frames of a traceback: the user's with their lines, those of a library in one."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import FrameType

from devlint.confirm.device_tags.provenance import is_users
from devlint.confirm.dry_run.report.generated_code import is_in_a_file
from devlint.report.text import count

#: By which every module of PyTorch is called; that it was says nothing.
_CALLS = ("_wrapped_call_impl", "_call_impl")
_GENERATED = "generated code"


@dataclass(frozen=True, slots=True)
class Step:
    """A frame, and what a traceback says of it."""

    summary: traceback.FrameSummary
    frame: FrameType

    @property
    def library(self) -> str:
        """The package that it is of; nothing if that is the user's."""
        if not is_in_a_file(self.frame.f_code.co_filename):
            return _GENERATED
        return "" if is_users(self.frame.f_code.co_filename) else self._module.partition(".")[0]

    @property
    def function(self) -> str:
        """Its last module, its class and its name."""
        code = self.frame.f_code
        inner = self._module.rpartition(".")[2] if "." in self._module else ""
        name = getattr(code, "co_qualname", code.co_name)  # Since Python 3.11.
        return f"{inner}.{name}" if inner and self.library != _GENERATED else name

    @property
    def is_call(self) -> bool:
        return self.library == "torch" and self.frame.f_code.co_name in _CALLS

    @property
    def _module(self) -> str:
        return str(self.frame.f_globals.get("__name__", ""))


def folded(steps: Sequence[Step]) -> list[str]:
    """The frames, outermost first, as a traceback has them."""
    told = [each for each in steps if not each.is_call]
    return [
        line
        for library, group in groupby(told, key=lambda each: each.library)
        for line in (_of_library(library, [*group]) if library else _of_user([*group]))
    ]


def _of_user(steps: Sequence[Step]) -> list[str]:
    return traceback.StackSummary.from_list([each.summary for each in steps]).format()


def _of_library(library: str, steps: Sequence[Step]) -> Iterator[str]:
    frames = count(len(steps), "frame")
    yield f"  \N{HORIZONTAL ELLIPSIS} {frames} in {library} ({steps[-1].function})\n"
