#!/usr/bin/env bash
# What do build and query cost on ten million URL lines, beside mawk on the same file?
#
# 10,000,000 lines (about 630 MB, 40 % repeats) from tools/url_stream; a filter at fpp 1e-3; every line asked against it. The
# comparison is what people type instead: mawk '!s[$0]++'. All output goes to /dev/null, and once more through a pipe to
# `wc -l`. CPU is user + system seconds, the median of five runs (mawk: three), peak is the largest resident set.
# Usage: bench/url_lines.sh [LINES]       needs 700 MB of disk and 1 GB of memory for mawk
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
lines=${1:-10000000}
cmake --preset release >/dev/null
cmake --build --preset release --target bloomery_command url_stream >/dev/null
bin=build/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# cpu_and_peak RUNS COMMAND: the median of user + system seconds, and the largest peak in MB.
cpu_and_peak() {
  local runs=$1 run
  shift
  : >"$work/times"
  for ((run = 0; run < runs; ++run)); do
    /usr/bin/time -a -o "$work/times" -f '%U %S %M' bash -c "$1" 2>/dev/null
  done
  awk '{ printf "%.2f %.0f\n", $1 + $2, $3 / 1000 }' "$work/times" | sort -n |
    awk '{ cpu[NR] = $1; if ($2 > peak) peak = $2 } END { print cpu[int((NR + 1) / 2)], peak }'
}

row() {
  read -r cpu peak <<<"$2"
  awk -v name="$1" -v cpu="$cpu" -v peak="$peak" -v mawk="$3" \
    'BEGIN { printf "| %s | %.2f | %.1f | %d |\n", name, cpu, mawk / cpu, peak }'
}

$bin/tools/url_stream "$lines" >"$work/urls"
export BLOOMERY="$PWD/$bin/bloomery" U="$work/urls" F="$work/urls.bloom"
mawk=$(cpu_and_peak 3 "exec mawk '!s[\$0]++' \$U >/dev/null")
mawk_cpu=${mawk% *}
build=$(cpu_and_peak 5 "exec \$BLOOMERY build -o \$F -p 1e-3 --force \$U")
query=$(cpu_and_peak 5 "exec \$BLOOMERY query \$F \$U >/dev/null")
piped=$(cpu_and_peak 5 "\$BLOOMERY query \$F \$U | wc -l >/dev/null")
awk=$(cpu_and_peak 3 "mawk '!s[\$0]++' \$U | wc -l >/dev/null")

printf '%s lines, %s bytes; %s, %s\n\n' "$lines" "$(stat -c %s "$work/urls")" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(c++ --version | head -n 1)"
echo '| command | CPU s | times faster than mawk | peak MB |'
echo '|---|---:|---:|---:|'
row "mawk '!s[\$0]++'" "$mawk" "$mawk_cpu"
row 'bloomery build -p 1e-3' "$build" "$mawk_cpu"
row 'bloomery query' "$query" "$mawk_cpu"
row "mawk '!s[\$0]++' \\| wc -l" "$awk" "${awk% *}"
row 'bloomery query \| wc -l' "$piped" "${awk% *}"
printf '\nfilter: %s bytes on disk\n' "$(stat -c %s "$F")"
