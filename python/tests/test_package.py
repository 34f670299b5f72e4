"""The package: its examples, its type stubs, and what the wheel has."""

from __future__ import annotations

import ast
import doctest
import importlib.metadata
import pathlib
import re
import shutil
import subprocess

import pytest

import bloomery
from bloomery import _bloomery

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_examples_of_the_package() -> None:
    done = doctest.testmod(bloomery)
    assert done.attempted > 8 and done.failed == 0


def test_examples_of_the_page(tmp_path: pathlib.Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert done.attempted > 30 and done.failed == 0


# Without one of them the import fails, so the page names the packages of all.
def test_the_page_names_the_libraries_at_run_time() -> None:
    if shutil.which("readelf") is None:
        pytest.skip("there is no readelf")
    said = subprocess.run(["readelf", "-d", str(_bloomery.__file__)], capture_output=True, text=True, check=True).stdout
    needed = set()
    for name, version in re.findall(r"NEEDED.*\[([^\]]+)\.so\.([^\]]+)\]", said):
        if name not in ("libc", "libm", "libgcc_s") and not name.startswith("ld-linux"):
            usual = name + ("-" if name[-1].isdigit() else "") + version
            needed.add({"libz": "zlib1g", "libsnappy": "libsnappy1v5"}.get(name, usual))
    page = (ROOT / "docs" / "python.md").read_text()
    named = re.search(r"<!-- the libraries at run time;[^\n]*-->\n```\n(.*?)```", page, re.DOTALL)
    assert named is not None and set(named[1].split()) == needed


def test_the_stubs_name_what_the_module_has() -> None:
    stubs = ast.parse((pathlib.Path(bloomery.__file__).parent / "_bloomery.pyi").read_text())
    for node in stubs.body:
        if isinstance(node, ast.FunctionDef):
            assert callable(getattr(_bloomery, node.name))
        elif isinstance(node, ast.ClassDef):
            real = getattr(_bloomery, node.name)
            declared = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
            declared |= {a.target.id for a in node.body if isinstance(a, ast.AnnAssign)}  # type: ignore[union-attr]
            has = {name for name in vars(real) if not name.startswith("_")}
            assert has == {name for name in declared if not name.startswith("_")}, node.name
            assert all(hasattr(real, name) for name in declared)


def test_the_package_that_is_installed_is_the_one_that_is_tested() -> None:
    assert importlib.metadata.version("bloomery") == bloomery.__version__
    package = pathlib.Path(bloomery.__file__).parent
    assert (package / "py.typed").exists() and ROOT not in [package.parent, package.parent.parent]
    files = {str(f) for f in importlib.metadata.files("bloomery") or []}
    assert not [f for f in files if not f.startswith(("bloomery/", "bloomery-")) and "__pycache__" not in f]
    assert all(hasattr(bloomery, name) for name in bloomery.__all__)
