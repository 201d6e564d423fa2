"""Notebooks as JupyterLab saves them, for the tests of editors."""

from __future__ import annotations

import json
from collections.abc import Iterable


def notebook(cells: Iterable[str], metadata: object) -> str:
    """One of code cells with these texts."""
    code: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
    }
    listed = [{**code, "id": f"cell-{n}", "source": text} for n, text in enumerate(cells)]
    return json.dumps({"cells": listed, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
