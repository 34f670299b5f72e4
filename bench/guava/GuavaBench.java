// The JVM's side of bench/guava.sh: what a put() and a mightContain() of Guava's BloomFilter cost, for longs.
//
//   java -cp guava.jar bench/guava/GuavaBench.java KEYS [KEYS...]
//
// For each number of keys n a filter is made by create(longFunnel(), n, 0.01) and filled with mixed(0..n-1), as
// bench/guava_bench.cc does, and is asked for a million of them and for a million others. All in one JVM, in rounds; the
// first ones warm it up and are not counted. CSV: side,keys,what,ns,matches   with the median of the rounds.
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import java.util.Arrays;

public final class GuavaBench {
  private static final int ASKED = 1_000_000;
  private static final int WARM_UP = 6;
  private static final int ROUNDS = 9;

  private static long mixed(long x) { // the finaliser of SplitMix64
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }

  private static long put(BloomFilter<Long> filter, long[] keys) {
    long changed = 0;
    for (long key : keys) {
      changed += filter.put(key) ? 1 : 0;
    }
    return changed;
  }

  private static long ask(BloomFilter<Long> filter, long[] keys) {
    long matches = 0;
    for (long key : keys) {
      matches += filter.mightContain(key) ? 1 : 0;
    }
    return matches;
  }

  private static double median(double[] values) {
    double[] sorted = Arrays.copyOfRange(values, WARM_UP, values.length);
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static void measure(int n) {
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
      BloomFilter<Long> filter = BloomFilter.create(Funnels.longFunnel(), n, 0.01);
      long start = System.nanoTime();
      matches[0] = put(filter, members);
      ns[0][round] = (System.nanoTime() - start) / (double) n;
      start = System.nanoTime();
      matches[1] = ask(filter, present);
      ns[1][round] = (System.nanoTime() - start) / (double) ASKED;
      start = System.nanoTime();
      matches[2] = ask(filter, absent);
      ns[2][round] = (System.nanoTime() - start) / (double) ASKED;
    }
    String[] names = {"put", "present", "absent"};
    for (int i = 0; i < 3; ++i) {
      System.out.printf("guava,%d,%s,%.2f,%d%n", n, names[i], median(ns[i]), matches[i]);
    }
  }

  public static void main(String[] arguments) {
    for (String n : arguments) {
      measure(Integer.parseInt(n));
    }
  }
}
