"""torchaudio: what it loads, transforms, models and data sets."""

from __future__ import annotations

from devlint.facts.dimensions import Size
from devlint.facts.effect import Agrees, Exports, Fact, Follows, Layer, Makes, Many, Model, Opaque
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

#: The transforms that keep a window, a filter bank or a kernel in a buffer.
_STATEFUL = (
    "GriffinLim InverseMelScale InverseSpectrogram LFCC MFCC MelScale MelSpectrogram PitchShift "
    "Resample SpectralCentroid Spectrogram TimeStretch"
).replace(" ", "|")

_FACTORIES = "create_dct linear_fbanks melscale_fbanks"
_TRANSFORMS = r"torchaudio\.transforms\.(\w+\.)*"
_FUNCTIONAL = r"torchaudio\.functional\.(\w+\.)*"
_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"torchaudio\.(load|load_with_torchcodec)", Many("-uri", on_cpu=(0,))),
    (r"torchaudio\.(save|save_with_torchcodec)", Exports("-uri src", of="tensors")),
    (f"{_TRANSFORMS}({_STATEFUL})", Model("")),
    (_TRANSFORMS + r"[A-Z]\w*", Layer("")),
    (f"{_FUNCTIONAL}({_FACTORIES.replace(' ', '|')})", Makes("-size", Size.ARRAY)),
    (_FUNCTIONAL + "(convolve|fftconvolve)", Agrees("x y -mode")),
    (_FUNCTIONAL + "(filtfilt|lfilter)", Agrees("waveform a_coeffs b_coeffs")),
    (_FUNCTIONAL + r"(inverse_)?spectrogram", Agrees("waveform -pad window")),
    (_FUNCTIONAL + r"(?!edit_distance|merge_tokens)[a-zD]\w*", Follows("waveform")),
    (r"torchaudio\.(models\.(\w+\.)*|pipelines\.\w+\.get_)\w+", Model("")),
    (r"torchaudio\.datasets\.(\w+\.)*[A-Z]\w*", Opaque("-root", "dataset", gives_tensors=True)),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"torchaudio"}),
    patterns=_PATTERNS,
    words=frozenset(_FACTORIES.split()),
)
