"""What a program in a sandbox writes, and that the files of its user stay what they were."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from devlint.confirm.sandbox import landlock
from devlint.confirm.sandbox.sandbox import Writes
from tests.confirm.boxes import contents, run_boxed

#: Runs a program in a sandbox of the project; gives what it would have written.
Run = Callable[..., Writes]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes links")


@pytest.fixture
def run(project: Path) -> Run:
    def run_program(program: str, *ways: str) -> Writes:
        before = contents(project.parent)
        done, writes = run_boxed(project, program, *ways)
        assert done.returncode == 0, done.stderr
        (project / "program.py").unlink()
        assert contents(project.parent) == before
        return writes

    return run_program


WRITES = {
    "open": """
with open("runs/best.pt", "wb") as file:
    file.write(b"new")
with open("log.csv", "a") as file:
    file.write("1,0.5")
assert open("log.csv").read() == open(here + "/log.csv").read() == "step,loss\\n1,0.5"
""",
    "absolute": """
with open(here + "/runs/best.pt", "wb") as file:
    file.write(b"new")
with open(here + "/log.csv", "a") as file:
    file.write("1,0.5")
assert open("runs/best.pt", "rb").read() == b"new"
assert open("log.csv").read() == "step,loss\\n1,0.5"
""",
    "through links": """
with open("latest.pt", "wb") as file:
    file.write(b"new")
with open("absolute.csv", "a") as file:
    file.write("1,0.5")
assert open("runs/best.pt", "rb").read() == b"new"
assert open("log.csv").read() == "step,loss\\n1,0.5"
""",
    "pathlib": """
from pathlib import Path
assert Path(here, "runs").is_dir()
Path(here, "runs/best.pt").write_bytes(b"new")
with Path(here, "log.csv").open("a") as file:
    file.write("1,0.5")
assert Path("runs/best.pt").read_bytes() == b"new"
""",
    "early names": """
import bz2, tarfile, tokenize, io, codecs
with codecs.open(here + "/runs/best.pt", "w", "utf-8") as file:
    file.write("new")
with tarfile.open(here + "/log.csv", "w") as archive:
    pass
""",
    "low level": """
import os
handle = os.open(here + "/runs/best.pt", os.O_WRONLY | os.O_TRUNC)
os.write(handle, b"new")
os.close(handle)
os.truncate(here.encode() + b"/log.csv", 2)
assert os.path.getsize("log.csv") == 2
""",
    "moves": """
import os, shutil
with open("half", "w") as file:
    file.write("new")
os.replace("half", here + "/runs/best.pt")
shutil.copyfile("program.py", here + "/log.csv")
""",
    "libraries of Python": """
import csv, json, logging, pickle
with open(here + "/runs/best.pt", "wb") as file:
    pickle.dump({"epoch": 1}, file)
logging.basicConfig(filename=here + "/log.csv", level="INFO")
logging.info("loss")
assert pickle.load(open("runs/best.pt", "rb")) == {"epoch": 1}
""",
    "sub-processes": """
import subprocess, sys
subprocess.run("echo new > runs/best.pt", shell=True, check=True)
subprocess.run("echo 1,0.5 >> log.csv", shell=True, check=True, cwd=here)
""",
    "after chdir": """
import os, subprocess
os.chdir(here)
subprocess.run("echo 1,0.5 >> log.csv", shell=True, check=True)
os.chdir("runs")
open("best.pt", "w").close()
assert os.path.getsize("../log.csv") == 16
""",
    "forks": """
import os, sys
if os.fork() == 0:
    open(here + "/runs/best.pt", "w").close()
    open(here + "/log.csv", "w").close()
    os._exit(0)
assert os.wait()[1] == 0
assert os.path.getsize(here + "/log.csv") == 0
""",
}


@pytest.mark.parametrize("ways", [(), ("kernel",)], ids=["python", "kernel"])
@pytest.mark.parametrize("program", WRITES.values(), ids=list(WRITES))
def test_what_is_written_is_written_to_a_copy(
    run: Run, program: str, ways: tuple[str, ...]
) -> None:
    assert run(program, *ways) == Writes(("log.csv", "runs/best.pt"), ())


AWAY = {
    "open": """
with open(away + "/model.pt", "ab") as file:
    file.write(b" and more")
assert open("shared/model.pt", "rb").read() == b"shared weights and more"
""",
    "through a link to the folder": """
with open("shared/model.pt", "r+b") as file:
    file.write(b"SHARED")
