#!/usr/bin/env bash
# Measures what docs/deletable.md shows, writes docs/data/deletable.csv, the tables and the plot.
# Usage: bench/deletable.sh          about three minutes after the build, and 2 GB of memory
#        bench/deletable.sh --draw   only draws the data that is there
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/deletable.md
data=docs/data/deletable.csv

# shellcheck source=bench/put.sh
source bench/put.sh

if [[ ${1:-} != --draw ]]; then
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target deletable_bench >/dev/null
  taskset -c 1 build/bench/bench/deletable_bench >"$data.new"
  mv "$data.new" "$data"
  caches=$(lscpu | awk -F': *' '/^L[123]d? cache|^L[23] cache/ { sub(/ \(.*/, "", $2); sub(/ cache/, "", $1); printf "%s%s %s", sep, $1, $2; sep = ", " }')
  printf '%s (%s of the whole processor), %s -O3; one pinned thread.\n' \
    "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$caches" "$(c++ --version | head -n 1)" | put "$page" machine
fi
python3 bench/plot_deletable.py

# table PROGRAM: runs awk over the data, with value[part, filter, keys, at, what].
table() {
  awk -F, "NR > 1 { value[\$1, \$2, \$3, \$4, \$5] = \$6 } END { $1 }" "$data"
}

{
  echo '| keys | load | insert | remove | query, present | query, absent |'
  echo '|---:|---:|---:|---:|---:|---:|'
  # shellcheck disable=SC2016 # of awk
  table '
    split("100000 10000000", sizes, " "); split("0.5 0.75 0.9 0.95", loads, " "); split("insert remove present absent", whats, " ")
    for (s = 1; s <= 2; ++s) for (l = 1; l <= 4; ++l) {
      printf "| %d | %d %% |", sizes[s], 100 * loads[l]
      for (w = 1; w <= 4; ++w) {
        printf " %.0f, %.0f |", value["load", "quotient", sizes[s], loads[l], whats[w] " ns"], value["load", "quotient", sizes[s], loads[l], whats[w] " singly ns"]
      }
      print ""
    }'
} | put "$page" load

{
  echo '| keys | operation | quotient: ns, cycles | counting: ns, cycles | blocked Bloom: ns, cycles | quotient / counting | quotient / blocked |'
  echo '|---:|---|---:|---:|---:|---:|---:|'
  # shellcheck disable=SC2016
  table '
    split("100000 10000000", sizes, " "); split("quotient counting blocked", filters, " ")
    n = split("insert;insert singly;remove;remove singly;present;present singly;absent;absent singly", whats, ";")
    for (s = 1; s <= 2; ++s) for (w = 1; w <= n; ++w) {
      printf "| %d | %s |", sizes[s], whats[w]
      for (f = 1; f <= 3; ++f) {
        ns[f] = value["load", filters[f], sizes[s], 0.95, whats[w] " ns"]
        if (ns[f] == "") printf " |"; else printf " %.1f, %.0f |", ns[f], value["load", filters[f], sizes[s], 0.95, whats[w] " cycles"]
      }
      printf " %.2f |", ns[1] / ns[2]
      if (ns[3] == "") print " |"; else printf " %.1f |\n", ns[1] / ns[3]
    }'
} | put "$page" beside

{
  echo '| keys | insert | longest insert, microseconds | query, present | query, absent |'
  echo '|---:|---:|---:|---:|---:|'
  # shellcheck disable=SC2016
  table '
    split("quotient with 10 doublings reserved;scalable;blocked for all;counting for all", filters, ";")
    split("insert ns;longest insert ns;present ns;absent ns", whats, ";")
    for (d = 0; d <= 10; ++d) {
      keys = 16384 * 2 ^ d
      printf "| %d |", keys
      for (w = 1; w <= 4; ++w) {
        for (f = 1; f <= 4; ++f) {
          if (w == 2) printf "%s%.3g", f == 1 ? " " : " / ", value["growth", filters[f], keys, d, whats[w]] / 1000
          else printf "%s%.0f", f == 1 ? " " : " / ", value["growth", filters[f], keys, d, whats[w]]
        }
        printf " |"
      }
      print ""
    }'
} | put "$page" growth

