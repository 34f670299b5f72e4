"""The code of docs/guard-clients.md, each language against a server with our module.

A certain no is false; every other reply, an error, or none at all, is true. The packages are fetched once, into
build/guard-clients. A language whose tools or packages cannot be had is skipped.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from conftest import ROOT

redis = pytest.importorskip("redis", reason="redis-py is not installed")

MODULE = pathlib.Path(os.environ.get("BLOOMERY_REDIS_MODULE", ROOT / "build/release/src/redis_module/bloomery.so"))
PACKAGES = ROOT / "build" / "guard-clients"
NODE_REDIS, JEDIS, GO_REDIS = "6.3.1", "7.5.3", "v9.23.0"

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>page</groupId><artifactId>page</artifactId><version>1</version><dependencies><dependency>
<groupId>redis.clients</groupId><artifactId>jedis</artifactId><version>{JEDIS}</version>
</dependency></dependencies></project>
"""
PYTHON_LOOP = """
import sys
for line in sys.stdin:
    print(may_exist(line.rstrip("\\n")), flush=True)
"""
NODE_LOOP = """
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) console.log(await mayExist(line));
process.exit(0);
"""
JAVA_LOOP = """
import java.util.Scanner;
class Main {
  public static void main(String[] words) {
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) { System.out.println(Filters.mayExist(lines.nextLine())); }
    System.exit(0);
  }
}
"""
GO_LOOP = """package main
import ("bufio"; "context"; "fmt"; "os")
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() { fmt.Println(mayExist(context.Background(), lines.Text())) }
}
"""


def page_code(language: str, port: int) -> str:
    page = (ROOT / "docs" / "guard-clients.md").read_text()
    (code,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert code.count("cache.example.org:6379") == 1
    return code.replace("cache.example.org:6379", f"127.0.0.1:{port}")


def fetched(name: str, tools: list[str], files: dict[str, str], *words: str) -> pathlib.Path:
    """Returns the folder with the packages of a language."""
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    folder = PACKAGES / name
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text)
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            pytest.skip(f"the packages of {name} cannot be had: {(done.stderr or done.stdout)[-200:]}")
        (folder / "complete").touch()
    return folder


def python_client(folder: pathlib.Path, port: int) -> list[str]:
    (folder / "client.py").write_text(page_code("python", port) + PYTHON_LOOP)
    return [sys.executable, str(folder / "client.py")]


def node_client(folder: pathlib.Path, port: int) -> list[str]:
    packages = fetched("node", ["node", "npm"], {"package.json": "{}"}, "npm", "install", f"redis@{NODE_REDIS}")
    (folder / "node_modules").symlink_to(packages / "node_modules")
    (folder / "client.mjs").write_text(page_code("js", port) + NODE_LOOP)
    return ["node", str(folder / "client.mjs")]


def java_client(folder: pathlib.Path, port: int) -> list[str]:
    jars = fetched("java", ["javac", "mvn"], {"pom.xml": POM}, "mvn", "-q", "-B", "dependency:copy-dependencies",
                   "-DoutputDirectory=jars") / "jars"
    (folder / "Filters.java").write_text(page_code("java", port))
    (folder / "Main.java").write_text(JAVA_LOOP)
    path = f"{jars}/*:{folder}"
    subprocess.run(["javac", "-cp", path, "Filters.java", "Main.java"], cwd=folder, check=True)
    return ["java", "-cp", path, "Main"]


def go_client(folder: pathlib.Path, port: int) -> list[str]:
    if shutil.which("go") is None and os.access("/usr/local/go/bin/go", os.X_OK):
        os.environ["PATH"] += ":/usr/local/go/bin"
    module = fetched("go", ["go"], {"go.mod": "module page\n\ngo 1.24\n"}, "go", "get",
                     f"github.com/redis/go-redis/v9@{GO_REDIS}")
    for name in ("go.mod", "go.sum"):
        shutil.copy(module / name, folder)
    (folder / "filters.go").write_text("package main\n" + page_code("go", port))
    (folder / "main.go").write_text(GO_LOOP)
    subprocess.run(["go", "build", "-o", "client"], cwd=folder, check=True)
    return [str(folder / "client")]


