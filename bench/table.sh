#!/usr/bin/env bash
# Measures gets and scans of tables beside RocksDB with the same rows, and the hit rates of the cache's policy on recorded
# traces. Prints both as CSV; docs/design/block-cache.md and docs/table.md have the figures.
# Usage: bench/table.sh [ROWS]      about ten minutes with 4,000,000 rows; 2 GB of memory or disk
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
rows=${1:-4000000}
turns=${BENCH_TURNS:-3}
core=1

cmake --preset bench >/dev/null
cmake --build --preset bench --target table_bench table_rocksdb cache_bench >/dev/null
place=${TMPDIR:-/tmp}
room=$(df --output=avail -B1 /dev/shm 2>/dev/null | tail -n 1 || echo 0)
if ((room > rows * 600)); then place=/dev/shm; fi
work=$(mktemp -d -p "$place")
trap 'rm -rf "$work"' EXIT

for ((turn = 0; turn < turns; ++turn)); do # in turns, so that a busy moment of the machine meets both
  taskset -c "$core" build/bench/bench/table_rocksdb "$rows" "$work"
  taskset -c "$core" build/bench/bench/table_bench "$rows" "$work" gets scan open
done | sort
build/bench/bench/table_bench "$rows" "$work" threads

build/bench/bench/table_bench 500000 "$work" trace "$work/traces"
build/bench/bench/cache_bench "$work"/traces/{zipf,scans,loop}
