#!/usr/bin/env bash
# Measures what docs/table.md shows: gets and scans of tables beside RocksDB and HBase's own HRegion, with the same rows. Writes docs/data/table.csv and the
# table of that page. Then prints the hit rates of the cache's policy on recorded traces, which docs/design/block-cache.md has.
# Usage: bench/table.sh [ROWS]            a quarter of an hour with 4,000,000 rows; 4 GB of memory or disk, and 4 GB for the JVM
#        bench/table.sh --try [ROWS]      prints the data, writes nothing
#        bench/table.sh --page [CSV]      prints the page's table for such data, or for docs/data/table.csv
# BENCH_TURNS is how often each side runs (3). HBase needs a JDK and Maven (scripts/setup interop) and is left out without them.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/table.md
data=docs/data/table.csv
core=1

table() { # CSV
  awk -f bench/median.awk -f bench/table.awk "$1"
}

if [[ ${1:-} == --page ]]; then
  table "${2:-$data}"
  exit
fi
try=
if [[ ${1:-} == --try ]]; then
  try=yes
  shift
fi
rows=${1:-4000000}
turns=${BENCH_TURNS:-3}

cmake --preset bench >/dev/null
cmake --build --preset bench --target table_bench table_rocksdb cache_bench >/dev/null
jars=
if command -v javac >/dev/null && command -v mvn >/dev/null; then
  jars=$(tests/interop/hbase/hbase classpath) || jars=
fi
classes=build/interop/table-bench
if [[ $jars ]]; then
  mkdir -p $classes
  javac -nowarn -proc:none -d $classes -cp "$jars" bench/hbase/HRegionBench.java
else
  echo "table.sh: HBase is left out: no JDK, or Maven could not bring it (scripts/setup interop)" >&2
fi

place=${TMPDIR:-/tmp}
room=$(df --output=avail -B1 /dev/shm 2>/dev/null | tail -n 1 || echo 0)
if ((room > rows * 1000)); then place=/dev/shm; fi
work=$(mktemp -d -p "$place")
trap 'rm -rf "$work"' EXIT

for ((turn = 0; turn < turns; ++turn)); do # in turns, so that a busy moment of the machine meets all
  taskset -c "$core" build/bench/bench/table_rocksdb "$rows" "$work"
  taskset -c "$core" build/bench/bench/table_bench "$rows" "$work" gets scan open
  build/bench/bench/table_bench "$rows" "$work" threads
  # It reads the files that table_bench has written. Its heap holds all of them in its cache.
  [[ ! $jars ]] || java -Xms4g -Xmx4g -cp "tests/interop/hbase:$classes:$jars" org.apache.hadoop.hbase.regionserver.HRegionBench "$rows" "$work" "$core"
done | sort >"$work/runs"

machine() {
  printf '%s, %s -O3, %d rows, medians of %d turns.\n' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(c++ --version | head -n 1)" \
    "$rows" "$turns"
  printf 'RocksDB %s' "$(dpkg-query -W -f '${Version}' librocksdb-dev)"
  [[ ! $jars ]] || printf '; HBase %s on %s, -Xms4g -Xmx4g' "$(sed -n 's/.*<hbase>\(.*\)<.*/\1/p' tests/interop/hbase/pom.xml)" \
    "$(java -version 2>&1 | sed -n '1s/ version "\(.*\)".*/ \1/p')"
  echo .
}

cat "$work/runs"
machine
if [[ ! $try ]]; then
  # shellcheck source=bench/put.sh
  source bench/put.sh
  cp "$work/runs" "$data"
  table "$data" | put "$page" costs
  machine | put "$page" machine
fi

build/bench/bench/table_bench 500000 "$work" trace "$work/traces"
build/bench/bench/cache_bench "$work"/traces/{zipf,scans,loop}
