"""Saves beside other programs, updates in place, and what the exceptions of files say."""

from __future__ import annotations

import copy
import errno
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import bloomery
from bloomery import _bloomery, _errors


@pytest.fixture
def path(tmp_path: pathlib.Path, command) -> pathlib.Path:
    """A filter of the command with the key "a"."""
    command("build", "-o", str(tmp_path / "f.bloom"), "-n", "1000", "-p", "1e-6", "--no-summary", text=b"a\n")
    return tmp_path / "f.bloom"


def found(command, path: pathlib.Path, *keys: str) -> list[str]:
    return command("query", "--no-summary", str(path), text="".join(f"{key}\n" for key in keys).encode()).decode().split()


# ---- Saves ----


# The key that the command added was gone, without an error.
@pytest.mark.parametrize("access", ["map", "copy"])
@pytest.mark.parametrize("type_name", ["blocked", "bloom", "counting", "quotient", "scalable"])
@pytest.mark.parametrize("python_first", [True, False])
def test_a_save_never_undoes_what_the_command_has_added(access: str, type_name: str, python_first: bool, tmp_path: pathlib.Path,
                                                        command) -> None:
    path = tmp_path / "f"
    command("build", "-o", str(path), "-n", "1000", "-p", "1e-6", "-t", type_name, "--no-summary", text=b"a\n")
    f = bloomery.open(path, access=access)
    if python_first:
        f.add("python")
    command("add", str(path), "--no-summary", text=b"command\n")
    f.add("more")
    with pytest.raises(bloomery.IoError, match="changed since this filter read it") as caught:
        f.save(path, replace=True)
    assert caught.value.errno == errno.ESTALE and caught.value.filename == str(path)
    assert found(command, path, "a", "command", "more") == ["a", "command"]
    again = bloomery.open(path, access=access)
    again.update(["python", "more"])
    again.save(path, replace=True)
    assert found(command, path, "a", "command", "python", "more") == ["a", "command", "python", "more"]


# "In use: another process updates or replaces it" was said for ever, and of the new path.
@pytest.mark.parametrize("type_name", ["blocked", "bloom"])
def test_what_python_added_can_be_saved_elsewhere(type_name: str, tmp_path: pathlib.Path, command) -> None:
    path = tmp_path / "f"
    command("build", "-o", str(path), "-n", "100000", "-p", "1e-6", "-t", type_name, "--no-summary", text=b"a\n")
    f = bloomery.open(path)
    command("add", str(path), "--no-summary", text=b"command\n")
    f.add("python")
    f.save(tmp_path / "new")
    assert {"a", "python"} <= set(found(command, tmp_path / "new", "a", "python", "never"))
    f.save(path, replace="newer")
    assert {"a", "python"} <= set(found(command, path, "a", "python"))
    mine = bloomery.Filter(f.capacity, f.target_fpp, hash="xxh3", type=type_name)
    mine.merge(f)
    assert mine.contains(["a", "python"]).all()


def test_a_counting_filter_that_has_changed_says_so(tmp_path: pathlib.Path, command) -> None:
    path = tmp_path / "f"
    command("build", "-o", str(path), "-n", "100000", "-p", "1e-6", "-t", "counting", "--no-summary", text=b"a\n")
    f = bloomery.open(path)
    command("add", str(path), "--no-summary", text=b"command\n")
    with pytest.raises(bloomery.IoError, match="f: changed since"):
        f.save(tmp_path / "new")
    assert os.listdir(tmp_path) == ["f"]


# Once this program had written to the first page of a map, it did not see that others changed the file: what it saved
# elsewhere or merged had counters of two moments.
@pytest.mark.parametrize("type_name", ["counting", "windowed"])
def test_a_map_of_two_moments_is_neither_saved_nor_merged(type_name: str, tmp_path: pathlib.Path, command) -> None:
    path = tmp_path / "f"
    kind = {"type": type_name, "hash": "xxh3", "window": 1000 if type_name == "windowed" else None}
    bloomery.Filter(1000, 1e-6, **kind).save(path)
    f = bloomery.open(path)
    f.update(f"mine {i}" for i in range(500))
    f.save(tmp_path / "before")
    command("add", str(path), "--no-summary", text=b"command\n")
    with pytest.raises(bloomery.IoError, match="f: changed since"):
        f.save(tmp_path / "new")
    with pytest.raises(bloomery.IoError, match="f: changed since"):
        bloomery.Filter(1000, 1e-6, **kind).merge(f)
    assert sorted(os.listdir(tmp_path)) == ["before", "f"] and "mine 7" in bloomery.open(tmp_path / "before")


