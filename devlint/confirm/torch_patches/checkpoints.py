"""Files: what is saved is saved as the CPU's, and read back in this run where it was."""

from __future__ import annotations

import io
import os
from functools import wraps
from typing import Any

import torch
from torch import serialization

from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.device_tags.tag import CPU, Claim, claim_storage, storage_claim
from devlint.confirm.torch_patches.session import Emulation

#: Before those of PyTorch, which would move the data.
_PRIORITY = -1
_NAME = "cuda"
#: Bytes: enough for the directory of a file with some hundred storages.
_END = 1 << 16


class Checkpoints:
    """Where the storages of each file were, in the order of its storages.

    The file itself says `cpu`, so that it can be read where there is no CUDA. That of a file
    which an earlier run wrote is not known: its tensors are on the CPU.
    """

    def __init__(self, emulation: Emulation) -> None:
        self._emulation = emulation
        self._of_files: dict[Any, list[str]] = {}
        self._saving: dict[int, str] = {}
        self._loading: list[str] = []

    def install(self) -> None:
        put = self._emulation.patches.put
        put(serialization, "location_tag", self._tagging(serialization.location_tag))
        put(serialization, "_get_restore_location", self._locating())
        put(serialization, "_package_registry", list(serialization._package_registry))
        serialization.register_package(_PRIORITY, lambda storage: None, self._restore)
        for name, wrapped in (("save", self._save), ("load", self._load)):
            new = wrapped(getattr(serialization, name))
            put(serialization, name, new)
            put(torch, name, new)

    def _save(self, save: Any) -> Any:
        @wraps(save)
        def saved(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None:
            before, self._saving = self._saving, {}
            try:
                save(obj, f, *args, **kwargs)
                places = list(self._saving.values())
                self._of_files.update((key, places) for key in keys(f))
            finally:
                self._saving = before

        return saved

    def _load(self, load: Any) -> Any:
        @wraps(load)
        def loaded(f: Any, *args: Any, **kwargs: Any) -> Any:
            known = next((key for key in keys(f) if key in self._of_files), None)
            before, self._loading = self._loading, list(self._of_files.get(known, ()))
            try:
                return load(f, *args, **kwargs)
            finally:
                self._loading = before

        return loaded

    def _tagging(self, tag: Any) -> Any:
        """PyTorch asks for the tag of a storage each time that it comes to it."""

        def tagged(storage: Any) -> str:
            claim = storage_claim(storage)
            self._saving.setdefault(storage._cdata, str(CPU if claim is None else claim.device))
            return str(tag(storage))

        return tagged

    def _locating(self) -> Any:
        """PyTorch asks where a storage goes once, when it comes to it first."""
        locate = serialization._get_restore_location

        def located(map_location: Any) -> Any:
            restore = locate(map_location)

            def restored(storage: Any, location: str) -> Any:
                return restore(storage, self._loading.pop(0) if self._loading else location)

            return restored

        return located

    def _restore(self, storage: Any, location: str) -> Any:
        if not location.startswith(_NAME):
            return None
        device = serialization._validate_device(location, _NAME)
        bare = getattr(storage, "_untyped_storage", storage)
        claim_storage(bare, Claim(self._emulation.devices.named(device), birth()))
        return storage


def keys(file: Any) -> list[Any]:
    """What knows a file: its content in this place, and its content, for where it is moved."""
    if isinstance(file, io.BytesIO):
        return _with_content(id(file), file.getbuffer())
    name = file if isinstance(file, (str, os.PathLike)) else _flushed(file)
    if not isinstance(name, (str, os.PathLike)) or not os.path.isfile(name):
        return [id(file)]
    with open(name, "rb") as stream:
        stream.seek(max(0, os.path.getsize(name) - _END))
        return _with_content(os.path.realpath(name), stream.read())


def _with_content(place: Any, content: Any) -> list[Any]:
    """The end of a file has a checksum of each of its storages."""
    end = bytes(content[-_END:])
    return [(place, end), end]


def _flushed(file: Any) -> Any:
    """The name of an open file, if it has one; what was written to it is on the disk now."""
    if hasattr(file, "flush"):
        file.flush()
    return getattr(file, "name", None)


def install(emulation: Emulation) -> None:
    Checkpoints(emulation).install()
