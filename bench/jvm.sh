# What bench/guava.sh, bench/spark.sh and bench/cassandra.sh share: a filter of the JVM and ours, measured in turns.
# Sourced from the top folder of the project.
#
#   BENCH_KEYS    how many keys, one or more numbers      BENCH_TURNS   how often each side runs
# shellcheck shell=bash
sizes=${BENCH_KEYS:-1000000 10000000}
turns=${BENCH_TURNS:-3}
classes=build/bench/jvm

build_ours() {
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target dialect_bench >/dev/null
}

# in_turns CLASS JAR DIALECT: both sides' CSV. A busy moment of the machine meets both.
in_turns() {
  local class=$1 jar=$2 dialect=$3 turn
  mkdir -p $classes
  javac -cp "$jar" -d $classes bench/jvm/FilterBench.java bench/jvm/"$class".java
  for ((turn = 0; turn < turns; ++turn)); do
    # shellcheck disable=SC2086 # several numbers
    java -Xms2g -Xmx2g -cp "$jar:$classes" "$class" $sizes
    # shellcheck disable=SC2086
    build/bench/bench/dialect_bench "$dialect" $sizes
  done
}

# medians RUNS: the median of the turns of each, and how often ours goes into the peer's. Fails where both sides answer
# differently.
medians() {
  awk -F, "$(cat bench/median.awk)"'
    {
      row = $2 "," $3
      if (!(row in matches)) { rows[++count] = row; matches[row] = $5 }
      if (matches[row] != $5) { print "bench: " row ": " $1 " says " $5 ", not " matches[row] > "/dev/stderr"; wrong = 1 }
      series[$1 "," row] = series[$1 "," row] " " $4
    }
    END {
      for (i = 1; i <= count; ++i) {
        row = rows[i]
        peer = median(series["peer," row]); single = median(series["single," row]); batch = median(series["batch," row])
        printf "%s,%.1f,%.1f,%.1f,%.1f,%.1f\n", row, peer, single, batch, peer / single, peer / batch
      }
      exit wrong
    }' "$1"
}

machine() {
  printf '%s, %s -O3; ' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(c++ --version | head -n 1)"
}

jvm() {
  java -version 2>&1 | sed -n '1s/ version "\(.*\)".*/ \1/p'
}
