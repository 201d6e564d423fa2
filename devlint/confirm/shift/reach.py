"""What a value holds: all that Python shows of it, without running any of its code."""

from __future__ import annotations

import enum
import functools
import re
import types
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

#: What holds nothing, or nothing that was handed over.
_ATOMS = (
    *(str, bytes, bytearray, int, float, complex, range, slice, type(None), type(Ellipsis)),
    *(type, types.ModuleType, types.BuiltinFunctionType, types.CodeType, enum.Enum, re.Pattern),
    *(torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size),
)
_SEQUENCES: tuple[Any, ...] = (list, tuple, set, frozenset, deque)
_ITERATORS: tuple[Any, ...] = (*(type(iter(kind())) for kind in _SEQUENCES), map, zip, filter)
#: So many values are looked at; what holds more is no argument, but half of the program.
BUDGET = 20_000


@dataclass(slots=True)
class Reached:
    """`movable`: modules, and objects with a method `to`; what they hold is not looked at.

    `objects` have attributes, `containers` are lists and dicts, those of attributes among them.
    `repeated` are tensors that are held in several places. `is_whole`: there was nothing more than
    the budget allows.
    """

    tensors: list[Any] = field(default_factory=list)
    movable: list[Any] = field(default_factory=list)
    generators: list[Any] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    containers: list[Any] = field(default_factory=list)
    repeated: list[Any] = field(default_factory=list)
    is_whole: bool = True


def reached(values: Iterable[Any], *, into_movable: bool = False) -> Reached:
    """What the values hold, each thing once; movable ones are opened only if that is wanted."""
    found, seen, waiting = Reached(), dict[int, Any](), [*values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, _ATOMS):
            continue
        if id(value) in seen:
            found.repeated += [value] if isinstance(value, torch.Tensor) else []
            continue
        seen[id(value)] = value  # Kept, so that no other value gets its address.
        if len(seen) > BUDGET:
            found.is_whole = False
            break
        waiting += _sorted_in(found, value, into_movable=into_movable)
    return found


def held(module: Any) -> Reached:
    """All that a module or another movable object holds, registered or not."""
    return reached([module], into_movable=True)


def _sorted_in(found: Reached, value: Any, *, into_movable: bool) -> Iterable[Any]:
    """Put the value where it belongs; what is in it is looked at next."""
    if isinstance(value, torch.Tensor):
        found.tensors.append(value)
        return vars(value).values() if type(value) is not torch.Tensor else ()
    if isinstance(value, torch.Generator):
        found.generators.append(value)
        return ()
    if not into_movable and is_movable(value):
        found.movable.append(value)
        return ()
    if hasattr(value, "__dict__") and not isinstance(value, types.FunctionType):
        found.objects.append(value)
        found.containers.append(value.__dict__)
    if isinstance(value, (dict, list)):
        found.containers.append(value)
    return parts(value)


def is_movable(value: Any) -> bool:
    """Whether its class has a method by which it is moved to a device."""
    return isinstance(value, torch.nn.Module) or callable(getattr(type(value), "to", None))


def parts(value: Any) -> Iterator[Any]:
    """What a value is made of, by the means of Python's own types: none of its code runs."""
    if isinstance(value, dict):
        yield from [*dict.keys(value), *dict.values(value)]
    elif isinstance(value, _SEQUENCES):
        kind = next(each for each in _SEQUENCES if isinstance(value, each))
        yield from [*kind.__iter__(value)]
    if isinstance(value, types.FunctionType):
        yield from _of_function(value)
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, types.MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, types.GeneratorType):
        yield from (value.gi_frame.f_locals, value.gi_yieldfrom) if value.gi_frame else ()
    elif isinstance(value, _ITERATORS):
        yield value.__reduce__()[1]
    yield from _attributes(value)


def _of_function(function: Any) -> Iterator[Any]:
    """What a function remembers, and its defaults; no global variables."""
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # It is empty yet.
            yield cell.cell_contents
    yield function.__defaults__
    yield function.__kwdefaults__


def _attributes(value: Any) -> Iterator[Any]:
    with suppress(AttributeError, TypeError):
        yield from [*object.__getattribute__(value, "__dict__").values()]
    kind: Any = type(value)
    for slot in _slots(kind):
        with suppress(AttributeError):  # Nothing was put there.
            yield slot.__get__(value)


@cache
def _slots(kind: type) -> tuple[Any, ...]:
    """Where objects of a class keep what `__slots__` names."""
    slotted = (vars(each) for each in kind.__mro__ if "__slots__" in vars(each))
    found = (each for names in slotted for each in names.values())
    return tuple(each for each in found if isinstance(each, types.MemberDescriptorType))
