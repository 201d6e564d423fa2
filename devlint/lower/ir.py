"""The representation that both front ends lower Python to.

Every node keeps `at`, the syntax node it came from, or where that stood; the front end turns it
into a span.
The classes are not frozen: setting fields through `object.__setattr__` would double the cost of
lowering, and nothing writes to a node after it is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType
from typing import TypeAlias

#: What a constant of the language may be.
Literal: TypeAlias = str | bytes | int | float | complex | EllipsisType | None


@dataclass(slots=True, eq=False)
class Node:
    at: object


@dataclass(slots=True, eq=False)
class Name(Node):
    id: str


@dataclass(slots=True, eq=False)
class Constant(Node):
    """A literal; adjacent strings are one, `...` is `Ellipsis`."""

    value: Literal


@dataclass(slots=True, eq=False)
class Text(Node):
    """An f-string or a template string, by its replacement fields, nested ones included.

    `pieces` are the texts before, between and behind the fields; None where one is not plain, and
    behind a field that is not written out as it is.
    """

    pieces: tuple[str | None, ...]
    fields: tuple[Expression, ...]

    @property
    def start(self) -> str:
        """The text before the first field, where that is plain."""
        return self.pieces[0] or ""


@dataclass(slots=True, eq=False)
class Attribute(Node):
    value: Expression
    name: str


@dataclass(slots=True, eq=False)
class Subscript(Node):
    """`value[index]`; several indices are a tuple `Display`."""

    value: Expression
    index: Expression


@dataclass(slots=True, eq=False)
class Slice(Node):
    """`lower:upper:step`."""

    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@dataclass(slots=True, eq=False)
class Call(Node):
    """`args` holds positional arguments (`*x` is `Starred`, the items of `*(a, b)` are arguments);
    `**x` is a keyword without a name."""

    func: Expression
    args: tuple[Expression, ...]
    keywords: tuple[tuple[str | None, Expression], ...]


@dataclass(slots=True, eq=False)
class Unary(Node):
    op: str
    operand: Expression


@dataclass(slots=True, eq=False)
class Binary(Node):
    op: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Logic(Node):
    """`a and b and c`: one node for operands of one operator written without parentheses."""

    op: str
    values: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Compare(Node):
    left: Expression
    ops: tuple[str, ...]
    comparators: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Conditional(Node):
    test: Expression
    then: Expression
    orelse: Expression


@dataclass(slots=True, eq=False)
class Display(Node):
    """`kind` is `tuple`, `list` or `set`."""

    kind: str
    items: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Mapping(Node):
    """A dict display; the key of a `**x` item is `None`."""

    keys: tuple[Expression | None, ...]
    values: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Lambda(Node):
    params: tuple[Parameter, ...]
    body: Expression


@dataclass(slots=True, eq=False)
class Clause(Node):
    """`for target in iter if conditions` of a comprehension."""

    target: Expression
    iter: Expression
    conditions: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Comprehension(Node):
    """`kind` is `list`, `set`, `dict` or `generator`; only a dict has a `key`."""

    kind: str
    key: Expression | None
    element: Expression
    clauses: tuple[Clause, ...]


@dataclass(slots=True, eq=False)
class Starred(Node):
    value: Expression


@dataclass(slots=True, eq=False)
class Await(Node):
    value: Expression


@dataclass(slots=True, eq=False)
class Yield(Node):
    """`yield`, `yield x` and, with `is_from`, `yield from x`."""

    value: Expression | None
    is_from: bool


@dataclass(slots=True, eq=False)
class Walrus(Node):
    target: Expression
    value: Expression


@dataclass(slots=True, eq=False)
class Parameter(Node):
    """`kind` is `positional`, `plain`, `keyword`, `*` or `**`."""

    name: str
    kind: str
    default: Expression | None
    annotation: Expression | None

    @property
    def spelling(self) -> str:
        """The name with its asterisks, which no keyword can have."""
        return self.kind + self.name if self.kind[0] == "*" else self.name


@dataclass(slots=True, eq=False)
class Assign(Node):
    """`a = b = value`, and `a: annotation = value`."""

    targets: tuple[Expression, ...]
    value: Expression
    annotation: Expression | None = None


@dataclass(slots=True, eq=False)
class Declare(Node):
    """`name: annotation` without a value; of other targets it is not lowered."""

    name: str
    annotation: Expression


@dataclass(slots=True, eq=False)
class AugmentedAssign(Node):
    """`target op= value`; `op` is written without the `=`."""

    target: Expression
    op: str
    value: Expression


@dataclass(slots=True, eq=False)
class Evaluate(Node):
    """An expression statement."""

    value: Expression


@dataclass(slots=True, eq=False)
class Return(Node):
    value: Expression | None


@dataclass(slots=True, eq=False)
class Raise(Node):
    """`raise value from cause`."""

    value: Expression | None
    cause: Expression | None


@dataclass(slots=True, eq=False)
class Assert(Node):
    test: Expression
    message: Expression | None


@dataclass(slots=True, eq=False)
class Delete(Node):
    targets: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Pass(Node):
    pass


@dataclass(slots=True, eq=False)
class Break(Node):
    pass


@dataclass(slots=True, eq=False)
class Continue(Node):
    pass


@dataclass(slots=True, eq=False)
class Scope(Node):
    """`global` (`kind` says which) or `nonlocal` names."""

    kind: str
    names: tuple[str, ...]


@dataclass(slots=True, eq=False)
class If(Node):
    """`elif` is an `If` alone in `orelse`."""

    test: Expression
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class For(Node):
    target: Expression
    iter: Expression
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class While(Node):
    test: Expression
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class Handler(Node):
    type: Expression | None
    name: str | None
    body: Block


@dataclass(slots=True, eq=False)
class Try(Node):
    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block


@dataclass(slots=True, eq=False)
class With(Node):
    """Each item is the context expression and its target, if any."""

    items: tuple[tuple[Expression, Expression | None], ...]
    body: Block


@dataclass(slots=True, eq=False)
class Case(Node):
    """A `case`: the names its pattern binds and the expressions (values, classes) it mentions.

    `test` is the same question as an expression, where there is one: `x == 1 or x == 2`.
    """

    captures: tuple[str, ...]
    mentions: tuple[Expression, ...]
    test: Implied | None
    is_irrefutable: bool
    guard: Expression | None
    body: Block


@dataclass(slots=True, eq=False)
class Match(Node):
    subject: Expression
    cases: tuple[Case, ...]


@dataclass(slots=True, eq=False)
class Def(Node):
    """A function. `words` are the identifiers in it (names, attributes, keywords, parameters),
    `stores` the attribute names assigned to in it, nested functions and classes included."""

    name: str
    params: tuple[Parameter, ...]
    body: Block
    decorators: tuple[Expression, ...]
    returns: Expression | None
    has_yield: bool
    words: frozenset[str]
    stores: frozenset[str]


@dataclass(slots=True, eq=False)
class Class(Node):
    name: str
    bases: tuple[Expression, ...]
    keywords: tuple[tuple[str | None, Expression], ...]
    body: Block
    decorators: tuple[Expression, ...]
    words: frozenset[str]


@dataclass(slots=True, eq=False)
class Import(Node):
    """`import a.b as c` is `("a.b", "c")`."""

    names: tuple[tuple[str, str | None], ...]


@dataclass(slots=True, eq=False)
class ImportFrom(Node):
    """`from .a import b as c` is `(".a", (("b", "c"),))`; a star is the name `*`."""

    module: str
    names: tuple[tuple[str, str | None], ...]


@dataclass(slots=True, eq=False)
class Module(Node):
    body: Block
    words: frozenset[str]


Expression: TypeAlias = (
    Name
    | Constant
    | Text
    | Attribute
    | Subscript
    | Slice
    | Call
    | Unary
    | Binary
    | Logic
    | Compare
    | Conditional
    | Display
    | Mapping
    | Lambda
    | Comprehension
    | Starred
    | Await
    | Yield
    | Walrus
)
Statement: TypeAlias = (
    Assign
    | Declare
    | AugmentedAssign
    | Evaluate
    | Return
    | Raise
    | Assert
    | Delete
    | Pass
    | Break
    | Continue
    | Scope
    | If
    | For
    | While
    | Try
    | With
    | Match
    | Def
    | Class
    | Import
    | ImportFrom
)
Block: TypeAlias = tuple[Statement, ...]
#: An expression that nobody wrote, made of some that stand elsewhere in the tree.
Implied: TypeAlias = Expression
