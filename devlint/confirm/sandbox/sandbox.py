"""A scratch folder for a program to run in, so that the files of its user stay as they are."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType

from devlint.confirm.sandbox import landlock, seccomp
from devlint.confirm.sandbox.file_overlay import StandIns, is_below
from devlint.confirm.sandbox.guardian import guarded, remove
from devlint.confirm.sandbox.scratch_copy import SandboxError, ScratchCopy, Stamp, no_room, stamps
from devlint.confirm.sandbox.signals import heard, leave

#: Not the user's data: devices, shared memory, and where tools keep what they download.
_SYSTEM = ("/dev", "/dev/shm", "/proc")
_DOWNLOADS = (".cache", ".fastai", ".keras", ".nv", ".torch", ".triton")
_CACHES = ("XDG_CACHE_HOME", "HF_HOME", "TORCH_HOME", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
#: Sockets below it have paths of at most 104 bytes on macOS.
_TEMPORARY = "t"
_SIGNALS = ("SIGTERM", "SIGHUP")
_TOLD = 5
_FREE = "nothing here stops C++ code and other programs from"


@dataclass(frozen=True, slots=True)
class Writes:
    """Paths from the folder, or absolute ones outside it: what a run would have done to them."""

    written: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass
class Sandbox:
    """Until its `with` ends: then the scratch folder is removed, also when a signal ends it."""

    stand_ins: StandIns
    _before: dict[str, Stamp] = field(default_factory=dict)
    _cleaning: ExitStack = field(default_factory=ExitStack)

    @staticmethod
    def of(folder: str) -> Sandbox:
        """Raises `SandboxError` for a folder that is no project's."""
        original = os.path.realpath(folder)
        if original in (os.path.dirname(original), _home()) or is_below(_home(), original):
            raise SandboxError(
                f"{original}: --sandbox copies the working directory, which is too much here: "
                "run from the folder of the project"
            )
        try:
            root = os.path.realpath(tempfile.mkdtemp(prefix="dl-"))
        except OSError as error:
            raise SandboxError(no_room(error)) from error
        return Sandbox(StandIns(root, original, tuple(_real(original, os.environ))))

    def __enter__(self) -> Sandbox:
        with ExitStack() as cleaning:
            cleaning.enter_context(heard(_SIGNALS, leave))
            cleaning.enter_context(guarded(self.root))
            cleaning.callback(self._remove)
            os.mkdir(os.path.join(self.stand_ins.root, _TEMPORARY))
            ScratchCopy(self.stand_ins).make()
            self._before = stamps(self.folder)
            self._cleaning = cleaning.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._cleaning.close()

    @property
    def root(self) -> str:
        """The scratch folder: below it what the run writes is written there."""
        return self.stand_ins.root

    @property
    def folder(self) -> str:
        """The copy: the working directory of the run."""
        return self.stand_ins.copy

    def environment(self) -> dict[str, str]:
        """Of the run, whose process calls `redirect` first of all."""
        temporary = os.path.join(self.stand_ins.root, _TEMPORARY)
        names = ("TMPDIR", "TEMP", "TMP")
        own = {**dict.fromkeys(names, temporary), "PWD": self.folder}
        return {**os.environ, **own, **self.stand_ins.environment()}

    def inside(self, path: str) -> str:
        """The copy of a file in the folder; a file outside it is itself."""
        return self.stand_ins.inside(os.path.realpath(path))

    def original(self, path: str) -> str:
        """The user's file, where a run names its copy; else itself."""
        return self.stand_ins.users(path)

    def writes(self) -> Writes:
        now = stamps(self.folder)
        new = {name for name, stamp in now.items() if stamp != self._before.get(name)}
        written = {name for name in new if now[name]}
        removed = set(self._before) - set(now)
        topmost = {name for name in removed if os.path.dirname(name) not in removed}
        elsewhere = set(self._below(self.stand_ins.outside))
        gone = set(self._below(self.stand_ins.gone)) - elsewhere
        return Writes(tuple(sorted(written | elsewhere)), tuple(sorted(topmost | gone)))

    def _below(self, folder: str) -> Iterator[str]:
        for name, stamp in stamps(folder).items():
            if stamp:
                users = self.original(os.path.join(folder, name))
                below = is_below(users, self.stand_ins.original)
                yield os.path.relpath(users, self.stand_ins.original) if below else users

    def _remove(self) -> None:
        remove(self.root)
        if os.path.exists(self.stand_ins.root):
            print(f"error: {self.stand_ins.root}: could not be removed", file=sys.stderr)


def told(writes: Writes) -> Iterator[str]:
    """Lines for the report of a run."""
    if not (writes.written or writes.removed):
        yield "--sandbox: no file was written."
    if writes.written:
        count = _count(writes.written, "written")
        yield f"--sandbox: {count} to a copy, and removed with it: {_some(writes.written)}"
    if writes.removed:
        count = _count(writes.removed, "removed")
        yield f"--sandbox: {count} from a copy only: {_some(writes.removed)}"
    if not landlock.is_there():
        yield f"--sandbox: {_FREE} writing to absolute paths: see docs/dry-run.md"
    if not seccomp.is_there():
        yield f"--sandbox: {_FREE} changing permissions and times: see docs/dry-run.md"


def _count(paths: tuple[str, ...], done: str) -> str:
    return f"{len(paths)} file{'s were' if len(paths) > 1 else ' was'} {done}"


def _some(paths: tuple[str, ...]) -> str:
    more = f" and {len(paths) - _TOLD} more" if len(paths) > _TOLD else ""
    return ", ".join(paths[:_TOLD]) + more


def _home() -> str:
    return os.path.realpath(os.path.expanduser("~"))


def _real(original: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Folders that a run writes to as they are, none of which has to do with the original."""
    caches = [environment[name] for name in _CACHES if environment.get(name)]
    home = _home()
    downloads = [os.path.join(home, name) for name in _DOWNLOADS]
    for folder in map(os.path.realpath, (*_SYSTEM, *caches, *downloads)):
        is_apart = not is_below(folder, original) and not is_below(original, folder)
        if is_apart and not is_below(home, folder) and os.path.isdir(folder):
            yield folder
