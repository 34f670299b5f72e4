#!/usr/bin/env bash
# Measures what docs/leveldb-policy.md shows, writes docs/data/leveldb-policy-*.csv and the tables.
# Usage: bench/leveldb_policy.sh      about a minute after the build, and 400 MB of disk under TMPDIR; needs libleveldb-dev
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/leveldb-policy.md
reads=docs/data/leveldb-policy-reads.csv
speed=docs/data/leveldb-policy-speed.csv

cmake --preset bench >/dev/null
cmake --build --preset bench --target leveldb_policy_bench >/dev/null
build/bench/bench/leveldb_policy_bench reads >$reads
taskset -c 1 build/bench/bench/leveldb_policy_bench speed >$speed

# shellcheck source=bench/put.sh
source bench/put.sh

{
  echo '| policy | bits per key asked | bits per key made | blocks read, absent key | blocks read, present key |'
  echo '|---|---:|---:|---:|---:|'
  awk -F, 'NR > 1 { printf "| %s | %s | %s | %s | %s |\n", $1, $2 ? $2 : "", $2 ? $3 : "", $4, $5 }' $reads
} | put "$page" reads

{
  echo "| keys in the filter | asked | LevelDB's own | our policy | our batches | own / policy | own / batches |"
  echo '|---:|---|---:|---:|---:|---:|---:|'
  awk -F, 'NR > 1 { printf "| %s | %s | %s ns | %s ns | %s ns | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7 }' $speed
} | put "$page" speed

{
  printf '%s, %s.\n' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(c++ --version | head -n 1)"
} | put "$page" machine
