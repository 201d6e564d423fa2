"""Tells which programs a process starts, which processes it kills, and how it leaves."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from devlint.confirm.dry_run.followed_environment import VARIABLE, followed, is_led_astray
from devlint.confirm.dry_run.journal import Journal, Start
from devlint.confirm.dry_run.process_name import command
from devlint.confirm.dry_run.python_command import python_in

Function = Callable[..., Any]


def tell_starts(journal: Journal) -> Function:
    """In this process, and in its forks, until what is given is called."""
    starts = _Starts(journal)
    starts.install()
    return starts.uninstall


class _Starts:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._replaced: list[tuple[Any, str, Function, Function]] = []

    def install(self) -> None:
        for name, wrapper in {
            "posix_spawn": self._spawning,
            "posix_spawnp": self._spawning,
            "execv": self._executing,
            "execve": self._executing,
            "system": self._asking_shell,
            "kill": self._killing,
            "killpg": self._killing_group,
            "_exit": self._leaving,
        }.items():
            if hasattr(os, name):
                self._put(os, name, wrapper(getattr(os, name)))
        self._install_fork_exec()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: self._journal.process(is_fork=True))

    def uninstall(self) -> None:
        for owner, name, original, ours in self._replaced:
            if getattr(owner, name) is ours:
                setattr(owner, name, original)

    def _put(self, owner: Any, name: str, ours: Function) -> None:
        self._replaced.append((owner, name, getattr(owner, name), ours))
        setattr(owner, name, ours)

    def _install_fork_exec(self) -> None:
        """What `subprocess`, `multiprocessing` and joblib start processes by, where there is."""
        try:
            import _posixsubprocess
        except ImportError:
            return
        original = _posixsubprocess.fork_exec
        replaced = self._forking(original)
        self._put(_posixsubprocess, "fork_exec", replaced)
        subprocess = sys.modules.get("subprocess")
        if getattr(subprocess, "_fork_exec", None) is original:  # Since Python 3.11.
            self._put(subprocess, "_fork_exec", replaced)

    def _forking(self, original: Function) -> Function:
        @wraps(original)
        def fork_exec(args: Any, programs: Any, *settings: Any) -> Any:
            close, keep, cwd, env, *rest = settings
            pid = original(args, programs, close, keep, cwd, _entries(_corrected(env)), *rest)
            found = next((each for each in map(os.fsdecode, programs) if _runs(each, cwd)), None)
            if found:
                self._tell(pid, [found, *map(os.fsdecode, args[1:])])
            return pid

        return fork_exec

    def _spawning(self, original: Function) -> Function:
        @wraps(original)
        def spawn(path: Any, argv: Any, env: Any, **options: Any) -> Any:
            pid = original(path, argv, _corrected(env), **options)
            self._tell(pid, [os.fsdecode(path), *map(os.fsdecode, argv[1:])])
            return pid

        return spawn

    def _executing(self, original: Function) -> Function:
        @wraps(original)
        def execute(path: Any, argv: Any, *env: Any) -> Any:
            if _runs(os.fsdecode(path), None):
                self._tell(os.getpid(), [os.fsdecode(path), *map(os.fsdecode, argv[1:])])
            return original(path, argv, *map(_corrected, env))

        return execute

    def _asking_shell(self, original: Function) -> Function:
        @wraps(original)
        def system(command: Any) -> Any:
            self._tell(None, ["sh", "-c", os.fsdecode(command)])
            return original(command)

        return system

    def _killing(self, original: Function) -> Function:
        @wraps(original)
        def kill(pid: int, signal: int) -> None:
            if signal:  # 0 only asks whether there is one.
                self._journal.killed(pid, signal)
            original(pid, signal)

        return kill

    def _killing_group(self, original: Function) -> Function:
        @wraps(original)
        def kill(group: int, signal: int) -> None:
            self._journal.killed(-group, signal)
            original(group, signal)

        return kill

    def _leaving(self, original: Function) -> Function:
        @wraps(original)
        def leave(status: int) -> None:
            self._journal.end("left", status)
            original(status)

        return leave

    def _tell(self, pid: int | None, words: list[str]) -> None:
        self._journal.started(Start(pid, command(words), python_in(words)))


def _runs(program: str, cwd: Any) -> bool:
    """Whether a process becomes it; where it cannot, its parent is told so."""
    path = os.path.join(os.fsdecode(cwd), program) if cwd else program
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _corrected(environment: Any) -> Any:
    """The environment of a child, with the path by which it is watched if it is to be."""
    if environment is None:
        given: Mapping[str, str] = os.environ
    elif isinstance(environment, Mapping):
        given = {os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()}
    else:
        given = dict(os.fsdecode(each).partition("=")[::2] for each in environment)
    return followed(given, given[VARIABLE]) if is_led_astray(given) else environment


def _entries(environment: Any) -> Iterable[bytes] | None:
    """As `fork_exec` takes it."""
    if isinstance(environment, Mapping):
        return [os.fsencode(f"{name}={value}") for name, value in environment.items()]
    entries: Iterable[bytes] | None = environment
    return entries
