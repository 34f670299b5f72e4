#!/usr/bin/env bash
# Measures what docs/spark.md shows, writes docs/data/spark.csv and the tables: version 1 beside the release that knows
# no other, version 2 beside the newest.
# Usage: bench/spark.sh      about four minutes after the build; needs a JDK and Maven (scripts/setup bench)
#        BENCH_KEYS=100000 BENCH_TURNS=1 bench/spark.sh --try     prints the data of a small run, writes nothing
# Fails where Spark and we answer differently.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
page=docs/spark.md
data=docs/data/spark.csv
jars=$PWD/build/interop/jars/spark
export BENCH_KEYS=${BENCH_KEYS:-100000 1000000 10000000}
releases=("2.12-3.5.8 v1" "2.13-4.2.0 v2")
# shellcheck source=bench/jvm.sh
source bench/jvm.sh

build_ours
runs=$(mktemp)
trap 'rm -f "$runs"' EXIT

measured() {
  local release
  echo "version,keys,what,spark_ns,single_ns,batch_ns,single_ratio,batch_ratio"
  for release in "${releases[@]}"; do
    local jar=$jars/spark-sketch_${release% *}.jar
    [[ -f $jar ]] || mvn -q -B -f tests/interop/spark/pom.xml -Djars="$jars" dependency:copy >&2
    in_turns SparkBench "$jar" "spark:${release#* }" >"$runs"
    medians "$runs" | sed "s/^/${release#* },/"
  done
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
  echo '| version | keys | | Spark | ours, one key | ours, batches | Spark / one key | Spark / batches |'
  echo '|---|---:|---|---:|---:|---:|---:|---:|'
  awk -F, 'BEGIN { name["put"] = "`putLong`"; name["present"] = "`mightContainLong`, present"; name["absent"] = "`mightContainLong`, absent" }
    NR > 1 { printf "| %s | %s | %s | %s ns | %s ns | %s ns | %s | %s |\n", $1, $2, name[$3], $4, $5, $6, $7, $8 }' $data
} | put "$page" speed

{
  machine
  printf '\nspark-sketch %s and %s on %s.\n' "${releases[0]% *}" "${releases[1]% *}" "$(jvm)"
} | put "$page" machine
