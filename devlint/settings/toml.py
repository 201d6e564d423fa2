"""Values written as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterator

from devlint.settings.option import options
from devlint.settings.settings import Settings


def lines(settings: Settings) -> Iterator[str]:
    """Settings as a configuration file that stands in the working directory would say them."""
    for name, option in options().items():
        value = getattr(settings, name)
        if value is not None:
            yield f"{option.key} = {written(option.kind.plain(value))}"


def written(value: object) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{written(key)} = {written(each)}" for key, each in value.items())
        return f"{{{pairs}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    # JSON leaves DEL as it is, which TOML does not.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
