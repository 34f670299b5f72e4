"""Builds tests/faults/failing_calls.c, and says by which environment a run meets it."""

import os
import subprocess

import command

SOURCE = command.REPOSITORY / "tests/faults/failing_calls.c"


class Shim:
    def __init__(self, directory):
        self.library = directory / "failing_calls.so"
        self.report = directory / "came"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE, "-ldl"], check=True)

    def environment(self, call, number, how, sticky=False):
        more = {"FAULT_STICKY": "1"} if sticky else {}
        return command.environment(
            LD_PRELOAD=str(self.library),
            FAULT_CALL=call,
            FAULT_NUMBER=str(number),
            FAULT_HOW=str(how),
            FAULT_REPORT=str(self.report),
            **more,
        )

    def counts(self, run):
        """How often each call comes in `run`, a function that takes an environment."""
        path = self.report.with_name("counts")
        run(command.environment(LD_PRELOAD=str(self.library), FAULT_COUNTS=str(path)))
        return {name: int(number) for name, number in map(str.split, path.read_text().splitlines())}

    def came(self):
        """Whether the moment came in the run before; asked once a run."""
        came = self.report.exists()
        self.report.unlink(missing_ok=True)
        return came
