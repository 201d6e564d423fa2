"""What names of users say is decided in one module; word lists elsewhere are names of APIs."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from devlint.facts.table import FACTS
from devlint.queries import name_conventions
from devlint.queries.tensor_evidence import PROPERTIES
from devlint.values.device import ACCELERATORS, HOSTS

ROOT = Path(__file__).parent.parent
MODULES = {
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
    for root in (ROOT, ROOT / "rules")
    for path in sorted(root.glob("devlint*/**/*.py"))
}
#: Where names are judged, and what is known of APIs.
HOME = ("devlint.queries.name_conventions", "devlint.facts", "devlint.models")
#: Packages and modules that may compile regular expressions.
PATTERNS = {
    "devlint.lower": "tokens of Python's lexer",
    "devlint.document": "magics, cells and fences of documents",
    "devlint.text": "ends of lines",
    "devlint.findings": "comments and lines",
    "devlint.confirm": "messages and witnesses",
    "devlint.report": "markup",
    "devlint.rule.page": "marks of examples",
    "devlint.testing": "marks of specs",
    "devlint.scaffold": "names and codes of rules",
    "devlint.files": "globs and files of git",
    "devlint.interpret.core.library_model": "dotted names in the models of libraries",
    "devlint.settings": "values of options",
    "devlint.server": "lines of buffers",
    "devlint.cache.interface": "comments in a source text",
    "devlint.cli.explain": "places on the command line",
    "devlint.run.fix": "lines",
    "devlint.run.prefilter": "words of the API in a source text",
    "devlint.project": "imports in a source text",
}
#: Packages that look at programs: a list of words in them may be one of users' names.
JUDGES = (
    "devlint.analyses",
    "devlint.event",
    "devlint.interpret",
    "devlint.queries",
    "devlint.values",
    "devlint_rules",
)
#: Names of the API of PyTorch that no fact is written about.
TORCH = """
    _buffers _modules _parameters get_buffer get_parameter in_proj_weight in_proj_bias
    H T mH mT is_cuda is_leaf itemsize layout ndim module
    _apply add_module apply buffers children extra_repr forward load_state_dict modules
    named_buffers named_children named_modules named_parameters parameters register_buffer
    register_backward_hook register_full_backward_hook register_module register_parameter
    _TensorBase _modules _parameters get_parameter get_submodule reset_parameters share_memory
    state_dict to_empty zero_grad
    __getitems__ barrier pos_weight state tensor_type wait wait_event wait_stream
    gloo mpi nccl ucc
""".split()
#: Names of the standard library.
PYTHON = """
    Any Dict Hashable Iterable List Mapping MutableMapping Number Optional Sequence Sized Tuple
    Union OrderedDict collections exists is_dir is_file isdir isfile
    abstractmethod add_argument asynccontextmanager cache cached_property cls contextmanager deque
    field getLogger lru_cache overload override setter suppress typing wraps
    assertRaises assertRaisesRegex
    deleter isclass
    appendleft popleft forkserver spawn set_start_method multiprocessing
    __call__ __copy__ __deepcopy__ __dict__ __enter__ __exit__ __next__
