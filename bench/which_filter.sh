#!/usr/bin/env bash
# Measures every type beside other filters, writes docs/data/static-filters.csv and draws docs/which-filter-speed.svg.
# Usage: bench/which_filter.sh XOR_INCLUDE [BOOST_INCLUDE]     about ten minutes and 4 GB of memory
#        bench/which_filter.sh --draw                           only draws the data that is there
#   XOR_INCLUDE    a directory with binaryfusefilter.h of xor_singleheader, brought by hand
#   BOOST_INCLUDE  a directory with boost/bloom.hpp (Boost 1.89 or later), brought by hand; without it, Boost is left out
# The machine must be idle: one run on one CPU measures all filters.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
if [[ ${1:?the include directory of xor_singleheader, or --draw} != --draw ]]; then
  [[ -f $1/binaryfusefilter.h ]] || {
    echo "which_filter.sh: no binaryfusefilter.h in $1" >&2
    exit 2
  }
  cmake --preset bench -DBLOOMERY_XOR_INCLUDE="$(readlink -f "$1")" -DBLOOMERY_BOOST_INCLUDE="${2:+$(readlink -f "$2")}" >/dev/null
  cmake --build --preset bench --target static_filters >/dev/null
  measured=$(mktemp)
  trap 'rm -f "$measured"' EXIT
  taskset -c 1 build/bench/bench/static_filters 1e4 1e6 1e7 >"$measured"
  cat "$measured" >docs/data/static-filters.csv
fi
python3 bench/plot_which_filter.py
