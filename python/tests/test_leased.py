"""Leased files: a no is answered only while the lease is valid, and never after damage or an error."""

from __future__ import annotations

import os
import pathlib
import pickle
import threading
import time

import numpy as np
import pytest
from leased_page import BOUND_NS, DEADLINE, GENERATION, POSITION, LeasedPage, now_ns

import bloomery
from bloomery import Answer


@pytest.fixture
def page(tmp_path: pathlib.Path) -> LeasedPage:
    made = LeasedPage(tmp_path / "users.leased")
    made.put_filter(1, ["in"])
    return made


def test_answers_follow_the_lease(page: LeasedPage) -> None:
    users = bloomery.LeasedFilter(page.path)
    assert users.answer("out") is Answer.NO_LEASE
    assert "out" in users
    page.renew()
    assert users.answer("in") is Answer.MAYBE
    assert users.answer("out") is Answer.NO
    assert users.answer(b"out") is Answer.NO
    assert "in" in users
    assert "out" not in users
    page.set(DEADLINE, 0)
    assert users.answer("out") is Answer.NO_LEASE
    page.renew(20_000_000)
    assert users.answer("out") is Answer.NO
    time.sleep(0.03)
    assert users.answer("out") is Answer.NO_LEASE


def test_only_no_is_false() -> None:
    assert [bool(answer) for answer in Answer] == [False, True, True]


def test_an_array_of_answers(page: LeasedPage) -> None:
    users = bloomery.LeasedFilter(page.path)
    keys = ["in", b"in", "out"] + [f"out {i}" for i in range(10_000)]
    assert (users.answers(keys) == Answer.NO_LEASE).all()
    page.renew()
    answers = users.answers(iter(keys))
    assert answers.dtype == np.uint8
    assert answers[:3].tolist() == [Answer.MAYBE, Answer.MAYBE, Answer.NO]
    assert answers.tolist() == [users.answer(key) for key in keys]
    assert users.answers([]).tolist() == []
    assert users.answers(np.array([b"in", b"out"])).tolist() == [1, 0]


def test_the_state(page: LeasedPage) -> None:
    users = bloomery.LeasedFilter(page.path)
    assert not users.state.holds
    assert users.state.remaining == 0
    assert "no lease" in repr(users)
    page.set(POSITION, 77)
    page.renew()
    state = users.state
    assert state.holds
    assert (state.generation, state.position) == (1, 77)
    assert 0 < state.remaining <= BOUND_NS / 1e9
    assert state.complete_at <= now_ns() / 1e9
    assert "lease for" in repr(users)


def test_the_first_filter_may_come_later(page: LeasedPage) -> None:
    page.set(GENERATION, 0)
    page.renew()
    users = bloomery.LeasedFilter(str(page.path))
    assert users.answer("out") is Answer.NO_LEASE
    page.put_filter(2, ["in"])
    page.renew()
    assert users.answer("out") is Answer.NO
    assert users.answer("in") is Answer.MAYBE


@pytest.mark.parametrize("damage", ["bound", "boot", "gone", "cut", "foreign"])
def test_damage_is_never_a_no(page: LeasedPage, damage: str) -> None:
    users = bloomery.LeasedFilter(page.path)
    page.renew()
    assert users.answer("out") is Answer.NO
    if damage == "bound":
        page.renew(2 * BOUND_NS)
    elif damage == "boot":
        page.page[16] ^= 1
    else:  # the file of the next generation
        page.put_filter(2, ["in"])
        path = page.filter_path(2)
        if damage == "gone":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:100] if damage == "cut" else b"no filter")
        page.renew()
    assert users.answer("out") is Answer.NO_LEASE
    assert users.answers(["out"]).tolist() == [Answer.NO_LEASE]


