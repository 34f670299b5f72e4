// The mixes A to D of YCSB on an HRegion alone, without a server: a peer of bench/store_ycsb, which explains them.
//
//   region-mixes DIR ROWS OPERATIONS
//
// Rows, settings and figures are those of store_ycsb: rows of 20 bytes, values of 100, SYNC_WAL to FSHLog on the local file system, a memstore of 64 MB,
// blocks of 4 KB, a LruBlockCache of 512 MB. A region has no thread for compactions without a server, so a minor one is asked for after each flush. CPU time counts what
// compiles and collects garbage. Rows are loaded in batches of 100, to save time.
package org.apache.hadoop.hbase.regionserver;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;

final class RegionMixes {
  private static final double EXPONENT = 0.99;
  private static final OperatingSystemMXBean MACHINE = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private record Mix(String name, double reads, double updates, boolean isLatest) { }

  private final HRegion region;
  private final long rows;
  private final byte[] value = new byte[100];
  private final Random random = new Random(1);
  private final double zeta;
  private long newest;

  private RegionMixes(HRegion region, long rows) {
    this.region = region;
    this.rows = rows;
    double sum = 0;
    for (long i = 1; i <= rows; i++) {
      sum += Math.pow(i, -EXPONENT);
    }
    zeta = sum;
  }

  static void run(String directory, long rows, int operations, PrintStream out) throws Exception {
    RegionPuts.Logged logged = RegionPuts.region(directory, 0, 4096);
    logged.region().setBlockCache(new LruBlockCache(512L << 20, 4096));
    RegionMixes mixes = new RegionMixes(logged.region(), rows);
    mixes.load(out);
    for (Mix mix : new Mix[] {new Mix("A", 0.5, 0.5, false), new Mix("B", 0.95, 0.05, false), new Mix("C", 1, 0, false), new Mix("D", 0.95, 0, true)}) {
      mixes.measure(mix, operations, out);
    }
    logged.region().close();
    logged.logs().close();
  }

  private static long mixed(long x) { // the finaliser of SplitMix64
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }

  private static byte[] row(long number) {
    String digits = Long.toUnsignedString(mixed(number));
    return ("r0000000000000000000".substring(0, 20 - digits.length()) + digits).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  private Put put(long number) {
    return new Put(row(number)).addColumn(RegionPuts.FAMILY, RegionPuts.QUALIFIER, value);
  }

  private void flushIfFull() throws Exception {
    if (region.getMemStoreDataSize() >= RegionPuts.FLUSH_BYTES) {
      region.flush(true);
      region.compact(false);
    }
  }

  private void load(PrintStream out) throws Exception {
    long start = MACHINE.getProcessCpuTime();
    Put[] together = new Put[100];
    for (long done = 0; done < rows; done += together.length) {
      for (int i = 0; i < together.length; i++) {
        together[i] = put(done + i);
      }
      region.batchMutate(together);
      flushIfFull();
    }
    newest = rows - 1;
    out.printf("hregion\tload in batches of 100\toperations/CPU s\t%.5g%n", 1e9 * rows / (MACHINE.getProcessCpuTime() - start));
  }

  private long zipf() {
    double u = random.nextDouble();
    if (u * zeta < 1) {
      return 0;
    }
    if (u * zeta < 1 + Math.pow(0.5, EXPONENT)) {
      return 1;
    }
    double eta = (1 - Math.pow(2.0 / rows, 1 - EXPONENT)) / (1 - (1 + Math.pow(2, -EXPONENT)) / zeta);
    return (long) Math.min(rows * Math.pow(eta * u - eta + 1, 1 / (1 - EXPONENT)), rows - 1.0);
  }

  private void measure(Mix mix, int operations, PrintStream out) throws Exception {
    long[] times = new long[operations];
    long start = MACHINE.getProcessCpuTime();
    for (int i = 0; i < operations; i++) {
      double kind = random.nextDouble();
      long rank = zipf();
      long number = mix.isLatest() ? newest - rank : Long.remainderUnsigned(mixed(rank + 1), rows);
      long begin = System.nanoTime();
      if (kind < mix.reads()) {
        if (region.get(new Get(row(number)).addColumn(RegionPuts.FAMILY, RegionPuts.QUALIFIER)).isEmpty()) {
          throw new IllegalStateException("row " + number + " is lost");
        }
      } else {
        region.put(put(kind < mix.reads() + mix.updates() ? number : ++newest));
        flushIfFull();
      }
      times[i] = System.nanoTime() - begin;
    }
    double rate = 1e9 * operations / (MACHINE.getProcessCpuTime() - start);
    Arrays.sort(times);
    out.printf("hregion\t%s\toperations/CPU s\t%.5g%n", mix.name(), rate);
    out.printf("hregion\t%1$s\tp50\t%2$d%nhregion\t%1$s\tp99\t%3$d%nhregion\t%1$s\tp99.9\t%4$d%n", mix.name(), times[operations / 2],
        times[(int) (operations * 0.99)], times[(int) (operations * 0.999)]);
  }
}
