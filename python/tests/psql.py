"""A session of psql as a process, for tests: one statement at a time. A session that ends is begun anew."""

from __future__ import annotations

import subprocess


class Psql:
    def __init__(self, database: str) -> None:
        self.database = database
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, statement: str) -> list[str]:
        """Returns the lines of the result. A statement that failed, or whose outcome is unknown, is a RuntimeError."""
        if self.process is None:
            self.process = subprocess.Popen(["psql", "-XqAt", self.database], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdin and self.process.stdout
        lines: list[str] = []
        try:
            self.process.stdin.write(statement + ";\n\\echo done :ERROR\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line.startswith("done "):
                    if line != "done false\n":
                        raise RuntimeError("".join(lines))
                    return lines
                lines.append(line.rstrip("\n"))
        except BrokenPipeError:
            pass
        self.close()
        raise RuntimeError("the session ended: " + "".join(lines))

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
