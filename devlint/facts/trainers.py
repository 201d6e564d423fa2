"""What the trainers and pipelines of Transformers place (5.23)."""

from __future__ import annotations

from devlint.facts.effect import Fact
from devlint.facts.library import Placer, Places

#: With others the module is placed later, in parts, or by another library.
_ONLY: tuple[tuple[str, object], ...] = (
    ("deepspeed", ""),
    ("fsdp", ""),
    ("fp16_full_eval", False),
    ("bf16_full_eval", False),
)

#: By patterns of names, as in `frameworks`.
PATTERNS: tuple[tuple[str, Fact], ...] = (
    (
        r"transformers\.(\w+\.)?(Seq2Seq)?TrainingArguments",
        Placer("-output_dir", "TrainingArguments", stays=("use_cpu", "no_cuda"), only=_ONLY),
    ),
    (
        r"transformers\.(\w+\.)?(Seq2Seq)?Trainer",
        Placer("model -args", "transformers.Trainer", settings="args"),
    ),
    (
        r"transformers\.(pipelines\.)?pipeline",
        Places("-task model", to="device", only=(("device_map", None),), gives=True),
    ),
)
