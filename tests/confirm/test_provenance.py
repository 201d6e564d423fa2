"""Whose code a running line is."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from devlint.confirm.device_tags import provenance
from devlint.confirm.device_tags.provenance import is_users

SCRIPTS = sysconfig.get_path("scripts")


def test_a_program_is_the_users(tmp_path: Path) -> None:
    assert is_users(str(tmp_path / "train.py"))


@pytest.mark.parametrize(
    "path",
    [
        torch.__file__,
        provenance.__file__,
        os.path.join(sysconfig.get_path("stdlib"), "runpy.py"),
        os.path.join(SCRIPTS, "pytest"),
        os.path.join(SCRIPTS, "x", os.pardir, "pytest"),
        os.path.join(os.sep, "elsewhere", "site-packages", "acme", "loader.py"),
        "<frozen runpy>",
    ],
)
def test_what_is_installed_is_not(path: str) -> None:
    assert not is_users(path)
