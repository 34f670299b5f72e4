#!/usr/bin/env bash
# Measures what docs/exceptions.md shows, writes docs/data/exceptions.csv and the tables.
# Usage: bench/exceptions.sh      about three minutes after the build, and 2 GB of disk under TMPDIR
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/exceptions.md

cmake --preset bench >/dev/null
cmake --build --preset bench >/dev/null
taskset -c 1 build/bench/bench/exceptions_bench --csv 1e5 1e6 >docs/data/exceptions.csv

# shellcheck source=bench/put.sh
source bench/put.sh

{
  echo '| keys | filter | bits a key | members | strangers | exceptions |'
  echo '|---:|---|---:|---:|---:|---:|'
  awk -F, '
    NR > 1 && $3 !~ /bytes/ {
      row = $1 " | " $2
      if (!(row in bits)) order[++rows] = row
      bits[row] = $6; ns[row, $3] = $4
    }
    END {
      for (i = 1; i <= rows; ++i) {
        row = order[i]
        printf "| %s | %s | %s | %s | %s |\n", row, bits[row] + 0 ? bits[row] : "", ns[row, "members"], ns[row, "strangers"], ns[row, "exceptions"]
      }
    }' docs/data/exceptions.csv
} | put "$page" queries

{
  echo '| key | XXH3-128 | SipHash-2-4-128 | ratio |'
  echo '|---|---:|---:|---:|'
  awk -F, '$3 ~ /bytes/ { if (!($3 in first)) { first[$3] = $4; next } printf "| %s | %s ns | %s ns | %.1f |\n", $3, first[$3], $4, $4 / first[$3] }' docs/data/exceptions.csv
} | put "$page" hashes

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bloomery=build/bench/bloomery
lines=10000000
build/bench/tools/url_stream $lines >"$work/urls"
build/bench/tools/url_stream 1000000 --distinct >"$work/members"
$bloomery build --no-summary -o "$work/plain" -p 0.01 "$work/members"
$bloomery build --no-summary -o "$work/keyed" -p 0.01 --keyed "$work/members"
# The URLs of the stream that are no members, of which 1 % match.
build/bench/tools/url_stream 6000000 --distinct | tail -n +1000001 >"$work/white"
$bloomery build --no-summary -o "$work/excepted" -p 0.01 --exceptions "$work/white" "$work/members"

# seconds FILTER: user and system time of asking it about every line
seconds() {
  { command time -f '%U %S' $bloomery query --no-summary -c "$1" "$work/urls" >/dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}

for _ in 1 2 3 4 5; do
  for filter in plain keyed excepted; do
    echo "$filter $(seconds "$work/$filter")"
  done
done >"$work/times"

{
  echo '| filter of 1,000,000 URLs | a line |'
  echo '|---|---:|'
  for filter in plain keyed excepted; do
    awk -v filter=$filter '$1 == filter { print $2 }' "$work/times" | sort -n | awk -v filter=$filter -v lines=$lines '
      { seconds[NR] = $1 } END { printf "| %s | %.0f ns |\n", filter, seconds[int((NR + 1) / 2)] * 1e9 / lines }'
  done
} | put "$page" lines

{
  printf '%s, %s; %s lines for the last table.\n' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" \
    "$(c++ --version | head -n 1)" "$lines"
} | put "$page" machine
