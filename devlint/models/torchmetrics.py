"""The metrics of torchmetrics: which have state that data has to meet.

Those named here raise while they are on the CPU and are updated with tensors of an accelerator:
tried one by one, torchmetrics 1.9.0 on an emulated CUDA device. All others keep lists of what they
are given, add to 0-dim tensors out of place, or take numbers and texts: they accept both. So does
about any metric on an accelerator that is given tensors on the CPU, as `sum += 0-dim` is legal.
"""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Container, Fact, Layer, Opaque
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.interpret.tensors import factories
from devlint.values.value import Kind, Value

_CLASSIFICATION = (
    "Accuracy|CohenKappa|ConfusionMatrix|CoverageError|ExactMatch|F1Score|FBetaScore|"
    "HammingDistance|HingeLoss|JaccardIndex|MatthewsCorrCoef|NegativePredictiveValue|Precision|"
    "RankingAveragePrecision|RankingLoss|Recall|Specificity|StatScores"
)
_REGRESSION = (
    "ConcordanceCorrCoef|CriticalSuccessIndex|LogCoshError|MeanAbsoluteError|"
    "MeanAbsolutePercentageError|MeanSquaredError|MeanSquaredLogError|MinkowskiDistance|"
    "NormalizedRootMeanSquaredError|PearsonCorrCoef|RelativeSquaredError|"
    "SymmetricMeanAbsolutePercentageError|TweedieDevianceScore|WeightedMeanAbsolutePercentageError"
)
_NOMINAL = "CramersV|PearsonsContingencyCoefficient|TheilsU|TschuprowsT"
_SEGMENTATION = "GeneralizedDiceScore|HausdorffDistance|MeanIoU"
_AUDIO = (
    "ScaleInvariantSignalDistortionRatio|ScaleInvariantSignalNoiseRatio|SignalDistortionRatio|"
    "SignalNoiseRatio|SourceAggregatedSignalDistortionRatio"
)
_IMAGE = (
    "MultiScaleStructuralSimilarityIndexMeasure|PeakSignalNoiseRatio|"
    "RootMeanSquaredErrorUsingSlidingWindow|SpatialCorrelationCoefficient|SpectralAngleMapper|"
    "StructuralSimilarityIndexMeasure|TotalVariation|UniversalImageQualityIndex"
)
_AGGREGATION = "MeanMetric|SumMetric|RunningMean|RunningSum"
_OTHER = "ProcrustesDisparity|Perplexity"
_HOLDING = "|".join(
    (
        f"(Binary|Multiclass|Multilabel)?({_CLASSIFICATION})",
        *(_REGRESSION, _NOMINAL, _SEGMENTATION, _AUDIO, _IMAGE, _AGGREGATION, _OTHER),
    )
)


@dataclass(frozen=True, slots=True)
class Metric(Fact):
    """A metric: a module whose state is on the CPU until it is moved.

    `lists_with`: arguments with which it keeps lists, of tensors that may be anywhere.
    """

    lists_with: tuple[str, ...] = ()


_STATE = Layer("", holds_state=True, is_metric=True)
_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"torchmetrics\.(\w+\.)*MetricCollection", Container("*-metrics", is_metric=True)),
    (
        rf"torchmetrics\.(\w+\.)*({_HOLDING})",
        Metric("", ("multidim_average", "reduction", "dist_sync_fn")),
    ),
    (r"torchmetrics\.(?!functional\.|utilities\.)(\w+\.)*[A-Z]\w*", Opaque("", "metric")),
)


def made(machine: Run, fact: Metric, call: Call) -> Value:
    if call.arguments.is_open or not call.arguments.keywords.keys().isdisjoint(fact.lists_with):
        return Value(Kind.OBJECT, payload="metric")
    return factories.layer(machine, _STATE, call)


MODEL = LibraryModel[Run](
    packages=frozenset({"torchmetrics"}), patterns=_PATTERNS, handlers={Metric: made}
)
