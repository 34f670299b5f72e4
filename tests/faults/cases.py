"""One case for each way in which a verb writes: what lies there before, the command, and in which state it may leave its file.

A case has a directory of its own, where everything it needs is made by prepare(). The states of its file are
  old      as before (or absent, where nothing was there before), byte for byte
  new      what the command makes of it: it opens, its checksums hold, and the keys of before and after are in
  dirty    only of an update in place that was broken off: the file says so itself, and mend() makes it new
  between  of a directory of several files, of which some are there, each whole; of a state of dedup, an earlier save
Anything else is broken. Used by scripts/kills (after kill -9) and scripts/faults (after a system call that failed).
"""

import hashlib
import os
import shutil

import command

OLD = [f"old-{number}" for number in range(300)]
NEW = [f"new-{number}" for number in range(300)]
MANY = [f"many-{number}" for number in range(3000)]
STRANGERS = [f"stranger-{number}" for number in range(3000)]


class Broken(Exception):
    """A file is in none of the states that its case allows."""


class Case:
    """A verb that makes or changes one filter file."""

    def __init__(self, name, arguments, *, before=None, target="filter", old=(), new=(), keys=NEW, in_place=False, dialect=None, again=None, made=()):
        self.name = name
        self.arguments = arguments
        self.before = before or []  # commands, each with its keys, that make what lies there
        self.target = target
        self.old, self.new = list(old), list(new)  # in the file before, and after besides or instead
        self.keys = list(keys)
        self.in_place = in_place
        self.dialect = ["--dialect", dialect] if dialect else []
        self.again = again or arguments
        self.made = set(made)  # other files that the command makes
        self.directory = None

    # ---- Before ----

    def prepare(self, template):
        """Makes what lies there before, once; fresh() copies it."""
        self.template = template
        template.mkdir()
        self.write_inputs(template)
        for arguments, keys in self.before:
            run = command.Run(arguments, [command.lines(keys)], cwd=template)
            if run.status != command.DONE:
                raise SystemExit(f"{self.name} cannot begin: {run.text()}")
        self.fingerprint_before = self.fingerprint(template)
        self.names = set(os.listdir(template)) | {self.target} | self.made
        # The bytes of a run that nothing disturbed: whoever has the same needs no second look.
        self.fingerprint_after = None
        scratch = template.with_name(template.name + "-undisturbed")
        self.fresh(scratch)
        run = self.run()
        if run.status != command.DONE or self.state() != "new":
            raise SystemExit(f"{self.name} does not work: {run.text()}")
        self.seconds = run.ended - run.began
        self.fingerprint_after = self.fingerprint(scratch)
        shutil.rmtree(scratch)

    def write_inputs(self, template):
        (template / "keys").write_bytes(command.lines(self.keys))
        (template / "strangers").write_bytes(command.lines(STRANGERS))
        (template / "members").write_bytes(command.lines([*self.old, *NEW]))

    def fresh(self, directory):
        shutil.copytree(self.template, directory)
        self.directory = directory

    def restore(self):
        """Puts back what lay there, and leaves alone what runs have left."""
        self.remove_target()
        for name in sorted(self.made):
            (self.directory / name).unlink(missing_ok=True)
        for name in os.listdir(self.template):
            if (self.template / name).is_dir():
                shutil.rmtree(self.directory / name, ignore_errors=True)
                shutil.copytree(self.template / name, self.directory / name)
            else:
                shutil.copy(self.template / name, self.directory / name)

    def remove_target(self):
        (self.directory / self.target).unlink(missing_ok=True)

    # ---- The command ----

    def run(self, env=None):
        return command.Run(self.arguments, [command.lines(self.keys)], cwd=self.directory, env=env)

    def run_again(self):
        return command.Run(self.again, [command.lines(self.keys)], cwd=self.directory)

    # ---- After ----

    def fingerprint(self, directory):
        path = directory / self.target
        return hashlib.sha256(path.read_bytes()).digest() if path.exists() else None

    def secret(self):
        return []

    def finds(self, keys):
        found, run = command.found(self.directory / self.target, keys, *self.dialect, *self.secret())
        if run.status not in (command.DONE, command.NOTHING):
            raise Broken(f"{self.target} cannot be asked: {run.text()}")
        return found.issuperset(keys)

    def state(self):
        now = self.fingerprint(self.directory)
        if now == self.fingerprint_before:
            return "old"
        if now is None:
            raise Broken(f"{self.target} is gone")
        if self.fingerprint_after is not None and now == self.fingerprint_after:
            return "new"
        verified = command.Run(["inspect", "--verify", *self.dialect, self.target], cwd=self.directory)
        if self.in_place and verified.status == command.DAMAGED and b"dirty" in verified.output:
            return "dirty"
        if verified.status != command.DONE:
            raise Broken(f"{self.target} does not verify: {verified.output.decode().strip()} {verified.text()}")
        if not self.finds(self.new):
            raise Broken(f"{self.target} is not as before, and lacks keys of {'before or of ' if self.old else ''}the run")
        return "new"

    def mend(self):
        """Of a dirty file: the same input once more, as the page of `add` says."""
        run = command.Run(["add", "--no-summary", "--after-crash", *self.secret(), self.target], [command.lines(self.mending())], cwd=self.directory)
        if run.status != command.DONE:
            raise Broken(f"a dirty file is not mended: {run.text()}")

    def mending(self):
        return self.keys

    def leftovers(self):
        return command.leftovers(self.directory, self.names)


