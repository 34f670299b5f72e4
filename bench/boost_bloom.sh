#!/usr/bin/env bash
# Measures what docs/one-key.md shows beside Boost.Bloom, writes docs/data/one-key.csv and the tables.
# Usage: bench/boost_bloom.sh BOOST_INCLUDE [BEFORE]
#        BENCH_KEYS="10000 1000000" bench/boost_bloom.sh BOOST_INCLUDE --try      prints the data of a small run, writes nothing
#   BOOST_INCLUDE  a directory with boost/bloom.hpp (Boost 1.89 or later), brought by hand; Debian 12 has none
#   BEFORE         another checkout of this project, whose figures go into the table as "before"
# About twenty minutes; 10^8 keys take 4 GB. Every program is run pinned to one CPU, and all take turns.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/one-key.md
data=docs/data/one-key.csv
sizes=${BENCH_KEYS:-10000 1000000 10000000 100000000}
boost=${1:?the include directory of a Boost with Bloom}
before=${2:-}
[[ -f $boost/boost/bloom.hpp ]] || {
  echo "boost_bloom.sh: no boost/bloom.hpp in $boost" >&2
  exit 2
}
trees=(.)
try=
if [[ $before == --try ]]; then
  try=yes
elif [[ -n $before ]]; then
  cp bench/boost_bloom_bench.cc bench/CMakeLists.txt "$before/bench/"
  trees+=("$before")
fi
for tree in "${trees[@]}"; do
  (
    cd "$tree"
    cmake --preset bench -DBLOOMERY_BOOST_INCLUDE="$boost" >/dev/null
    cmake --build --preset bench --target boost_bloom_bench_native boost_bloom_bench_portable >/dev/null
  )
done

runs=$(mktemp)
trap 'rm -f "$runs"' EXIT
for keys in $sizes; do
  for tree in "${trees[@]}"; do
    for machine in native portable; do
      [[ $machine == portable && $keys -gt 10000000 ]] && continue # memory decides there, not instructions
      taskset -c 0 "$tree/build/bench/bench/boost_bloom_bench_$machine" "$keys" |
        sed "s|^|$([[ $tree == . ]] && echo now || echo before),$machine,|"
    done
  done
done >"$runs"

if [[ -n $try ]]; then
  cat "$runs"
  exit
fi
{
  echo "tree,machine,keys,operation,contestant,ns,fpp"
  cat "$runs"
} >"$data"

# shellcheck source=bench/put.sh
source bench/put.sh

# One row for each operation and size: the peer, ours, and how many times ours goes into the peer's time.
table() { # MACHINE
  echo '| operation | keys | fast_multiblock64 | ours | multiple of its speed | before | fast_multiblock32 |'
  echo '|---|---:|---:|---:|---:|---:|---:|'
  awk -F, -v machine="$1" '
    NR > 1 && $2 == machine {
      row = $4 "," $3
      if (!(row in seen)) { rows[++count] = row; seen[row] = 1 }
      ns[$1 "," row "," $5] = $6
    }
    function shown(value) { return value == "" ? "" : sprintf("%.2f", value) }
    END {
      for (i = 1; i <= count; ++i) {
        split(rows[i], part, ",")
        peer = ns["now," rows[i] ",boost64"]; ours = ns["now," rows[i] ",ours"]
        if (part[1] ~ /textbook/) { peer = ns["now," rows[i] ",boost textbook"]; ours = ns["now," rows[i] ",ours textbook"] }
        was = ns["before," rows[i] ",ours"]; was_peer = ns["before," rows[i] ",boost64"]
        if (part[1] ~ /textbook/) { was = ns["before," rows[i] ",ours textbook"]; was_peer = ns["before," rows[i] ",boost textbook"] }
        printf "| %s | %d | %s | %s | %.2f | %s | %s |\n", part[1], part[2], shown(peer), shown(ours), peer / ours, \
          was == "" ? "" : sprintf("%.2f", was_peer / was), shown(ns["now," rows[i] ",boost32"])
      }
    }' "$data"
}

table native | put "$page" native
table portable | put "$page" portable
{
  echo "| contestant | keys | measured fpp |"
  echo "|---|---:|---:|"
  awk -F, '$1 == "now" && $2 == "native" && $7 != "" && !seen[$5 $3]++ { printf "| %s | %d | %s |\n", $5, $3, $7 }' "$data"
} | put "$page" fpp
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(grep -o -w -E 'avx2|avx512f' /proc/cpuinfo | sort -u | tr '\n' ' ')$(c++ --version | head -1), -O3." |
  put "$page" machine
