#!/usr/bin/env bash
# Measures the tables of docs/space.md and writes them between its two marker lines; the rest of the page is untouched.
#
#   bench/space_tables.sh
#
# Needs libsqlite3-dev and libmd-dev, 3 GB of memory and 2 GB of disk under TMPDIR; takes a few minutes.
# What it does not do: write a number that it did not measure. When a step fails, the page stays as it was.
set -euo pipefail
cd "$(dirname "$0")/.."

page=docs/space.md
begin='<!-- measured: begin -->'
end='<!-- measured: end -->'

for marker in "$begin" "$end"; do
  if [[ $(grep -cxF -- "$marker" "$page") != 1 ]]; then
    echo "space_tables.sh: $page must have exactly one line '$marker'" >&2
    exit 1
  fi
done

cmake --preset bench
cmake --build --preset bench --target space_tables

measured=$(mktemp)
new_page=$(mktemp)
trap 'rm -f "$measured" "$new_page"' EXIT

# "Model name: X" becomes "X".
cpu_field() {
  LC_ALL=C lscpu | sed -n "s/^ *$1: *//p" | head -n 1
}

compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' build/bench/CMakeCache.txt)

{
  echo
  echo "Measured by \`bench/space_tables.sh\` on: $(cpu_field 'Model name'), $(cpu_field 'CPU(s)') CPUs," \
    "$(uname -s) on $(uname -m); $("$compiler" --version | head -n 1); $(getconf GNU_LIBC_VERSION)."
  echo
  echo '### Integers'
  echo
  build/bench/bench/space_tables integers
  echo
  echo '### URLs'
  echo
  build/bench/bench/space_tables urls
  echo
} >"$measured"

awk -v begin="$begin" -v end="$end" -v measured="$measured" '
  $0 == end { inside = 0 }
  !inside { print }
  $0 == begin { inside = 1; while ((getline line < measured) > 0) print line }
' "$page" >"$new_page"
cat "$new_page" >"$page"