CLIENTS = {"python": python_client, "node": node_client, "java": java_client, "go": go_client}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server with our module, on a port that stays free for the next one."""

    def __init__(self, folder: pathlib.Path, port: int) -> None:
        self.process = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
                                         "--dir", str(folder), "--logfile", "log", "--loadmodule", str(MODULE)])
        self.client = redis.Redis(port=port, socket_timeout=60)
        for _ in range(3000):
            try:
                if self.client.ping():
                    return
            except redis.ConnectionError:
                assert self.process.poll() is None, (folder / "log").read_text()
                time.sleep(0.01)
        raise AssertionError("the server does not start")

    def __call__(self, *words: object) -> object:
        return self.client.execute_command(*words)

    def feed(self, before: str, record: str, lease_ms: int, *items: str) -> None:
        """A step of a feeder, which makes the key if there is no record before."""
        if not before:
            self("BLOOM.CREATE", "users", "CAPACITY", 1000)
        self("BLOOM.FEED", "users", before, record, int(time.time() * 1000) + lease_ms, *items)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


class Program:
    """The code of the page as a process that answers one line a key."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def may_exist(self, key: str) -> bool:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(key + "\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline().strip().lower()
        assert said in ("true", "false"), said
        return said == "true"

    def wait_for_no(self, key: str) -> None:
        """Waits until the client has connected again."""
        for _ in range(1500):
            if not self.may_exist(key):
                return
            time.sleep(0.02)
        raise AssertionError("expected a certain no within half a minute")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


class OddReplies(socketserver.ThreadingTCPServer):
    """A server whose reply to BLOOM.EXISTS is always `reply`. An empty one ends the connection."""

    allow_reuse_address = True
    daemon_threads = True
    reply = b""
    asked = 0

    class RequestHandlerClass(socketserver.StreamRequestHandler):  # type: ignore[assignment]
        def handle(self) -> None:
            while line := self.rfile.readline():
                words = []
                for _ in range(int(line[1:])):
                    size = int(self.rfile.readline()[1:])
                    words.append(self.rfile.read(size + 2)[:-2])
                if words[0].upper() == b"BLOOM.EXISTS":
                    self.server.asked += 1  # type: ignore[attr-defined]
                    if not self.server.reply:  # type: ignore[attr-defined]
                        return
                    self.wfile.write(self.server.reply)  # type: ignore[attr-defined]
                elif words[0].upper() == b"HELLO":
                    self.wfile.write(b"%1\r\n+proto\r\n:3\r\n" if words[1:2] == [b"3"] else b"*2\r\n+proto\r\n:2\r\n")
                else:
                    self.wfile.write(b"+PONG\r\n" if words[0].upper() == b"PING" else b"+OK\r\n")

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), self.RequestHandlerClass)


ODD_REPLIES = [b"-MOVED 12182 127.0.0.1:1\r\n", b"-ASK 12182 127.0.0.1:1\r\n", b"-CLUSTERDOWN The cluster is down\r\n",
               b"-TRYAGAIN again\r\n", b"-LOADING Redis is loading the dataset in memory\r\n",
               b"-MASTERDOWN Link with MASTER is down\r\n", b"-BUSY Redis is busy running a script\r\n",
               b"-NOPERM no permission\r\n", b"-ERR unknown command\r\n", b"$-1\r\n", b"+QUEUED\r\n", b"$0\r\n\r\n",
               b":7\r\n", b"*0\r\n", b""]


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    if not MODULE.exists():
        pytest.skip(f"no module at {MODULE}: build the target bloomery_redis_module, or set BLOOMERY_REDIS_MODULE")
    return tmp_path


