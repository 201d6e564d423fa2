"""What surrounds a file that is open: its project, and what its settings call things."""

from __future__ import annotations

import os
from typing import NamedTuple

from devlint.project.files import Disk
from devlint.project.installed import installed
from devlint.project.project import Project
from devlint.settings import Configuration
from devlint.settings.project_names import Vocabulary
from devlint.text.source_text import UndecodableError

#: What is raised by a text that is no program, or not yet.
HALF_TYPED = (SyntaxError, ValueError, RecursionError, MemoryError, UndecodableError)


class Context(NamedTuple):
    """`project` is None where imports are not followed."""

    project: Project | None
    vocabulary: Vocabulary


def context(path: str) -> Context:
    configuration = Configuration({})
    settings = configuration.scope(os.path.dirname(os.path.abspath(path))).settings
    project = None
    if settings.follow_imports:
        project = Project(Disk(), [os.getcwd()], installed(configuration))
    return Context(project, Vocabulary.of(settings))
