"""Emulated CUDA on the samples that PyTorch tests its own functions with: `make test-opinfo`.

Each sample runs with all operands on emulated CUDA, forward and backward: no event may happen, and
the results have to be there. Then each operand in turn is left on the CPU, and CUDA has to refuse
that unless the function is one of `EXEMPT`. `--every N --from K` runs one of N functions.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from devlint.confirm.device_tags.record import Record
from devlint.confirm.device_tags.tag import claim_of
from devlint.confirm.emulation.emulate import emulated_cuda
from devlint.confirm.evidence.operators import dtype_of

#: Functions that accept an operand on the CPU, each with the reason.
EXEMPT = {
    "nothing meets: only the shape of the other is read": "broadcast_tensors expand_as view_as "
    "reshape_as resize_as_",
    "what is written is copied across devices": "diagonal_scatter slice_scatter select_scatter "
    "as_strided_scatter",
    "an index may be on the CPU, and one to put something at anywhere": "__getitem__ index_put "
    "_unsafe_masked_index _unsafe_masked_index_put_accumulate",
    "what is read as a number may be on the CPU, or has to be": "narrow tensor_split",
    "it moves its targets and lengths itself": "nn.functional.ctc_loss",
    "it moves what it is given to where the other is": "to",
    "each tensor is viewed by itself": "atleast_1d atleast_2d atleast_3d",
    "of an empty batch no statistics are read": "nn.functional.batch_norm",
    "differences of order 0 join nothing": "diff",
}
#: Functions that cannot run here, each with the reason.
UNABLE = {
    "kernels compiled by a real device": "jiterator_unary jiterator_binary "
    "jiterator_binary_return_by_ref jiterator_2inputs_2outputs jiterator_4inputs_with_extra_args",
    "the CPU has no such kernel for some samples": "linalg.lu linalg.lu_factor "
    "linalg.lu_factor_ex _softmax_backward_data",
}
#: Factories make what nobody asks to be elsewhere on the CPU, whatever numbers they read.
ON_CPU = {"arange", "linspace", "logspace"}


class Trial:
    """All samples of some functions, counted."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def run(self, function: Any) -> None:
        dtype = dtype_of(function)
        samples = list(self.samples(function, dtype)) if dtype else []
        self.counts["functions"] += bool(samples)
        for sample in samples:
            self.counts["samples"] += 1
            self.run_on_cuda(function, sample)
            self.run_with_each_left(function, sample)

    def samples(self, function: Any, dtype: Any) -> Iterator[Any]:
        has_gradient = function.supports_autograd and dtype.is_floating_point
        yield from function.sample_inputs("cuda", dtype, requires_grad=has_gradient)

    def run_on_cuda(self, function: Any, sample: Any) -> None:
        seen = len(self.record.events)
        try:
            result = function(sample.input, *sample.args, **sample.kwargs)
            outputs = [each for each in tree_flatten(result)[0] if isinstance(each, torch.Tensor)]
            self.differentiate(outputs)
        except Exception as error:
            self.counts["samples that fail by themselves"] += 1
            if len(self.record.events) == seen and not is_among(function, UNABLE):
                self.note(function, f"{type(error).__name__}: {error}")
            outputs = []
        for event in self.record.events[seen:]:
            self.note(function, f"false event: {event.message}")
        elsewhere = [each for each in outputs if not each.is_cuda]
        is_asked = function.name in ON_CPU or sample.kwargs.get("device") == "cpu"
        is_open = [claim is not None and claim.is_open for claim in map(claim_of, elsewhere)]
        self.counts["results on any device"] += sum(is_open)
        if not is_asked and not all(is_open):
            self.note(function, "a result is not on CUDA")

    def differentiate(self, outputs: list[Any]) -> None:
        """Those of one sample; complex results have no gradient of a sum."""
        ours = [each for each in outputs if each.requires_grad and each.is_floating_point()]
        if ours:
            sum(each.sum() for each in ours).backward()
            self.counts["backward passes"] += 1

    def run_with_each_left(self, function: Any, sample: Any) -> None:
        flat, shape = tree_flatten((sample.input, sample.args, sample.kwargs))
        places = [place for place, each in enumerate(flat) if isinstance(each, torch.Tensor)]
        for place in places if len(places) > 1 else ():
            if flat[place].dim() == 0:
                continue
            given = [each.detach() if isinstance(each, torch.Tensor) else each for each in flat]
            given[place] = given[place].cpu()
            self.run_with_one_left(function, *tree_unflatten(given, shape))

    def run_with_one_left(self, function: Any, first: Any, args: Any, kwargs: Any) -> None:
        seen = len(self.record.events)
        self.counts["operands left on the CPU"] += 1
        try:
            with torch.no_grad():
                function(first, *args, **kwargs)
        except Exception as error:
            if len(self.record.events) == seen and not is_among(function, UNABLE):
                self.note(function, f"one left: {type(error).__name__}: {error}")
        if len(self.record.events) > seen:
            self.counts["operands refused"] += 1
        elif is_among(function, EXEMPT) or is_among(function, UNABLE):
            self.counts["operands exempt"] += 1
        else:
            self.note(function, "one left on the CPU is accepted")

    def note(self, function: Any, words: str) -> None:
        variant = f".{function.variant_test_name}" if function.variant_test_name else ""
        line = f"{function.name}{variant}: {words.splitlines()[0][:160]}"
        if line not in self.wrong:
            self.wrong.append(line)


def is_among(function: Any, names: dict[str, str]) -> bool:
    return function.name in {name for each in names.values() for name in each.split()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with emulated_cuda() as record:
        from torch.testing._internal.common_methods_invocations import op_db

        trial = Trial(record)
        for function in op_db[asked.first :: asked.every]:
            if not asked.names or function.name in asked.names:
                trial.run(function)
    for what, count in trial.counts.items():
        print(f"{count:6} {what}")
    print(*trial.wrong, sep="\n")
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