class Removal(Case):
    """What is left of the keys stays in, whatever became of those that are removed."""

    def mending(self):
        return []


class Dedup(Case):
    """No line is lost: what a broken run and the next print holds every line that is not in the state of before."""

    def state(self):
        try:
            return super().state()
        except Broken:
            verified = command.Run(["inspect", "--verify", self.target], cwd=self.directory)
            if verified.status != command.DONE or not self.finds(self.old):
                raise
            return "between"  # a checkpoint: what had been printed by then is in

    def lost_lines(self, broken, again):
        printed = set((broken.output + again.output).decode().split("\n"))
        return [key for key in self.keys if key not in printed and key not in self.old]


class Keyed(Case):
    """build --keyed, which makes a secret too: a killed run leaves none, or a whole one that --key-file uses."""

    def run_again(self):
        secret = "--key-file=filter.key" if (self.directory / "filter.key").exists() else "--keyed"
        return command.Run(build(secret, "--force"), [command.lines(self.keys)], cwd=self.directory)


class Resumed(Case):
    """build --resume, which goes on with what a killed run has left in its folder. The bytes are those of a run that was not killed."""

    def state(self):
        state = super().state()
        if state == "new" and self.fingerprint_after not in (None, self.fingerprint(self.directory)):
            raise Broken(f"{self.target} has other bytes than that of an undisturbed run")
        return state

    def restore(self):
        shutil.rmtree(self.directory / "work", ignore_errors=True)
        self.made = set()
        super().restore()


class Partitioned(Case):
    """build --partition: each range file is there whole or not at all."""

    def fingerprint(self, directory):
        files = sorted((directory / self.target).glob("range-*.hashes"))
        return tuple((path.name, hashlib.sha256(path.read_bytes()).digest()) for path in files) or None

    def remove_target(self):
        shutil.rmtree(self.directory / self.target, ignore_errors=True)

    def state(self):
        now = self.fingerprint(self.directory)
        if now is None or now == self.fingerprint_after:
            return "new" if now else "old"
        if self.fingerprint_after is not None and not set(now) <= set(self.fingerprint_after):
            raise Broken("a range file has other bytes than that of an undisturbed run")
        return "between" if self.fingerprint_after else "new"

    def leftovers(self):
        target = self.directory / self.target
        inside = [name for name in os.listdir(target) if not name.endswith(".hashes")] if target.exists() else []
        return command.leftovers(self.directory, self.names) + inside


