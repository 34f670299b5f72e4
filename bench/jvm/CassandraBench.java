// Cassandra's side of bench/cassandra.sh (FilterBench.java), for release 5.0:
//
//   CassandraBench KEYS [KEYS...]
//
// A key is the eight bytes of a long in a ByteBuffer, hashed by Cassandra's MurmurHash as Murmur3Partitioner does it. One
// buffer serves all keys.
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.cassandra.utils.FilterFactory;
import org.apache.cassandra.utils.IFilter;
import org.apache.cassandra.utils.MurmurHash;

final class CassandraBench extends FilterBench {
  private final ByteBuffer buffer = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
  private final IFilter.FilterKey key = hash -> MurmurHash.hash3_x64_128(buffer, 0, 8, 0, hash);
  private IFilter filter;
  private int counted;
  private long changed;

  @Override
  void create(int n) {
    if (filter != null) {
      filter.close();
    }
    if (counted != n) {
      changed = countChanges(n);
      counted = n;
    }
    filter = FilterFactory.getFilter(n, 0.01);
  }

  // add() returns nothing, so how many keys change the filter is counted beforehand, where no time is taken.
  private long countChanges(int n) {
    long changes = 0;
    try (IFilter scratch = FilterFactory.getFilter(n, 0.01)) {
      for (int i = 0; i < n; ++i) {
        buffer.putLong(0, mixed(i));
        changes += scratch.isPresent(key) ? 0 : 1;
        scratch.add(key);
      }
    }
    return changes;
  }

  @Override
  long put(long[] keys) {
    for (long bytes : keys) {
      buffer.putLong(0, bytes);
      filter.add(key);
    }
    return changed;
  }

  @Override
  long ask(long[] keys) {
    long matches = 0;
    for (long bytes : keys) {
      buffer.putLong(0, bytes);
      matches += filter.isPresent(key) ? 1 : 0;
    }
    return matches;
  }

  public static void main(String[] arguments) {
    new CassandraBench().measureAll(arguments);
  }
}
