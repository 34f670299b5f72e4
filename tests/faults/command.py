"""Runs the bloomery command for scripts/races, scripts/kills and scripts/faults, and judges how it ended.

What is here: where the command is (BLOOMERY, else build/release/bloomery), a run with a time limit whose beginning and end are
noted, the exit statuses that are documented, and the names of files that may lie beside a filter.
Not here: what a run is allowed to do to a file; each script says that of itself.
"""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DONE, NOTHING, TROUBLE, DAMAGED, REFUSED, UNSUPPORTED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
DOCUMENTED = {DONE, NOTHING, TROUBLE, DAMAGED, REFUSED, UNSUPPORTED, INTERRUPTED}
HANG_SECONDS = 60.0  # no run of these scripts takes a second on an idle machine

# Temporary files of saves, of secrets and of spools, as docs/ and the headers in src/base name them.
TEMPORARY = re.compile(r"(\.tmp|^bloomery-|^\.bloomery)")


def binary():
    path = os.environ.get("BLOOMERY", str(REPOSITORY / "build/release/bloomery"))
    if not os.access(path, os.X_OK):
        raise SystemExit(f"{path}: no command there: build it, or say where it is by BLOOMERY=...")
    return os.path.abspath(path)


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BLOOMERY")}
    return {**kept, "LC_ALL": "C.UTF-8", **more}


def new_directory():
    """A directory of its own under TMPDIR, which the caller removes."""
    return pathlib.Path(tempfile.mkdtemp(prefix="bloomery-faults-"))


class Run:
    """One run of the command: arguments, exit status (negative: the signal that ended it), output, and when."""

    def __init__(self, arguments, pieces=(b"",), pause=0.0, cwd=None, env=None):
        """Gives `pieces` to standard input one after the other, with `pause` seconds between them."""
        self.arguments = [str(argument) for argument in arguments]
        self.began = time.monotonic()
        process = subprocess.Popen(
            [binary(), *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env or environment(),
        )
        try:
            for number, piece in enumerate(pieces):
                if number != 0:
                    time.sleep(pause)
                process.stdin.write(piece)
                process.stdin.flush()
        except BrokenPipeError:
            pass  # it ended without reading everything: its status says why
        self.hung = False
        try:
            self.output, self.errors = process.communicate(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.hung = True
            process.kill()
            self.output, self.errors = process.communicate()
        self.ended = time.monotonic()
        self.status = process.returncode

    def overlaps(self, other):
        return self.began <= other.ended and other.began <= self.ended

    def trouble(self):
        """What no run may do, whatever happens around it; None when it did none of it."""
        if self.hung:
            return f"hung for {HANG_SECONDS:.0f} s"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        if self.status not in DOCUMENTED:
            return f"ended with status {self.status}, which is not documented"
        if self.status in (TROUBLE, DAMAGED) and not (self.errors + self.output).strip():
            return f"ended with status {self.status} and said nothing"
        return None

    def text(self):
        said = self.errors.decode(errors="replace").strip()
        return f"bloomery {' '.join(self.arguments)}: status {self.status}; {said}"


def lines(keys):
    return "".join(f"{key}\n" for key in keys).encode()


def found(path, keys, *options):
    """Which of `keys` a filter answers maybe to, and the run that asked."""
    run = Run(["query", "--no-summary", *options, path], [lines(keys)])
    return set(run.output.decode().split("\n")) - {""}, run


def leftovers(directory, expected):
    return sorted(name for name in os.listdir(directory) if name not in expected)
