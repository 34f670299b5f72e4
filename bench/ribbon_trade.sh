#!/usr/bin/env bash
# What would a ribbon of fewer bits cost? Builds copies of the library whose ribbons have larger shards and leave more keys
# to the tail, and prints their bits per key beside what their keys take to build and to ask.
#
# The sizes of shards and tails are recorded in a file, so every copy makes files that the others read. The copies take
# turns, and the median of each cost is printed.
#
# Usage: bench/ribbon_trade.sh [ROUNDS]      5 rounds unless given; about a quarter of an hour, of the last commit
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
rounds=${1:-5}
copies=build/ribbon-trade
# keys of a shard, keys that are meant for its tail, most keys of the tail
variants=("65536 64 224" "131072 256 512" "262144 512 900")
sizes=(1e6 1e7)

change() { # FILE FROM TO
  grep -q "$2" "$1" || { echo "bench/ribbon_trade.sh: expected '$2' in $1" >&2; exit 2; }
  sed -i "s/$2/$3/" "$1"
}

build_copy() { # SHARD MEANT MOST
  local copy=$copies/$1
  rm -rf "$copy"
  mkdir -p "$copy"
  git archive HEAD | tar -x -C "$copy"
  change "$copy/include/bloomery/filter/ribbon_sizing.h" 'kRibbonShardKeys = 65536;' "kRibbonShardKeys = $1;"
  change "$copy/src/filter/ribbon/ribbon_shard.cc" 'kMeantForTail = 64;' "kMeantForTail = $2;"
  change "$copy/src/filter/ribbon/ribbon_shard.cc" 'kMaxTailAfterBands = 224;' "kMaxTailAfterBands = $3;"
  (cd "$copy" && cmake --preset release -DBLOOMERY_BUILD_BENCH=ON -DBLOOMERY_BUILD_TESTS=OFF >/dev/null &&
    cmake --build --preset release --target ribbon_space ribbon_bench >/dev/null)
}

for variant in "${variants[@]}"; do
  # shellcheck disable=SC2086 # three words
  build_copy $variant
done

echo "machine: $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors; $(c++ --version | head -n 1)"
echo
echo '| keys of a shard | meant for the tail | keys | 2^-8 | 2^-12 | 2^-16 |'
echo '|---:|---:|---:|---:|---:|---:|'
for variant in "${variants[@]}"; do
  read -r shard meant _ <<<"$variant"
  # 1 is the status where an aim is missed, which a variant may do
  { "$copies/$shard/build/release/bench/ribbon_space" "${sizes[@]}" || (($? == 1)); } |
    awk -F, -v shard="$shard" -v meant="$meant" '
      $2 ~ /\^/ { cells[$1] = cells[$1] sprintf(" %.4f (%.5f) |", $3, $3 / $5); if (!seen[$1]++) order[++n] = $1 }
      END { for (i = 1; i <= n; ++i) printf "| %s | %s | %s |%s\n", shard, meant, order[i], cells[order[i]] }'
done

for ((round = 0; round < rounds; ++round)); do
  for variant in "${variants[@]}"; do
    read -r shard _ <<<"$variant"
    taskset -c 1 "$copies/$shard/build/release/bench/ribbon_bench" --csv "${sizes[@]}" |
      awk -F, -v shard="$shard" '$2 == "ribbon" { print shard "," $1 "," $3 "," $4 "," $6 }'
  done
done >"$copies/speed.csv"
echo
echo '| keys of a shard | keys | build, cycles a key | one query | batches of 1,024 |'
echo '|---:|---:|---:|---:|---:|'
awk -F, "$(cat bench/median.awk)"'
  { id = $1 " | " $2; if (!seen[id]++) order[++n] = id; what = $3 == "build" ? "build" : $4; all[id, what] = all[id, what] " " $5 }
  END { for (i = 1; i <= n; ++i) printf "| %s | %.0f | %.0f | %.0f |\n", order[i], median(all[order[i], "build"]), median(all[order[i], 1]), median(all[order[i], 1024]) }
' "$copies/speed.csv"
