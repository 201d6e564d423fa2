"""Rewritings make of small programs what they are named after, and change nothing that they do."""

from __future__ import annotations

import ast
import contextlib
import io
from textwrap import dedent

import pytest

from devlint.testing.spec import Case

from .laws.examples import Example
from .rewrites.program import program
from .rewrites.rewriting import REWRITINGS

BY_NAME = {each.name: each for each in REWRITINGS}

EXAMPLES = [
    (
        "caller",
        "def f(x, *y, z=1):\n    return x",
        "def f(x, *y, z=1):\n    return x\n\ndef q1(x, *y, z=1):\n    return f(x, *y, z=z)",
    ),
    (
        "caller",
        "class A:\n\n    def forward(self, x: int):\n        return x",
        "class A:\n\n    def forward(self, x: int):\n        return x\n\n"
        "def q1(q2: A, x):\n    return q2(x)",
    ),
    ("names", "total = 1\nprint(total)", "q1 = 1\nprint(q1)"),
    ("temporary", "print(f(a.b))", "q1 = a.b\nq2 = f(q1)\nprint(q2)"),
    ("temporary", "y = f(1)", "q1 = f(1)\ny = q1"),
    ("temporary", "if f(x):\n    pass", "q1 = f(x)\nif q1:\n    pass"),
    ("temporary", "y = f(x[lambda: 1], g(x))", "q1 = x[lambda: 1]\nq2 = g(x)\ny = f(q1, q2)"),
    ("alias", "x = 1\nx = x + 1\nprint(x)", "x = 1\nq1 = x\nx = q1 + 1\nq1 = x\nprint(q1)"),
    ("alias", "def f(a):\n    return a", "def f(a):\n    q1 = a\n    return q1"),
    ("alias", "for x, y in z:\n    f(x)", "for x, y in z:\n    q1 = x\n    f(q1)"),
    ("tuple", "y = f(x, 1)", "q1 = (x,)\nq2, = q1\ny = f(q2, 1)"),
    ("list", "y = x + f(z)", "q1 = [x, f(z)]\ny = q1[0] + q1[1]"),
    ("dict", "x.f(k=y)", "q1 = {'key_0': x, 'key_1': y}\nq1['key_0'].f(k=q1['key_1'])"),
    ("helper", "x = 2\ny = x + 1", "x = 2\n\ndef q1(x):\n    return x + 1\ny = q1(x)"),
    ("helper", "x = 2\nprint(x)", "x = 2\n\ndef q1(x):\n    print(x)\nq1(x)"),
    (
        "method",
        "class A:\n\n    def f(self, x):\n        return self.y + x",
        "class A:\n\n    def f(self, x):\n        return self.q1(x)\n\n"
        "    def q1(self, x):\n        return self.y + x",
    ),
    (
        "method",
        "x = 2\ny = x + 1",
        "x = 2\n\nclass Q2:\n\n    def q1(self, x):\n        return x + 1\ny = Q2().q1(x)",
    ),
    (
        "base-class",
        "class A(B):\n    x = 1\n\n    def f(self):\n        pass\n\n"
        "    def g(self):\n        pass",
        "class Q1(B):\n\n    def f(self):\n        pass\n\n"
        "class A(Q1):\n    x = 1\n\n    def g(self):\n        pass",
    ),
    ("other-file", "def f():\n    pass\nf()", "from parts import f\nf()"),
    ("keyword", "def f(a, b):\n    pass\nf(1, 2)", "def f(a, b):\n    pass\nf(a=1, b=2)"),
    ("keyword", "torch.save(x, path)", "torch.save(obj=x, f=path)"),
    (
        "torch-function",
        "import torch\nx = torch.ones(1)\ny = x * 2 + x.sum()",
        "import torch\nx = torch.ones(1)\ny = torch.add(torch.mul(x, 2), torch.sum(x))",
    ),
    ("torch-function", "import torch\ny = torch.sum(x, 0)", "import torch\ny = x.sum(0)"),
    (
        "annotation",
        "import torch\n\ndef f(x):\n    x = torch.ones(1)\n    return",
        "import torch\n\ndef f(x) -> None:\n    x: torch.Tensor = torch.ones(1)\n    return",
    ),
    (
        "annotation",
        "import torch\n\ndef f(x):\n    return x.unsqueeze(0)",
        "import torch\n\ndef f(x: torch.Tensor):\n    return x.unsqueeze(0)",
    ),
    ("with", "x = 1", "import contextlib\nwith contextlib.nullcontext():\n    x = 1"),
    (
        "try",
        "import a\n\ndef f():\n    return a",
        "import a\n\ndef f():\n    try:\n        return a\n    finally:\n        pass",
    ),
    (
        "main",
        "x = 1\n\ndef f():\n    return x\ny = f()",
        "x = 1\n\ndef f():\n    return x\n\ndef q1():\n    y = f()\nq1()",
    ),
    ("comprehension", "y = []\nfor x in z:\n    y.append(x + 1)", "y = [x + 1 for x in z]"),
    (
        "comprehension",
        "y = [x for x in z if x]",
        "y = []\nfor x in z:\n    if x:\n        y.append(x)",
    ),
    ("lambda", "def f(x, y=1):\n    return x", "f = lambda x, y=1: x"),
    ("lambda", "x = 2\ny = x + z", "x = 2\nq1 = lambda x: x + z\ny = q1(x)"),
    ("partial", "f(x, 1, k=2)", "import functools\nfunctools.partial(f, x)(1, k=2)"),
    ("star", "f(x, 1, k=2)", "f(*(x, 1), k=2)"),
]

