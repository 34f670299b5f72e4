"""The promise of the guard to services in other languages: a row that was committed longer than the bound ago is found.

    a writer ──> INSERT, commit ──> ask both services after the bound
    Python   ──> bloomery.Guard ──> leased file ──────────────── fed by a feeder
             └─> loads what the filter does not deny from PostgreSQL
    Go       ──> the ten lines of docs/guard-clients.md ──> key of Redis, fed by another feeder

Meanwhile feeders and Redis are killed, the table is altered, PostgreSQL crashes, and a replica takes the place of Redis.
A denied row is a failure. An error is none, since the service knows that it has no answer.

BLOOMERY_CHECKER_ROWS sets another number of rows than 20,000; BLOOMERY_CHECKER_SERVICE another language than go.
"""

from __future__ import annotations

import collections
import os
import pathlib
import pwd
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from conftest import ROOT
from psql import Psql

redis = pytest.importorskip("redis", reason="redis-py is not installed")
from test_guard_clients import CLIENTS, MODULE, Program, free_port  # noqa: E402

BLOOMERY = os.environ.get("BLOOMERY", str(ROOT / "build" / "release" / "bloomery"))
ROWS = int(os.environ.get("BLOOMERY_CHECKER_ROWS", "20000"))
LANGUAGE = os.environ.get("BLOOMERY_CHECKER_SERVICE", "go")
SEED = 20261128
BOUND = 1.0
ROWS_AT_ONCE = 200
STRANGERS_AT_ONCE = 20

GUARD_SERVICE = """
import sys
sys.path.insert(0, sys.argv[3])
import bloomery
from psql import Psql
database = Psql(sys.argv[2])
guard = bloomery.Guard(sys.argv[1], bound=float(sys.argv[4]), keep_absent=0.2)

def load(key):
    rows = database("SELECT v FROM keys WHERE k = '" + key + "'")
    return rows[0].encode() if rows else None

for line in sys.stdin:
    try:
        print("true" if guard.read(line.rstrip("\\n"), load) is not None else "false", flush=True)
    except (RuntimeError, bloomery.Error):
        print("error", flush=True)
"""


class Postgres:
    """A cluster of its own on a socket, as the user postgres if this is root."""

    def __init__(self, folder: pathlib.Path) -> None:
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not programs or shutil.which("psql") is None:
            pytest.skip("PostgreSQL's server is not installed")
        self.programs = programs[-1].parent
        self.folder = folder / "pg"
        self.folder.mkdir()
        self.prefix: list[str] = []
        if os.getuid() == 0:
            shutil.chown(self.folder, pwd.getpwnam("postgres").pw_uid)
            self.prefix = ["runuser", "-u", "postgres", "--"]
            for parent in [folder, *folder.parents]:
                if parent.stat().st_uid == 0:
                    parent.chmod(parent.stat().st_mode | 0o055)
        self.run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with (self.folder / "data" / "postgresql.conf").open("a") as settings:
            settings.write(f"wal_level = logical\nlisten_addresses = ''\nfsync = off\nmax_slot_wal_keep_size = '2GB'\n"
                           f"unix_socket_directories = '{self.folder}'\n")
        self.start()
        self.database = f"host={self.folder} user=postgres dbname=postgres"

    def run(self, program: str, *words: str) -> None:
        subprocess.run([*self.prefix, str(self.programs / program), "-D", str(self.folder / "data"), *words], cwd="/",
                       check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        self.run("pg_ctl", "-l", str(self.folder / "log"), "-w", "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-m", "immediate", "-w", "stop")


class RedisPair:
    """A server on `port` and a replica of it on another port, which may take its place."""

    def __init__(self, folder: pathlib.Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.primary = self.started(port)
        self.replica_port = 0
        self.add_replica()

    def started(self, port: int, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir",
                                    str(self.folder), "--logfile", "redis.log", "--repl-diskless-sync-delay", "0",
                                    "--loadmodule", str(MODULE), *words])
        comes_true(lambda: answers(port))
        return process

    def add_replica(self) -> None:
        self.replica_port = free_port()
        self.replica = self.started(self.replica_port, "--replicaof", "127.0.0.1", str(self.port))

    def restart(self) -> None:
        self.primary.kill()
        self.primary.wait()
        self.primary = self.started(self.port)

    def fail_over(self) -> None:
        assert comes_true(lambda: b"master_link_status:up" in self.replica_says("INFO", "replication"))
        self.primary.kill()
        self.primary.wait()
        self.replica_says("REPLICAOF", "NO", "ONE")
        self.replica_says("CONFIG", "SET", "port", str(self.port))
        self.primary = self.replica
        self.add_replica()

    def replica_says(self, *words: str) -> bytes:
        client = redis.Redis(port=self.replica_port, socket_timeout=10)
        reply = client.connection_pool.get_connection()
        reply.send_command(*words)
        said = reply.read_response()
        reply.disconnect()
        return said if isinstance(said, bytes) else str(said).encode()

    def stop(self) -> None:
        for process in (self.primary, self.replica):
            process.kill()
            process.wait()


class Feeder:
    def __init__(self, folder: pathlib.Path, postgres: Postgres, slot: str, *place: str) -> None:
        self.log = (folder / f"{slot}.log").open("ab")
        self.words = [BLOOMERY, "feed", "postgres", "--db", postgres.database, "--table", "keys", "--key", "k", "--slot",
                      slot, "--bound", f"{BOUND:g}s", "--watch", "100ms", *place]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.words, stderr=self.log)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        self.kill()
        self.start()

    def rebuild(self) -> None:
        self.process.send_signal(signal.SIGUSR1)


