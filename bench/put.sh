#!/usr/bin/env bash
# put PAGE NAME: replaces what stands between <!-- NAME: begin --> and <!-- NAME: end --> in PAGE by standard input.
# Sourced by the scripts that measure what a page shows.
put() {
  local table
  table=$(mktemp)
  cat >"$table"
  awk -v name="$2" -v table="$table" '
    $0 == "<!-- " name ": begin -->" { print; while ((getline line < table) > 0) print line; skip = 1 }
    $0 == "<!-- " name ": end -->" { skip = 0 }
    !skip' "$1" >"$1.new"
  mv "$1.new" "$1"
  rm -f "$table"
}
