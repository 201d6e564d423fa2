"""Git, asked so that nothing runs which a repository names: its configuration may come with it."""

from __future__ import annotations

import os

#: Monitors, hooks and helpers that `.git/config` may name are left out; objects that a partial
#: clone lacks are fetched by HTTPS alone. Filters and drivers run where git reads or shows files of
#: the working tree, which it is never asked to.
OVERRIDES = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.askPass=",
    "credential.helper=",
    "protocol.allow=never",
    "protocol.https.allow=always",
)


class GitError(Exception):
    """Git is not there, or cannot answer; the message says why."""


#: For what is to be read without any network: what a partial clone lacks is not there.
OFFLINE = "protocol.https.allow=never"


def git(*arguments: str, top: str = ".", given: bytes = b"", is_offline: bool = False) -> bytes:
    """What git prints, `given` this to read. Raises `GitError` with what it complains of last."""
    import subprocess

    chosen = (*OVERRIDES, OFFLINE) if is_offline else OVERRIDES
    settings = [word for each in chosen for word in ("-c", each)]
    command = ["git", "-C", top, "--no-pager", "--no-optional-locks", *settings, *arguments]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        ran = subprocess.run(
            command, input=given, capture_output=True, check=False, env=environment
        )
    except OSError as error:
        raise GitError("git is not installed") from error
    if ran.returncode:
        *_, last = ran.stderr.decode(errors="replace").strip().split("\n")
        raise GitError(last.removeprefix("fatal: "))
    return ran.stdout
