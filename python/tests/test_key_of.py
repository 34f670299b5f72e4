"""key_of() makes the texts that PostgreSQL prints: recorded ones always, and those of a server where one is installed. With
a server, a filter of `bloomery feed postgres` for each type knows these keys."""

from __future__ import annotations

import datetime
import enum
import os
import pathlib
import pwd
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta, timezone
from decimal import Decimal
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from ipaddress import ip_address as ip

import numpy as np
import pytest
from conftest import ROOT

import bloomery
from bloomery import Answer, key_of


class Color(enum.IntEnum):
    RED = 3


D = datetime.datetime
HOUR = timezone(timedelta(hours=1))
# Type of the column, SQL of the value, value, text. The texts were printed by PostgreSQL 15 in UTC.
RECORDED = [
    ("bool", "true", True, "t"),
    ("bool", "false", False, "f"),
    ("int2", "-7", -7, "-7"),
    ("int4", "42", np.int32(42), "42"),
    ("int4", "3", Color.RED, "3"),
    ("int8", "-9223372036854775808", -(2**63), "-9223372036854775808"),
    ("numeric(10,2)", "1.5", Decimal("1.50"), "1.50"),
    ("numeric(10,2)", "-0.00", Decimal("-0.00"), "0.00"),
    ("numeric(20,9)", "0.000000001", Decimal("1E-9"), "0.000000001"),
    ("numeric(30,0)", "1e20", Decimal("1E+20"), "100000000000000000000"),
    ("text", "'Zoë ''s'", "Zoë 's", "Zoë 's"),
    ("text", "''", "", ""),
    ("varchar(9)", "' a '", " a ", " a "),
    ("bytea", r"'\x00FF'", b"\0\xff", "\\x00ff"),
    ("bytea", "''", bytearray(), "\\x"),
    ("uuid", "'A0EEBC999C0B4EF8BB6D6BB9BD380A11'", uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
     "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("date", "'2026-02-03'", datetime.date(2026, 2, 3), "2026-02-03"),
    ("date", "'0099-01-01'", datetime.date(99, 1, 1), "0099-01-01"),
    ("time", "'04:05:06'", datetime.time(4, 5, 6), "04:05:06"),
    ("time", "'04:05:00.5'", datetime.time(4, 5, 0, 500000), "04:05:00.5"),
    ("timestamp", "'2026-02-03 04:05'", D(2026, 2, 3, 4, 5), "2026-02-03 04:05:00"),
    ("timestamp", "'2026-02-03 04:05:06.789'", D(2026, 2, 3, 4, 5, 6, 789000), "2026-02-03 04:05:06.789"),
    ("timestamp", "'0001-01-01'", D.min, "0001-01-01 00:00:00"),
    ("timestamp", "'9999-12-31 23:59:59.999999'", D.max, "9999-12-31 23:59:59.999999"),
    ("timestamptz", "'2026-02-03 05:05:06+01'", D(2026, 2, 3, 5, 5, 6, tzinfo=HOUR), "2026-02-03 04:05:06+00"),
    ("timestamptz", "'2026-01-01 00:30:00.000001+01'", D(2026, 1, 1, 0, 30, 0, 1, HOUR), "2025-12-31 23:30:00.000001+00"),
    ("inet", "'10.0.0.1'", ip("10.0.0.1"), "10.0.0.1"),
    ("inet", "'10.0.0.1/24'", IPv4Interface("10.0.0.1/24"), "10.0.0.1/24"),
    ("inet", "'10.0.0.0/8'", IPv4Network("10.0.0.0/8"), "10.0.0.0/8"),
    ("inet", "'::1'", ip("::1"), "::1"),
    ("inet", "'2001:DB8:0:0:1::1'", ip("2001:db8::1:0:0:1"), "2001:db8::1:0:0:1"),
    ("inet", "'::ffff:1.2.3.4'", ip("::ffff:1.2.3.4"), "::ffff:1.2.3.4"),
    ("inet", "'::1.2.3.4'", ip("::1.2.3.4"), "::1.2.3.4"),
    ("inet", "'::ffff'", ip("::ffff"), "::ffff"),
    ("inet", "'2001:db8::1/64'", IPv6Interface("2001:db8::1/64"), "2001:db8::1/64"),
    ("cidr", "'10.0.0.1'", IPv4Network("10.0.0.1/32"), "10.0.0.1/32"),
    ("cidr", "'2001:db8::/32'", IPv6Network("2001:db8::/32"), "2001:db8::/32"),
]


@pytest.mark.parametrize(("value", "text"), [(value, text) for _, _, value, text in RECORDED])
def test_the_recorded_texts(value: object, text: str) -> None:
    assert key_of(value) == text
    assert type(key_of(value)) is str


@pytest.mark.parametrize("value", [None, 1.5, np.float64(1), ("a",), ["a"], timedelta(1), object(), np.bool_(True)])
def test_what_has_no_text(value: object) -> None:
    with pytest.raises(TypeError, match=type(value).__name__):
        key_of(value)


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), IPv6Address("fe80::1%eth0"),
                                   datetime.time(1, tzinfo=timezone.utc)])
