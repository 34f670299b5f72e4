"""The package: its examples, its type stubs, and what the wheel has."""

from __future__ import annotations

import ast
import doctest
import importlib.metadata
import pathlib

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
