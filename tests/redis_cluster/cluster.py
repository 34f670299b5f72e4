"""A cluster of Debian's redis-server on loopback: three primaries, three replicas, all in one temporary folder.

Every server is started here and stopped here, whatever happens. The faults are methods; each returns once the cluster is
whole again: all slots served, every primary with a replica that has caught up.
"""

import pathlib
import random
import shutil
import socket
import subprocess
import tempfile
import time

SERVERS = 6
PRIMARIES = 3
SLOTS = 16384
# A server that is silent for so long is taken for dead.
NODE_TIMEOUT_MS = 4000
PATIENCE_S = 90
# A slot moves in steps of so many keys that there are this many, with a pause behind each, so that clients write in between.
STEPS_OF_A_MOVE = 50
STEP_S = 0.05


class Trouble(Exception):
    """Something that is neither the filter's fault nor to be expected: a server does not start, a fault does not heal."""


class ServerError(Exception):
    """An error that a server answered."""


class Connection:
    """One connection, for the few commands of a trial. The load has a client of its own."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.stream = self.socket.makefile("rb")

    def __call__(self, *words):
        encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        parts = [b"*%d\r\n" % len(encoded)]
        parts += [b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded]
        self.socket.sendall(b"".join(parts))
        return self.read()

    def read(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the connection has ended")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            raise ServerError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.stream.read(int(rest) + 2)[:-2]
        elements = []
        for _ in range(int(rest)):
            try:
                elements.append(self.read())
            except ServerError as error:
                elements.append(error)
        return elements

    def close(self):
        self.stream.close()
        self.socket.close()


class Server:
    def __init__(self, number, port, folder, module):
        self.number, self.port, self.folder = number, port, folder
        self.log = folder / "log"
        self.process = None
        folder.mkdir()
        lines = [
            f"port {port}", "bind 127.0.0.1", f"dir {folder}", f"logfile {self.log}", "daemonize no", "save ''",
            "appendonly yes", "appendfsync everysec", "cluster-enabled yes", "cluster-config-file nodes.conf",
            f"cluster-node-timeout {NODE_TIMEOUT_MS}", "enable-debug-command yes", "repl-diskless-sync-delay 0",
            "auto-aof-rewrite-percentage 0",
            # Every other server rewrites its AOF as commands, so that both ways are tried.
            f"aof-use-rdb-preamble {'yes' if number % 2 else 'no'}",
        ]  # fmt: skip
        if module is not None:
            lines.append(f"loadmodule {module}")
        (folder / "redis.conf").write_text("\n".join(lines) + "\n")

    def start(self):
        self.process = subprocess.Popen(["redis-server", self.folder / "redis.conf"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)  # fmt: skip
        wait_for(f"server {self.port} answers", self.answers)

    def answers(self):
        if self.process.poll() is not None:
            raise Trouble(f"server {self.port} has ended: {self.log.read_text()[-500:]}")
        try:
            return self.ask("PING") == "PONG"
        except (OSError, ServerError):
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, *words):
        connection = Connection(self.port)
        try:
            return connection(*words)
        finally:
            connection.close()

    def info(self, section):
        lines = self.ask("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def newest_log(self):
        """The part of the AOF that is written to."""
        parts = self.folder.glob("appendonlydir/*.incr.aof")
        return max(parts, key=lambda part: int(part.name.split(".")[2]))

    def node(self):
        return self.ask("CLUSTER", "MYID").decode()


def wait_for(what, holds, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Trouble(f"waited {seconds} s in vain until {what}")
        time.sleep(0.1)


def mend_log(log):
    """Takes off the unfinished transaction that a cut AOF may end with, by the tool that the server's documentation names.

    Redis 7.0.15 mends it by itself, but badly if the cut is within a command: MULTI stays without EXEC. What is written next
    then stands within that transaction, and the next start complains (CRITICAL) and carries out half of it. Seen with plain
    SETs alone.
    """
    mended = subprocess.run(["redis-check-aof", "--fix", log], input="y\n", capture_output=True, text=True)
    if mended.returncode != 0:
        raise Trouble(f"redis-check-aof: {mended.stdout[-300:]}{mended.stderr[-300:]}")


def free_ports(count):
    """The first of `count` ports in a row that nobody listens on, nor on those 10,000 above, which the cluster's bus takes."""
    for _ in range(100):
        first = random.randrange(20000, 30000)
        try:
            for port in [*range(first, first + count), *range(first + 10000, first + 10000 + count)]:
                with socket.socket() as tried:
                    tried.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise Trouble("no free ports from 20000 on")


