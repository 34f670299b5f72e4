// Guava's side of bench/guava.sh (FilterBench.java):
//
//   GuavaBench KEYS [KEYS...]
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;

final class GuavaBench extends FilterBench {
  private BloomFilter<Long> filter;

  @Override
  void create(int n) {
    filter = BloomFilter.create(Funnels.longFunnel(), n, 0.01);
  }

  @Override
  long put(long[] keys) {
    long changed = 0;
    for (long key : keys) {
      changed += filter.put(key) ? 1 : 0;
    }
    return changed;
  }

  @Override
  long ask(long[] keys) {
    long matches = 0;
    for (long key : keys) {
      matches += filter.mightContain(key) ? 1 : 0;
    }
    return matches;
  }

  public static void main(String[] arguments) {
    new GuavaBench().measureAll(arguments);
  }
}
