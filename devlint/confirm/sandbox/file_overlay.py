"""Which file a sandboxed program gets in place of the user's: its stand-in in a scratch folder."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from devlint.confirm.sandbox import VARIABLE

#: Bytes of a file outside the copy that is copied because it is changed in part.
CHANGED_MOST = 1 << 30


@dataclass(frozen=True, slots=True)
class StandIns:
    """`copy` stands in for `original`. Any other file has its stand-in below `outside` once it is
    written, and a marker below `gone` once it is removed. Those in the folders `real` have none.

    The methods take what a program asks for and give the path that it gets. All is kept in files,
    so that processes which the program forks agree. All paths are without links.
    """

    root: str
    original: str
    real: tuple[str, ...]

    @staticmethod
    def of(environment: Mapping[str, str]) -> StandIns | None:
        given = environment.get(VARIABLE)
        if given is None:
            return None
        read = json.loads(given)
        return StandIns(read["root"], read["original"], tuple(read["real"]))

    def environment(self) -> dict[str, str]:
        return {VARIABLE: json.dumps(asdict(self))}

    @property
    def copy(self) -> str:
        return os.path.join(self.root, "copy", os.path.basename(self.original))

    @property
    def outside(self) -> str:
        return os.path.join(self.root, "outside")

    @property
    def gone(self) -> str:
        return os.path.join(self.root, "gone")

    def inside(self, path: str) -> str:
        """In the copy, where it is below the original; else itself."""
        if is_below(path, self.root) or not is_below(path, self.original):
            return path
        return self.copy + path[len(self.original) :]

    def users(self, path: str) -> str:
        """The user's file that this one stands in for; else itself."""
        if is_below(path, self.copy):
            return self.original + path[len(self.copy) :]
        for folder in (self.outside, self.gone):
            if is_below(path, folder):
                return _absolute(os.path.relpath(path, folder))
        return path

    def users_in(self, text: str) -> str:
        """A text, with the user's files where it names their copies."""
        return text.replace(os.path.join(self.copy, ""), os.path.join(self.original, ""))

    def reading(self, path: str) -> str:
        if not os.path.isabs(path) and not self._has_outside():
            return path
        natural = _resolved_parent(path)
        located = self._twin(natural)
        found = located if self.is_own(located) else self._seen(located)
        return path if found == natural else found

    def entering(self, path: str) -> str:
        """The user's folder, from which paths start as they do for the user, if there is one."""
        located = self._twin(os.path.realpath(path))
        return (
            located if os.path.isdir(located) and not self.is_gone(located) else self.reading(path)
        )

    def listing(self, path: str) -> tuple[str, ...]:
        """The folders whose entries are in this one; of two, the user's is the second."""
        located = self._twin(os.path.realpath(path))
        if self.is_own(located):
            return (path if located == os.path.realpath(path) else located,)
        upper = self._outside(located)
        both = (upper,) if self.is_gone(located) or not os.path.isdir(located) else (upper, located)
        return both if os.path.isdir(upper) else (both[-1],)

    def is_own(self, path: str) -> bool:
        """It is itself a stand-in, or stays real."""
        return is_below(path, self.root) or self._stays_real(path)

    def is_gone(self, path: str) -> bool:
        """The user's file, or a folder that it is in, was removed by the program."""
        try:
            return stat.S_ISREG(os.stat(_moved_below(self.gone, path)).st_mode)
        except NotADirectoryError:
            return True
        except OSError:
            return False

    def replacing(self, path: str) -> str:
        """To be written from its beginning."""
        return self._writing(path, keeps=False)

    def changing(self, path: str) -> str:
        """To be written in part: what is in it stays."""
        return self._writing(path, keeps=True)

    def arriving(self, path: str) -> str:
        """What is there, be it a link, is replaced as a whole."""
        located = self._twin(_resolved_parent(path))
        if self.is_own(located):
            return located
        upper = self._outside(located)
        parent = self._seen(os.path.dirname(located))
        if os.path.isdir(parent):
            if not os.path.lexists(self._seen(located)):
                self._check_access(parent)
            os.makedirs(os.path.dirname(upper), exist_ok=True)
        return upper

    def making(self, path: str) -> str:
        """Nothing may be there."""
        located = self._twin(_resolved_parent(path))
        if not self.is_own(located) and os.path.lexists(self._seen(located)):
            raise _error(errno.EEXIST, path)
        return self.arriving(path)

    def taking(self, path: str) -> str:
        """To be moved away: a user's file as a link to it, a folder as one of such links."""
        located = self._twin(_resolved_parent(path))
        if not self.is_own(located):
            upper = self.arriving(path)
            if os.path.isdir(located) and not os.path.islink(located):
                shutil.copytree(
                    located, upper, symlinks=True, copy_function=self._link, dirs_exist_ok=True
                )
            else:
                self._link(located, upper)
        return self.removing(path)

    def removing(self, path: str) -> str:
        """To be removed, if it is there: the user's own is marked only."""
        located = self._twin(_resolved_parent(path))
        if self.is_own(located):
            return located
        if os.path.lexists(located) and not self.is_gone(located):
            self._mark(_moved_below(self.gone, located))
        return self._outside(located)

    def _link(self, source: str, upper: str) -> None:
        if self._seen(source) == source and os.path.lexists(source):
            os.symlink(source, upper)

    def _mark(self, marker: str) -> None:
        shutil.rmtree(marker, ignore_errors=True)
        os.makedirs(os.path.dirname(marker), exist_ok=True)
        with open(marker, "x", encoding="utf-8"):
            pass

    def _writing(self, path: str, *, keeps: bool) -> str:
        located = self._twin(_resolved_parent(path))
        found = self.arriving(path)
        if self._stays_real(located):
            return located
        if found != located and not os.path.lexists(found) and not self.is_gone(located):
            self._check_access(located)
            if keeps and os.path.isdir(located):
                os.mkdir(found)
            elif keeps and os.path.exists(located):
                _copy(located, found)
        return self._without_link(found, keeps) if os.path.islink(found) else found

    def _without_link(self, link: str, keeps: bool) -> str:
        """A link out of the scratch folder becomes a file of its own."""
        target = os.path.realpath(link)
        if self.is_own(target):
            return target
        is_moved = is_below(link, self.outside)  # By `taking`: the target itself may be gone.
        source = target if is_moved else self._seen(target)
        if os.path.isdir(source):
            os.makedirs(self._outside(target), exist_ok=True)
            return self._outside(target)
        self._check_access(source)
        os.unlink(link)
        if keeps and os.path.exists(source):
            _copy(source, link)
        return link

    def _check_access(self, path: str) -> None:
        if os.path.exists(path) and not os.access(path, os.W_OK):
            raise _error(errno.EACCES, path)

    def _twin(self, path: str) -> str:
        """In the copy, unless that has a link to the whole folder that it is in."""
        twin = self.inside(path)
        if twin in (path, self.copy) or is_below(
            os.path.realpath(os.path.dirname(twin)), self.copy
        ):
            return twin
        return path

    def _stays_real(self, path: str) -> bool:
        return any(is_below(path, folder) for folder in self.real)

    def _seen(self, path: str) -> str:
        upper = self._outside(path)
        return upper if os.path.lexists(upper) or self.is_gone(path) else path

    def _outside(self, path: str) -> str:
        return _moved_below(self.outside, path)

    def _has_outside(self) -> bool:
        return os.path.isdir(self.outside) or os.path.isdir(self.gone)


def is_below(path: str, folder: str) -> bool:
    """The folder itself is."""
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _resolved_parent(path: str) -> str:
    """Absolute, without links but perhaps the last part."""
    full = os.path.join(os.getcwd(), path)
    folder, name = os.path.split(full.rstrip(os.sep))
    if name in ("", os.curdir, os.pardir):
        return os.path.realpath(full)
    return os.path.join(os.path.realpath(folder), name)


def _moved_below(folder: str, path: str) -> str:
    drive, tail = os.path.splitdrive(path)
    return os.path.join(folder, drive.rstrip(":"), tail.lstrip(os.sep))


def _absolute(relative: str) -> str:
    if os.name != "nt":
        return os.sep + relative
    drive, _, tail = relative.partition(os.sep)
    return f"{drive}:{os.sep}{tail}"


def _copy(source: str, target: str) -> None:
    if os.stat(source).st_size > CHANGED_MOST:
        raise OSError(
            errno.EFBIG,
            f"devlint --sandbox copies a file before it is changed, up to {CHANGED_MOST >> 20} MiB",
            source,
        )
    shutil.copy2(source, target)


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)
