from .base import EVALUATORS
from . import metrics  # noqa: F401


def build_evaluators(specs):
    built = []
    for spec in specs:
        kwargs = {k: v for k, v in spec.items() if k != "type"}
        built.append(EVALUATORS[spec["type"]](**kwargs))
    return built
