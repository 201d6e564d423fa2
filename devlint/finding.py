"""Findings: plain data that every output, the cache and the editor consume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["error", "warning", "perf", "note"]
Safety = Literal["safe", "unsafe"]
#: high: proven; medium: it rests on one presumption that is mostly right; low: on less.
Confidence = Literal["high", "medium", "low"]
Verdict = Literal[
    "confirmed",
    "refuted",
    "inconclusive",
    "not reached",
    "needs real CUDA",
    "needs a package",
    "needs another device",
    "no witness",
]

#: From the most to the least.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range; lines and columns count from 1, columns in code points.

    `cell` is None outside notebooks, else counts all cells from 1.
    """

    cell: int | None
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def extent(self) -> tuple[int, int]:
        """How many lines and columns further its end is; columns decide on one line alone."""
        return self.end_line - self.line, self.end_column - self.column


#: Where a finding stands that concerns the whole file.
START = Span(None, 1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding, such as "moved to `device` here".

    They come in the order of time; those that `is_later` after the finding itself.
    """

    path: str
    span: Span
    message: str
    is_later: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """`text` is to stand where the span is; an empty span is an insertion."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Patch:
    """What mends a finding, all edits or none.

    `safe`: what the program does on the CPU is unchanged; otherwise the `risk` says what may be.
    """

    message: str
    safety: Safety
    edits: tuple[Edit, ...]
    risk: str = ""

    @property
    def label(self) -> str:
        """How safe it is, and why not."""
        return f"{self.safety}: {self.risk}" if self.risk else self.safety


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run showed of a finding.

    `on`: `emulated CUDA`, or `CUDA, NVIDIA A100`; `torch`: its version; `error`: the exception that
    speaks for the verdict, with its class; `is_general`: the witness that is specialised to the
    finding showed nothing, and the one of its rule did.
    """

    verdict: Verdict
    on: str
    torch: str
    error: str | None = None
    is_general: bool = False

    @property
    def summary(self) -> str:
        """The verdict in words; of a package that is needed, with its name."""
        return self.error or "" if self.verdict == "needs a package" else self.verdict

    def __str__(self) -> str:
        error = f": {self.error}" if self.error and self.error != self.summary else ""
        how = ", by the general witness" if self.is_general else ""
        return f"{self.summary} ({self.on}, torch {self.torch}{how}){error}"


@dataclass(frozen=True, slots=True)
class Presumed:
    """A presumption that a finding rests on: what it is called, and what it claims."""

    name: str
    claim: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`presumed` says what it takes for granted, each after "presumed that"."""

    code: str
    name: str
    message: str
    severity: Severity
    path: str
    span: Span
    related: tuple[Related, ...] = ()
    fix: Patch | None = None
    evidence: Evidence | None = None
    confidence: Confidence = "high"
    presumed: tuple[Presumed, ...] = ()

    @property
    def is_proven(self) -> bool:
        return self.confidence == CONFIDENCES[0]
