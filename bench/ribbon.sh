#!/usr/bin/env bash
# Measures what docs/ribbon.md shows (but for ribbon_build.sh), writes docs/data/ribbon-*.csv, the tables and the plots.
# Usage: bench/ribbon.sh          about a quarter of an hour and 3.5 GB of memory
#        bench/ribbon.sh --speed  only the speed
#        bench/ribbon.sh --draw   only draws the data that is there
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/ribbon.md

if [[ ${1:-} != --draw ]]; then
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target ribbon_bench ribbon_space ribbon_fpp >/dev/null
  bench=build/bench/bench
  taskset -c 1 $bench/ribbon_bench --csv 1e4 1e5 1e6 1e7 1e8 >docs/data/ribbon-speed.csv
  if [[ ${1:-} != --speed ]]; then
    $bench/ribbon_space 1e4 1e5 1e6 1e7 1e8 >docs/data/ribbon-space.csv || true # 1: an aim was missed
    $bench/ribbon_fpp rates >docs/data/ribbon-fpp.csv
    $bench/ribbon_fpp halves --absent 200000000 >docs/data/ribbon-halves.csv
  fi
fi
python3 bench/plot_ribbon.py

# shellcheck source=bench/put.sh
source bench/put.sh

{
  echo '| fpp | L | log2(1/fpp) | 10^4 keys | 10^5 | 10^6 | 10^7 | 10^8 | allowed from 10^6 |'
  echo '|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
  awk -F, '
    NR > 1 { if (!($2 in L)) order[++rows] = $2; bits[$2, $1] = $3; L[$2] = $4; log2[$2] = $5; if ($1 == 1000000) allowed[$2] = $6 }
    END {
      for (i = 1; i <= rows; ++i) {
        p = order[i]
        printf "| %s | %s | %s |", p, L[p], log2[p]
        for (n = 10000; n <= 100000000; n *= 10) printf " %s |", bits[p, n]
        printf " %s |\n", allowed[p]
      }
    }' docs/data/ribbon-space.csv
} | put "$page" space

{
  echo '| asked | absent keys | false positives | measured | 99.9 % interval | ratio |'
  echo '|---:|---:|---:|---:|---|---:|'
  awk -F, 'NR > 1 { printf "| %s | %s | %s | %s | %s to %s | %s |\n", $1, $2, $3, $4, $5, $6, $7 }' docs/data/ribbon-fpp.csv
} | put "$page" fpp

{
  echo '| asked | columns | first half | ideal | second half | ideal | product | product / asked | both, counted | expected |'
  echo '|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
  awk -F, 'NR > 1 { printf "| %s | %s and %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $2 + 1, $4, $5, $6, $7, $8, $9, $10, $11 }' docs/data/ribbon-halves.csv
} | put "$page" halves

{
  echo '| keys | build: cycles, ns | query: cycles, ns | one at a time: cycles | textbook build, query: cycles | blocked Bloom build, query: cycles | random cache line: cycles |'
  echo '|---:|---|---|---:|---|---|---:|'
  awk -F, '
    NR > 1 { c[$1, $2, $3, $4] = $6; ns[$1, $2, $3, $4] = $5; if (!($1 in seen)) { seen[$1] = 1; order[++rows] = $1 } }
    END {
      for (i = 1; i <= rows; ++i) {
        n = order[i]
        printf "| %s | %.0f, %.0f | %.0f, %.0f | %.0f | %.0f, %.0f | %.0f, %.0f | %.0f |\n", n, c[n, "ribbon", "build", n], ns[n, "ribbon", "build", n],
          c[n, "ribbon", "query", 1024], ns[n, "ribbon", "query", 1024], c[n, "ribbon", "query", 1], c[n, "textbook", "build", n],
          c[n, "textbook", "query", 1024], c[n, "blocked:fast", "build", n], c[n, "blocked:fast", "query", 1024], c[n, "random line", "query", 1024]
      }
    }' docs/data/ribbon-speed.csv
} | put "$page" speed
echo "wrote $page and its data and plots"
