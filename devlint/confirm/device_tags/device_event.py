"""What CUDA refuses while a program runs, and its exceptions; torch is not needed for them."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from devlint.confirm.device_tags.provenance import Birth, Frame


@dataclass(frozen=True, slots=True)
class EventOperand:
    """A tensor, or a generator, which has no `shape`."""

    device: str
    shape: tuple[int, ...] | None
    birth: Birth
    roots: tuple[Birth, ...]

    @property
    def what(self) -> str:
        """What it is, in words."""
        return "a generator" if self.shape is None else f"an operand of shape {[*self.shape]}"

    @property
    def root_frames(self) -> list[Frame]:
        """The lines that made what it was computed from."""
        return [root[0] for root in self.roots if root and root[:1] != self.birth[:1]]


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """`stack` has the line that crashes first; the operands are those on several devices.

    `error`: the class of CUDA's exception. `process`: the name of the one where it happened, if
    that was not the program itself.
    """

    kind: str
    error: str
    message: str
    stack: Birth
    operands: tuple[EventOperand, ...]
    process: str = ""

    @property
    def fault(self) -> tuple[object, ...]:
        """What events have in common that one line is to blame for: what it made, or itself."""
        culprits = {operand.birth[:1] for operand in self.operands if operand.device == "cpu"}
        return (self.kind, *(sorted(culprits) or self.stack[:1]))

    def births(self) -> list[str]:
        """Where operands come from, in words."""
        return [
            f"{operand.what} on {operand.device} was made at {path}:{line}"
            for operand in self.operands
            for path, line, _ in operand.birth[:1]
        ]


def renamed(event: DeviceEvent, name: Callable[[str], str]) -> DeviceEvent:
    """The event in files of other names."""

    def there(birth: Birth) -> Birth:
        return tuple((name(path), line, function) for path, line, function in birth)

    operands = tuple(
        replace(each, birth=there(each.birth), roots=tuple(map(there, each.roots)))
        for each in event.operands
    )
    return replace(event, stack=there(event.stack), operands=operands)


def plain(event: DeviceEvent) -> dict[str, Any]:
    """The event as what every format of data has; `from_plain` makes it one again."""
    return asdict(event)


def from_plain(event: dict[str, Any]) -> DeviceEvent:
    operands = tuple(
        EventOperand(each["device"], _shape(each["shape"]), _birth(each["birth"]), _births(each))
        for each in event["operands"]
    )
    kind, error, message = event["kind"], event["error"], event["message"]
    stack, process = _birth(event["stack"]), event["process"]
    return DeviceEvent(kind, error, message, stack, operands, process)


def _shape(sizes: list[int] | None) -> tuple[int, ...] | None:
    return None if sizes is None else tuple(sizes)


def _births(operand: dict[str, Any]) -> tuple[Birth, ...]:
    return tuple(map(_birth, operand["roots"]))


def _birth(frames: Iterable[Any]) -> Birth:
    return tuple((path, line, function) for path, line, function in frames)


def distinct(events: Iterable[DeviceEvent]) -> tuple[DeviceEvent, ...]:
    """The first event of each fault."""
    found: dict[object, DeviceEvent] = {}
    for event in events:
        found.setdefault(event.fault, event)
    return tuple(found.values())


class _Alias(type):
    """Of exceptions that go by the names of those that CUDA raises, wherever these are printed."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Alias:
        public = bases[0].__name__
        shown = {"__module__": bases[0].__module__, "__qualname__": public}
        made = super().__new__(cls, public, bases, {**namespace, **shown})
        _ALIASES[name] = made
        return made


#: By the names that they have here.
_ALIASES: dict[str, _Alias] = {}


def _alias(name: str) -> _Alias:
    return _ALIASES[name]


def _pickled(alias: _Alias) -> tuple[Callable[[str], _Alias], tuple[str]]:
    """Processes send one another exceptions, and their classes."""
    return _alias, (next(name for name, each in _ALIASES.items() if each is alias),)


copyreg.pickle(_Alias, _pickled)


class DeviceError(RuntimeError, metaclass=_Alias):
    """What CUDA would have raised; the `event` is not there where PyTorch raised it anew."""

    event: DeviceEvent | None = None


class ExportError(TypeError, metaclass=_Alias):
    """What `Tensor.numpy` and its like would have raised, and constructors of types."""

    event: DeviceEvent | None = None


class BufferExportError(BufferError, metaclass=_Alias):
    """What NumPy would have raised for memory of CUDA."""

    event: DeviceEvent | None = None


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The exception, what it was raised from or in spite of, and what it is made of.

    A group has `exceptions`, one of doctest `failures`, and each of those the `exc_info`.
    """
    waiting, seen = [error], set()
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
        waiting += [*getattr(each, "failures", ()), getattr(each, "exc_info", (None, None))[1]]


def events_of(error: BaseException | None) -> list[DeviceEvent]:
    """Those whose exceptions are among its causes."""
    events = (getattr(each, "event", None) for each in causes(error))
    return [each for each in events if isinstance(each, DeviceEvent)]
