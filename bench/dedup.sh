#!/usr/bin/env bash
# Measures what docs/dedup.md shows, and writes its tables: the first of equal lines of ten million URLs, beside what people type
# instead. Fails where an output differs from mawk's that may not, or a bound is not kept.
#
# 10,000,000 lines (about 630 MB, 40 % repeats) from tools/url_stream, read from a file; all output goes to /dev/null. CPU is user +
# system seconds, wall is what the clock on the wall says, both medians; peak is the largest resident set.
# Usage: bench/dedup.sh [LINES]        about ten minutes, 2 GB of disk under TMPDIR and 2.2 GB of memory for gawk
#        bench/dedup.sh --long         200 million lines through a pipe under --max-mem 256M, about two minutes
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
export LC_ALL=C
page=docs/dedup.md
cmake --preset release >/dev/null
cmake --build --preset release --target bloomery_command url_stream >/dev/null
bin=build/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "bench/dedup.sh: $1" >&2
  exit 1
}

# shellcheck source=bench/put.sh
source bench/put.sh

peak_of() {
  awk '{ printf "%.0f", $4 / 1000 }' "$1"
}

if [[ ${1:-} == --long ]]; then
  $bin/tools/url_stream 200000000 |
    /usr/bin/time -o "$work/time" -f '%U %S %e %M' $bin/bloomery dedup --max-mem 256M >/dev/null 2>"$work/said"
  cat "$work/said"
  peak=$(peak_of "$work/time")
  echo "peak $peak MB of the 268 that 256M allows; $(awk '{ printf "%.1f s CPU, %.1f s wall", $1 + $2, $3 }' "$work/time")"
  ((peak <= 268)) || fail "the bound was not kept"
  {
    printf '> %s\n' "$(tail -n 1 "$work/said")"
    echo
    awk '{ printf "%.0f s CPU, %.0f s on the clock, %.0f MB resident at most (256M are 268 MB).\n", $1 + $2, $3, $4 / 1000 }' "$work/time"
  } | put "$page" long
  exit 0
fi

lines=${1:-10000000}
export BLOOMERY="$PWD/$bin/bloomery" U="$work/urls" STATE="$work/state"
$bin/tools/url_stream "$lines" >"$U"

# measure NAME RUNS COMMAND: appends "NAME;CPU;wall;peak" to the results: medians, and the largest peak in MB.
measure() {
  local name=$1 runs=$2 run
  shift 2
  : >"$work/times"
  for ((run = 0; run < runs; ++run)); do
    /usr/bin/time -a -o "$work/times" -f '%U %S %e %M' bash -c "$1" 2>"$work/said"
  done
  awk -v name="$name" "$(cat bench/median.awk)"'
    { cpu = cpu " " $1 + $2; wall = wall " " $3; if ($4 > peak) peak = $4 }
    END { printf "%s;%.2f;%.2f;%.0f\n", name, median(cpu), median(wall), peak / 1000 }' "$work/times" >>"$work/results"
}

# shellcheck disable=SC2016 # the inner shell expands these
{
  measure "mawk '!s[\$0]++'" 3 'exec mawk "!s[\$0]++" $U >/dev/null'
  measure "gawk '!s[\$0]++'" 1 'exec gawk "!s[\$0]++" $U >/dev/null'
  measure "perl -ne 'print unless \$s{\$_}++'" 1 'exec perl -ne "print unless \$s{\$_}++" $U >/dev/null'
  measure 'sort -u (other order)' 1 'exec sort -u $U >/dev/null'
  measure 'datamash rmdup 1' 1 'exec datamash rmdup 1 <$U >/dev/null'
  measure 'bloomery dedup' 5 'exec $BLOOMERY dedup $U >/dev/null'
  cp "$work/said" "$work/said.hash64"
  measure 'bloomery dedup --exact' 3 'exec $BLOOMERY dedup --exact $U >/dev/null'
  measure 'bloomery dedup --max-mem 25M' 5 'exec $BLOOMERY dedup --max-mem 25M $U >/dev/null'
  cp "$work/said" "$work/said.filter"
  measure 'bloomery dedup --state, new' 3 'rm -f $STATE; exec $BLOOMERY dedup --state $STATE -n 6000000 -p 1e-4 $U >/dev/null'
  measure 'bloomery dedup --state, again' 3 'exec $BLOOMERY dedup --state $STATE $U >/dev/null'
  measure 'cat' 3 'exec cat $U >/dev/null'
}

# What is kept: all three modes against mawk's.
mawk '!s[$0]++' "$U" >"$work/kept"
cmp "$work/kept" <($BLOOMERY dedup --no-summary "$U") || fail 'dedup and mawk differ'
cmp "$work/kept" <($BLOOMERY dedup --no-summary --exact "$U") || fail 'dedup --exact and mawk differ'
$BLOOMERY dedup --max-mem 25M "$U" >"$work/filtered" 2>"$work/said"
distinct=$(wc -l <"$work/kept")
lost=$((distinct - $(wc -l <"$work/filtered")))
cat "$work/said"
interval=$(sed -n 's/.*99\.9 %: \([0-9,]*\) to \([0-9,]*\).*/\1 \2/p' "$work/said" | tr -d ,)
read -r least most <<<"$interval"
((least <= lost && lost <= most)) || fail "$lost lines lost, announced were $least to $most"
filter_peak=$(awk -F';' '/max-mem/ { print $4 }' "$work/results")
((filter_peak * 1000000 <= 25 * 1024 * 1024 + 500000)) || fail "--max-mem 25M took $filter_peak MB"

{
  echo '| command | CPU s | times less than mawk | wall s | peak MB |'
  echo '|---|---:|---:|---:|---:|'
  awk -F';' 'NR == 1 { mawk = $2 } { gsub(/\|/, "\\|", $1); printf "| `%s` | %.2f | %.1f | %.2f | %d |\n", $1, $2, mawk / $2, $3, $4 }' "$work/results"
} | put "$page" speed
{
  echo "Of $distinct distinct lines \`--max-mem 25M\` lost $lost; it said:"
  echo
  printf '> %s\n' "$(tail -n 1 "$work/said")"
} | put "$page" lost
printf '%s lines, %s bytes; %s, %s; mawk %s, gawk %s.\n' "$lines" "$(stat -c %s "$U")" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(c++ --version | head -n 1)" \
  "$(mawk -W version 2>&1 | sed -n '1s/mawk \([^ ]*\).*/\1/p')" "$(gawk --version | sed -n '1s/GNU Awk \([^,]*\).*/\1/p')" | put "$page" machine