assert open(away + "/model.pt", "rb").read() == b"SHARED weights"
""",
    "renamed over": """
import os
open(away + "/.half", "w").close()
os.rename(away + "/.half", away + "/model.pt")
assert os.path.getsize(away + "/model.pt") == 0
assert sorted(os.listdir(away)) == sorted(os.listdir("shared")) == ["model.pt", "old"]
""",
}


@pytest.mark.parametrize("ways", [(), ("kernel",)], ids=["python", "kernel"])
@pytest.mark.parametrize("program", AWAY.values(), ids=list(AWAY))
def test_what_is_written_elsewhere_is_too(
    run: Run, project: Path, program: str, ways: tuple[str, ...]
) -> None:
    assert run(program, *ways) == Writes((str(project.parent / "away/model.pt"),), ())


def test_folders_elsewhere_are_seen_as_the_program_made_them(run: Run, project: Path) -> None:
    writes = run("""
import glob, os, pathlib, shutil
os.makedirs(away + "/new/run", exist_ok=True)
os.makedirs(away + "/old", exist_ok=True)
for number in range(3):
    pathlib.Path(away, "old", f"{number}.pt").write_text("new")
names = lambda: sorted(os.path.basename(each) for each in glob.glob(away + "/old/*.pt"))
assert names() == ["0.pt", "1.pt", "2.pt", "first.pt"], names()
os.remove(away + "/old/first.pt")
os.remove(away + "/old/0.pt")
assert names() == ["1.pt", "2.pt"], names()
assert not os.path.exists(away + "/old/first.pt")
for made in (away, away + "/old", away + "/new/run"):
    try:
        os.mkdir(made)
    except FileExistsError as error:
        assert error.filename == made
    else:
        raise AssertionError(made)
shutil.rmtree(away + "/new")
os.rename(away + "/model.pt", away + "/kept.pt")
assert sorted(os.listdir(away)) == ["kept.pt", "old"]
assert open(away + "/kept.pt").read() == "shared weights"
with open(away + "/kept.pt", "a") as file:
    file.write(" and more")
assert open(away + "/kept.pt").read() == "shared weights and more"
""")
    away = str(project.parent / "away")
    assert writes.written == (f"{away}/kept.pt", f"{away}/old/1.pt", f"{away}/old/2.pt")
    assert writes.removed == (f"{away}/model.pt", f"{away}/old/first.pt")


def test_what_is_removed_is_removed_from_a_copy(run: Run, project: Path) -> None:
    writes = run("""
import os, shutil
shutil.rmtree(here + "/runs")
shutil.rmtree(away)
os.unlink(here + "/log.csv")
assert not os.path.exists("runs") and not os.path.exists("shared/old")
os.mkdir(away)
assert os.listdir(away) == []
""")
    away = str(project.parent / "away")
    assert writes == Writes((), (away, "log.csv", "runs"))


def test_errors_are_those_of_the_real_files(run: Run) -> None:
    program = """
import os, shutil
def fails(error, function, *arguments):
    try:
        function(*arguments)
    except error as raised:
        assert raised.filename == arguments[0], raised.filename
    else:
        raise AssertionError((function, arguments))
for folder in (here, away, away + "/none"):
    fails(FileNotFoundError, open, folder + "/none/x", "w")
    fails(FileNotFoundError, open, folder + "/none")
    fails(FileNotFoundError, os.remove, folder + "/none")
    fails(FileNotFoundError, os.stat, folder + "/none")
    fails(FileNotFoundError, os.rename, folder + "/none", folder + "/other")
for folder in (here + "/runs", away):
    fails(IsADirectoryError, os.remove, folder)
    fails(OSError, os.rmdir, folder)
fails(FileExistsError, open, here + "/log.csv", "x")
fails(FileExistsError, open, away + "/model.pt", "x")
"""
    assert run(program) == Writes((), ())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do all")
def test_what_the_user_may_not_do_the_program_may_not(run: Run, project: Path) -> None:
    for path in (project / "log.csv", project / "large.bin", project.parent / "away/model.pt"):
        path.chmod(0o400)
    (project / "data/raw").chmod(0)
    program = """
import os
for path in (here + "/log.csv", "log.csv", "large.bin", away + "/model.pt", "data/raw/new"):
    try:
        open(path, "a")
    except PermissionError as error:
        assert error.filename == path
    else:
        raise AssertionError(path)
"""
    assert run(program) == Writes((), ())
    (project / "data/raw").chmod(0o700)


def test_large_files_are_linked_until_they_are_written(run: Run) -> None:
    writes = run("""
