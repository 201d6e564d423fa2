"""`devlint scan`: many projects into tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.options import (
    CONFIG_FILE,
    IGNORE_NOQA,
    PROJECT_FILES,
    RULES,
    SECONDS,
    Sectioned,
    Sections,
    configured,
    given,
    options,
)
from devlint.cli.output import complain, write
from devlint.cli.progress import Progress
from devlint.cli.values import in_bytes, stated
from devlint.report.text import count
from devlint.settings import Configuration
from devlint.settings.configuration import is_assignment

if TYPE_CHECKING:
    from devlint.scan.batch import Batch
    from devlint.scan.scan import Engine, Scan

#: What is imported for each engine.
NEEDS = {"process": ("pyarrow",), "dask": ("pyarrow", "distributed")}
#: Of a project nothing stays, and it is one process that looks at it.
SETTINGS = {"cache": False, "jobs": 1}

SECTIONS: Sections = {
    "Scan": (
        click.option(
            "--out",
            required=True,
            type=click.Path(),
            metavar="FOLDER",
            callback=stated,
            help="Where the results are kept; a scan that was interrupted there goes on.",
        ),
        click.option(
            "--engine",
            type=click.Choice([*NEEDS]),
            default="process",
            show_default=True,
            help="What works: processes here, or the workers of a dask cluster.",
        ),
        click.option(
            "--scheduler",
            metavar="URL",
            callback=stated,
            help="Where the scheduler of dask is, such as tcp://10.0.0.1:8786.",
        ),
        configured("--jobs"),
        click.option(
            "--batch-size",
            default="2MB",
            show_default=True,
            callback=in_bytes,
            metavar="SIZE",
            help="About how many bytes of files are scanned, written and repeated at once.",
        ),
        click.option(
            "--estimate",
            "sampled",
            type=click.IntRange(0),
            metavar="N",
            default=20,
            show_default=True,
            help="Begin with about so many projects, and tell what all will cost.",
        ),
        click.option("--estimate-only", is_flag=True, help="End when that is told."),
        click.option("-q", "--quiet", is_flag=True, help="Say only what could not be done."),
    ),
    "Limits of each project": (
        click.option(
            "--time-limit",
            type=SECONDS,
            metavar="SECONDS",
            default=900,
            show_default=True,
            help="End its analysis after so long.",
        ),
        click.option(
            "--memory",
            default="4GiB",
            show_default=True,
            callback=in_bytes,
            metavar="SIZE",
            help="Let its analysis use no more memory (not on Windows and macOS).",
        ),
    ),
    "Rules": (*RULES, IGNORE_NOQA),
    "Files and configuration": (*PROJECT_FILES, CONFIG_FILE),
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the command line says besides settings."""

    sources: tuple[str, ...]
    out: str
    engine: str
    scheduler: str | None
    batch_size: int
    sampled: int
    estimate_only: bool
    quiet: bool
    time_limit: float
    memory: int

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Request:
        return cls(**{each.name: said[each.name] for each in fields(cls)})

    def complain(self, line: str) -> None:
        if not self.quiet:
            complain([line])


@click.command(cls=Sectioned, sections=SECTIONS, short_help="Scan many projects into tables.")
@click.argument("sources", nargs=-1, required=True)
@options(SECTIONS)
def scan(**said: Any) -> int:
    """Analyse many projects, each by itself, and write what is found to tables (Parquet).

    SOURCES are folders of projects, or one; archives (wheels, sdists, zip, tar); commits of git
    repositories, as REPOSITORY@REVISION; Parquet files with the columns repo, path and content;
    URLs of such files; and @FILE, which lists sources. Nothing of them is run, imported or
    unpacked, and their own configuration is not read.

    Exit code: 0 when everything was scanned, whatever was found, and 2 when that could not be done.
    A project that cannot be analysed is a row of the table of failures.
    """
    from devlint.scan.errors import ScanError

    request = Request.of(said)
    refuse_engine(request)
    try:
        return scanned(request, configuration(said), said["jobs"])
    except ScanError as error:
        raise click.ClickException(str(error)) from error


