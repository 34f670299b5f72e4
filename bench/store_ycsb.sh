#!/usr/bin/env bash
# Measures what docs/store.md shows of the mixes of YCSB, of space and of gets during a compaction (bench/store_ycsb.cc), beside RocksDB, LevelDB and
# HBase's HRegion. Writes docs/data/store-ycsb.tsv, medians of BENCH_TURNS (3) turns, and draws docs/store-ycsb.svg.
# Usage: bench/store_ycsb.sh [ROWS [OPERATIONS]]      two hours for 10000000 rows and 2000000 operations, 15 GB of disk
# HBase needs a JDK and Maven (scripts/setup interop) and is left out without them. Its load and its mixes have a fifth of the operations.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
rows=${1:-10000000}
operations=${2:-2000000}
turns=${BENCH_TURNS:-3}
cmake --preset bench >/dev/null
cmake --build --preset bench --target store_ycsb >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((turn = 0; turn < turns; ++turn)); do # in turns, so that a busy moment of the machine meets all
  build/bench/bench/store_ycsb mixes "$work" "$rows" "$operations"
  build/bench/bench/store_ycsb tails "$work" $((rows / 10)) $((operations / 4))
  if ((turn == 0)); then build/bench/bench/store_ycsb space "$work" "$rows" 5; fi
  if command -v javac >/dev/null && command -v mvn >/dev/null; then
    tests/interop/hbase/hbase region-mixes "$work/hregion" "$rows" $((operations / 5))
    rm -rf "$work/hregion"
  fi
done >"$work/runs"

{
  printf '# bench/store_ycsb.sh %d %d: medians of %d turns, space once; %s, %d processors, %s -O3, RocksDB 7.8, LevelDB 1.23, HBase 2.6\n' "$rows" "$operations" \
    "$turns" "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" "$(c++ --version | head -n 1)"
  printf 'system\tmix\tfigure\tvalue\n'
  cat bench/median.awk - <<'AWK' >"$work/medians.awk"
BEGIN { FS = OFS = "\t" }
{ key = $1 OFS $2 OFS $3; if (!(key in values)) order[++count] = key; values[key] = values[key] " " $4 }
END { for (i = 1; i <= count; ++i) print order[i], median(values[order[i]]) }
AWK
  awk -f "$work/medians.awk" "$work/runs"
} >docs/data/store-ycsb.tsv
bench/plot_store_ycsb.py
