"""The files that are left out are those that git ignores, on trees made to disagree on."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from devlint.files.discover import discover
from devlint.files.wildmatch import regex
from devlint.settings import Configuration

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
NAMES = (*"a b aa ab A é foo a.b -q #c !d [a] st*r build2".split(), "x y", "s ")
#: Parts of patterns: plain, wild, escaped, malformed.
ATOMS = (
    *"a b aa ab A é foo a.b *.py a.py *.p[xy] \\#c #c \\!d !d !!d \\a st\\*r {a,b} (a)".split(),
    *"* ? a* *b f?o ** *** **b a** [ab] [!a] [^a]* [a-b]* [z-a] []a]* []-a] [!]a]*".split(),
    *"[a [a- [[]a] [\\]a]* [[:a]* [[:alpha:]] [[:digit:]a]* [[:nope:]] [a-c-e]* a\\ \\".split(),
    *("x y", "x\\ y", "s\\ ", "s ", "b.py\\ ", "a.py ", "", "**/**", "a/**/b", "# x"),
)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for variable in ("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def git(*arguments: str) -> bytes:
    identity = ("-c", "user.name=a", "-c", "user.email=b@c", "-c", "protocol.file.allow=always")
    return subprocess.run(["git", *identity, *arguments], capture_output=True, check=True).stdout


def write(*paths: str, text: str = "") -> None:
    for path in map(Path, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def listed(folder: str, *options: str) -> list[str]:
    """What git lists of a folder, relative to the working directory."""
    below = git("-C", folder, "ls-files", "-o", "-z", "--exclude-standard", *options).split(b"\0")
    paths = (os.path.normpath(os.path.join(folder, os.fsdecode(each))) for each in below)
    return sorted(path for path in paths if path.endswith(".py"))


def kept() -> list[str]:
    return discover(["."], Configuration({"exclude": ()}, is_isolated=True)).files


def agree(*repositories: str) -> None:
    """Of these repositories devlint keeps what git keeps, and leaves out what git ignores."""
    kept_by_git = sorted(path for each in repositories for path in listed(each))
    ignored_by_git = {path for each in repositories for path in listed(each, "-i")}
    assert kept() == kept_by_git
    files = (path for path in Path().rglob("*.py") if not path.is_dir() or path.is_symlink())
    everything = {os.fspath(path) for path in files if ".git" not in path.parts}
    assert everything - {*kept()} == ignored_by_git
    assert ignored_by_git


NASTY = {
    ".gitignore": "\ufeff# c\n*_gen.py\r\n/out/\n**/deep/x.py\n/data/*\n!/data/keep/\n\\#a.py\n"
    "trail.py  \nkept\\ \n\ttab.py\ndoc/**/*.py\n!doc/**/y.py\nvendor\n!vendor/a.py\nlib/**/inner\n"
    "/root.py\nmid/dle.py\nq?.py\n[w-y].py\n[!a-z]_.py\n*.PY\nfolder.py/\n",
    "p/.gitignore": "!k_gen.py\nq/*\n!q/r.py\nlocal\n/root.py\n",
    "p/q/.gitignore": "!t/\nmid/dle.py\n",
    "p/q/t/.gitignore": "*\n!.gitignore\n!z.py",
    ".git/info/exclude": "secret.py\n!mine.py\n",
    "../home/.config/git/ignore": "mine.py\nlocal2/\n",
}
TREE = (
    *"a.py a_gen.py #a.py secret.py mine.py out/b.py x/out/b.py deep/x.py x/deep/x.py".split(),
    *"data/a.py data/keep/b.py data/keep/c_gen.py data/drop/d.py trail.py tab.py".split(),
    *"doc/x.py doc/y.py doc/a/x.py doc/a/y.py vendor/a.py x/vendor/a.py lib/inner/a.py".split(),
    *"lib/a/inner/a.py root.py x/root.py p/root.py mid/dle.py x/mid/dle.py q1.py q12.py".split(),
    *"w.py x.py z.py 1_.py a_.py up.PY folder.py/a.py x/folder.py local2/a.py".split(),
    *"p/k_gen.py p/l_gen.py p/secret.py p/mine.py p/out/b.py p/local/a.py p/q/r.py".split(),
    *"p/q/s.py p/q/t/r.py p/q/t/z.py p/q/mid/dle.py p/deep/x.py p/deep/y.py".split(),
    *("trail.py  /a.py", "kept /a.py", "kept/a.py", "\ttab.py"),
)


@needs_git
def test_nasty_tree() -> None:
    git("init", "-q")
    write(*TREE)
    for path, text in NASTY.items():
        write(path, text=text)
    agree(".")


@needs_git
def test_case_counts_unless_the_repository_says_otherwise() -> None:
    git("init", "-q")
    write("A.py", "a.py", "B/c.py", "b/d.py", "K1.py")
    write(".gitignore", text="a.PY\n/B\n[j-l]1.py\n")
    for value in ("false", "true"):
        git("config", "core.ignoreCase", value)
        agree(".")


@needs_git
def test_link_is_no_ignore_file_and_no_folder() -> None:
    git("init", "-q")
    write("a.py", "sub/b.py", "c.py", "gone.py")
    write("rules", text="b.py\n")
    write(".gitignore", text="c.py\nup.py/\n")
    os.symlink("../rules", "sub/.gitignore")
    os.symlink("a.py", "up.py")
    agree(".")


@needs_git
def test_repository_in_a_repository_has_its_own_rules() -> None:
    git("init", "-q")
    write(".gitignore", text="a.py\nhidden\n")
    write("a.py", "b.py", "inner/a.py", "inner/b.py", "inner/sub/a.py", "inner/sub/b.py")
    git("init", "-q", "inner")
    write("inner/.gitignore", text="/b.py\n")
    agree(".", "inner")


@needs_git
def test_submodule_and_worktree_have_the_exclude_files_of_theirs(root: Path) -> None:
    git("init", "-q", "../origin")
    git("-C", "../origin", "commit", "-q", "--allow-empty", "-m", "x")
    git("init", "-q")
    git("submodule", "--quiet", "add", "../origin", "sub")
    git("-C", "../origin", "worktree", "add", "-q", str(root / "tree"))
    write("a.py", "b.py", "c.py", "sub/a.py", "sub/b.py", "sub/c.py", "tree/a.py", "tree/b.py")
    write(".git/info/exclude", text="a.py\n")
    write(".git/modules/sub/info/exclude", text="b.py\n")
    write("../origin/.git/info/exclude", text="a.py\n")
    agree(".", "sub", "tree")


@needs_git
@pytest.mark.parametrize("seed", range(40))
def test_made_up_tree(seed: int, root: Path) -> None:
    random_ = random.Random(seed)
    git("init", "-q")
    fill(root, random_, depth=0)
    if seed % 3 == 0:
        git("config", "core.ignoreCase", "true")
    if seed % 4 == 0:
        write("../ignored", text="\n".join(pattern(random_) for _ in range(2)))
        git("config", "core.excludesFile", str(root.parent / "ignored"))
    assert kept() == listed(".")


def fill(folder: Path, random_: random.Random, depth: int) -> None:
    for name in random_.sample(NAMES, random_.randint(1, 4)):
        (folder / f"{name}.py").touch()
    if random_.random() < 0.6:
        lines = [pattern(random_) for _ in range(random_.randint(1, 4))]
        newline = random_.choice(("\n", "\n", "\r\n"))
        (folder / ".gitignore").write_bytes(newline.join(lines).encode())
    for name in random_.sample(NAMES, random_.randint(0, 3) if depth < 3 else 0):
        (folder / name).mkdir(exist_ok=True)
        fill(folder / name, random_, depth + 1)


def pattern(random_: random.Random) -> str:
    def perhaps(text: str, share: float) -> str:
        return text if random_.random() < share else ""

    parts = [random_.choice(ATOMS) for _ in range(random_.choice((1, 1, 1, 2, 2, 3)))]
    before = perhaps("!", 0.3) + perhaps("**/", 0.1) + perhaps("/", 0.2)
    after = perhaps("/", 0.2) + perhaps("/**", 0.1) + perhaps(" ", 0.05) + perhaps("\t", 0.03)
    return f"{before}{'/'.join(parts)}{after}"


@pytest.mark.parametrize(
    ("pattern", "fits", "misses"),
    [
        ("a", "a", "b ab"),
        ("*", "a .a", "a/b"),
        ("a?c", "abc", "ac a/c"),
        ("**/a", "a b/a b/c/a", "ba"),
        ("a/**", "a/b a/b/c", "a"),
        ("a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"),
        ("a**b", "ab axb", "a/b"),
        ("[a-c]", "a b c", "d -"),
        ("[!a-c]", "d -", "a /"),
        ("[]-]", "] -", "a"),
        ("[z-a]", "z", "a -"),
        ("[[:digit:]x]", "1 x", "a :"),
        ("[[:nope:]]", "", "n :"),
        ("[a", "", "a [a"),
        ("\\*", "*", "a"),
        ("a\\", "", "a a\\"),
    ],
)
def test_wildcards(pattern: str, fits: str, misses: str) -> None:
    compiled = re.compile(regex(pattern.encode()), re.S)
    for path in fits.split():
        assert compiled.fullmatch(path.encode()), path
    for path in misses.split():
        assert not compiled.fullmatch(path.encode()), path
