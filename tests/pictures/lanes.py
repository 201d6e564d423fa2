"""A program beside two lanes, the CPU and the accelerator, with the values of each line in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from tests.pictures.lives import Lives, Stay, lives
from tests.pictures.svg import MARGIN, drawing

#: Of a line, and of a character of code and of a name.
HEIGHT, WIDTH, SMALL = 24, 7.2, 6.6
#: Between code and lanes, and between names.
GAP, SPACE = 20, 8
HEAD = 30
STYLE = """
.code { font-size: 12px } .name { font-size: 11px }
.lane { fill: #f6f8fa } .way { fill: none; stroke: #8c959f; stroke-width: 1.5 }
.cpu { fill: #fff8c5; stroke: #bf8700 } .device { fill: #dafbe1; stroke: #1a7f37 }
.wrong { fill: none; stroke: #d1242f; stroke-width: 2 } .row { fill: #ffebe9 }
@media (prefers-color-scheme: dark) {
  .lane { fill: #151b23 } .way { stroke: #656c76 }
  .cpu { fill: #352a05; stroke: #d29922 } .device { fill: #0f2d18; stroke: #3fb950 }
  .wrong { stroke: #ff7b72 } .row { fill: #3c1618 }
}"""


@dataclass(frozen=True)
class Box:
    """Where a name is drawn."""

    x: float
    y: float
    width: float

    @property
    def centre(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True)
class Lane:
    """A strip of the picture, with a column for each value that is ever in it."""

    title: str
    x: float
    columns: dict[str, float]
    width: float

    @classmethod
    def of(cls, title: str, x: float, stays: Iterable[Stay]) -> Lane:
        widest: dict[str, float] = {}
        for stay in stays:
            widest[stay.whose] = max(wide(stay), widest.get(stay.whose, 0))
        columns, end = {}, x + SPACE
        for whose, width in widest.items():
            columns[whose] = end
            end += width + SPACE
        return cls(title, x, columns, max(end - x, len(title) * SMALL + 2 * SPACE))

    def box(self, stay: Stay) -> Box:
        x, width = round(self.columns[stay.whose], 1), round(wide(stay), 1)
        return Box(x, middle(stay.line), width)


Boxes = Mapping[Stay, Box]


def picture(file: str, program: str) -> str:
    known, lines = lives(file, program), program.rstrip("\n").split("\n")
    start = round(MARGIN + max(map(len, map(shown, lines))) * WIDTH + GAP)
    cpu = Lane.of("on the CPU", start, (each for each in known.stays if each.is_on_cpu))
    beside = round(cpu.x + cpu.width + GAP)
    device = Lane.of("on the device", beside, (e for e in known.stays if not e.is_on_cpu))
    boxes = {stay: (cpu if stay.is_on_cpu else device).box(stay) for stay in known.stays}
    size = round(device.x + device.width + MARGIN), HEAD + len(lines) * HEIGHT + MARGIN
    parts = [*strip(cpu, size[1]), *strip(device, size[1]), *failed_rows(known, lines, size[0])]
    parts += [*code(lines), *ways(known, boxes), *failures(known, boxes), *names(boxes)]
    return drawing(f"Where the values of {file} live, line by line", size, parts, STYLE)


def wide(stay: Stay) -> float:
    return len(stay.name) * SMALL + 10


def middle(line: int) -> int:
    return HEAD + line * HEIGHT - HEIGHT // 2


def strip(lane: Lane, height: int) -> Iterator[str]:
    size = f'width="{round(lane.width)}" height="{height - 12}"'
    yield f'<rect class="lane" x="{lane.x}" y="6" {size} rx="4"/>'
    yield f'<text class="name faint" x="{lane.x + SPACE}" y="22">{lane.title}</text>'


def failed_rows(known: Lives, lines: Sequence[str], width: int) -> Iterator[str]:
    for line in known.failures:
        y = middle(line)
        size = f'width="{width - 12}" height="{HEIGHT}"'
        yield f'<rect class="row" x="6" y="{y - HEIGHT // 2}" {size} rx="4"/>'
        x = round(MARGIN + (len(shown(lines[line - 1])) + 2) * WIDTH)
        yield f'<text class="name red" x="{x}" y="{y + 4}">raises</text>'


def shown(line: str) -> str:
    """A line without its comment, which tests read."""
    return line.partition("  #")[0]


def code(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        text = shown(line)
        start, length = len(text) - len(text.lstrip()), round(len(text.strip()) * WIDTH, 1)
        if text.strip():
            place = f'x="{round(MARGIN + start * WIDTH, 1)}" y="{middle(number) + 4}"'
            yield f'<text class="code" {place} textLength="{length}">{escape(text.strip())}</text>'


def ways(known: Lives, boxes: Boxes) -> Iterator[str]:
    return (curve("way", boxes[origin], boxes[stay]) for origin, stay in known.ways)


def failures(known: Lives, boxes: Boxes) -> Iterator[str]:
    """What meets in a line that raises, and what is hidden in it."""
    for line, stays in known.failures.items():
        here = sorted((stay for stay in boxes if stay.line == line), key=lambda e: boxes[e].x)
        first, last = boxes[here[0]], boxes[here[-1]]
        yield f'<path class="wrong" d="M{first.x} {first.y}H{last.x + last.width}"/>'
        if not here[0].is_on_cpu:
            yield from (curve("wrong", boxes[each], first) for each in stays if each.is_on_cpu)


def curve(kind: str, one: Box, other: Box) -> str:
    """From the middle of one box to that of the other, upright at both ends."""
    bend = (one.y + other.y) / 2 if one.y != other.y else one.y
    path = f"M{one.centre:.1f} {one.y}C{one.centre:.1f} {bend} {other.centre:.1f} {bend}"
    return f'<path class="{kind}" d="{path} {other.centre:.1f} {other.y}"/>'


def names(boxes: Boxes) -> Iterator[str]:
    for stay, box in boxes.items():
        kind = "cpu" if stay.is_on_cpu else "device"
        shape = f'x="{box.x}" y="{box.y - 9}" width="{box.width}" height="18" rx="9"'
        length = round(len(stay.name) * SMALL, 1)
        place = f'x="{box.x + 5}" y="{box.y + 4}" textLength="{length}"'
        yield f'<rect class="{kind}" {shape}/>'
        yield f'<text class="name" {place}>{escape(stay.name)}</text>'
