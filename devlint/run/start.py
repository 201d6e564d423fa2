"""One run over paths. What the last one found is given back if nothing has changed, before anything
is imported that analyses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from devlint.cache.notes import Notes
from devlint.cache.store import FOLDER, NoCacheError, Store, digest, told
from devlint.files.discover import Discovery, discover
from devlint.run import outcome_json
from devlint.run.job import Job
from devlint.run.outcome import Outcome
from devlint.settings import Configuration
from devlint.text.display_paths import shown


def run(paths: Sequence[str], configuration: Configuration, job: Job | None = None) -> Outcome:
    """Check `paths`; a fault that is not among the rules is complained of, but no finding."""
    job = job or Job()
    discovery = discover(paths, configuration)
    roots = [os.path.abspath(path) for path in paths if os.path.isdir(path)]
    notes = notes_of(configuration, roots)
    key = purpose(discovery, configuration) if job.is_plain and not discovery.complaints else ""
    if key and (known := outcome_json.unpacked(notes.outcome(key), discovery.files)):
        return known
    from devlint.run.session import Session

    session = Session(configuration, job, roots, notes)
    session.run(discovery)
    try:
        session.incremental.leave(notes, session.outcome, key)
    except (NoCacheError, OSError) as error:
        if folder := configuration.overall.cache_dir:
            complaint = f"warning: cannot keep anything in {shown(folder)}: {told(error)}"
            session.outcome.complaints.append(complaint)
    return session.outcome


def store_of(configuration: Configuration) -> Store:
    """Where what is found is kept."""
    root = configuration.scope(os.getcwd()).root
    return Store(configuration.overall.cache_dir or os.path.join(root, FOLDER))


def notes_of(configuration: Configuration, roots: Sequence[str]) -> Notes:
    """What earlier runs have left here that looked for modules in the same folders."""
    if not configuration.overall.cache:
        return Notes()
    where = "\n".join([os.getcwd(), *sorted(roots)])
    return Notes(store_of(configuration), digest(where.encode(errors="surrogateescape"))[:16])


def purpose(discovery: Discovery, configuration: Configuration) -> str:
    """A digest of what is asked for: settings, and the files for which they hold."""
    overall = replace(configuration.overall, output_format="full", jobs=None)
    files = asked(discovery.files, configuration)
    told = "\n".join([repr(overall), repr(sorted(discovery.named)), *sites(configuration), *files])
    return digest(told.encode(errors="surrogateescape"))


def sites(configuration: Configuration) -> Sequence[str]:
    """Where installed packages are looked for that are to be read, and which are not there."""
    if not configuration.overall.follow_installed:
        return ()
    from devlint.project.installed import installed

    known = installed(configuration)
    return [*known.folders, *known.missing]


def asked(paths: Sequence[str], configuration: Configuration) -> Iterator[str]:
    """Paths in order, each after the settings that hold for it, unless they are as before."""
    scope = None
    for folder, held in groupby(paths, os.path.dirname):
        if (inner := configuration.scope(os.path.abspath(folder))) is not scope:
            yield repr(inner.settings)
            scope = inner
        yield from held
