#!/usr/bin/env bash
# The data blocks that gets read of eight HFiles, per kind of Bloom filter: the table of docs/hfile-advise.md.
# The numbers are counts, the same on every machine; the test that prints them holds them against the filters' bits.
#
#   bench/hfile_reads.sh [BUILD]        BUILD: a directory with tests/cli_tests in it (build/release)
set -euo pipefail
build=${1:-build/release}
echo '| rows | get | NONE | ROW | ROWCOL | ROWPREFIX |'
echo '|---|---|---:|---:|---:|---:|'
"$build/tests/cli_tests" --gtest_filter='HFileReads.*' | grep '^|'
