"""Values for parameters without a default, as Python: by annotation, and else by name."""

from __future__ import annotations

import collections.abc
import enum
import inspect
import re
import types
import typing
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch

_MODULES = ("torch.nn.Identity()", "torch.nn.Linear({0}, {0})", "torch.nn.Conv2d({0}, {0}, 1)")
_TYPES = ("torch.nn.Identity", "torch.nn.ReLU", "torch.nn.Linear")
_FUNCTIONS = ("torch.nn.functional.relu", "torch.add", "torch.nn.Identity")
_FLOATS = ("0.5", "1.0", "2.0")
_TEXTS = ("'mean'", "'relu'", "'bilinear'")
_TENSORS = ("torch.rand({0}, {0})", "torch.rand({0})")
#: What a whole number is by its name, once all are the same.
_ROLES = (
    (re.compile(r"kernel|window|filter"), "3"),
    (re.compile(r"head|group|stride|dilation|factor|ratio|expan|patch"), "2"),
    (re.compile(r"depth|layer|block|order|degree|iter|step|stage|level|padding|scale"), "1"),
    (re.compile(r"image|img|resolution|height|width|^[hw]$"), "32"),
)
#: What a parameter without an annotation is, by its name.
_NAMED: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(r"^(num|n|max|min|dim)_|(^|_)(dim|depth|heads|rank|index|ind|id|length)s?$"),
        ("{0}",),
    ),
    (re.compile(r"(^|_)(fn|func|function|act|activation|callback)$"), _FUNCTIONS),
    (re.compile(r"_(layer|class|cls|type)$"), (*_TYPES, *_TEXTS)),
    (re.compile(r"(net|model|module|backbone|encoder|decoder|layer|block)s?$"), _MODULES),
    (re.compile(r"(^|_)(is|has|use|with|do|return)_|bias$|^causal$"), ("False", "True")),
    (re.compile(r"(mode|type|reduction|name|kind|method|metric)$"), _TEXTS),
    (
        re.compile(
            r"(^|_)(p|prob|rate|eps|alpha|beta|gamma|lr|sigma|std|scale|temperature|dropout|margin"
            r"|threshold|weight|lambda|momentum)$"
        ),
        _FLOATS,
    ),
    (re.compile(r"(size|shape|resolution)$"), ("{0}", "({0}, {0})")),
)
#: What an error names.
_QUOTED = re.compile(r"['`\"]([a-z]\w*)['`\"]")
_UNNAMED = ("{0}", "({0}, {0})", *_MODULES)
#: By the class that an annotation names, or one that it derives from.
_CLASSES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (bool, ("False", "True")),
    (int, ("{0}",)),
    (float, _FLOATS),
    (str, _TEXTS),
    (torch.Tensor, _TENSORS),
    (torch.dtype, ("torch.float32",)),
    (torch.device, ("torch.device('cpu')",)),
    (torch.Size, ("torch.Size([{0}, {0}])",)),
    (dict, ("{{}}",)),
    (tuple, ("({0}, {0})",)),
    (list, ("[{0}, {0}]",)),
    (type, _TYPES),
)
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_NONE = type(None)
#: How deep classes of the package are built for others.
_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Taste:
    """Which values are taken: this number for all whole ones, unless their names say something,
    and of all others the one at this place of the list."""

    size: int
    has_roles: bool = False
    choice: int = 0

    def of(self, options: Sequence[str], name: str) -> str:
        chosen = options[min(self.choice, len(options) - 1)]
        role = next((value for words, value in _ROLES if words.search(name)), "")
        return chosen.format(role if self.has_roles and role else self.size)


TASTES = (
    *map(Taste, (4, 8, 16, 3)),
    *(Taste(size, has_roles=True) for size in (4, 8, 16, 3)),
    *(Taste(size, True, choice) for choice in (1, 2) for size in (4, 16)),
)