# A filter knows the files that it has saved as it knows the one that it was opened from.
def test_a_file_that_was_saved_is_not_undone_either(tmp_path: pathlib.Path, command) -> None:
    path = tmp_path / "f"
    f = bloomery.Filter(1000, 1e-6, hash="xxh3")
    f.add("a")
    f.save(path)
    f.add("b")
    f.save(path, replace=True)
    command("add", str(path), "--no-summary", text=b"command\n")
    with pytest.raises(bloomery.IoError, match="changed"):
        f.save(path, replace=True)
    os.symlink(path, tmp_path / "link")
    os.rename(path, tmp_path / "moved")
    (tmp_path / "moved").rename(path)
    with pytest.raises(bloomery.IoError, match="changed"):
        f.save(tmp_path / "link", replace=True)
    os.rename(path, tmp_path / "moved")
    with pytest.raises(bloomery.IoError, match="changed"):
        f.save(tmp_path / "moved", replace=True)
    assert found(command, tmp_path / "moved", "a", "b", "command") == ["a", "b", "command"]
    f.save(tmp_path / "moved", replace="newer")
    assert found(command, tmp_path / "moved", "a", "b", "command") == ["a", "b"]


def test_another_file_under_the_name_is_not_replaced(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    f = bloomery.open(path)
    other = bloomery.Filter(77)
    other.add("other")
    other.save(tmp_path / "other")
    os.rename(tmp_path / "other", path)
    with pytest.raises(bloomery.IoError, match="changed"):
        f.save(path, replace=True)
    assert bloomery.open(path).capacity == 77
    f.save(path, replace="newer")
    assert "a" in bloomery.open(path)


def test_an_equal_file_may_be_replaced(path: pathlib.Path) -> None:
    f = bloomery.open(path, access="copy")
    path.write_bytes(path.read_bytes())
    os.utime(path)
    f.add("b")
    f.save(path, replace=True)
    f.add("c")
    f.save(path, replace=True)
    assert bloomery.open(path).contains(["a", "b", "c"]).all()


@pytest.mark.parametrize(("replace", "error"), [("older", ValueError), (None, TypeError), (1, TypeError), ([], TypeError)])
def test_what_replace_may_be(replace: object, error: type, path: pathlib.Path) -> None:
    for f in (bloomery.open(path), bloomery.build_dialect("guava", ["a"], capacity=10, fpp=0.1)):
        with pytest.raises(error, match="newer"):
            f.save(path, replace=replace)


def test_filters_of_other_systems_are_not_undone_either(tmp_path: pathlib.Path, command) -> None:
    path = tmp_path / "f"
    bloomery.build_dialect("guava", ["a"], capacity=100, fpp=0.001).save(path)
    java = bloomery.open(path, "guava")
    command("add", "--dialect", "guava", str(path), "--no-summary", text=b"command\n")
    java.add("python")
    with pytest.raises(bloomery.IoError, match="changed"):
        java.save(path, replace=True)
    assert bloomery.open(path, "guava").contains(["a", "command", "python"]).tolist() == [True, True, False]
    java.save(path, replace="newer")
    java.add("more")
    java.save(path, replace=True)
    assert bloomery.open(path, "guava").contains(["a", "command", "more"]).tolist() == [True, False, True]


# ---- Updates ----


@pytest.mark.parametrize("type_name", ["blocked", "bloom", "counting", "quotient", "scalable"])
def test_an_update_changes_the_file_as_the_command_does(type_name: str, tmp_path: pathlib.Path, command) -> None:
    path = tmp_path / "f"
    command("build", "-o", str(path), "-n", "1000", "-p", "1e-6", "-t", type_name, "--no-summary", text=b"a\n")
    reader = bloomery.open(path)
    with bloomery.open(path, access="update") as f:
        f.add("b")
        f.update(np.array([f"key {i}" for i in range(100)]))
        assert "a" in f and "b" in f and f.inserted == 102
    assert f.closed and found(command, path, "a", "b", "key 7", "c") == ["a", "b", "key", "7"]
    command("add", str(path), "--no-summary", text=b"c\n")
    assert bloomery.open(path).contains(["a", "b", "c"]).all() and "a" in reader
    by_command = tmp_path / "by_command"
    command("build", "-o", str(by_command), "-n", "1000", "-p", "1e-6", "-t", type_name, "--no-summary", text=b"a\n")
    command("add", str(by_command), "--no-summary", text="".join(f"{k}\n" for k in ["b", *[f"key {i}" for i in range(100)]]).encode())
    command("add", str(by_command), "--no-summary", text=b"c\n")
    assert by_command.read_bytes() == path.read_bytes()


def test_an_update_takes_turns_with_others(path: pathlib.Path, command) -> None:
    f = bloomery.open(path, access="update")
    for call in (lambda: bloomery.open(path, access="update", timeout=0), lambda: bloomery.Filter(5).save(path, replace=True)):
        with pytest.raises(bloomery.IoError, match="in use") as caught:
            call()
        assert caught.value.errno == errno.EWOULDBLOCK
    with pytest.raises(ValueError, match="close"):
        f.save(path, replace=True)
    waiting: list[bloomery.Filter] = []
    thread = threading.Thread(target=lambda: waiting.append(bloomery.open(path, access="update")))
    thread.start()
    f.add("first")
    f.save(path.parent / "copy")
    f.close()
    thread.join()
    assert "first" in waiting[0]
    waiting[0].add("second")
    waiting[0].close()
    assert found(command, path, "a", "first", "second") == ["a", "first", "second"] and found(command, path.parent / "copy", "first") == ["first"]


def test_an_exception_in_an_update_leaves_a_clean_file(path: pathlib.Path) -> None:
    with pytest.raises(KeyError):
        with bloomery.open(path, access="update") as f:
            f.add("b")
            raise KeyError
    assert "b" in bloomery.open(path)


# A program that ends without close() leaves no dirty file, nor does an object that nobody holds.
@pytest.mark.parametrize("end", ["", "del f", "raise SystemExit(3)", "1 / 0"])
def test_an_update_that_nobody_closes_ends_with_its_object(end: str, path: pathlib.Path, command) -> None:
    program = f"import bloomery, sys\nf = bloomery.open(sys.argv[1], access='update')\nf.add('b')\n{end}\n"
    subprocess.run([sys.executable, "-c", program, str(path)], check=False, capture_output=True)
    assert found(command, path, "a", "b") == ["a", "b"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_does_not_end_the_update_of_its_parent(path: pathlib.Path, command) -> None:
    f = bloomery.open(path, access="update")
    child = os.fork()
    if child == 0:
        try:
            try:
                f.add("child")
                os._exit(3)
            except ValueError:
                f.close()
                os._exit(0)
        finally:
            os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    f.add("parent")
    f.close()
    assert found(command, path, "a", "parent", "child") == ["a", "parent"]


def test_what_cannot_be_updated(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        bloomery.open(tmp_path / "none", access="update")
    with pytest.raises(ValueError):
        bloomery.open(path, timeout=1)
    with pytest.raises(ValueError):
        bloomery.open(path, "guava", access="update")
    (tmp_path / "bad").write_bytes(path.read_bytes()[:-1])
    with pytest.raises(bloomery.CorruptionError):
        bloomery.open(tmp_path / "bad", access="update")


# ---- Exceptions ----


# The table of classes had another spelling of one code, so that no I/O failure was an OSError.
def test_every_code_of_the_library_has_its_class() -> None:
    codes = set(_bloomery.error_codes())
    assert codes == set(_errors._CLASSES) - {"full"} and len(codes) == 6
    for code, kind in _errors._CLASSES.items():
        assert type(_errors.make(code, "text", "subject", None, 0, None)) is kind
    assert issubclass(_errors._CLASSES["I/O error"], OSError)


def io_failures(tmp_path: pathlib.Path) -> list[tuple[object, int, str]]:
    f = bloomery.Filter(5)
    a_file = tmp_path / "a file"
    a_file.write_bytes(b"x")
    below, long = str(a_file / "x"), str(tmp_path / ("x" * 300))
    java = bloomery.build_dialect("guava", ["a"], capacity=10, fpp=0.1)
    return [
        (lambda: f.save(below), errno.ENOTDIR, below),
        (lambda: f.save(long), errno.ENAMETOOLONG, long),
        (lambda: bloomery.open(below), errno.ENOTDIR, below),
        (lambda: bloomery.open(below, access="update"), errno.ENOTDIR, below),
        (lambda: bloomery.open(below, "guava"), errno.ENOTDIR, below),
        (lambda: java.save(pathlib.Path(below)), errno.ENOTDIR, below),
        (lambda: bloomery.HFile(below), errno.ENOTDIR, below),
        (lambda: bloomery.build_ribbon(["a"], path=below), errno.ENOTDIR, below),
        (lambda: f.save("/sys/x"), 0, "/sys/x"),  # the error depends on the machine
    ]


def test_what_the_system_refuses_is_an_oserror(tmp_path: pathlib.Path) -> None:
    for call, number, name in io_failures(tmp_path):
        with pytest.raises(OSError) as caught:
            call()
        error = caught.value
        assert isinstance(error, bloomery.IoError) and error.code == "I/O error" and error.filename == name
        assert error.errno == number or (number == 0 and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS))
        assert error.strerror == os.strerror(error.errno) and name in str(error) and ".tmp." not in str(error)
        assert isinstance(error, PermissionError) == (error.errno in (errno.EACCES, errno.EPERM))


def test_a_missing_folder_is_named_as_it_was_given(tmp_path: pathlib.Path) -> None:
    name = str(tmp_path / "none" / "x")
    with pytest.raises(FileNotFoundError) as caught:
        bloomery.Filter(5).save(name)
    assert caught.value.filename == name and caught.value.errno == errno.ENOENT and ".tmp." not in str(caught.value)
    with pytest.raises(FileNotFoundError) as caught:
        bloomery.open(os.fsencode(name))
    assert caught.value.filename == os.fsencode(name)


def test_a_file_that_exists_is_a_fileexistserror(path: pathlib.Path) -> None:
    java = bloomery.build_dialect("guava", ["a"], capacity=10, fpp=0.1)
    for call in (lambda: bloomery.Filter(5).save(path), lambda: java.save(path), lambda: bloomery.build_ribbon(["a"], path=path)):
        with pytest.raises(FileExistsError, match="replace=True") as caught:
            call()
        error = caught.value
        assert isinstance(error, bloomery.AlreadyExistsError) and isinstance(error, bloomery.InvalidArgumentError)
        assert error.errno == errno.EEXIST and error.filename == str(path) and error.strerror


# An error of a worker process lost its errno on the way.
def test_errors_survive_pickling(tmp_path: pathlib.Path, path: pathlib.Path) -> None:
    calls = [call for call, _, _ in io_failures(tmp_path)]
    calls += [lambda: bloomery.open(tmp_path / "none"), lambda: bloomery.Filter(5).save(path), lambda: bloomery.Filter.from_bytes(b"x"),
              lambda: bloomery.Filter(5, 2)]
    for call in calls:
        with pytest.raises(bloomery.Error) as caught:
            call()
        caught.value.note = "mine"  # type: ignore[attr-defined]
        for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value), copy.deepcopy(caught.value)):
            assert type(again) is type(caught.value) and str(again) == str(caught.value) and again.note == "mine"
            for name in ("code", "subject", "offset", "errno", "strerror", "filename"):
                assert getattr(again, name, 0) == getattr(caught.value, name, 0)


