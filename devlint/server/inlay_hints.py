"""On which device names are, beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from lsprotocol import types

from devlint.explain.hints import hints
from devlint.explain.wording import evidence
from devlint.server.analysis import HALF_TYPED, Analysis
from devlint.server.positions import Positions
from devlint.settings.project_names import Vocabulary


def inlay_hints(
    analysis: Analysis, encoding: str | None, vocabulary: Vocabulary
) -> Mapping[str, Sequence[types.InlayHint]]:
    """Those of each text of a file; none while it is half typed."""
    buffer = analysis.buffer
    try:
        found = hints(buffer.path, buffer.data, analysis.project, vocabulary)
    except HALF_TYPED:
        return {}
    of_parts = defaultdict[str, list[types.InlayHint]](list)
    for each in found:
        span, part = each.location.span, buffer.part(each.location.span.cell)
        why = "\n\n".join(evidence(each))
        of_parts[part.uri].append(
            types.InlayHint(
                Positions(part.text, encoding).range(span).end,
                f"on {each.device}",
                tooltip=types.MarkupContent(types.MarkupKind.Markdown, why) if why else None,
                padding_left=True,
            )
        )
    return of_parts
