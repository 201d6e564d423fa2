"""Draws a sample of findings, or writes the page on accuracy."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from tests.accuracy.report import PAGE, made
from tests.accuracy.sample import STUDIES, WHEELS, Study, drawn, findings, take
from tests.accuracy.scanned import errors, population


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw", help="draw a sample from a report in JSON")
    draw.add_argument("findings", type=Path)
    draw.add_argument("lines", type=int, help="how many lines of code were looked at")
    draw.add_argument("--study", choices=STUDIES, required=True, help="what it is drawn for")
    scanned = commands.add_parser("scanned", help="take the errors of a scan of wheels")
    scanned.add_argument("results", type=Path, help="the folder that `devlint scan` wrote")
    commands.add_parser("report", help="write docs/accuracy.md")
    options = parser.parse_args()
    if options.command == "draw":
        draw_sample(STUDIES[options.study], options.findings, options.lines)
    elif options.command == "scanned":
        WHEELS.population.write_text(json.dumps(population(options.results), indent=1) + "\n")
        take(WHEELS, errors(options.results))
    else:
        PAGE.write_text(made())


def draw_sample(study: Study, report: Path, lines: int) -> None:
    names, seed = study.packages()
    found = list(findings(json.loads(report.read_text())))
    low = [each for each in found if each.confidence == "low"]
    shown = Counter(each.code for each in found if each.confidence != "low")
    size = {
        "packages": len(names),
        "lines": lines,
        "low": len(low),
        "shown": dict(sorted(shown.items())),
    }
    study.population.write_text(json.dumps(size, indent=1) + "\n")
    take(study, drawn(found, seed, study))


if __name__ == "__main__":
    main()