#: What a rewriting would make something else of.
REFUSED = [
    ("names", "device = 1\nprint(device)"),
    ("temporary", "device = f(1)"),
    ("temporary", "while f(g(x)):\n    pass"),
    ("temporary", "y = lambda: f(g(x))"),
    ("temporary", "class A:\n    y = f(g(x))"),
    ("temporary", "def h():\n    return f((yield g(x)))"),
    ("alias", "loader = 1\nprint(loader)"),
    ("alias", "x = 1\ndel x"),
    ("alias", "x = 1\n[x for x in y]\nf = lambda: x"),
    ("alias", "x = 1\n\ndef f():\n    global x\n    x = 2\nprint(x)"),
    ("tuple", "f(1)"),
    ("list", "f(*g(x))"),
    ("dict", "reveal_device(x)"),
    ("helper", "class A:\n\n    def f(self):\n        super().f()"),
    ("helper", "def f():\n    import os\n    os.remove(x)"),
    ("method", "async def f(x):\n    await x.g()"),
    ("base-class", "class A:\n\n    def f(self):\n        super(A, self).f()"),
    ("base-class", "@d\nclass A:\n\n    def f(self):\n        pass"),
    ("other-file", "x = 1\n\ndef f():\n    return x"),
    ("keyword", "@d\ndef f(a):\n    pass\nf(1)"),
    ("keyword", "def f(*a):\n    pass\nf(1)"),
    ("keyword", "def f(a):\n    pass\nf = g\nf(1)"),
    ("torch-function", "import torch\ny = x.sum()"),
    ("torch-function", "import torch\ny = torch.add(x, z, out=x)"),
    ("annotation", "import torch\n\ndef f(x):\n    return isinstance(x, A) or x.detach()"),
    ("main", "x = 1\n\ndef f():\n    return x"),
    ("main", "x = 1\n\ndef f():\n    global y\n    y = 1"),
    ("main", "x = 1\n\n@d\ndef f():\n    pass"),
    ("comprehension", "y = []\nfor x in z:\n    y.append(x)\nprint(x)"),
    ("comprehension", "y = []\nfor x in z:\n    y.append(len(y))"),
    ("comprehension", "x = 1\ny = [x for x in z]"),
    ("partial", "x.f(1)"),
    ("star", "f(*x)"),
]

#: Plain programs that print what they do.
RUNNABLE = [
    """
    class Account:
        '''Keeps a sum.'''

        def __init__(self, owner, total=0):
            self.owner = owner
            self.total = total

        def add(self, amount):
            self.total += amount
            return self

        def told(self):
            return f"{self.owner}: {self.total}"

    def doubled(amount, times):
        return amount * 2 ** times

    def opened(owner, *amounts):
        account = Account(owner)
        for amount in amounts:
            account.add(doubled(amount, 1)).add(amount)
        return account

    first = opened("a", 1, 2)
    print(first.told(), first.add(3).told())
    for step in range(2):
        first = first.add(step)
        print(step, first.told())
    """,
    """
    log = []

    def noted(value):
        log.append(value)
        return value

    def sums(rows):
        found = []
        for row in rows:
            found.append(sum(row) + noted(1))
        squares = [value * value for value in found if value]
        return found, squares

    rows = [[noted(1), noted(2)], [noted(3)]]
    print(sums(rows))
    print(noted(4) + noted(5) * noted(6), noted(7) < noted(8))
    x = noted(9)
    x += noted(10)
    print({"x": x}.get(str(noted("x")), noted(0)), log)
    """,
    """
    from __future__ import annotations

    def chosen(flag, values):
        if len(values) > 1 and flag:
            return values[0]
        elif str(flag) == "1":
            return -values[-1]
        try:
            return values[5]
        except IndexError as error:
            print(type(error).__name__)
        finally:
            print("done")

    def counted(start):
        total = start

        def more(by):
            nonlocal total
            total = total + abs(by)
            return total

        more(1)
        return more(-2) + total

    values = [1, 2, 3]
    print(chosen(True, values), chosen(1, values[:1]), chosen(False, values))
    print(counted(len(values)), [each + 1 for each in values], max(values, key=lambda v: -v))
    """,
]


def rewritten(name: str, code: str) -> str | None:
    result = BY_NAME[name].text(program(Example("example", Case("example", code))))
    return result and result[0]


@pytest.mark.parametrize(("name", "code", "after"), EXAMPLES)
def test_rewriting(name: str, code: str, after: str) -> None:
    assert rewritten(name, code) == ast.unparse(ast.parse(after))


@pytest.mark.parametrize(("name", "code"), REFUSED)
def test_rewriting_is_refused(name: str, code: str) -> None:
    assert rewritten(name, code) is None


def test_each_rewriting_is_tried() -> None:
    assert {name for name, *_ in EXAMPLES} == BY_NAME.keys()


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - {"other-file", "torch-function"}))
def test_rewritten_programs_do_the_same(name: str) -> None:
    every = [dedent(each) for each in RUNNABLE]
    after = [(each, rewritten(name, each)) for each in every]
    applied = [(one, other) for one, other in after if other is not None]
    assert applied
    for one, other in applied:
        assert printed(other) == printed(one) != ""


def printed(code: str) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "program.py", "exec", dont_inherit=True), {"__name__": "__main__"})
    return output.getvalue()