@pytest.fixture
def port() -> Iterator[int]:
    yield free_port()


@pytest.mark.parametrize("language", CLIENTS)
def test_only_a_certain_no_is_false(folder: pathlib.Path, port: int, language: str) -> None:
    server = Server(folder, port)
    program = Program(CLIENTS[language](folder, port))
    try:
        server.feed("", "r1", 60_000, "ann", "zoë")
        program.wait_for_no("nobody")
        assert program.may_exist("ann")
        assert program.may_exist("zoë")
        assert not program.may_exist("")
        server.feed("r1", "r2", -1)  # the lease is over
        assert program.may_exist("nobody")
        server.feed("r2", "r3", 60_000)
        assert not program.may_exist("nobody")
        server("DEL", "users")  # ERR not found
        assert program.may_exist("nobody")
        server("SET", "users", "text")  # WRONGTYPE
        assert program.may_exist("nobody")
        server("DEL", "users")
        server.feed("", "r1", 60_000, "ann")
        program.wait_for_no("nobody")
        server.process.send_signal(signal.SIGSTOP)  # no reply in time
        began = time.monotonic()
        assert program.may_exist("nobody")
        assert time.monotonic() - began < 30
        server.process.send_signal(signal.SIGCONT)
        program.wait_for_no("nobody")
        assert program.may_exist("ann")  # and not a late reply to the question before
        server.stop()  # no connection
        assert program.may_exist("nobody")
        server = Server(folder, port)
        server.feed("", "r1", 60_000, "ann")
        program.wait_for_no("nobody")
        server.stop()
        replies_that_are_no_answer(program, port)
    finally:
        program.stop()
        server.stop()


def replies_that_are_no_answer(program: Program, port: int) -> None:
    with OddReplies(port) as odd:
        thread = threading.Thread(target=odd.serve_forever)
        thread.start()
        try:
            for reply in ODD_REPLIES:
                odd.reply = reply
                asked = odd.asked
                for _ in range(1500):  # until the client has connected and has sent the question
                    assert program.may_exist("nobody"), reply
                    if odd.asked > asked:
                        break
                    time.sleep(0.02)
                assert odd.asked > asked, reply
        finally:
            odd.shutdown()
            thread.join()


def test_bf_exists_denies_what_is_lost(folder: pathlib.Path, port: int) -> None:
    server = Server(folder, port)
    try:
        for protocol in (2, 3):
            client = redis.Redis(port=port, protocol=protocol)
            assert client.execute_command("BF.EXISTS", "users", "ann") == 0
            with pytest.raises(redis.ResponseError, match="not found"):
                client.execute_command("BLOOM.EXISTS", "users", "ann")
        server("SET", "users", "text")
        assert server("BF.EXISTS", "users", "ann") == 0
        with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
            server("BLOOM.EXISTS", "users", "ann")
    finally:
        server.stop()


def test_the_user_of_the_page_can_only_query(folder: pathlib.Path, port: int) -> None:
    page = (ROOT / "docs" / "guard-clients.md").read_text()
    (line,) = re.findall(r"`(ACL SETUSER [^`]*)`", page)
    server = Server(folder, port)
    try:
        server.feed("", "r1", 60_000, "ann")
        server(*line.split())
        service = redis.Redis(port=port, username="service", password="PASSWORD", protocol=2)
        assert service.execute_command("BLOOM.EXISTS", "users", "ann") == 1
        assert service.execute_command("BLOOM.MEXISTS", "users", "ann", "nobody") == [1, 0]
        for words in (["BLOOM.ADD", "users", "x"], ["BF.ADD", "users", "x"], ["BF.EXISTS", "users", "x"],
                      ["DEL", "users"], ["BLOOM.EXISTS", "others", "x"]):
            with pytest.raises(redis.exceptions.NoPermissionError):
                service.execute_command(*words)
    finally:
        server.stop()
