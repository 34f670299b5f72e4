// This is what GuavaBench, SparkBench and CassandraBench share. It measures what a put() and a mightContain() of a Bloom
// filter cost on the JVM, for longs.
//
// For each number of keys n, a filter of the peer is made for fpp 0.01 and filled with mixed(0..n-1), as
// bench/dialect_bench.cc does. Then it is asked for a million of them and for a million others. One JVM does all rounds,
// and the first ones warm it up and are not counted. CSV: side,keys,what,ns,matches, with the median of the rounds.
import java.util.Arrays;

abstract class FilterBench {
  private static final int ASKED = 1_000_000;
  private static final int WARM_UP = 6;
  private static final int ROUNDS = 9;

  abstract void create(int n);

  abstract long put(long[] keys); // how many changed the filter

  abstract long ask(long[] keys); // how many may be in

  static long mixed(long x) { // the finaliser of SplitMix64
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }

  private static double median(double[] values) {
    double[] sorted = Arrays.copyOfRange(values, WARM_UP, values.length);
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private void measure(int n) {
    long[] members = new long[n];
    for (int i = 0; i < n; ++i) {
      members[i] = mixed(i);
    }
    long[] present = new long[ASKED];
    long[] absent = new long[ASKED];
    for (int i = 0; i < ASKED; ++i) {
      present[i] = mixed(Long.remainderUnsigned(mixed(i), n));
      absent[i] = mixed((long) n + i);
    }
    double[][] ns = new double[3][WARM_UP + ROUNDS];
    long[] matches = new long[3];
    for (int round = 0; round < WARM_UP + ROUNDS; ++round) {
      create(n);
      long start = System.nanoTime();
      matches[0] = put(members);
      ns[0][round] = (System.nanoTime() - start) / (double) n;
      start = System.nanoTime();
      matches[1] = ask(present);
      ns[1][round] = (System.nanoTime() - start) / (double) ASKED;
      start = System.nanoTime();
      matches[2] = ask(absent);
      ns[2][round] = (System.nanoTime() - start) / (double) ASKED;
    }
    String[] names = {"put", "present", "absent"};
    for (int i = 0; i < 3; ++i) {
      System.out.printf("peer,%d,%s,%.2f,%d%n", n, names[i], median(ns[i]), matches[i]);
    }
  }

  void measureAll(String[] arguments) {
    for (String n : arguments) {
      measure(Integer.parseInt(n));
    }
  }
}