import os
assert os.path.islink("large.bin")
with open("large.bin", "r+b") as file:
    file.write(b"new")
assert not os.path.islink("large.bin")
with open("large.bin", "rb") as file:
    assert file.read(4) == b"new\\0"
assert os.path.getsize(here + "/large.bin") > 1 << 24
""")
    assert writes == Writes(("large.bin",), ())


def test_linked_folders_are_written_to_all_the_same(run: Run, project: Path) -> None:
    (project / "node_modules/deep").mkdir(parents=True)
    (project / "node_modules/deep/kept").write_text("old")
    writes = run("""
import os, shutil
assert os.path.islink("node_modules")
open("node_modules/deep/kept", "a").write("er")
open(here + "/node_modules/deep/new", "w").write("new")
for folder in ("node_modules", here + "/node_modules"):
    assert sorted(os.listdir(folder + "/deep")) == ["kept", "new"]
    assert open(folder + "/deep/kept").read() == "older"
os.chdir("node_modules/deep")
os.remove("kept")
assert os.listdir() == ["new"]
""")
    assert writes == Writes(("node_modules/deep/new",), ("node_modules/deep/kept",))


def test_temporary_files_and_caches_are_no_writes(run: Run, project: Path) -> None:
    assert run(
        """
import os, sys, tempfile, pathlib
with tempfile.NamedTemporaryFile("w") as file, tempfile.TemporaryDirectory() as folder:
    file.write("x")
    pathlib.Path(folder, "x").touch()
with open(os.devnull, "w") as file:
    file.write("x")
cache = pathlib.Path.home() / ".cache" / "download"
cache.write_text("real")
assert not cache.is_relative_to(pathlib.Path.cwd())
cache.unlink()
""",
        "kernel",
    ) == Writes((), ())


@pytest.mark.skipif(not landlock.is_there(), reason="the kernel has no Landlock")
def test_the_kernel_refuses_what_python_does_not_see(run: Run) -> None:
    program = """
import subprocess
for path in (here + "/log.csv", here + "/new", away + "/model.pt", "large.bin", "shared/new"):
    assert subprocess.run(["sh", "-c", 'echo x > "$0"', path], stderr=-3).returncode, path
assert subprocess.run(["rm", "-r", here + "/runs"], stderr=-3).returncode
"""
    assert run(program, "kernel") == Writes((), ())


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
@pytest.mark.parametrize("name", ["best", "bést"])
def test_checkpoints_are_saved_to_a_copy(run: Run, project: Path, name: str) -> None:
    (project / "runs/bést.pt").write_bytes(b"older weights")
    writes = run(
        f"""
import numpy, sqlite3, torch, torch.package
saved = {{"weight": torch.ones(2)}}
for path in ("runs/{name}.pt", here + "/runs/{name}.pt", away + "/{name}.pt", "shared/new.pt"):
    torch.save(saved, path)
    assert torch.load(path)["weight"].sum() == 2
    assert torch.load(path, mmap=True)["weight"].sum() == 2
with torch.package.PackageExporter(away + "/packed.pt") as exporter:
    exporter.save_text("words", "word", "text")
with torch.profiler.profile() as profile:
    torch.ones(2)
profile.export_chrome_trace(away + "/trace.json")
torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), away + "/model.pt")
assert torch.jit.load("shared/model.pt")(torch.ones(1, 2)).shape == (1, 2)
numpy.save(here + "/log.csv", numpy.ones(2))
numpy.ones(2).tofile(here + "/large.bin")
with sqlite3.connect(away + "/trials.db") as trials:
    trials.execute("create table trials (number)")
sqlite3.connect(":memory:").close()
""",
        "libraries",
        "kernel",
    )
    away = project.parent / "away"
    elsewhere = [
        str(away / each)
        for each in (f"{name}.pt", "model.pt", "new.pt", "packed.pt", "trace.json", "trials.db")
    ]
    assert set(writes.written) == {
        "large.bin", "log.csv.npy", f"runs/{name}.pt", *elsewhere,
    }  # fmt: skip


def test_the_scratch_folder_may_be_in_the_project(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(project / "data"))
    program = """
import os
open(here + "/log.csv", "w").close()
with open(os.path.abspath("log.csv"), "a") as file:
    file.write("x")
assert os.path.getsize("log.csv") == 1
"""
    assert run(program, "kernel") == Writes(("log.csv",), ())
