"""The patterns of the `case` of Python's own `ast`."""

from __future__ import annotations

import ast

from devlint.lower import ir
from devlint.lower.ast_expression import expression
from devlint.lower.lowered import Pattern, Seen


def lower_pattern(node: ast.pattern, pattern: Pattern, seen: Seen) -> bool:
    """Adds what `node` binds and mentions to `pattern`; says whether it always matches."""
    match node:
        case ast.MatchAs(pattern=inner, name=name):
            is_irrefutable = inner is None or lower_pattern(inner, pattern, seen)
            pattern.bind(name, seen)
            return is_irrefutable
        case ast.MatchOr(patterns=inner):
            return any([lower_pattern(item, pattern, seen) for item in inner])  # noqa: C419
        case ast.MatchSequence(patterns=inner):
            for item in inner:
                lower_pattern(item, pattern, seen)
        case ast.MatchStar(name=name):
            pattern.bind(name, seen)
        case ast.MatchValue(value=value):
            pattern.mentions.append(expression(value, seen))
        case ast.MatchSingleton(value=value):
            pattern.mentions.append(ir.Constant(node, value))
        case ast.MatchMapping(keys=keys, patterns=inner, rest=rest):
            for key, item in zip(keys, inner, strict=True):
                pattern.mentions.append(expression(key, seen))
                lower_pattern(item, pattern, seen)
            pattern.bind(rest, seen)
        case ast.MatchClass(cls=cls, patterns=inner, kwd_attrs=names, kwd_patterns=others):
            pattern.mentions.append(expression(cls, seen))
            seen.extend(names)
            for item in (*inner, *others):
                lower_pattern(item, pattern, seen)
    return False


def asked(node: ast.pattern) -> str:
    """What a pattern asks of the subject, if nothing else: that it is equal to one of the `values`
    that it mentions, or an instance of one of the `classes`."""
    match node:
        case ast.MatchValue() | ast.MatchSingleton():
            return "values"
        case ast.MatchClass(patterns=[], kwd_patterns=[]):
            return "classes"
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return asked(inner)
        case ast.MatchOr(patterns=inner):
            questions = set(map(asked, inner))
            return questions.pop() if len(questions) == 1 else ""
    return ""
