"""What a call hands to the function in view that runs, as its caller writes it."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.rule.changes import root


def handed(machine: Run, site: ir.Node, call: ir.Node) -> ir.Expression | None:
    """The argument, or the receiver, that a place in the function is about: of `net.a.b = x` that
    for `net`; of `net.append(x)` and `setattr(net, "a", x)` too."""
    if isinstance(site, ir.Call) and isinstance(site.func, ir.Name) and site.args:
        site = site.args[0]
    name = root(site)
    function = machine.function
    if name is None or not isinstance(call, ir.Call) or not isinstance(function, ir.Def):
        return None
    names = [each.name for each in function.params if each.kind in ("plain", "positional")]
    is_method = machine.frame.owner is not None
    if is_method and names[:1] == [name]:
        return call.func.value if isinstance(call.func, ir.Attribute) else None
    if is_method:
        names = names[1:]
    given = dict(zip(names, call.args, strict=False)) | {n: v for n, v in call.keywords if n}
    return given.get(name)
