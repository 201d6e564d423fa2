"""What is broken, or was made to do harm, costs itself only, and is named."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from devlint.scan import tree
from devlint.scan.choice import ProjectChoice
from devlint.scan.errors import ProjectError
from devlint.scan.sources import archives, reader
from tests.scan.projects import (
    ISOLATED,
    PROJECT,
    failures,
    folder,
    only,
    places,
    result,
    tarred,
    zipped,
)

FOUND = [("pack/train.py", 6, "DEV201")]
OUT = {
    "../up.py": b"import torch",
    "/root.py": b"import torch",
    "pack/../../up.py": b"import torch",
    "C:\\windows.py": b"import torch",
    "..\\up.py": b"import torch",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def refusal(name: str) -> str:
    unit = only(name)
    with pytest.raises(ProjectError) as caught:
        reader.tree(unit, ProjectChoice(ISOLATED))
    return str(caught.value)


@pytest.mark.parametrize(("make", "name"), [(zipped, "a.whl"), (tarred, "a.tar.gz")])
def test_names_that_lead_out_are_named_and_nothing_is_written(
    make: Callable[..., Path], name: str, here: Path
) -> None:
    make(here / name, {**OUT, **PROJECT, "./pack//more.py": b""})
    one = result(only(name))
    assert failures(one) == dict.fromkeys(OUT, "its name leads out of the project")
    assert (places(one), one.project["files"]) == (FOUND, 4)
    assert [each.name for each in here.parent.rglob("*")] == ["here", name]


def test_links_and_devices_of_a_tar_are_left_out(here: Path) -> None:
    path = tarred(here / "a.tar")
    with tarfile.open(path, "a") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo(f"pack/{kind.decode()}.py")
            member.type, member.linkname = kind, "/etc/hostname"
            archive.addfile(member)
    one = result(only("a.tar"))
    assert (places(one), one.project["files"], one.failures) == (FOUND, 3, [])


def test_last_of_two_files_of_one_name_counts(here: Path) -> None:
    zipped(here / "a.whl", {"a.py": b"import torch\n"})
    with zipfile.ZipFile(here / "a.whl", "a") as archive, pytest.warns(match="Duplicate"):
        archive.writestr("a.py", PROJECT["pack/train.py"].replace(b"load()", b"torch.ones(3)"))
    assert places(result(only("a.whl"))) == [("a.py", 6, "DEV201")]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.whl", b"no zip"),
        ("a.zip", b""),
        ("a.tar.gz", b"no tar"),
        ("a.tar.gz", gzip.compress(b"no tar", mtime=0)),
        ("a.tar", b"\0" * 100 + b"x" * 1000),
        ("a.tar.xz", b"\xfd7zXZ\0broken"),
    ],
)
def test_what_is_no_archive_is_refused(name: str, data: bytes, here: Path) -> None:
    (here / name).write_bytes(data)
    assert refusal(name).startswith("not an archive that can be read: ")


@pytest.mark.parametrize(("make", "name"), [(zipped, "a.whl"), (tarred, "a.tar.gz")])
def test_archive_that_ends_early_is_refused(
    make: Callable[..., Path], name: str, here: Path
) -> None:
    data = make(here / name).read_bytes()
    for end in range(20, len(data), 97):
        (here / name).write_bytes(data[:end])
        assert refusal(name).startswith("not an archive that can be read: ")


def test_part_that_is_broken_costs_itself(here: Path) -> None:
    path = here / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in PROJECT.items():
            archive.writestr(name, data)
        archive.writestr("broken.py", b"import torch  # 1")
    path.write_bytes(path.read_bytes().replace(b"import torch  # 1", b"import torch  # 2"))
    one = result(only("a.whl"))
    assert places(one) == FOUND
    assert failures(one) == {"broken.py": "cannot read: bad crc-32 for file 'broken.py'"}


def test_encrypted_part_is_a_failure(here: Path) -> None:
    path = zipped(here / "a.whl", {"a.py": b"import torch"})
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        struct.pack_into("<H", data, data.index(mark) + offset, 1)
    path.write_bytes(data)
    [reason] = failures(result(only("a.whl"))).values()
    assert "encrypted" in reason


def test_file_that_is_too_large_is_not_read(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "LARGEST", 500)
    for make, name in ((zipped, "a.whl"), (tarred, "a.tar"), (folder, "a")):
        make(here / name, {**PROJECT, "bomb.py": b"#" * 501})
        one = result(only(name))
        assert failures(one) == {"bomb.py": "skipped: 501 bytes large (at most 500)"}
        assert places(one) == FOUND


def test_bomb_of_many_files_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "HELD", 1_000_000)
    for make, name in ((zipped, "a.whl"), (tarred, "a.tar.gz"), (folder, "a")):
        make(here / name, {f"{number}.py": b"#" * 100_000 for number in range(11)})
        assert refusal(name) == "its files hold more than 1,000,000 bytes"


def test_bomb_of_names_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "NAMES", 50)
    names = {f"{number}.txt": b"" for number in range(30)} | {f"../{n}": b"" for n in range(30)}
    for make, name in ((zipped, "a.whl"), (tarred, "a.tar.gz")):
        make(here / name, names)
        assert refusal(name) == "it has more than 50 files"


def test_bomb_that_is_not_looked_at_is_unpacked_so_far(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "UNPACKED", 10 << 20)
    tarred(here / "a.tar.gz", {"data.bin": bytes(11 << 20), "a.py": b""})
    assert refusal("a.tar.gz").startswith("it unpacks to more than ")


def test_tar_within_a_tar_is_not_opened(here: Path) -> None:
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.py"))
    tarred(here / "a.tar", {"b.tar": inner.getvalue()})
    assert result(only("a.tar")).project["files"] == 0


def test_faults_of_files_are_failures_and_no_findings(here: Path) -> None:
    zipped(
        here / "a.whl",
        {
            **PROJECT,
            "broken.py": b"import torch\nx = (\n",
            "deep.py": b"import torch\n" + b"(" * 9000,
        },
    )
    one = result(only("a.whl"))
    assert places(one) == FOUND
    assert {(row["path"], row["code"]) for row in one.failures} == {
        ("broken.py", "DEV902"),
        ("deep.py", "DEV903"),
    }


def test_pipes_and_devices_are_not_opened(here: Path) -> None:
    folder(here / "a")
    mkfifo = getattr(__import__("os"), "mkfifo", None) or pytest.skip("there are no pipes")
    mkfifo(here / "a" / "pipe.py")
    mkfifo(here / "b.whl")
    one = result(only("a"))
    assert (places(one), one.project["files"]) == (FOUND, 3)
