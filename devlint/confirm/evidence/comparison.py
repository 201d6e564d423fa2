"""Where what is found on this machine differs from the record of another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from devlint.confirm.device_tags.cuda_messages import is_of_devices
from devlint.settings.file import parsed

#: A record, or a part of one.
Record: TypeAlias = Mapping[str, Any]
#: What may differ, with the reason, by parts of a record; it stands beside the records.
EXCEPTIONS = "exceptions.toml"


def exceptions_of(record: Path) -> Record:
    """The exceptions that stand beside a record."""
    path = record.parent / EXCEPTIONS
    return parsed(path.read_text(encoding="utf-8")) if path.exists() else {}


def differences(record: Record, found: Record, excepted: Record) -> Iterator[str]:
    """A line for each, of what both records have."""
    yield from _verdicts(record["evidence"], found["evidence"])
    for part, differ in (("programs", _ends), ("operators", _outcomes), ("autocast", _casts)):
        told, here = record.get(part, {}), found.get(part, {})
        if isinstance(told, str) or isinstance(here, str):  # Its process has ended.
            told, here = {part: told}, {part: here}
        for name in [each for each in told if each in here and each not in excepted.get(part, {})]:
            for line in _told(differ, told[name], here[name]):
                yield f"{name}: {line}"


def _told(differ: Callable[[Any, Any], Iterator[str]], told: Any, here: Any) -> Iterator[str]:
    """What did not end by itself has words in place of an answer, such as a limit of time."""
    if isinstance(told, str) or isinstance(here, str):
        words = [each if isinstance(each, str) else "an answer" for each in (told, here)]
        return iter([f"{words[0]} there, {words[1]} here"] if told != here else [])
    return differ(told, here)


def _verdicts(record: list[Record], found: list[Record]) -> Iterator[str]:
    """Of witnesses, but for what only CUDA, or another device, can tell."""
    here = {(row["code"], row["witness"]): row["verdict"] for row in found}
    for row in record:
        told, verdict = row["verdict"], here.get((row["code"], row["witness"]), "no witness")
        if told != "needs another device" and verdict not in (told, "needs real CUDA"):
            yield f"{row['code']}: {told} there, {verdict} here"


def _ends(told: Record, here: Record) -> Iterator[str]:
    """How the same program ended; the words of CUDA differ between versions."""
    if told["program"] != here["program"] or "needs" in told or "needs" in here:
        return
    if (told["line"], told["is_silent"]) != (here["line"], here["is_silent"]):
        yield f"ends {_end(told)} there, {_end(here)} here"
    elif is_of_devices(told["message"]) != is_of_devices(here["message"]):
        yield f"ends with {told['message']!r} there, with {here['message']!r} here"


def _end(row: Record) -> str:
    return f"in line {row['line']}" if row["line"] else "well"


def _outcomes(told: Record, here: Record) -> Iterator[str]:
    """Where a function accepts or refuses another operand, or has its result elsewhere."""
    if "fault" in told:
        return
    for key, outcomes in told.items():
        found = here.get(key, ["not tried"])
        if _kinds(outcomes) != _kinds(found):
            yield f"{key}: {outcomes} there, {found} here"


def _kinds(outcomes: list[str]) -> set[str]:
    """Outcomes, whatever words something is refused in."""
    return {each.partition(":")[0] for each in outcomes}


def _casts(told: Record, here: Record) -> Iterator[str]:
    """What the operands of operators are cast to."""
    for name in told.keys() & here.keys():
        if told[name] != here[name]:
            yield f"{name}: cast to {told[name]} there, to {here[name]} here"