""".split()
#: Other lists, with words that are no names of an API.
OTHERS = {
    "devlint.interpret.core.relevance.SEEDS": "`reveal_device` is devlint's own",
    "devlint.interpret.core.class_summary.PLAIN": "modules of Python",
    "devlint.interpret.objects.imported_modules.BUILTINS": "`reveal_device` is devlint's own",
    "devlint.interpret.language.program.EXPECTATIONS": "`raises` is pytest's",
    "devlint.interpret.modules.module_methods.FLUENT": "two methods are those of transformers",
    "devlint_rules.device_parameter_ignored.analysis.DISUSE": "words of docstrings",
    "devlint.interpret.calls.observers.NUMERIC": "kinds of facts",
    "devlint.values.condition.COMPARISONS": "operators of Python",
    "devlint.queries.data_uses.ORDERED": "operators of Python",
    "devlint.queries.destinations.ORDERS": "operators of Python",
    "devlint.queries.tensor_evidence.PROPERTIES": "compared with PyTorch's below",
}


def known_words() -> frozenset[str]:
    """The names of Python and PyTorch: of functions, methods, parameters and devices."""
    known = {*dir(builtins), *TORCH, *PYTHON, *ACCELERATORS, *HOSTS}
    for kind in (list, dict, set, str, object):
        known.update(dir(kind))
    for name, fact in FACTS.items():
        known.update(name.split("."))
        known.update(re.findall(r"[A-Za-z_]\w*", fact.signature))
    return frozenset(known)


KNOWN = known_words()


def is_below(module: str, packages: tuple[str, ...] | Mapping[str, str]) -> bool:
    return any(module == each or module.startswith(f"{each}.") for each in packages)


def compiles(tree: ast.Module) -> bool:
    """Whether a module calls `re.compile`, or another function of `re` with a literal pattern."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(
        isinstance(func, ast.Attribute) and ast.unparse(func.value) == "re" for func in calls
    )


def lists(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """The names that a module binds to sets and sequences, and the words in them."""
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            name = ast.unparse(target)
            if is_list(statement.value) and name != "__all__":
                yield name, words(statement.value)


def is_list(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp):
        return is_list(value.left) or is_list(value.right)
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) in ("frozenset", "set", "tuple") or (
            isinstance(value.func, ast.Attribute) and value.func.attr == "split"
        )
    return isinstance(value, (ast.Tuple, ast.Set, ast.List))


def words(value: ast.expr) -> frozenset[str]:
    texts = (each.value for each in ast.walk(value) if isinstance(each, ast.Constant))
    return frozenset(
        part
        for text in texts
        if isinstance(text, str)
        for word in text.split()
        for part in word.split(".")
        if part
    )


@pytest.mark.parametrize("module", MODULES)
def test_only_name_conventions_match_names(module: str) -> None:
    if not is_below(module, HOME) and not is_below(module, PATTERNS):
        assert not compiles(ast.parse(MODULES[module].read_text()))


@pytest.mark.parametrize("module", [name for name in MODULES if is_below(name, JUDGES)])
def test_lists_of_words_are_names_of_an_api(module: str) -> None:
    if is_below(module, HOME):
        return
    for name, found in lists(ast.parse(MODULES[module].read_text())):
        if f"{module}.{name}" not in OTHERS:
            assert found <= KNOWN, name


def test_the_attributes_of_tensors_are_known() -> None:
    torch = pytest.importorskip("torch")
    public = [each for each in dir(torch.Tensor) if not each.startswith("_")]
    attributes = {each for each in public if not callable(getattr(torch.Tensor, each))}
    assert attributes - {"name"} <= PROPERTIES


def test_exceptions_are_needed() -> None:
    bound = {
        f"{module}.{name}": found - KNOWN
        for module in MODULES
        if is_below(module, JUDGES)
        for name, found in lists(ast.parse(MODULES[module].read_text()))
    }
    assert all(bound[name] for name in OTHERS)
    for place in PATTERNS:
        assert any(
            compiles(ast.parse(path.read_text()))
            for module, path in MODULES.items()
            if is_below(module, (place,))
        ), place


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (name_conventions.names_device, "device local_rank", "devices gpus device_map"),
        (name_conventions.names_device_variable, "target_device", "rank devices"),
        (name_conventions.names_accelerator, "cuda use_cuda on_gpu", "no_cuda nocuda cuda_kernel"),
        (name_conventions.mentions_backend, "has_mps cuda_device", "fast"),
        (name_conventions.names_use, "forward generate", "forward_features predict"),
        (name_conventions.names_class, "Linear", "linear"),
        (name_conventions.names_data_class, "TextDataset FastCollate", "Trainer"),
        (name_conventions.names_numeric_state, "grad_scaler scheduler", "scheduled"),
    ],
)
def test_a_name_answers(question: Callable[[str], bool], yes: str, no: str) -> None:
    assert all(map(question, yes.split()))
    assert not any(map(question, no.split()))
