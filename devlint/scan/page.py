"""The report of a scan: one page that asks the network for nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version

from devlint.report.html import asset, digest
from devlint.report.markup import plain, prose
from devlint.report.summary import NOUNS
from devlint.report.text import count
from devlint.scan.result import Row
from devlint.scan.totals import TOP, Totals

#: How many projects the table of rules has, those with most findings.
PROJECTS = 100
STYLE = """
table { border-collapse: collapse; font-size: .875rem; margin: .5rem 0 2rem; }
th, td { border-bottom: 1px solid var(--border); padding: .3rem .75rem; text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td { overflow-wrap: anywhere; }
td:first-child { min-width: 18rem; }
.scroll { overflow-x: auto; }
"""


def page(totals: Totals) -> Iterator[str]:
    style = asset("page.css") + STYLE
    policy = f"default-src 'none'; style-src {digest(style)}"
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>devlint scan: {count(totals.projects, 'project')}</title>"
    yield f"<style>{style}</style>"
    yield f"<header><div><h1>devlint scan</h1><p>{plain(told(totals))}</p></div></header>"
    yield "<main>"
    yield from coverage(totals)
    yield from rules(totals)
    yield from projects(totals)
    yield from top(totals)
    yield from failures(totals)
    yield "</main>"
    yield f"<footer>Written by devlint {plain(version('devlint'))}.</footer>"
    yield "</html>"


def told(totals: Totals) -> str:
    """The scan in a sentence."""
    numbers = totals.numbers
    severities = totals.severities
    kinds = ", ".join(count(severities[k], noun) for k, noun in NOUNS.items() if severities[k])
    found = count(numbers["findings"], "finding") + (f" ({kinds})" if kinds else "")
    where = f"{count(totals.projects, 'project')} with {count(numbers['files'], 'file')}"
    failed = f", {count(numbers['failures'], 'failure')}" if numbers["failures"] else ""
    return f"{found} in {where}{failed}"


def coverage(totals: Totals) -> Iterator[str]:
    numbers = totals.numbers
    yield "<h2>What was looked at</h2>"
    yield from table(
        ["", "number"],
        [
            ["projects", totals.projects],
            ["of them analysed", totals.analysed],
            ["files", numbers["files"]],
            ["of them only read: nothing of devices", numbers["passed"]],
            ["analysed, no finding", numbers["screened"]],
            ["analysed in full", numbers["decided"]],
            ["calls beyond the budget of the analysis", numbers["exhausted"]],
            ["bytes of code", numbers["bytes"]],
            ["seconds of a processor", round(totals.seconds)],
        ],
    )


def rules(totals: Totals) -> Iterator[str]:
    yield "<h2>Rules</h2>"
    having = {code: sum(code in each for each in totals.rules.values()) for code in totals.names}
    yield from table(
        ["rule", "findings", "projects"],
        [
            [f"{code} {totals.names[code]}", number, having[code]]
            for code, number in sorted(totals.codes.items())
        ],
    )


def projects(totals: Totals) -> Iterator[str]:
    """Rules by project, the projects with most findings first."""
    codes = sorted(totals.names)
    ranked = sorted(totals.rules.items(), key=lambda each: (-each[1].total(), each[0]))
    yield f"<h2>Rules by project</h2>{beyond(len(ranked), PROJECTS)}"
    rows = (
        [project, numbers.total(), *(numbers[code] or "" for code in codes)]
        for project, numbers in ranked[:PROJECTS]
    )
    yield from table(["project", "all", *codes], rows)


def top(totals: Totals) -> Iterator[str]:
    yield "<h2>Top findings</h2>"
    yield "<p>The gravest and surest, of each rule one in a project.</p>"
    for row in totals.top:
        yield from article(row)


def article(row: Row) -> Iterator[str]:
    cell = "" if row["cell"] is None else f"cell {row['cell']}:"
    where = f"{row['project']}: {row['path']}:{cell}{row['line']}"
    yield f'<article class="{plain(row["severity"])}"><h3><span class="place">{plain(where)}</span>'
    yield f'<span class="severity">{plain(row["severity"])}</span>'
    yield f'<span class="rule">{plain(row["code"])} {plain(row["name"])}, {row["confidence"]}'
    yield f'</span></h3><p class="message">{prose(row["message"])}</p>'
    yield f'<pre><span data-n="{row["line"]}">{plain(row["source"])}</span></pre></article>'


def failures(totals: Totals) -> Iterator[str]:
    number = totals.numbers["failures"]
    if number:
        yield f"<h2>Failures</h2>{beyond(number, TOP)}"
        rows = ([row["project"], row["path"] or "", row["reason"]] for row in totals.failures)
        yield from table(["project", "file", "why"], rows)


def beyond(number: int, shown: int) -> str:
    return f"<p>{shown} of {number}; the tables have all.</p>" if number > shown else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """What follows the first column of texts are numbers, unless it is a text."""
    yield '<div class="scroll"><table><thead><tr>'
    yield "".join(f'<th scope="col">{plain(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(map(cell, row))}</tr>"
    yield "</tbody></table></div>"


def cell(value: object) -> str:
    kind = "" if isinstance(value, str) else ' class="n"'
    text = value if isinstance(value, str) else f"{value:,}"
    return f"<td{kind}>{plain(text)}</td>"
