"""Methods of `Tensor` that move, convert or read it."""

from __future__ import annotations

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Exports, Fact, Follows, Moves, Pins, Reads

METHODS: dict[str, Fact] = {
    "to": Moves("self -device -dtype -non_blocking -copy", "to"),
    "cuda": Moves("self -device -non_blocking", "cuda"),
    "cpu": Moves("self -memory_format", "cpu"),
    "xpu": Moves("self -device -non_blocking", "to_accelerator", "xpu"),
    "npu": Moves("self -device -non_blocking", "to_accelerator", "npu"),
    "hpu": Moves("self -device -non_blocking", "to_accelerator", "hpu"),
    "mlu": Moves("self -device -non_blocking", "to_accelerator", "mlu"),
    "musa": Moves("self -device -non_blocking", "to_accelerator", "musa"),
    "type": Moves("self -dtype -non_blocking", "type"),
    "type_as": Moves("self -other", "to"),
    "float": Follows("self", Rank.SAME, as_needed=True),
    "double": Follows("self", Rank.SAME),
    "half": Follows("self", Rank.SAME),
    "bfloat16": Follows("self", Rank.SAME),
    "int": Follows("self", Rank.SAME),
    "long": Follows("self", Rank.SAME),
    "short": Follows("self", Rank.SAME),
    "byte": Follows("self", Rank.SAME),
    "char": Follows("self", Rank.SAME),
    "bool": Follows("self", Rank.SAME),
    "cfloat": Follows("self", Rank.SAME),
    "cdouble": Follows("self", Rank.SAME),
    "item": Reads("self"),
    "tolist": Reads("self"),
    "is_pinned": Reads("self -device"),
    "pin_memory": Pins("self -device"),
    "numpy": Exports("self", of="self"),
    "__array__": Exports("self", of="self"),
}
