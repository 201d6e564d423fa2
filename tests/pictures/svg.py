"""Drawings that stand by themselves, for dark and for light pages."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

MARGIN = 16
STYLE = """\
.page { fill: #ffffff; stroke: #d1d9e0 }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328 }
.bold { font-weight: 600 } .faint { fill: #59636e }
.red { fill: #d1242f } .yellow { fill: #9a6700 } .blue { fill: #0969da }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117; stroke: #3d444d }
  text { fill: #f0f6fc }
  .faint { fill: #9198a1 }
  .red { fill: #ff7b72 } .yellow { fill: #e3b341 } .blue { fill: #79c0ff }
}"""


def drawing(title: str, size: tuple[int, int], parts: Iterable[str], style: str = "") -> str:
    """Shapes and texts on a page of this width and height."""
    width, height = size
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" xml:space="preserve">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{STYLE}{style}\n</style>",
            f'<rect class="page" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="6"/>',
            *parts,
            "</svg>\n",
        ]
    )