class Service:
    """Counts what a program answered that reads a line for each key."""

    def __init__(self, words: list[str]) -> None:
        self.program = Program(words)
        self.asked = self.denied = self.errors = self.certain = 0
        self.denied_keys: list[str] = []

    def ask(self, keys: list[str]) -> list[str]:
        pipe = self.program.process
        assert pipe.stdin and pipe.stdout
        pipe.stdin.write("".join(key + "\n" for key in keys))
        pipe.stdin.flush()
        return [pipe.stdout.readline().strip().lower() for _ in keys]

    def check(self, rows: list[str], strangers: list[str]) -> None:
        for key, answer in zip(rows, self.ask(rows)):
            assert answer in ("true", "false", "error"), answer
            self.asked += 1
            self.errors += answer == "error"
            if answer == "false":
                self.denied += 1
                self.denied_keys.append(key)
        self.certain += self.ask(strangers).count("false")


def comes_true(holds: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return holds()


def answers(port: int) -> bool:
    try:
        return bool(redis.Redis(port=port, socket_timeout=10).ping())
    except (redis.RedisError, OSError):
        return False


class Writer:
    """Commits rows, and asks the services for those that are older than the bound."""

    def __init__(self, database: str, services: list[Service]) -> None:
        self.sql = Psql(database)
        self.services = services
        self.pending: collections.deque[tuple[float, int]] = collections.deque()
        self.next = 0
        self.committed: list[int] = []

    def insert(self) -> None:
        first = self.next
        self.next += ROWS_AT_ONCE
        try:
            self.sql(f"INSERT INTO keys SELECT 'k' || i, 'v' FROM generate_series({first}, {self.next - 1}) i")
        except RuntimeError:
            return  # the outcome is unknown
        self.pending.append((time.monotonic(), first))
        self.committed.append(first)

    def ask(self) -> None:
        while self.pending and time.monotonic() - self.pending[0][0] > BOUND:
            _, first = self.pending.popleft()
            rows = [f"k{i}" for i in range(first, first + ROWS_AT_ONCE)]
            strangers = [f"nobody{i}" for i in range(first, first + STRANGERS_AT_ONCE)]
            for service in self.services:
                service.check(rows, strangers)

    def alter(self, *statements: str) -> None:
        """Runs statements, with rows between them."""
        for statement in statements:
            comes_true(lambda: self.succeeds(statement))
            self.insert()

    def succeeds(self, statement: str) -> bool:
        try:
            self.sql(statement)
        except RuntimeError:
            return False
        return True

    def wait_for_no(self) -> None:
        """Waits until both services deny strangers, so that an event happens to filters that say no."""
        for service in self.services:
            def says_no(service: Service = service) -> bool:
                self.insert()
                self.ask()
                return service.ask([f"nobody{random.getrandbits(60)}"]) == ["false"]
            assert comes_true(says_no, 300), f"service {self.services.index(service)} never says no"


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    if not MODULE.exists():
        pytest.skip(f"no module at {MODULE}: build the target bloomery_redis_module, or set BLOOMERY_REDIS_MODULE")
    yield tmp_path


def test_no_service_denies_a_committed_row(folder: pathlib.Path) -> None:
    random.seed(SEED)
    print(f"seed {SEED}")
    postgres = Postgres(folder)
    sql = Psql(postgres.database)
    sql("CREATE TABLE keys (k text PRIMARY KEY, v text)")
    sql("INSERT INTO keys SELECT 'old' || i, 'v' FROM generate_series(1, 20000) i")
    sql("CREATE PUBLICATION bloomery FOR TABLE keys")
    sql.close()
    port = free_port()
    cache = RedisPair(folder, port)
    leased = folder / "keys.leased"
    file_feeder = Feeder(folder, postgres, "of_file", "--save", "100ms", "--file", str(leased))
    key_feeder = Feeder(folder, postgres, "of_key", "--redis", f"redis://127.0.0.1:{port}", "users")
    assert comes_true(leased.exists)
    (folder / "service.py").write_text(GUARD_SERVICE)
    (folder / "client").mkdir()
    services = [Service([sys.executable, str(folder / "service.py"), str(leased), postgres.database,
                         str(ROOT / "python" / "tests"), str(BOUND)]),
                Service(CLIENTS[LANGUAGE](folder / "client", port))]
    writer = Writer(postgres.database, services)

    def crash() -> None:
        postgres.stop()
        postgres.start()

    events: list[Callable[[], None]] = [
        file_feeder.restart, key_feeder.restart, cache.restart, cache.fail_over,
        lambda: writer.alter("ALTER TABLE keys ADD COLUMN note text", "ALTER TABLE keys ALTER COLUMN v TYPE varchar(9)"),
        lambda: writer.alter("ALTER PUBLICATION bloomery DROP TABLE keys", "ALTER PUBLICATION bloomery ADD TABLE keys"),
        lambda: writer.alter("ALTER TABLE keys RENAME TO moved", "ALTER TABLE moved RENAME TO keys"),
        lambda: writer.alter("DELETE FROM keys WHERE k LIKE 'old%'", "VACUUM FULL keys"),
        crash, file_feeder.rebuild, key_feeder.rebuild, cache.fail_over, cache.restart]
    # 10^6 rows go through the list several times.
    rounds = max(1, ROWS // 200_000)
    happened = 0
    try:
        for event in events * rounds:
            writer.wait_for_no()
            end = writer.next + ROWS // (len(events) * rounds)
            middle = (writer.next + end) // 2
            is_due = True
            while writer.next < end or is_due:
                writer.insert()
                writer.ask()
                if is_due and writer.next >= middle:
                    event()
                    is_due = False
                    happened += 1
            if ROWS >= 200_000:  # so that a run that is ended early has shown something
                print(f"{writer.next} rows, {happened} events:", *(f"{service.denied} of {service.asked} denied"
                                                                   for service in services), flush=True)
        writer.wait_for_no()
        assert comes_true(lambda: (writer.ask(), not writer.pending)[1])
        for first in writer.committed[::10]:  # once more, at the end
            for service in services:
                service.check([f"k{i}" for i in range(first, first + ROWS_AT_ONCE)], [])
        for name, service in zip(("Python, bloomery.Guard", f"{LANGUAGE}, BLOOM.EXISTS"), services):
            print(f"{name}: {service.asked} rows asked, {service.denied} denied, {service.errors} errors, "
                  f"{service.certain} strangers denied")
        print(f"{writer.next} rows, {happened} events")
        for service in services:
            assert service.denied == 0, service.denied_keys[:20]
            assert service.errors < service.asked / 2
            assert service.certain > service.asked * STRANGERS_AT_ONCE / ROWS_AT_ONCE / 4
    finally:
        for service in services:
            service.program.stop()
        file_feeder.kill()
        key_feeder.kill()
        writer.sql.close()
        cache.stop()
        postgres.stop()
