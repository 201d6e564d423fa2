"""Which package is under test, and what is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from devlint.confirm.shift.package import Package, PackageError, package_of


def lay_out(root: Path, *folders: str, project: str = "") -> None:
    for folder in folders:
        (root / folder).mkdir(parents=True)
        (root / folder / "__init__.py").write_text("")
    (root / "pyproject.toml").write_text(project)


@pytest.mark.parametrize(
    ("folders", "project", "package"),
    [
        (["one"], "", "one"),
        (["src/one", "tests", "two"], "", "one"),
        (["some_name", "tests"], '[project]\nname = "Some.Name"', "some_name"),
        (["src/a", "src/b"], '[project]\nname = "b"', "b"),
        (["one", "tests"], "[project", None),
        (["one", "tests"], "[project]\nname = 3", None),
        ([], "", None),
    ],
)
def test_the_package_of_a_project(
    folders: list[str], project: str, package: str | None, tmp_path: Path
) -> None:
    lay_out(tmp_path, *folders, project=project)
    if package is not None:
        assert package_of(tmp_path) == package
        return
    with pytest.raises(PackageError, match="--devlint-shift=PACKAGE"):
        package_of(tmp_path)


def test_what_belongs_to_a_package(tmp_path: Path) -> None:
    lay_out(tmp_path, "src/alone_here", "src/alone_here/part")
    package = Package(["alone_here"], tmp_path)
    inside, test = (
        str(tmp_path / f"src/alone_here/{name}") for name in ("part/a.py", "part/test_a.py")
    )
    package.tests.add(test)
    assert package.has_module("alone_here.part")
    assert not package.has_module("alone_here_not")
    assert package.has_file(inside)
    assert not package.has_file(test)
    assert not package.has_file(str(tmp_path / "src/alone_here_not/a.py"))
    assert package.has_made(((inside, 3, "made"), (test, 9, "test_it"), (test, 1, "run")))
    assert not package.has_made(((inside, 3, "made"), (test, 9, "called"), (inside, 5, "calls")))
    assert package.has_made_on_import(((inside, 3, "made"), (inside, 9, "<module>")))
    assert not package.has_made_on_import(((inside, 3, "made"), (test, 9, "<module>")))


def test_a_package_that_is_not_there_is_named() -> None:
    with pytest.raises(PackageError, match="no package 'nowhere_at_all' can be imported"):
        Package(["nowhere_at_all.part"])


def test_a_file_of_tests_is_not_taken_for_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_shifted_here.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PackageError, match="'test_shifted_here' is a file"):
        Package(["test_shifted_here.py"])
    with pytest.raises(PackageError, match=r"'tests/test_x\.py' is no name of a package"):
        Package(["tests/test_x.py"])
