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
# shellcheck source=bench/jvm.sh
source bench/jvm.sh

build_ours
[[ -f $jars/guava-$release.jar ]] || mvn -q -B -f tests/interop/guava/pom.xml -Djars="$jars" dependency:copy
runs=$(mktemp)
trap 'rm -f "$runs"' EXIT
in_turns GuavaBench "$jars/guava-$release.jar" guava >"$runs"

measured() {
  echo "keys,what,guava_ns,single_ns,batch_ns,single_ratio,batch_ratio"
  medians "$runs"
}

if [[ ${1:-} == --try ]]; then
  measured
  exit
fi
measured >"$data.new"
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
  machine
  printf 'Guava %s on %s.\n' "$release" "$(jvm)"
} | put "$page" machine
