"""The types: mypy accepts the package and a program that uses it, and the stubs say what the module has."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="mypy is not installed")
HERE = pathlib.Path(__file__).resolve().parent

PROGRAM = """
import numpy as np
import bloomery

class Sub(bloomery.Filter):
    pass

f = bloomery.Filter(1000, 0.01, key_form="hex", secret=None)
f.add("00ff")
f.add(np.int64(3))
print(np.uint32(3) in f, (np.int8(1), "a") in f)
sub: Sub = Sub(10) | Sub(10)
sub = Sub.from_bytes(sub.copy().to_bytes())
f.save("file", replace="newer")
opened: bloomery.Filter = bloomery.open("file", access="update", timeout=1)
with bloomery.open("file", "guava", key_form="int64") as java:
    java.add(np.int64(3))
answers: list[bool] = f.contains(np.arange(3)).tolist()
hashes = f.hashes(["00ff"])
f.add_hashes(hashes)
ribbon = bloomery.build_ribbon(["a"], 0.01, ignore_case=True)
fpp: float = ribbon.target_fpp
cells: list[bloomery.Cell] = list(bloomery.HFile("file").cells(b"row"))
users = bloomery.LeasedFilter("file", secret=None)
answer: bloomery.Answer = users.answer(("a", b"b"))
numbers: list[int] = users.answers(["a", b"b"]).tolist()
seconds: float = users.state.remaining
guard = bloomery.Guard("file", cache_bytes=1 << 20, mode="shadow")
def load(key: str) -> bytes | None:
    return key.encode()
row: bytes | None = guard.read("a", load)
with guard.write("a"):
    text: str = guard.metrics(table="users")
with bloomery.Store.create("root") as store:
    store.create_table("t", {"f": {"VERSIONS": 3}, "g": {"IN_MEMORY": True}})
    with store.table("t", durability="ASYNC_WAL") as t:
        t.put("row", {"f:q": b"value", ("f", "r"): "text"})
        with t.batch() as b:
            b.put(b"row", {b"f:q": "value"}, 7)
            b.delete("row", ["f:q", ("f", b"r")])
        cells = t.get("row", columns=["f:q"]) + list(t.scan("a", "z", limit=3))
        number: int = t.increment("row", "f:n") + len(t.append("row", "f:s", "a"))
        done: bool = t.check_and_put("row", "f:q", None, {"f:q": "1"})
"""
WRONG = ["bloomery.Filter('many')", "bloomery.Filter(10, keyform='hex')", "bloomery.Filter(10).add(1.5)",
         "bloomery.Filter(10).missing()", "bloomery.LeasedFilter('file').answer(42)", "bloomery.Guard('file', mode='on')", "bloomery.open('file').missing()",
         "bloomery.open('file', access='write')", "bloomery.Filter(10).save('file', replace='older')", "bloomery.build_ribbon(['a'], parts='2')",
         "bloomery.Filter(10, type='blom')", "bloomery.Filter(10, key_form='hexa')", "bloomery.Filter(10, hash='md5')",
         "bloomery.open('file', 'guava', key_form='int')", "bloomery.build_dialect('guava', ['a'], key_form='long')",
         "bloomery.Store.open('root').table('t', durability='SYNC')", "bloomery.Store.open('root').table('t').put('r', {'f:q': 1})",
         "bloomery.Store.open('root', flush=3)", "bloomery.Store.open('root').create_table('t', [1])"]


def run(*words: str, folder: pathlib.Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_package_is_typed_strictly(tmp_path: pathlib.Path) -> None:
    status, said = run("mypy", "--strict", "-p", "bloomery", folder=tmp_path)
    assert status == 0, said


def test_the_stubs_are_what_the_module_has(tmp_path: pathlib.Path) -> None:
    status, said = run("mypy.stubtest", "bloomery._bloomery", "--allowlist", str(HERE / "stubtest-allowlist"),
                       folder=tmp_path)
    assert status == 0, said


def test_a_program_is_checked(tmp_path: pathlib.Path) -> None:
    (tmp_path / "right.py").write_text(PROGRAM)
    status, said = run("mypy", "--strict", "right.py", folder=tmp_path)
    assert status == 0, said
    (tmp_path / "wrong.py").write_text("import bloomery\n" + "\n".join(WRONG) + "\n")
    status, said = run("mypy", "--strict", "wrong.py", folder=tmp_path)
    assert status == 1
    for line in range(2, 2 + len(WRONG)):
        assert f"wrong.py:{line}: error" in said, said
