"""One page for people: findings with their code and the path of each value, to filter and print.

It asks the network for nothing, and its policy lets nothing but its own script and style run,
whatever is in the files it shows.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby

from devlint.finding import Finding, Related
from devlint.report import Report, steps
from devlint.report.colour import SEVERITIES, position
from devlint.report.excerpt import Excerpt, Line, excerpts
from devlint.report.markup import markdown, plain, prose
from devlint.report.summary import kinds
from devlint.report.text import count, standing
from devlint.rule.page import explanation
from devlint.text.display_paths import relative


def report(report: Report) -> Iterator[str]:
    for line in page(report):
        # ASCII is the same in whatever encoding the terminal has.
        yield line.encode("ascii", "xmlcharrefreplace").decode()


def page(report: Report) -> Iterator[str]:
    style, script = asset("page.css"), asset("page.js")
    policy = f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}"
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>devlint: {count(len(report.findings), 'finding')}</title>"
    yield f"<style>{style}</style>"
    yield '<a class="skip" href="#findings">Skip to the findings</a>'
    yield "<header>"
    yield f"<div><h1>devlint</h1><p>{plain(told(report))} {plain(report.left_out)}</p></div>"
    yield '<button type="button" id="theme" hidden>Dark</button>'
    yield "</header>"
    yield from complaints(report)
    yield '<div class="columns">'
    if report.findings:
        yield from filters(report)
    yield '<main id="findings" tabindex="-1">'
    yield from listed(report)
    yield from rules(report)
    yield "</main></div>"
    yield f"<footer>Written by devlint {plain(version('devlint'))}.</footer>"
    yield f"<script>{script}</script>"
    yield "</html>"


def asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="ascii")


def digest(text: str) -> str:
    """How a policy names what may run."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def told(report: Report) -> str:
    if not report.findings:
        return f"{report.nothing}."
    touched = len({finding.path for finding in report.findings})
    found = f"{count(len(report.findings), 'finding')} ({kinds(report.findings)})"
    return f"{found} in {touched} of {count(report.files, 'file')}"


def complaints(report: Report) -> Iterator[str]:
    if report.complaints:
        yield '<section class="complaints" aria-label="What could not be done"><ul>'
        yield from (f"<li>{plain(' '.join(line.split()))}</li>" for line in report.complaints)
        yield "</ul></section>"


def filters(report: Report) -> Iterator[str]:
    """Buttons and fields that only a script can serve: without one they stay hidden."""
    severities = Counter(finding.severity for finding in report.findings)
    names = {finding.code: finding.name for finding in report.findings}
    codes = Counter(finding.code for finding in report.findings)
    paths = Counter(finding.path for finding in report.findings)
    yield '<form id="filters" role="search" aria-label="Filter the findings" hidden>'
    yield "<label>Search"
    yield '<input type="search" id="search" placeholder="any text" aria-keyshortcuts="/"></label>'
    yield '<fieldset><legend>Severity</legend><div class="chips">'
    for severity in filter(severities.__getitem__, SEVERITIES):
        yield chip("severity", severity, plain(severity), severities[severity], severity)
    yield '</div></fieldset><fieldset><legend>Rule</legend><div class="chips">'
    for code in sorted(codes):
        yield chip("code", code, f"<b>{plain(code)}</b> {plain(names[code])}", codes[code])
    yield "</div></fieldset>"
    yield '<label>File<select id="file"><option value="">all files</option>'
    for path in sorted(paths, key=relative):
        shown = plain(relative(path))
        yield f'<option value="{shown}">{shown} ({paths[path]})</option>'
    yield "</select></label>"
    yield '<p><output id="shown" aria-live="polite"></output></p>'
    yield '<p class="actions"><button type="reset">Show all</button>'
    yield '<button type="button" id="open">Open files</button>'
    yield '<button type="button" id="close">Close files</button></p>'
    yield '<p class="hint"><kbd>/</kbd> search, <kbd>j</kbd> next, <kbd>k</kbd> previous</p>'
    yield "</form>"


def chip(key: str, value: str, label: str, number: int, kind: str = "") -> str:
    return (
        f'<button type="button" class="chip {kind}" data-key="{key}" data-value="{plain(value)}" '
        f'aria-pressed="false"><span>{label}</span> <span class="number">{number}</span></button>'
    )


def listed(report: Report) -> Iterator[str]:
    for path, group in groupby(report.fingerprinted(), key=lambda each: each[0].path):
        findings = list(group)
        shown = plain(relative(path))
        yield f'<details class="file" open data-file="{shown}">'
        yield f'<summary><h2>{shown}</h2> <span class="number">{len(findings)}</span></summary>'
        for finding, fingerprint in findings:
            yield from article(report, finding, fingerprint)
        yield "</details>"
    hidden = " hidden" if report.findings else ""
    yield f'<p id="nothing"{hidden}>{NOTHING[not report.findings]}</p>'


