#!/usr/bin/env bash
# Measures what docs/cassandra.md shows, writes docs/data/cassandra.csv and the tables.
# Usage: bench/cassandra.sh      about three minutes after the build; needs a JDK and Maven (scripts/setup bench)
#        BENCH_KEYS=100000 BENCH_TURNS=1 bench/cassandra.sh --try     prints the data of a small run, writes nothing
# Fails where Cassandra and we answer differently.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/cassandra.md
data=docs/data/cassandra.csv
release=5.0.6
jars=$PWD/build/interop/jars/cassandra
# shellcheck source=bench/jvm.sh
source bench/jvm.sh

build_ours
[[ -f $jars/cassandra-all-$release.jar && -f $jars/commons-lang3-3.13.0.jar ]] ||
  mvn -q -B -f tests/interop/cassandra/pom.xml -Djars="$jars" dependency:copy
path=$jars/cassandra-all-$release.jar:$(find "$jars" -name '*.jar' ! -name 'cassandra-all-*' | sort | tr '\n' ':')
runs=$(mktemp)
trap 'rm -f "$runs"' EXIT
in_turns CassandraBench "${path%:}" cassandra:oa 2>/dev/null >"$runs"

measured() {
  echo "keys,what,cassandra_ns,single_ns,batch_ns,single_ratio,batch_ratio"
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
  echo '| keys | | Cassandra | ours, one key | ours, batches | Cassandra / one key | Cassandra / batches |'
  echo '|---:|---|---:|---:|---:|---:|---:|'
  awk -F, 'BEGIN { name["put"] = "`add`"; name["present"] = "`isPresent`, present"; name["absent"] = "`isPresent`, absent" }
    NR > 1 { printf "| %s | %s | %s ns | %s ns | %s ns | %s | %s |\n", $1, name[$2], $3, $4, $5, $6, $7 }' $data
} | put "$page" speed

{
  machine
  printf 'Cassandra %s on %s.\n' "$release" "$(jvm)"
} | put "$page" machine
