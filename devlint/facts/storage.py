"""Functions that write tensors to files and read them back, and files that do not last."""

from __future__ import annotations

from devlint.facts.effect import Fact, Loads, Opaque, Saves

_TEMPORARY = (
    "NamedTemporaryFile SpooledTemporaryFile TemporaryDirectory TemporaryFile gettempdir mkdtemp "
    "mktemp"
)

FUNCTIONS: dict[str, Fact] = {
    "torch.save": Saves("obj -f -pickle_module -pickle_protocol"),
    "pickle.dump": Saves("obj -file -protocol"),
    "torch.jit.save": Saves("m -f"),
    "dill.dump": Saves("obj -file -protocol"),
    "cloudpickle.dump": Saves("obj -file -protocol"),
    "joblib.dump": Saves("value -filename -compress -protocol"),
    "torch.load": Loads("-f -map_location -pickle_module"),
    "torch.jit.load": Loads("-f -map_location"),
    "torch.hub.load_state_dict_from_url": Loads("-url -model_dir -map_location"),
    "torch.utils.model_zoo.load_url": Loads("-url -model_dir -map_location"),
    **{f"tempfile.{name}": Opaque("", "temporary") for name in _TEMPORARY.split()},
}
