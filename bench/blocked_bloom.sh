#!/usr/bin/env bash
# Measures everything that docs/blocked-bloom.md shows, writes docs/data/blocked-bloom-*.csv, the tables and the plots.
# Usage: bench/blocked_bloom.sh [KEYS...]      about three minutes and 1.5 GB of memory with the default sizes
#        bench/blocked_bloom.sh --draw         only draws the data that is there
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/blocked-bloom.md

if [[ ${1:-} != --draw ]]; then
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target blocked_bloom_bench blocked_forms_bench >/dev/null
  bench=build/bench/bench/blocked_bloom_bench
  taskset -c 1 $bench speed "$@" >docs/data/blocked-bloom-speed.csv
  $bench threads >docs/data/blocked-bloom-threads.csv
  $bench fpp >docs/data/blocked-bloom-fpp.csv
  taskset -c 1 build/bench/bench/blocked_forms_bench 1e7 >docs/data/blocked-forms.csv
fi
python3 bench/plot_blocked_bloom.py

# shellcheck source=bench/put.sh
source bench/put.sh

{
  echo '| setting | bits per key | k | measured | predicted | ratio |'
  echo '|---|---:|---:|---:|---:|---:|'
  awk -F, 'NR > 1 { printf "| %s | %s | %s | %s | %s | %.3f |\n", $1, $2, $3, $6, $7, $8 }' docs/data/blocked-bloom-fpp.csv
} | put "$page" fpp

{
  echo '| keys | operation, batch | blocked:fast | blocked:dense | textbook | random cache line | fast / random cache line |'
  echo '|---:|---|---:|---:|---:|---:|---:|'
  awk -F, '
    NR > 1 { gsub(/"/, ""); ns[$1, $3 ", " $4, $2] = $5; rows[$1, $3 ", " $4] = 1 }
    END {
      n = split("10000 1000000 10000000 100000000", keys, " ")
      m = split("present, 1024;absent, 1024;half, 1024;half, 64;half, 16;half, 1;insert, 1024", ops, ";")
      for (i = 1; i <= n; ++i) for (j = 1; j <= m; ++j) if ((keys[i], ops[j]) in rows) {
        line = ns[keys[i], ops[j], "random line"]
        fast = ns[keys[i], ops[j], "blocked:fast"]
        printf "| %s | %s | %.1f | %.1f | %.1f | %s | %s |\n", keys[i], ops[j], fast, ns[keys[i], ops[j], "blocked:dense"],
          ns[keys[i], ops[j], "textbook"], line == "" ? "" : sprintf("%.1f", line), line == "" ? "" : sprintf("%.2f", fast / line)
      }
    }' docs/data/blocked-bloom-speed.csv
} | put "$page" speed

{
  echo '| threads | operation | ns |'
  echo '|---:|---|---:|'
  awk -F, 'NR > 1 { printf "| %s | %s | %.1f |\n", $1, $2, $3 }' docs/data/blocked-bloom-threads.csv
} | put "$page" threads

{
  echo '| fpp | form | bits per key | k | insert ns | present ns | absent ns | measured fpp |'
  echo '|---:|---|---:|---:|---:|---:|---:|---:|'
  awk -F, 'NR > 1 { printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6, $7, $8, $9 }' docs/data/blocked-forms.csv
} | put "$page" forms
echo "wrote $page and its data and plots"