def test_keys_by_the_rule_of_the_file(tmp_path: pathlib.Path) -> None:
    numbers = LeasedPage(tmp_path / "numbers")
    numbers.put_filter(1, ["42"], key_form="int64")
    numbers.renew()
    f = bloomery.LeasedFilter(numbers.path)
    assert (f.answer("42"), f.answer("43")) == (Answer.MAYBE, Answer.NO)
    with pytest.raises(bloomery.InvalidArgumentError):
        f.answer("many")
    with pytest.raises(bloomery.InvalidArgumentError):
        f.answers(["42", "many"])
    pairs = LeasedPage(tmp_path / "pairs")
    pairs.put_filter(1, [("1", "2")], parts=2)
    pairs.renew()
    f = bloomery.LeasedFilter(pairs.path)
    assert (f.answer(("1", "2")), f.answer((b"2", "1"))) == (Answer.MAYBE, Answer.NO)
    with pytest.raises(bloomery.InvalidArgumentError):
        f.answer("1")
    with pytest.raises(bloomery.InvalidArgumentError):
        f.answer(("1", "2", "3"))


def test_points_in_time(tmp_path: pathlib.Path) -> None:
    page = LeasedPage(tmp_path / "times")
    page.put_filter(1, ["2026-02-03 04:05:06+00"], key_form="timestamptz")
    page.renew()
    f = bloomery.LeasedFilter(page.path)
    assert f.answer("2026-02-03T05:05:06+01:00") is Answer.MAYBE
    assert f.answer("2026-02-03T05:05:06Z") is Answer.NO
    with pytest.raises(bloomery.InvalidArgumentError):
        f.answer("2026-02-03 04:05:06")  # no offset


@pytest.mark.parametrize("key", [42, None, True, 1.5, ("a", 1), bytearray(b"in"), ["in"]])
def test_what_is_no_text_is_no_key(page: LeasedPage, key: object) -> None:
    page.renew()
    users = bloomery.LeasedFilter(page.path)
    with pytest.raises(TypeError):
        users.answer(key)
    with pytest.raises(TypeError):
        key in users  # noqa: B015
    with pytest.raises(TypeError):
        users.answers([key])


def test_many_keys_are_no_single_text(page: LeasedPage) -> None:
    users = bloomery.LeasedFilter(page.path)
    for wrong in ("in", b"in", 7):
        with pytest.raises(TypeError):
            users.answers(wrong)


def test_secrets(page: LeasedPage) -> None:
    secret = bloomery.generate_secret()
    page.put_filter(2, ["in"], secret=secret)
    page.renew()
    with pytest.raises(bloomery.InvalidArgumentError):
        bloomery.LeasedFilter(page.path)
    users = bloomery.LeasedFilter(page.path, secret=secret)
    assert (users.answer("in"), users.answer("out")) == (Answer.MAYBE, Answer.NO)
    with pytest.raises(bloomery.InvalidArgumentError):
        bloomery.LeasedFilter(page.path, secret=bloomery.generate_secret())
    with pytest.raises(ValueError, match="16 bytes"):
        bloomery.LeasedFilter(page.path, secret=b"short")


def test_files_that_are_none(page: LeasedPage, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        bloomery.LeasedFilter(tmp_path / "none")
    with pytest.raises(bloomery.Error):
        bloomery.LeasedFilter(page.filter_path(1))
    with pytest.raises(TypeError):
        bloomery.LeasedFilter(7)
    with pytest.raises(TypeError):
        pickle.dumps(bloomery.LeasedFilter(page.path))


def test_threads_ask_while_rebuilds_replace_the_filter(page: LeasedPage) -> None:
    users = bloomery.LeasedFilter(page.path)
    page.renew()
    wrong: list[object] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            if users.answer("in") is Answer.NO or not users.answers(["in"] * 5000).all():
                wrong.append("a no for a key that is in")

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for generation in range(2, 12):
        page.put_filter(generation, ["in"])
        page.renew()
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert users.answer("out") is Answer.NO


def test_a_child_asks_while_the_parent_is_in_a_batch(page: LeasedPage) -> None:
    users = bloomery.LeasedFilter(page.path)
    page.renew()
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            users.answers(["out"] * 20_000)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for generation in range(2, 7):
            child = os.fork()
            if child == 0:
                page.put_filter(generation, ["in"])
                page.renew()
                right = users.answer("in") is Answer.MAYBE and users.answer("out") is Answer.NO
                os._exit(0 if right else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        thread.join()