class LoadDirectory(Case):
    """hfile write: DIR/FAMILY/FILE, of which a family is there whole or not at all."""

    def files(self, directory):
        target = directory / self.target
        shown = (path for path in target.glob("*/*") if not path.parent.name.startswith("."))
        return sorted(path for path in shown if path.is_file())

    def fingerprint(self, directory):  # the names are drawn: only whether there are any can be compared
        return tuple(str(path) for path in self.files(directory)) or None

    def remove_target(self):
        for family in "fg":
            shutil.rmtree(self.directory / self.target / family, ignore_errors=True)

    def state(self):
        files = self.files(self.directory)
        if not files:
            return "old"
        verified = command.Run(["hfile", "verify", *files], cwd=self.directory)
        if verified.status != command.DONE:
            raise Broken(f"an HFile does not verify: {verified.text()}")
        return "new" if {path.parent.name for path in files} == {"f", "g"} else "between"

    def leftovers(self):
        target = self.directory / self.target
        inside = command.leftovers(target, {"f", "g"}) if target.exists() else []
        return command.leftovers(self.directory, self.names) + inside


# A closed log of one entry, as HBase writes it: the example of docs/formats/hbase-wal.md without its seals.
LOG = bytes.fromhex(
    "5057414c5008001800221150726f746f6275664c6f675772697465722a356f72672e6170616368652e6861646f6f702e68626173652e7265"
    "67696f6e7365727665722e77616c2e57414c43656c6c436f6465633000300a20316232613363346435653666373038313932613362346335"
    "643665376638303912017418042080d095ffbc3138010000001e00000011000000050003726f770166710000018bcfe568000476616c7565"
    "000000004c415750"
)


class SealedLog(Case):
    """wal seal: a log that is there whole or not at all."""

    def write_inputs(self, template):
        super().write_inputs(template)
        (template / "log").write_bytes(LOG)

    def state(self):
        now = self.fingerprint(self.directory)
        if now == self.fingerprint_before:
            return "old"
        verified = command.Run(["wal", "verify", self.target], cwd=self.directory)
        if verified.status != command.DONE or b"1 entries, 1 cells; closed; sealed" not in verified.output:
            raise Broken(f"a log does not verify: {verified.text()}")
        return "new"


def cells():
    return [f"row-{number:04d}\t{family}:q\tvalue-{number}" for number in range(300) for family in "fg"]


def build(*options, fpp="0.01", output="filter"):
    return ["build", "--no-summary", "-o", output, "-n", "4000", "-p", fpp, *options]


TYPES = {
    "blocked": ["-t", "blocked"],
    "dense": ["-t", "blocked:dense"],
    "textbook": ["-t", "bloom"],
    "counting": ["-t", "counting"],
    "quotient": ["-t", "quotient"],
    "scalable": ["-t", "scalable"],
    "windowed": ["-t", "windowed", "--window", "4000"],
    "exact": ["-t", "blocked", "--exact-below", "10000"],
}
IN_PLACE = {"blocked", "dense", "textbook", "counting", "windowed"}
DIALECTS = ["guava", "parquet", "redisbloom", "dcso", "spark"]