class Cluster:
    def __init__(self, module=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bloomery-cluster-"))
        first = free_ports(SERVERS)
        self.servers = [Server(i, first + i, self.folder / str(i), module) for i in range(SERVERS)]
        self.counts = {}

    def __enter__(self):
        try:
            self.form()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for server in self.servers:
            if server.process is not None and server.process.poll() is None:
                server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def form(self):
        for server in self.servers:
            server.start()
        addresses = [f"127.0.0.1:{server.port}" for server in self.servers]
        made = subprocess.run(["redis-cli", "--cluster", "create", *addresses, "--cluster-replicas", "1", "--cluster-yes"],
                              capture_output=True, text=True)  # fmt: skip
        if made.returncode != 0:
            raise Trouble(f"redis-cli --cluster create: {made.stdout[-500:]}{made.stderr[-500:]}")
        self.wait_until_whole()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.servers[0].port}"

    # ---- Who is what ----

    def primaries(self):
        """Maps each primary to its replica, as server 0 and the servers themselves see it."""
        roles = {server: server.info("replication") for server in self.servers}
        by_port = {server.port: server for server in self.servers}
        pairs = {server: None for server, role in roles.items() if role["role"] == "master"}
        for server, role in roles.items():
            if role["role"] == "slave" and by_port.get(int(role["master_port"])) in pairs:
                pairs[by_port[int(role["master_port"])]] = server
        return pairs

    def is_whole(self):
        """Whether all servers see all slots served, and every primary has a replica that is connected to it."""
        try:
            pairs = self.primaries()
            if len(pairs) != PRIMARIES or None in pairs.values():
                return False
            if any(replica.info("replication")["master_link_status"] != "up" for replica in pairs.values()):
                return False
            return all(self.sees_all(server) for server in self.servers)
        except (OSError, ServerError):
            return False

    @staticmethod
    def sees_all(server):
        lines = server.ask("CLUSTER", "INFO").decode().split()
        nodes = server.ask("CLUSTER", "NODES").decode()
        return "cluster_state:ok" in lines and f"cluster_slots_ok:{SLOTS}" in lines and "fail" not in nodes

    def wait_until_whole(self):
        wait_for("the cluster is whole", self.is_whole)

    def wait_until_caught_up(self):
        def caught_up():
            for primary, replica in self.primaries().items():
                role = replica.info("replication")
                if role["master_link_status"] != "up":
                    return False
                if primary.info("replication")["master_repl_offset"] != role["slave_repl_offset"]:
                    return False
            return True

        wait_for("every replica has caught up", caught_up)

    # ---- Faults ----

    def count(self, what, times=1):
        self.counts[what] = self.counts.get(what, 0) + times

    def kill_and_fail_over(self):
        """A primary is killed. Its replica takes over, and the killed one comes back as a replica of that."""
        primary, replica = random.choice(list(self.primaries().items()))
        primary.kill()
        wait_for(f"server {replica.port} takes over", lambda: replica.info("replication")["role"] == "master")
        primary.start()
        self.wait_until_whole()
        self.count("failovers")

    def kill_and_restart(self):
        """A primary is killed and started at once from its AOF, of whose last second a part is cut, as a power failure would."""
        primary = random.choice(list(self.primaries()))
        log = primary.newest_log()
        size = log.stat().st_size
        time.sleep(1)
        primary.kill()
        written = log.stat().st_size
        with log.open("r+b") as file:
            file.truncate(random.randint(size, written))
        mend_log(log)
        self.count("bytes cut", written - log.stat().st_size)
        primary.start()
        self.wait_until_whole()
        self.count("restarts")

    def move_slot(self, tag):
        """The slot of a tag moves to another primary, key by key, while clients write to it."""
        slot = self.servers[0].ask("CLUSTER", "KEYSLOT", f"{{t{tag}}}")
        source = self.owner_of(slot)
        target = random.choice([server for server in self.primaries() if server is not source])
        source_id, target_id = source.node(), target.node()
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
        connection = Connection(source.port)
        step = max(10, connection("CLUSTER", "COUNTKEYSINSLOT", slot) // STEPS_OF_A_MOVE)
        while keys := connection("CLUSTER", "GETKEYSINSLOT", slot, step):
            connection("MIGRATE", "127.0.0.1", target.port, "", 0, 30000, "KEYS", *keys)
            self.count("keys moved", len(keys))
            time.sleep(STEP_S)
        connection.close()
        for server in sorted(self.primaries(), key=lambda one: (one is not target, one is not source)):
            server.ask("CLUSTER", "SETSLOT", slot, "NODE", target_id)
        # WAIT waits for what its own connection wrote, and so for all that the server wrote before.
        connection = Connection(target.port)
        connection("SET", f"moved:{{t{tag}}}", self.counts.get("slots moved", 0))
        replicas = connection("WAIT", 1, PATIENCE_S * 1000)
        connection.close()
        if replicas < 1:
            raise Trouble(f"no replica of server {target.port} answered WAIT")
        self.count("slots moved")

    def owner_of(self, slot):
        for first, last, primary, *_ in self.servers[0].ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(server for server in self.servers if server.port == primary[1])
        raise Trouble(f"nobody has slot {slot}")

    def rewrite_aof(self):
        for server in self.servers:
            try:
                server.ask("BGREWRITEAOF")
            except ServerError as error:  # after a replica has loaded a primary's data, it rewrites its AOF unasked
                if "already in progress" not in str(error):
                    raise
        wait_for("every AOF is rewritten", lambda: self.none_has("aof_rewrite_in_progress", "aof_rewrite_scheduled"))
        self.check_all("aof_last_bgrewrite_status")
        self.count("AOF rewrites")

    def save_rdb(self):
        for server in self.servers:
            try:
                server.ask("BGSAVE", "SCHEDULE")
            except ServerError as error:
                if "already in progress" not in str(error):
                    raise
        wait_for("every RDB is saved", lambda: self.none_has("rdb_bgsave_in_progress"))
        self.check_all("rdb_last_bgsave_status")
        self.count("RDB saves")

    def none_has(self, *fields):
        return all(server.info("persistence")[field] == "0" for server in self.servers for field in fields)

    def check_all(self, field):
        for server in self.servers:
            if server.info("persistence")[field] != "ok":
                raise Trouble(f"server {server.port}: {field} is not ok")

    # ---- At the end ----

    def differing_keys(self, keys):
        """The keys whose digests differ between a primary and its replica. Checks that each key is at exactly one primary."""
        differing = []
        pairs = self.primaries()
        for key in keys:
            digests = []
            for primary, replica in pairs.items():
                here, there = primary.ask("DEBUG", "DIGEST-VALUE", key)[0], replica.ask("DEBUG", "DIGEST-VALUE", key)[0]
                if here != there:
                    differing.append(key)
                digests.append(here)
            if sum(digest != b"0" * 40 and digest != "0" * 40 for digest in digests) != 1:
                differing.append(key)
        for primary, replica in pairs.items():
            if primary.ask("DEBUG", "DIGEST") != replica.ask("DEBUG", "DIGEST"):
                differing.append(f"(all of {primary.port} and {replica.port})")
        return differing

    def complaints(self):
        """Lines of the logs that must not be there."""
        words = ("CRITICAL", "BUG REPORT", "ASSERTION FAILED", "crashed by signal", "Guru Meditation")
        lines = []
        for server in self.servers:
            text = server.log.read_text(errors="replace")
            lines += [f"{server.port}: {line}" for line in text.splitlines() if any(word in line for word in words)]
        return lines
