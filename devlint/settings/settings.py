"""What a project may configure, and what it is where nobody says anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from devlint.finding import SEVERITIES, Confidence, Severity
from devlint.settings import kind
from devlint.settings.kind import Glob

Strings: TypeAlias = tuple[str, ...]
Rules = Annotated[Strings, kind.Rules()]
Globs = Annotated[tuple[Glob, ...], kind.Globs()]
Names = Annotated[Strings, kind.Names()]
Words = Annotated[Strings, kind.Words()]
Packages = Annotated[Strings, kind.Packages()]
File = Annotated["str | None", kind.File()]
Version = Annotated["str | None", kind.Version()]
Count = Annotated["int | None", kind.Count()]
RulesOfFiles = Annotated[tuple[tuple[Glob, Strings], ...], kind.Table(kind.Rules(), has_globs=True)]
Severities = Annotated[tuple[tuple[str, Severity], ...], kind.Table(kind.Choice(SEVERITIES))]
OutputFormat = Literal[
    "full",
    "concise",
    "grouped",
    "json",
    "json-lines",
    "github",
    "gitlab",
    "azure",
    "junit",
    "sarif",
    "rdjson",
    "html",
]

#: What a folder of Python code holds, by the ends of names.
INCLUDED = ("*.py", "*.pyi", "*.ipynb")
#: Folders that hold no source of the project.
EXCLUDED = (
    *(".bzr", ".git", ".hg", ".svn"),
    *(".eggs", "*.egg-info", ".nox", ".tox", "build", "dist"),
    *(".devlint_cache", ".mypy_cache", ".pytest_cache", ".pytype", ".ruff_cache", "__pycache__"),
    *(".direnv", ".venv", "__pypackages__", "node_modules", "site-packages", "venv"),
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Each field is a key, with hyphens for underscores; the annotation says what it is for."""

    select: Annotated[
        Rules, "Rules to run instead of the default ones: codes, prefixes, names, or `ALL`."
    ] = ()
    extend_select: Annotated[Rules, "Rules to run as well, such as the opt-in groups."] = ()
    ignore: Annotated[Rules, "Rules not to run; wins over the other two."] = ()
    per_file_ignores: Annotated[
        RulesOfFiles, "Rules not to run in files matching a glob, or with `!` in all others."
    ] = ()
    severity: Annotated[
        Severities, "The severity of rules; the selector that says most of a rule wins."
    ] = ()
    confidence: Annotated[Confidence, "The least confidence of a finding that is reported."] = (
        "medium"
    )
    fail_level: Annotated[
        Severity, "The least severity of a finding that makes the exit code 1."
    ] = "perf"

    fix: Annotated[bool, "Apply safe fixes, and report what is left."] = False
    fix_only: Annotated[bool, "Apply fixes, and report nothing."] = False
    unsafe_fixes: Annotated[bool, "Apply unsafe fixes, too."] = False
    show_fixes: Annotated[bool, "List what was fixed."] = False
    fixable: Annotated[Rules, "Rules whose fixes may be applied."] = ("ALL",)
    unfixable: Annotated[Rules, "Rules whose fixes are not applied; wins over `fixable`."] = ()

    include: Annotated[Globs, "Files to check in folders."] = tuple(map(Glob, INCLUDED))
    extend_include: Annotated[Globs, "Files to check in folders as well, such as `*.md`."] = ()
    exclude: Annotated[
        Globs, "Files and folders to leave out, instead of those that tools make."
    ] = tuple(map(Glob, EXCLUDED))
    extend_exclude: Annotated[Globs, "Files and folders to leave out as well."] = ()
    force_exclude: Annotated[bool, "Leave excluded files out even when they are named."] = False
    respect_gitignore: Annotated[bool, "Leave out what git ignores."] = True
    follow_imports: Annotated[
        bool, "Follow imports into other files of the project, without running them."
    ] = True
    follow_installed: Annotated[
        Packages, "Installed packages to follow imports into as well, by the names to import."
    ] = ()

    output_format: Annotated[OutputFormat, "How findings are written."] = "full"
    ignore_noqa: Annotated[bool, "Report what comments silence, too."] = False
    baseline: Annotated[File, "The file of the findings that are known and not reported."] = None

    device_names: Annotated[Words, "Accelerators besides those of PyTorch, as `npu` is one."] = ()
    batch_classes: Annotated[
        Names, "Classes of batches that have a `to` method and tensors for attributes."
    ] = ()
    moves: Annotated[
        Names, "Functions that move what they are given to a device and return it."
    ] = ()
    places_batches: Annotated[
        Names, "Functions and classes whose loaders put batches on the accelerator."
    ] = ()

    cache: Annotated[bool, "Keep what is found, and look only at what changed the next time."] = (
        True
    )
    cache_dir: Annotated[
        File, "The folder for that, instead of `.devlint_cache` beside the configuration file."
    ] = None

    jobs: Annotated[
        Count, "The most processes that check files at once; by default one for each core, up to 8."
    ] = None

    required_version: Annotated[Version, "The versions of devlint that may be used."] = None
    screen: Annotated[bool, "Let Python's own parser leave out what has no finding."] = True
