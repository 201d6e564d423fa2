"""How jupyter-lsp starts the server; it finds this by an entry point, so installing is enough."""

from __future__ import annotations

import sys
from typing import Any


def spec(manager: object) -> dict[str, dict[str, Any]]:
    """The specification of the server, in version 2 of jupyter-lsp's."""
    return {
        "devlint": {
            "version": 2,
            "argv": [sys.executable, "-m", "devlint", "server"],
            "languages": ["python"],
            "mime_types": ["text/x-python", "text/x-ipython"],
            "display_name": "devlint",
        }
    }