# pybind11 printed the C++ signatures, and the repr of all arguments.
@pytest.mark.parametrize(("call", "words"), [
    (lambda f: f.update(1, "a secret key"), "update(keys)"), (lambda f: f.contains(), "contains(keys)"),
    (lambda f: f.save(), "save(path, replace=False)"), (lambda f: f.merge("a secret key"), "merge(other)"),
    (lambda f: f.remove(), "remove(key)"), (lambda f: f.clear("a secret key"), "clear()"),
    (lambda f: _bloomery.open_dialect(), "open_dialect(path, name, key_form=None)"), (lambda f: bloomery.HFile(), "bloomery.HFile(path)"),
], ids=str)
def test_a_wrong_call_names_the_arguments(call, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        call(bloomery.Filter(5))
    text = str(caught.value)
    assert words in text and "\n" not in text and "Invoked" not in text and "secret key" not in text


def test_wrong_values_are_named() -> None:
    f = bloomery.Filter(5)
    for call, words in ((lambda: bloomery.Filter(1.5), "an int for capacity, found 1.5"), (lambda: bloomery.Filter(1e6), "an int"),
                        (lambda: bloomery.Filter(5, "x"), "a number for fpp, found 'x'"), (lambda: bloomery.Filter(5, trim="x"), "a bool"),
                        (lambda: bloomery.Filter(bytes="x"), "an int for bytes"), (lambda: bloomery.Filter.from_bytes("x"), "found str"),
                        (lambda: setattr(f, "metadata", 5), "found int")):
        with pytest.raises(TypeError) as caught:
            call()
        assert words in str(caught.value) and "Invoked" not in str(caught.value)
    with pytest.raises(ValueError, match="'nope'"):
        bloomery.Filter(5, key_form="nope")
    for kind in (bloomery.Filter, bloomery.Dialect, bloomery.HFile):
        assert kind.__module__ == "bloomery" and "_bloomery" not in repr(kind)