def refuse_engine(request: Request) -> None:
    """Raise an error where the engine cannot work."""
    if (request.engine == "dask") is (request.scheduler is None):
        raise click.UsageError("--engine dask and --scheduler go together")
    for name in NEEDS[request.engine]:
        if find_spec(name) is None:
            raise click.ClickException(f"no {name} is installed: pip install 'devlint[scan]'")


def configuration(said: Mapping[str, Any]) -> Configuration:
    """That of all projects: what the command line says, and the file that it names."""
    config = [each if is_assignment(each) else os.path.abspath(each) for each in said["config"]]
    has_file = not all(map(is_assignment, config))
    return Configuration({**given(said), **SETTINGS}, not has_file, config)


def scanned(request: Request, configuration: Configuration, jobs: int | None) -> int:
    """The exit code. Raises `ScanError`."""
    from devlint.run.plans import Plans
    from devlint.run.workers.count import processors
    from devlint.scan.estimate import duration

    Plans(configuration)  # What is wrong with the choice of rules is said before anything is read.
    workers = jobs or processors()
    scan = planned(request, configuration, engine(request, workers))
    with Progress("projects") as progress:
        told = sampled(scan, request, progress)
    if told and request.scheduler is None:
        told += f", with {count(workers, 'worker')} {duration(scan.estimate().seconds / workers)}"
    if told:
        request.complain(told)
    if not request.estimate_only:
        with Progress("projects") as progress:
            run(scan, scan.left, progress)
    return summed_up(scan, request)


def planned(request: Request, configuration: Configuration, engine: Engine) -> Scan:
    """A scan of the projects in the sources, as far as it has got. Raises `ScanError`."""
    from devlint.scan.batch import batches
    from devlint.scan.child import Setup
    from devlint.scan.limits import Limits
    from devlint.scan.scan import Scan
    from devlint.scan.sources.listing import units
    from devlint.scan.store import Store

    has_file = not configuration.is_isolated
    folder = configuration.scope(os.getcwd()).root if has_file else None
    setup = Setup(configuration, Limits(request.time_limit, request.memory), folder)
    found = units(request.sources, request.out)
    if not found:
        raise click.ClickException(f"no projects found in {', '.join(request.sources)}")
    scan = Scan([*batches(found, request.batch_size)], setup, Store(request.out), engine)
    scan.begin(request.sources)
    if scan.marks:
        request.complain(f"{scan.projects} of {count(len(found), 'project')} are done already")
    return scan


def sampled(scan: Scan, request: Request, progress: Progress) -> str:
    """What is told of the cost, once a sample is done; nothing where too little is left."""
    from devlint.scan.batch import sample

    chosen = sample(scan.batches, request.sampled)
    run(scan, [each for each in chosen if each in scan.left], progress)
    if not chosen or not scan.left:
        return ""
    return f"{count(len(scan.left), 'batch', 'batches')} left: about {scan.estimate()} of one core"


def run(scan: Scan, batches: Sequence[Batch], progress: Progress) -> None:
    total, done = sum(len(each.units) for each in scan.batches), scan.projects
    for batch in scan.run(batches):
        done += len(batch.units)
        progress.show(done, total)


def summed_up(scan: Scan, request: Request) -> int:
    from devlint.scan.page import page, told
    from devlint.scan.totals import totals

    done = [each for each in scan.batches if each.number in scan.marks]
    found = totals(scan.store, done, [*scan.marks.values()])
    report = os.path.join(request.out, "report.html")
    write(page(found), report)
    request.complain(f"{told(found)}; see {report}")
    return 0


def engine(request: Request, workers: int) -> Engine:
    if request.scheduler is None:
        from devlint.scan.engines import process

        return partial(process.results, workers=workers)
    from devlint.scan.engines import dask

    return partial(dask.results, scheduler=request.scheduler)