NOTHING = ("Nothing fits the filters.", "Nothing to show: every file is clean.")


def article(report: Report, finding: Finding, fingerprint: str) -> Iterator[str]:
    code, where = plain(finding.code), position(finding.span)
    yield (
        f'<article id="f-{fingerprint}" class="{finding.severity}" data-code="{code}" '
        f'data-severity="{finding.severity}" tabindex="-1">'
    )
    yield (
        f'<h3><a class="place" href="#f-{fingerprint}">{where}</a> '
        f'<span class="severity">{finding.severity}</span> '
        f"{rule_named(report, finding)}</h3>"
    )
    yield f'<p class="message">{prose(finding.message)}</p>'
    if not finding.is_proven:
        yield f'<p class="standing">{plain(standing(finding))}</p>'
    path = steps(finding)
    if len(path) > 1:
        yield '<ol class="path" aria-label="The path of the value">'
        yield from (step(each, finding, number) for number, each in enumerate(path, 1))
        yield "</ol>"
    for each in excerpts(report, path):
        yield from excerpt(each, path, finding)
    if finding.fix is not None:
        safety = f'<span class="safety">{finding.fix.safety} fix</span>'
        risk = f" ({prose(finding.fix.risk)})" if finding.fix.risk else ""
        yield f'<p class="fix">{safety} {prose(finding.fix.message)}{risk}</p>'
    if finding.evidence is not None:
        yield f'<p class="evidence">{plain(str(finding.evidence))}</p>'
    yield "</article>"


def rule_named(report: Report, finding: Finding) -> str:
    """A link to the rule's page, if it has one."""
    name = f"{plain(finding.code)} {plain(finding.name)}"
    if report.rule(finding.code) is None:
        return f'<span class="rule">{name}</span>'
    return f'<a class="rule" href="#rule-{plain(finding.code)}">{name}</a>'


def step(each: Finding | Related, finding: Finding, number: int) -> str:
    is_end = each is finding
    where = f"{plain(relative(each.path))}:" if each.path != finding.path else ""
    told = "found here" if is_end else prose(each.message)
    return (
        f"<li>{badge(number, is_end)} "
        f'<span class="place">{where}{position(each.span)}</span> {told}</li>'
    )


def badge(number: int, is_end: bool) -> str:
    return f'<span class="step{" end" * is_end}">{number}</span>'


def excerpt(each: Excerpt, path: Sequence[Finding | Related], finding: Finding) -> Iterator[str]:
    """The code as one element: what is between its lines would be shown."""
    cell = "" if each.cell is None else f", cell {each.cell}"
    name = f"{plain(relative(each.path))}{cell}"
    is_elsewhere = (each.path, each.cell) != (finding.path, finding.span.cell)
    if is_elsewhere:
        yield f'<p class="elsewhere">{name}</p>'
    end = next(number for number, step in enumerate(path, 1) if step is finding)
    shown = (code_line(line, end, is_numbered=len(path) > 1) for line in each.lines)
    yield f'<pre tabindex="0" aria-label="Code of {name}">{"".join(shown)}</pre>'


def code_line(line: Line | None, end: int, *, is_numbered: bool) -> str:
    if line is None:
        return '<span class="gap">\u22ef</span>'
    pieces = "".join(piece(text, steps, end) for text, steps in line.pieces)
    badges = "".join(badge(step, step == end) for step in line.ends if is_numbered)
    kind = ' class="hit"' if any(steps for _, steps in line.pieces) else ""
    return f'<span{kind} data-n="{line.number}">{pieces or " "}{badges}</span>'


def piece(text: str, steps: Set[int], end: int) -> str:
    if not steps:
        return plain(text)
    kind = ' class="end"' if end in steps else ""
    return f"<mark{kind}>{plain(text)}</mark>"


def rules(report: Report) -> Iterator[str]:
    codes = sorted({finding.code for finding in report.findings})
    known = [rule for rule in map(report.rule, codes) if rule is not None]
    if known:
        yield '<section class="rules" aria-labelledby="rules"><h2 id="rules">The rules</h2>'
        for rule in known:
            yield f'<details id="rule-{plain(rule.code)}"><summary><h3>{plain(rule.code)} '
            yield f"{plain(rule.name)}</h3> {prose(rule.summary)}</summary>"
            yield from markdown(explanation(rule))
            yield "</details>"
        yield "</section>"
