// Spark's side of bench/spark.sh (FilterBench.java); the release says which version of the filter create() makes:
//
//   SparkBench KEYS [KEYS...]
import org.apache.spark.util.sketch.BloomFilter;

final class SparkBench extends FilterBench {
  private BloomFilter filter;

  @Override
  void create(int n) {
    filter = BloomFilter.create(n, 0.01);
  }

  @Override
  long put(long[] keys) {
    long changed = 0;
    for (long key : keys) {
      changed += filter.putLong(key) ? 1 : 0;
    }
    return changed;
  }

  @Override
  long ask(long[] keys) {
    long matches = 0;
    for (long key : keys) {
      matches += filter.mightContainLong(key) ? 1 : 0;
    }
    return matches;
  }

  public static void main(String[] arguments) {
    new SparkBench().measureAll(arguments);
  }
}