class Arguments:
    """`names`: what expressions may name; classes that are defined in the `modules` are built."""

    def __init__(self, names: Mapping[str, Any], modules: Container[str]) -> None:
        self._names, self._modules = names, modules
        self._asked: dict[str, bool] = {}

    def build(self, kind: Any, taste: Taste) -> str:
        """The call that constructs one; nothing for what has no signature."""
        return self._built(kind, taste, 0)

    def ask(self, error: str) -> None:
        """From now on give what an error names, too, where it is the name of a parameter; what it
        names once more was not wanted."""
        for name in _QUOTED.findall(error):
            self._asked[name] = name not in self._asked

    def options(self, annotation: Any, name: str) -> list[str]:
        """For one parameter, with `{0}` for a whole number."""
        return [*self._options(annotation, name, 0)]

    def _built(self, kind: Any, taste: Taste, depth: int) -> str:
        required, hints, given = parameters(kind), hints_of(kind), []
        if required is None:
            return ""
        for each in (
            *required,
            *_optional(kind, [each for each, is_it in self._asked.items() if is_it]),
        ):
            value = taste.of(self._options(hints.get(each.name), each.name, depth), each.name)
            is_named = each.kind is not each.POSITIONAL_ONLY
            given.append(f"{each.name}={value}" if is_named else value)
        given += [f"{each}=False" for each in _loading(kind)]
        return f"{kind.__name__}({', '.join(given)})"

    def _options(self, annotation: Any, name: str, depth: int) -> Sequence[str]:
        """At least one."""
        origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
        if origin in (typing.Union, types.UnionType):
            some = [each for each in parts if each is not _NONE]
            found = [text for each in some for text in self._options(each, name, depth)]
            return [*found, *(["None"] if _NONE in parts else [])]
        if origin is typing.Literal:
            return [_quoted(repr(each)) for each in parts]
        if origin is collections.abc.Callable or annotation is Callable:
            return _FUNCTIONS
        if origin is tuple and parts and parts[-1] is not ...:
            return [f"({', '.join(self._options(each, name, depth)[0] for each in parts)},)"]
        if origin in (tuple, *_LISTS) and parts:
            return [f"[{text}, {text}]" for text in self._options(parts[0], name, depth)]
        return self._of_class(origin or annotation, name, depth)

    def _of_class(self, kind: Any, name: str, depth: int) -> Sequence[str]:
        if isinstance(kind, type) and kind is not _NONE:
            if self._names.get(kind.__name__) is kind and kind.__module__ in self._modules:
                return self._of_package(kind, depth)
            if issubclass(kind, torch.nn.Module):
                return _MODULES
            for known, options in _CLASSES:
                if issubclass(kind, known):
                    return options
        return next((options for words, options in _NAMED if words.search(name)), _UNNAMED)

    def _of_package(self, kind: Any, depth: int) -> Sequence[str]:
        if issubclass(kind, enum.Enum):
            return [f"{kind.__name__}.{each.name}" for each in kind]
        built = [self._built(kind, taste, depth + 1) for taste in TASTES[:4] if depth < _DEPTH]
        return [_quoted(each) for each in dict.fromkeys(built) if each] or _MODULES


def _optional(kind: Any, names: Iterable[str]) -> Iterator[inspect.Parameter]:
    """Those of these names that need not be given, but may."""
    known = {each.name: each for each in _signature(kind) or ()}
    for name in names:
        if name in known and known[name].default is not inspect.Parameter.empty:
            yield known[name]
        elif name not in known and _takes_any(kind):
            yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)


def _takes_any(kind: Any) -> bool:
    parameters = inspect.signature(kind).parameters.values()
    return any(each.kind is each.VAR_KEYWORD for each in parameters)


def _loading(kind: Any) -> list[str]:
    """What has it load weights if nobody says no; there is no network."""
    names = (each.name for each in _signature(kind) or () if each.default is True)
    return [each for each in names if "pretrained" in each]


def _quoted(text: str) -> str:
    """For `str.format`, which leaves it as it is."""
    return text.replace("{", "{{").replace("}", "}}")


def parameters(function: Any) -> list[inspect.Parameter] | None:
    """Those that have to be given."""
    given = _signature(function)
    return None if given is None else [each for each in given if each.default is each.empty]


def _signature(function: Any) -> list[inspect.Parameter] | None:
    """None of what takes any number of arguments, but where all that a class says is that."""
    with suppress(TypeError, ValueError):
        given = _named(inspect.signature(function))
        if isinstance(function, type) and not given:
            begun = inspect.getattr_static(function, "__init__")
            return _named(inspect.signature(begun))[1:]
        return given
    return None


def _named(signature: inspect.Signature) -> list[inspect.Parameter]:
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each for each in signature.parameters.values() if each.kind not in several]


def hints_of(function: Any) -> dict[str, Any]:
    """What parameters are said to be; nothing of what Python cannot resolve."""
    if not isinstance(function, type):
        return _hints(function)
    made, begun = (getattr(function, name) for name in ("__new__", "__init__"))
    return {**_hints(made), **_hints(begun)}


def _hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:
        written = getattr(function, "__annotations__", {})
        names = {**vars(typing), **vars(torch), **getattr(function, "__globals__", {})}
        return {name: _resolved(each, names) for name, each in written.items()}


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    try:
        return eval(annotation, names) if isinstance(annotation, str) else annotation
    except Exception:
        return None
