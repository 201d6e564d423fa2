"""What the literals and operators of LibCST mean."""

from __future__ import annotations

from ast import literal_eval
from unicodedata import normalize

import libcst as cst


def identifier(node: cst.Name) -> str:
    # Python compares identifiers in this normal form, and `ast` gives them so.
    return node.value if node.value.isascii() else normalize("NFKC", node.value)


def string_value(node: cst.SimpleString) -> str | bytes:
    value = node.value
    if value[0] in "\"'" and "\\" not in value and "\r" not in value:
        quotes = 3 if value[:3] in ('"""', "'''") and len(value) >= 6 else 1
        return value[quotes:-quotes]
    evaluated: str | bytes = literal_eval(value)
    return evaluated


SINGLETONS = {"True": True, "False": False, "None": None}
UNARY = {cst.Not: "not", cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~"}
BINARY: dict[type, str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
}
COMPARE: dict[type, str] = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.In: "in",
    cst.NotIn: "not in",
}
AUGMENTED: dict[type, str] = {
    getattr(cst, f"{operator.__name__}Assign"): token for operator, token in BINARY.items()
}
