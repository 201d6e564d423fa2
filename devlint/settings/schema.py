"""The JSON Schema of configuration files, for editors and validators."""

from __future__ import annotations

from typing import Any

from devlint.settings.option import Option, options

DRAFT = "http://json-schema.org/draft-07/schema#"
EXTEND = "A configuration file that is read first, by its path from this one."


def schema(tool: str = "devlint") -> dict[str, Any]:
    """What `[tool.devlint]`, or a devlint.toml, may say.

    An entry point hands it to validate-pyproject, which names the `tool`.
    """
    properties = {"extend": {"description": EXTEND, "type": "string"}}
    properties |= {option.key: described(option) for option in options().values()}
    return {
        "$schema": DRAFT,
        "$id": f"urn:{tool}:settings",
        "title": f"Settings of {tool}",
        "type": "object",
        "additionalProperties": False,
        "properties": dict(sorted(properties.items())),
    }


def described(option: Option) -> dict[str, Any]:
    default = {} if option.default is None else {"default": option.kind.plain(option.default)}
    return {"description": option.help, **option.kind.schema, **default}
