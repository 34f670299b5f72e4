"""What the tests share: the command, and the golden files of other systems."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def golden() -> pathlib.Path:
    return ROOT / "tests" / "golden"


@pytest.fixture
def command():
    """Runs the command, and returns what it prints. A query that finds nothing is no failure."""
    name = os.environ.get("BLOOMERY", str(ROOT / "build" / "release" / "bloomery"))

    def run(*words: str, text: bytes = b"") -> bytes:
        done = subprocess.run([name, *words], input=text, capture_output=True, check=False)
        assert done.returncode in (0, 1), done.stderr.decode()
        return done.stdout

    return run
