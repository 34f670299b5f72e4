#!/usr/bin/env bash
# Measures what docs/hfile.md shows: HBase's own writer and reader beside ours. Writes docs/data/hfile.csv and the tables.
# Usage: bench/hfile.sh [CELLS]          about seven minutes with 10,000,000 cells; needs a JDK and Maven (scripts/setup interop), 11 GB of memory
#        BENCH_TURNS=1 bench/hfile.sh --try [CELLS]     prints the data, writes nothing
# Fails where a file or an answer of the two differs.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/hfile.md
data=docs/data/hfile.csv
try=
if [[ ${1:-} == --try ]]; then
  try=yes
  shift
fi
cells=${1:-10000000}
turns=${BENCH_TURNS:-3}
core=1 # both working threads; the JVM's compiler and collector may use all others too

cmake --preset bench >/dev/null
cmake --build --preset bench --target hfile_bench >/dev/null
jars=$(tests/interop/hbase/hbase classpath)
classes=build/interop/hfile-bench
mkdir -p $classes
javac -nowarn -proc:none -d $classes -cp "$jars" bench/hfile/HFileBench.java

# In memory where there is room: a disk is no part of what is compared.
room=$(df --output=avail -B1 /dev/shm 2>/dev/null | tail -n 1 || echo 0)
place=${TMPDIR:-/tmp}
if ((room > cells * 500)); then place=/dev/shm; fi
work=$(mktemp -d -p "$place")
trap 'rm -rf "$work"' EXIT

for ((turn = 0; turn < turns; ++turn)); do # in turns, so that a busy moment of the machine meets both
  # The heap holds the block cache with all of the file, and is large enough that nothing is collected in a hurry.
  java -Xms6g -Xmx6g -cp "tests/interop/hbase:$classes:$jars" org.apache.hadoop.hbase.regionserver.HFileBench "$work" "$cells" "$core"
  taskset -c "$core" build/bench/bench/hfile_bench "$cells" "$work"
  cmp "$work/0123456789abcdef0123456789abcdef" "$work/ours-NONE-NONE" >&2
  rm -f "$work"/*
done >"$work.runs"
trap 'rm -rf "$work" "$work.runs"' EXIT

# The median of the turns of each, and how often ours goes into HBase's.
medians() {
  awk -F, "$(cat bench/median.awk)"'
    {
      row = $2 "," $3 "," $4
      if (!(row in count)) { rows[++known] = row; count[row] = $5 }
      # The compressor of each is its own, so that the sizes of compressed files may differ.
      if (($2 != "write" || $4 == "NONE") && $2 != "open") {
        if (row in checks && checks[row] != $8) { print "hfile.sh: " row ": " $1 " says " $8 ", not " checks[row] > "/dev/stderr"; wrong = 1 }
        checks[row] = $8
      }
      wall[$1 "," row] = wall[$1 "," row] " " $6
      cpu[$1 "," row] = cpu[$1 "," row] " " $7
      last[$1 "," row] = $8
    }
    END {
      print "what,encoding,compression,count,hbase_wall_ns,hbase_cpu_ns,ours_wall_ns,ours_cpu_ns,wall_ratio,cpu_ratio,check"
      for (i = 1; i <= known; ++i) {
        row = rows[i]
        hw = median(wall["hbase," row]); hc = median(cpu["hbase," row])
        ow = median(wall["bloomery," row]); oc = median(cpu["bloomery," row])
        printf "%s,%s,%s,%s,%s,%s,%s,%s,%s\n", row, count[row], hw, hc, ow, oc, hw ? sprintf("%.1f", hw / ow) : "", hw ? sprintf("%.1f", hc / oc) : "", last["bloomery," row]
      }
      exit wrong
    }' "$work.runs"
}

if [[ $try ]]; then
  medians
  exit
fi
medians >"$data.new"
mv "$data.new" "$data"

# shellcheck source=bench/put.sh
source bench/put.sh

{
  echo '| | HBase, wall | processor | ours, wall | processor | HBase / ours, wall | processor |'
  echo '|---|---:|---:|---:|---:|---:|---:|'
  awk -F, '
    function time(ns) { return ns == "" ? "" : ns >= 10000 ? sprintf("%.1f us", ns / 1000) : sprintf("%.0f ns", ns) }
    BEGIN {
      name["write"] = "write a cell"; name["scan"] = "scan a cell"; name["write_synced"] = "write a cell, and fsync"
      name["get"] = "get a row that is there, no cache"; name["miss"] = "get a row that is not there, no cache"
      name["get_cached"] = "get a row that is there, all in memory"; name["miss_cached"] = "get a row that is not there, all in memory"
    }
    NR > 1 && $1 in name {
      form = $2 == "NONE" ? "" : ", " $2 " and " $3
      printf "| %s%s | %s | %s | %s | %s | %s | %s |\n", name[$1], form, time($5), time($6), time($7), time($8), $9, $10
    }' $data
} | put "$page" speed

awk -F, '
  $1 == "scan" && $2 == "NONE" { scan = 134e3 / $8; cells = $4 }
  $1 == "write" && $2 == "NONE" { bytes = $11 }
  $1 == "open" { kept = $11 }
  END {
    printf "The scan reads %.0f MB of keys and values a second of processor time (a cell has 34 and 100 bytes), checksums verified. ", scan
    printf "The file of %d cells has %.2f GB; open, without a cache, it takes %.0f KB of memory, %.0f KB for each GB.\n", cells, bytes / 1e9, kept / 1e3, kept / 1e3 / (bytes / 1e9)
  }' $data | put "$page" scan

{
  printf '%s, %s -O3; HBase %s on %s, -Xms6g -Xmx6g.\n' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" \
    "$(c++ --version | head -n 1)" "$(sed -n 's/.*<hbase>\(.*\)<.*/\1/p' tests/interop/hbase/pom.xml)" "$(java -version 2>&1 | sed -n '1s/ version "\(.*\)".*/ \1/p')"
} | put "$page" machine
