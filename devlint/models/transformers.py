"""Transformers (5.23): models, tokenizers, and what trainers and pipelines place."""

from __future__ import annotations

from devlint.facts.effect import Fact, Opaque
from devlint.interpret.core import batches
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.class_loaders import made_of_file
from devlint.models.placement import GIVEN, HANDLERS, Placer, Places
from devlint.models.pretrained_models import PretrainedModel, made
from devlint.values.value import Kind, Value

#: With these the library places the module, and hooks move its inputs.
_PLACED = ("device_map", "quantization_config", "load_in_8bit", "load_in_4bit")
_FACTORIES = "from_pretrained|from_config|_from_config"

#: With others the module is placed later, in parts, or by another library.
_ONLY: tuple[tuple[str, object], ...] = (
    ("deepspeed", ""),
    ("fsdp", ""),
    ("fp16_full_eval", False),
    ("bf16_full_eval", False),
)


_PATTERNS: tuple[tuple[str, Fact], ...] = (
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
    (r"transformers\.(\w+\.)*(DataCollator\w*|default_data_collator)", Opaque("", "collator")),
    (
        rf"transformers\.(?!TF|Flax)\w*(Model|For[A-Z]\w*)(\.({_FACTORIES}))?",
        PretrainedModel("", placed_by=_PLACED),
    ),
)
#: Arguments of `generate`, whose result is a tensor of ids unless the last asks for an object.
_GENERATION = frozenset(
    "max_new_tokens max_length num_beams do_sample num_return_sequences".split()
)
_GENERATION_OBJECT = "return_dict_in_generate"
#: What tokenizers and processors call the tensors that they give.
_TENSORS = frozenset(
    "input_ids attention_mask token_type_ids position_ids decoder_input_ids pixel_values "
    "input_features".split()
)


def tokenized(run: Run, call: Call) -> Value | None:
    """What a tokenizer or processor gives when it is asked for tensors."""
    arguments = call.arguments
    kind = arguments.keywords.get("return_tensors")
    if kind is None or kind.value.payload != "pt" or "device" in arguments.keywords:
        return None
    if any(part.value.device.may_accelerate for part in arguments):
        return None
    return batches.batch(run, call.node, batches.TOKENIZER)


def generated(run: Run, call: Call) -> Value | None:
    given = call.arguments.keywords.keys()
    gives_ids = not _GENERATION.isdisjoint(given) and _GENERATION_OBJECT not in given
    return Value(Kind.TENSOR) if gives_ids else None


def pretrained(machine: Run, call: Call) -> Value | None:
    """`Net.from_pretrained(path)`, of a class in view, is on the CPU, unless that places it."""
    is_placed = any(name in call.arguments.keywords for name in _PLACED)
    return made_of_file(machine, call, is_on_cpu=not is_placed)


MODEL = LibraryModel[Run](
    packages=frozenset({"transformers"}),
    moves=True,
    patterns=_PATTERNS,
    handlers={**HANDLERS, PretrainedModel: made},
    given=GIVEN,
    externals=(tokenized,),
    calls={"generate": generated, "from_pretrained": pretrained},
    bases=("PreTrainedModel",),
    tensors=_TENSORS,
    words=frozenset({"return_tensors"}),
)
