"""The patterns of LibCST's `case`."""

from __future__ import annotations

import libcst as cst

from devlint.lower.cst_expression import expression
from devlint.lower.cst_token import identifier
from devlint.lower.lowered import Pattern, Seen


def lower_pattern(node: cst.CSTNode, pattern: Pattern, seen: Seen) -> bool:
    """Adds what `node` binds and mentions to `pattern`; says whether it always matches."""
    match node:
        case cst.MatchAs():
            is_irrefutable = node.pattern is None or lower_pattern(node.pattern, pattern, seen)
            pattern.bind(identifier(node.name) if node.name else None, seen)
            return is_irrefutable
        case cst.MatchOr():
            return any([lower_pattern(item.pattern, pattern, seen) for item in node.patterns])  # noqa: C419
        case cst.MatchSequence():
            for item in node.patterns:
                lower_pattern(item, pattern, seen)
        case cst.MatchSequenceElement():
            lower_pattern(node.value, pattern, seen)
        case cst.MatchStar():
            pattern.bind(identifier(node.name) if node.name else None, seen)
        case cst.MatchValue() | cst.MatchSingleton():
            pattern.mentions.append(expression(node.value, seen))
        case cst.MatchMapping():
            for element in node.elements:
                pattern.mentions.append(expression(element.key, seen))
                lower_pattern(element.pattern, pattern, seen)
            pattern.bind(identifier(node.rest) if node.rest else None, seen)
        case cst.MatchClass():
            pattern.mentions.append(expression(node.cls, seen))
            seen.extend([identifier(keyword.key) for keyword in node.kwds])
            for part in (*node.patterns, *[keyword.pattern for keyword in node.kwds]):
                lower_pattern(part, pattern, seen)
    return False


def asked(node: cst.MatchPattern) -> str:
    """What a pattern asks of the subject, if nothing else: that it is equal to one of the `values`
    that it mentions, or an instance of one of the `classes`."""
    match node:
        case cst.MatchValue() | cst.MatchSingleton():
            return "values"
        case cst.MatchClass(patterns=(), kwds=()):
            return "classes"
        case cst.MatchAs(pattern=cst.MatchPattern() as inner):
            return asked(inner)
        case cst.MatchOr():
            questions = {asked(item.pattern) for item in node.patterns}
            return questions.pop() if len(questions) == 1 else ""
    return ""