def cases():
    both = [*OLD, *NEW]
    every = []
    for name, options in TYPES.items():
        there = [(build(*options), OLD)]
        every.append(Case(f"build {name}", build(*options), new=NEW))
        every.append(Case(f"build --force {name}", build(*options, "--force"), before=there, new=NEW))
        every.append(Case(f"add {name}", ["add", "--no-summary", "filter"], before=there, old=OLD, new=both, in_place=name in IN_PLACE))
        parts = [*there, (build(*options, output="part"), NEW)]
        every.append(Case(f"merge {name}", ["merge", "--no-summary", "--force", "-o", "filter", "filter", "part"], before=parts, old=OLD, new=both))
        every.append(Case(f"except {name}", ["except", "--no-summary", "filter"], before=[(build(*options, fpp="0.2"), MANY)], old=MANY, new=MANY, keys=STRANGERS))
    every = [case for case in every if case.name != "except exact"]  # an exact set matches no stranger: nothing is written
    blocked = [(build("-t", "blocked"), OLD)]
    every.append(Case("add --strict", ["add", "--no-summary", "--strict", "filter"], before=blocked, old=OLD, new=both, in_place=True))
    for name in ("counting", "quotient"):
        there = [(build(*TYPES[name], fpp="1e-6"), both)]
        every.append(Removal(f"remove {name}", ["remove", "--no-summary", "filter"], before=there, old=OLD, new=OLD, in_place=name in IN_PLACE))
    every.append(Removal("remove --strict", ["remove", "--no-summary", "--strict", "filter"], before=[(build("-t", "counting", fpp="1e-6"), both)], old=OLD, new=OLD))
    # A false positive would be a line that is never printed, which is how a filter is and no fault.
    blocked = [(build("-t", "blocked", fpp="1e-10"), OLD)]
    every.append(Dedup("dedup --state", ["dedup", "--no-summary", "--state", "filter"], before=blocked, old=OLD, new=both, keys=both))
    every.append(Dedup("dedup --state new", ["dedup", "--no-summary", "--state", "filter", "-n", "4000", "-p", "1e-10"], new=NEW))
    every.append(Dedup("dedup --save-every", ["dedup", "--no-summary", "--state", "filter", "--save-every", "1ms"], before=blocked, old=OLD, new=OLD, keys=[*OLD, *MANY]))
    ribbon = build("-t", "ribbon", "--tmp", ".")
    every.append(Case("build ribbon", ribbon, new=NEW))
    every.append(Case("build --force ribbon", [*ribbon, "--force"], before=[(ribbon, OLD)], new=NEW))
    every.append(Case("build ribbon --exceptions", [*ribbon, "--exceptions", "strangers"], new=NEW))
    every.append(Case("build blocked --exceptions", build("--tmp", ".", "--exceptions", "strangers"), new=NEW))
    every.append(Keyed("build --keyed", build("--keyed"), new=NEW, made={"filter.key"}))
    every.append(Resumed("build --resume", [*ribbon, "--resume", "work", "keys"], new=NEW, made={"work"}))
    partition = ["build", "--no-summary", "-t", "ribbon", "--tmp", ".", "--partition", "3", "-o"]
    every.append(Partitioned("build --partition", [*partition, "m"], target="m", again=[*partition, "m", "--force"]))
    shards = [(build("-t", "ribbon", "--shards", f"{i}/3", f"m/range-{i}-of-3.hashes", output=f"part.{i}"), []) for i in (1, 2, 3)]
    every.append(Case("merge parts", ["merge", "--no-summary", "-o", "filter", "part.1", "part.2", "part.3"], before=[([*partition, "m"], NEW), *shards], new=NEW))
    for dialect in DIALECTS:
        made = [(build("--dialect", dialect), OLD)]
        every.append(Case(f"build {dialect}", build("--dialect", dialect, "--force"), before=made, new=NEW, dialect=dialect))
        every.append(Case(f"add {dialect}", ["add", "--no-summary", "--dialect", dialect, "filter"], before=made, old=OLD, new=both, dialect=dialect))
    write = ["hfile", "write", "--creation-time", "1", "--timestamp", "1", "-o", "load"]
    every.append(LoadDirectory("hfile write", write, target="load", keys=cells(), again=[*write, "--add"]))
    seal = ["wal", "seal", "-o", "sealed", "log"]
    every.append(SealedLog("wal seal", seal, target="sealed"))
    every.append(SealedLog("wal seal --force", [*seal, "--force"], before=[(["wal", "repair", "-o", "sealed", "log"], [])], target="sealed"))
    return every
