#!/usr/bin/env python3
"""scripts/instructions fails when a count has changed, and writes down only what it was given a reason for.

The counts come from files, so that no build and no valgrind is needed.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "instructions"
RECORDED = {"blocked-query,scalar": 100.0, "blocked-query,avx2": 40.0, "hash,any": 10.0}


class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.recorded = self.folder / "recorded"
        self.recorded.mkdir()
        self.write(self.recorded, RECORDED)

    def write(self, folder, counts, compiler="gcc-12"):
        rows = "".join(f"{key},{count}\n" for key, count in counts.items())
        (folder / f"{compiler}.csv").write_text("path,kernel,per_operation\n" + rows)
        return folder / f"{compiler}.csv"

    def read(self):
        lines = (self.recorded / "gcc-12.csv").read_text().split("\n")[1:-1]
        return {line.rpartition(",")[0]: float(line.rpartition(",")[2]) for line in lines}

    def run_gate(self, counts, *options, compiler="gcc-12"):
        measured = self.write(self.folder, counts, compiler)
        return subprocess.run([sys.executable, SCRIPT, "--counts", self.recorded, "--measured", measured, *options],
                              capture_output=True, text=True, check=False)

    def test_equal_counts_pass(self):
        self.assertEqual(self.run_gate(RECORDED).returncode, 0)

    def test_a_change_within_3_percent_passes(self):
        self.assertEqual(self.run_gate(RECORDED | {"blocked-query,scalar": 102.9, "blocked-query,avx2": 38.9}).returncode, 0)

    def test_a_slower_path_fails_and_is_named(self):
        gate = self.run_gate(RECORDED | {"blocked-query,avx2": 41.3})
        self.assertEqual(gate.returncode, 1)
        self.assertRegex(gate.stdout, r"blocked-query +avx2 +41\.30 +40\.00 +\+3\.25%  <--")
        self.assertEqual(gate.stdout.count("<--"), 1)

    def test_a_faster_path_fails_too(self):
        self.assertEqual(self.run_gate(RECORDED | {"blocked-query,scalar": 96.9}).returncode, 1)

    def test_a_path_that_is_not_recorded_fails(self):
        self.assertEqual(self.run_gate(RECORDED | {"ribbon-query,any": 400.0}).returncode, 1)

    def test_a_recorded_path_that_is_gone_fails(self):
        gate = self.run_gate({"blocked-query,scalar": 100.0, "blocked-query,avx2": 40.0})
        self.assertEqual(gate.returncode, 1)
        self.assertIn("hash (any) is recorded and was not counted", gate.stdout)

    def test_paths_that_were_not_asked_for_are_not_gone(self):
        gate = self.run_gate(RECORDED, "--only", "hash")
        self.assertEqual(gate.returncode, 0)
        self.assertIn("1 counts", gate.stdout)
        self.assertEqual(self.run_gate(RECORDED, "--only", "nothing").returncode, 2)

    def test_a_compiler_without_recorded_counts_passes_and_says_so(self):
        gate = self.run_gate(RECORDED, compiler="clang-99")
        self.assertEqual(gate.returncode, 0)
        self.assertIn("No counts are recorded for clang-99", gate.stdout)
        self.assertIn("blocked-query", gate.stdout)

    def test_a_change_is_recorded_with_its_reason_and_then_passes(self):
        changed = RECORDED | {"blocked-query,avx2": 44.0, "hash,any": 10.2}
        self.assertEqual(self.run_gate(changed, "--record", "One load | more").returncode, 0)
        # What has changed by 2 % keeps its count.
        self.assertEqual(self.read(), RECORDED | {"blocked-query,avx2": 44.0})
        changes = (self.recorded / "changes.md").read_text().split("\n")
        self.assertRegex(changes[-2], r"^\| \d{4}-\d\d-\d\d \| gcc-12 \| blocked-query \| avx2 \| 40\.00 \| 44\.00 \| One load \\\| more \|$")
        self.assertEqual(self.run_gate(changed).returncode, 0)

    def test_a_change_is_not_recorded_without_a_reason(self):
        self.assertEqual(self.run_gate(RECORDED | {"blocked-query,avx2": 44.0}, "--record").returncode, 2)
        self.assertEqual(self.read(), RECORDED)
        self.assertFalse((self.recorded / "changes.md").exists())

    def test_new_and_gone_paths_are_recorded_without_a_reason(self):
        counts = {"blocked-query,scalar": 100.0, "blocked-query,avx2": 40.0, "ribbon-query,any": 400.0}
        self.assertEqual(self.run_gate(counts, "--record").returncode, 0)
        self.assertEqual(self.read(), counts)

    def test_only_some_paths_are_recorded_and_the_others_stay(self):
        changed = {key: 2 * count for key, count in RECORDED.items()}
        self.assertEqual(self.run_gate(changed, "--only", "hash", "--record", "Because").returncode, 0)
        self.assertEqual(self.read(), RECORDED | {"hash,any": 20.0})


if __name__ == "__main__":
    unittest.main()