def test_what_no_column_can_hold(value: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        key_of(value)


def programs() -> pathlib.Path:
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed (scripts/setup check)")
    return found[-1].parent


class Postgres:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.programs = folder, programs()
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres")
            for parent in folder.parents:
                if not parent.stat().st_mode & 0o001:
                    parent.chmod(parent.stat().st_mode | 0o011)
        self.run("initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = ("wal_level=logical", "listen_addresses=''", "fsync=off", "max_replication_slots=40",
                    "max_wal_senders=40", f"unix_socket_directories='{folder}'", "timezone='Asia/Kolkata'")
        with (folder / "data" / "postgresql.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        self.run("pg_ctl", "-D", "data", "-w", "-l", "log", "start")

    def run(self, program: str, *words: str) -> None:
        def become() -> None:
            if os.getuid() == 0:
                user = pwd.getpwnam("postgres")
                os.setgid(user.pw_gid)
                os.setuid(user.pw_uid)

        subprocess.run([self.programs / program, *words], cwd=self.folder, check=True, preexec_fn=become,
                       stdout=subprocess.DEVNULL)

    def __call__(self, sql: str) -> str:
        """Returns what psql prints in UTC, without the end of the last line."""
        done = subprocess.run(["psql", "-XAtq", "-h", self.folder, "-U", "postgres", "-v", "ON_ERROR_STOP=1",
                               "-f", "-"], input=sql, env={**os.environ, "PGTZ": "UTC", "PGCLIENTENCODING": "UTF8"},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.removesuffix("\n")

    def stop(self) -> None:
        self.run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    programs()
    server = Postgres(tmp_path_factory.mktemp("pg"))
    yield server
    server.stop()


def test_the_server_prints_the_recorded_texts(postgres: Postgres) -> None:
    printed = postgres("".join(f"SELECT ({sql})::{column};\n" for column, sql, *_ in RECORDED)).split("\n")
    assert printed == [text for *_, text in RECORDED]


def test_addresses_of_every_shape(postgres: Postgres) -> None:
    groups = ["0", "1", "ffff"]
    shapes = [":".join(groups[number // 3**place % 3] for place in range(8)) for number in range(3**8)]
    printed = postgres("SELECT unnest('{" + ",".join(shapes) + "}'::inet[])").splitlines()
    wrong = [(shape, said) for shape, said in zip(shapes, printed) if key_of(IPv6Address(shape)) != said]
    assert not wrong, (len(wrong), wrong[:20])
    assert len(printed) == len(shapes)


class Feeder:
    """A feeder of a new table, until the end of the block. `filter` is the leased file."""

    def __init__(self, postgres: Postgres, folder: pathlib.Path, columns: list[str], rows: list[list[str]],
                 *words: str) -> None:
        table = "t_" + "".join(letter for letter in folder.name if letter.isalnum())
        names = [f"k{number}" for number in range(len(columns))]
        postgres(f"CREATE TABLE {table} (" + ", ".join(map(" ".join, zip(names, columns))) + ");"
                 f"ALTER TABLE {table} REPLICA IDENTITY FULL; CREATE PUBLICATION p_{table} FOR TABLE {table};"
                 f"INSERT INTO {table} VALUES " + ", ".join("(" + ", ".join(row) + ")" for row in rows))
        self.path, self.log = folder / "f", folder / "feed.log"
        self.words = [os.environ.get("BLOOMERY", str(ROOT / "build" / "release" / "bloomery")), "feed", "postgres", "--db",
                      f"host={postgres.folder} user=postgres dbname=postgres", "--table", table, "--key", ",".join(names),
                      "--publication", f"p_{table}", "--file", str(self.path), "-p", "1e-9", "-n", "1000", *words]

    def __enter__(self) -> bloomery.LeasedFilter:
        with self.log.open("w") as log:
            self.feeder = subprocess.Popen(self.words, stdout=log, stderr=log)
        for _ in range(6000):
            assert self.feeder.poll() is None, self.log.read_text()
            try:
                opened = bloomery.LeasedFilter(self.path)
                if opened.state.holds:
                    return opened
            except (bloomery.Error, FileNotFoundError):
                pass
            time.sleep(0.02)
        self.__exit__()
        raise AssertionError(self.log.read_text())

    def __exit__(self, *_: object) -> None:
        self.feeder.terminate()
        self.feeder.wait()


# One composite key of columns of all types. The option --trim is of char(5), and does not matter for the others.
def test_a_feeder_has_these_keys(postgres: Postgres, tmp_path: pathlib.Path) -> None:
    columns = list(dict.fromkeys(column for column, *_ in RECORDED))
    of_column = {column: [(sql, key_of(value)) for type_name, sql, value, _ in RECORDED if type_name == column]
                 for column in columns}
    columns.append("char(5)")
    of_column["char(5)"] = [("'ab'", "ab"), ("' c'", " c   ")]
    most = max(map(len, of_column.values()))
    rows = [[of_column[column][number % len(of_column[column])] for column in columns] for number in range(most)]
    sql = [[sql for sql, _ in row] for row in rows]
    with Feeder(postgres, tmp_path, columns, sql, "--utc", "--trim") as fed:
        for row in rows:
            key = [text for _, text in row]
            assert fed.answer(tuple(key)) is Answer.MAYBE, key
            for number, column in enumerate(columns):
                second = {"t": "true", "f": "false", "10.0.0.1": "10.0.0.1/32", "::1": "::1/128"}.get(key[number])
                expected = Answer.NO if second is None else Answer.MAYBE
                other = second or key[number] + "0"
                assert fed.answer((*key[:number], other, *key[number + 1 :])) is expected, (column, key)


def test_a_point_in_time_has_every_offset(postgres: Postgres, tmp_path: pathlib.Path) -> None:
    rows = [(sql, value) for column, sql, value, _ in RECORDED if column == "timestamptz"]
    with Feeder(postgres, tmp_path, ["timestamptz"], [[sql] for sql, _ in rows], "--key-form", "timestamptz") as fed:
        for _, value in rows:
            assert fed.answer(key_of(value)) is fed.answer(value.isoformat()) is Answer.MAYBE
            assert fed.answer(key_of(value + timedelta(seconds=1))) is Answer.NO


@pytest.mark.parametrize(("column", "word"), [("float8", "float8"), ("numeric", "numeric"), ("interval", "interval"),
                                              ("jsonb", "jsonb"), ("timetz", "timetz"), ("char(3)", "--trim"),
                                              ("timestamptz", "--utc")])
def test_what_a_feeder_refuses(postgres: Postgres, tmp_path: pathlib.Path, column: str, word: str) -> None:
    feeder = Feeder(postgres, tmp_path, [column], [["NULL"]])
    done = subprocess.run(feeder.words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    assert word in done.stderr
