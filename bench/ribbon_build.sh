#!/usr/bin/env bash
# What does a ribbon of N URLs take to build in 512 MiB: time, memory, disk? And is every URL in it?
#
# N distinct URLs (62 bytes each) go from tools/url_stream through a pipe into `bloomery build -t ribbon -p 1e-4`, then the same
# stream through `bloomery query -v -c`, which counts the lines that are certainly absent and must count none. The generator runs
# beside the build on another CPU; its time alone is in the table, so that one sees whether it was what the build waited for.
# Peak is the largest resident set; disk is what the build had the system write, spool and filter together, in blocks of the file
# system (%O of time: 0 where the system does not count it, as on tmpfs); the build's own closing lines are printed as they are.
# Usage: bench/ribbon_build.sh [KEYS] [DIR]       default 10^8 keys, DIR for spool and filter a new one under TMPDIR
# Exit status: 1 when a key is missing.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
keys=${1:-100000000}
cmake --preset release >/dev/null
cmake --build --preset release --target bloomery_command url_stream >/dev/null
bin=build/release
work=$(mktemp -d ${2:+-p "$2"})
trap 'rm -rf "$work"' EXIT

urls() {
  "$bin/tools/url_stream" "$keys" --distinct
}

# timed NAME COMMAND...: runs it with the URLs as input; wall, CPU seconds, peak KiB and blocks of 512 bytes go to $work/NAME.
timed() {
  local name=$1
  shift
  urls | /usr/bin/time -q -o "$work/$name" -f '%e %U %S %M %O' "$@"
}

row() {
  awk -v name="$1" -v keys="$keys" \
    '{ printf "| %s | %.1f | %.1f | %.0f | %.0f | %.0f |\n", name, $1, $2 + $3, $1 * 1e9 / keys, $4 / 1024, $5 * 512 / 1048576 }' "$work/$2"
}

/usr/bin/time -o "$work/generate" -f '%e %U %S %M %O' "$bin/tools/url_stream" "$keys" --distinct >/dev/null
timed build "$bin/bloomery" build --summary -t ribbon -o "$work/urls.ribbon" -p 1e-4 --tmp "$work" --mem 512M 2>"$work/closing" || {
  cat "$work/closing" >&2
  exit 2
}
# Status 1 says that no line was counted, as it should be.
missing=$(timed query "$bin/bloomery" query -v -c "$work/urls.ribbon") || [[ $? == 1 ]]
bytes=$(stat -c %s "$work/urls.ribbon")

printf '%s keys; %s, %s CPUs\n\n' "$keys" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
echo '| command | wall s | CPU s | ns per key | peak MiB | written MiB |'
echo '|---|---:|---:|---:|---:|---:|'
row 'url_stream alone' generate
row 'build -t ribbon -p 1e-4 --mem 512M' build
row 'query -v -c' query
printf '\nfile: %s bytes, %s bits per key\n' "$bytes" "$(awk -v b="$bytes" -v n="$keys" 'BEGIN { printf "%.4f", b * 8 / n }')"
printf 'keys that the filter does not know: %s (must be 0)\n' "$missing"
printf 'what build said:\n%s\n' "$(tr '\r' '\n' <"$work/closing" | grep . | tail -n 3)"
[[ $missing == 0 ]]
