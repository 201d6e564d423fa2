"""What documents show: blocks of code, and the commands of devlint in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md")))
BLOCK = re.compile(
    r"(?:^<!-- schema: (?P<schema>\S+) -->\n)?"
    r"^```(?P<language>[\w-]+)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
#: A line of a shell, of a script in YAML, or of one in Groovy.
COMMAND = re.compile(
    r"\s*(?:\$ |- )?(?:run: |script: |sh ')?(?P<command>devlint .*?)'?", re.MULTILINE
)
#: What a shell reads as the end of a command.
ENDS = ("|", ">", "<", ";", "&&", "#")


@dataclass(frozen=True, slots=True)
class Block:
    document: str
    line: int
    language: str
    file: str | None
    schema: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"

    def commands(self) -> Iterator[list[str]]:
        """The arguments of each command of devlint in a script or a configuration of CI."""
        for line in self.text.replace("\\\n", " ").splitlines():
            if found := COMMAND.fullmatch(line):
                yield arguments(found["command"])


def arguments(command: str) -> list[str]:
    """What a shell would hand to devlint."""
    words = shlex.split(command, comments=True)[1:]
    ends = (n for n, word in enumerate(words) if word in ENDS)
    return words[: next(ends, len(words))]


def blocks(*languages: str) -> list[Block]:
    """The blocks of all documents in these languages."""
    parts = "language", "file", "schema", "text"
    return [
        Block(name, text[: found.start()].count("\n") + 1, *found.group(*parts))
        for name in DOCUMENTS
        for text in [(ROOT / name).read_text(encoding="utf-8")]
        for found in BLOCK.finditer(text)
        if found["language"] in languages
    ]