{
  echo '| keys | quotient: bits | fpp | predicted | 10 doublings reserved: bits | fpp | predicted | scalable: bits | fpp | predicted |'
  echo '|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
  # shellcheck disable=SC2016
  table '
    split("quotient;quotient with 10 doublings reserved;scalable", filters, ";")
    for (d = 0; d <= 10; ++d) {
      keys = 16384 * 2 ^ d
      printf "| %d |", keys
      for (f = 1; f <= 3; ++f) {
        refused = value["growth", filters[f], keys, d, "refused from key"]
        least = value["growth", filters[f], keys, d, "least bits"]
        if (refused != "") printf " full with %d | | |", refused
        else if (least == "") printf " | | |"
        else {
          printf d == 0 ? " %.1f |" : " %.1f to %.1f |", least, value["growth", filters[f], keys, d, "most bits"]
          printf " %.2e | %.2e |", value["growth", filters[f], keys, d, "measured fpp"], value["growth", filters[f], keys, d, "predicted fpp"]
        }
      }
      print ""
    }'
} | put "$page" growth-space

{
  echo '| keys | bits a key: least | most | most times those of a planned filter | fpp at the end |'
  echo '|---|---:|---:|---:|---:|'
  # shellcheck disable=SC2016
  awk -F, '
    $1 == "far" && $2 == "planned" { planned[$3] = $6 }
    $1 == "far" && $2 == "scalable" && $5 == "bits" { bits[$3] = $6 }
    $1 == "far" && $5 == "measured fpp" { fpp[$3] = $6 }
    END {
      for (decade = 10000; decade < 1e8; decade *= 10) {
        least = 1e9; most = times = end = 0
        for (keys in bits) {
          if (keys + 0 < decade || keys + 0 > 10 * decade) continue
          if (bits[keys] < least) least = bits[keys]
          if (bits[keys] > most) most = bits[keys]
          if (bits[keys] / planned[keys] > times) times = bits[keys] / planned[keys]
          if (keys in fpp && keys + 0 > end) end = keys + 0
        }
        printf "| %d to %d | %.1f | %.1f | %.2f | %.2e at %d |\n", decade, 10 * decade, least, most, times, fpp[end ""], end
      }
    }' "$data"
} | put "$page" far

{
  echo '| fpp asked | filter | bits a key | fpp | measured | log2(1/fpp) + 1.44 | above it |'
  echo '|---:|---|---:|---:|---:|---:|---:|'
  # shellcheck disable=SC2016
  table '
    split("quotient counting blocked textbook", filters, " "); split("0.01 0.001 0.0001 1e-05", fpps, " ")
    for (p = 1; p <= 4; ++p) for (f = 1; f <= 4; ++f) {
      bits = value["space", filters[f], 1000000, fpps[p], "bits"]; bound = value["space", filters[f], 1000000, fpps[p], "bound"]
      printf "| %s | %s | %.2f | %.3e | %.3e | %.2f | %+.2f |\n", fpps[p], filters[f], bits, value["space", filters[f], 1000000, fpps[p], "fpp"],
        value["space", filters[f], 1000000, fpps[p], "measured fpp"], bound, bits - bound
    }'
} | put "$page" space

{
  echo '| filter | bits a key | insert | query, present | query, absent | remove |'
  echo '|---|---:|---:|---:|---:|---:|'
  # shellcheck disable=SC2016
  table '
    n = split("counting quotient scalable windowed exact blocked", filters, " "); split("insert present absent remove", whats, " ")
    for (f = 1; f <= n; ++f) {
      printf "| %s | %.1f |", filters[f], value["types", filters[f], 1000000, 0.001, "file bits"]
      for (w = 1; w <= 4; ++w) {
        ns = value["types", filters[f], 1000000, 0.001, whats[w] " ns"]
        if (ns == "") printf " |"; else printf " %.0f |", ns
      }
      print ""
    }'
} | put "$page" types
echo "wrote $page, its data and its plot"
