#!/usr/bin/env bash
# Measures what docs/guava.md shows, writes docs/data/guava.csv and the tables.
# Usage: bench/guava.sh      about three minutes after the build; needs a JDK and Maven (scripts/setup bench)
#        BENCH_KEYS=100000 BENCH_TURNS=1 bench/guava.sh --try     prints the data of a small run, writes nothing
# Fails where Guava and we answer differently.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/guava.md
data=docs/data/guava.csv
release=33.8.0-jre
jars=$PWD/build/interop/jars/guava
sizes=${BENCH_KEYS:-1000000 10000000}
turns=${BENCH_TURNS:-3}

cmake --preset bench >/dev/null
cmake --build --preset bench --target guava_bench >/dev/null
[[ -f $jars/guava-$release.jar ]] || mvn -q -B -f tests/interop/guava/pom.xml -Djars="$jars" dependency:copy

runs=$(mktemp)
trap 'rm -f "$runs"' EXIT
for ((turn = 0; turn < turns; ++turn)); do # in turns, so that a busy moment of the machine meets both
  # shellcheck disable=SC2086 # several numbers
  java -Xms2g -Xmx2g -cp "$jars/guava-$release.jar" bench/guava/GuavaBench.java $sizes
  # shellcheck disable=SC2086
  build/bench/bench/guava_bench $sizes
done >"$runs"

# The median of the turns of each, and how often ours goes into Guava's.
medians() {
  awk -F, "$(cat bench/median.awk)"'
    {
      row = $2 "," $3
      if (!(row in matches)) { rows[++count] = row; matches[row] = $5 }
      if (matches[row] != $5) { print "guava.sh: " row ": " $1 " says " $5 ", not " matches[row] > "/dev/stderr"; wrong = 1 }
      series[$1 "," row] = series[$1 "," row] " " $4
    }
    END {
      print "keys,what,guava_ns,single_ns,batch_ns,single_ratio,batch_ratio"
      for (i = 1; i <= count; ++i) {
        row = rows[i]
        guava = median(series["guava," row]); single = median(series["single," row]); batch = median(series["batch," row])
        printf "%s,%.1f,%.1f,%.1f,%.1f,%.1f\n", row, guava, single, batch, guava / single, guava / batch
      }
      exit wrong
    }' "$runs"
}

if [[ ${1:-} == --try ]]; then
  medians
  exit
fi
medians >"$data.new"
mv "$data.new" "$data"

# shellcheck source=bench/put.sh
source bench/put.sh

{
  echo '| keys | | Guava | ours, one key | ours, batches | Guava / one key | Guava / batches |'
  echo '|---:|---|---:|---:|---:|---:|---:|'
  awk -F, 'BEGIN { name["put"] = "`put`"; name["present"] = "`mightContain`, present"; name["absent"] = "`mightContain`, absent" }
    NR > 1 { printf "| %s | %s | %s ns | %s ns | %s ns | %s | %s |\n", $1, name[$2], $3, $4, $5, $6, $7 }' $data
} | put "$page" speed

{
  printf '%s, %s -O3; Guava %s on %s.\n' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" \
    "$(c++ --version | head -n 1)" "$release" "$(java -version 2>&1 | sed -n '1s/ version "\(.*\)".*/ \1/p')"
} | put "$page" machine
