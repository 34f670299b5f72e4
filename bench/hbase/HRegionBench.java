// A peer of table_bench: HBase's own HRegion, below the RPC, over the files that table_bench has written. See bench/table.sh.
//
//   HRegionBench ROWS DIRECTORY CORE      DIRECTORY is that of table_bench; the working thread runs on CORE
//
// CSV:  hbase,what,files,median_ns,tenth_ns      CPU time of the working thread for one row
//       hbase,scan,files,MB,                     of rows and values per CPU second of that thread
//       hbase,open,files,seconds,bytes           wall time, and memory of the heap that stays
//
// Rows and questions are those of bench/table_rows.h. An HRegion has no multi-get, so there are no batches: the server calls HRegion.get for each row of
// one. A Get is made before the clock starts, as the RPC layer makes it. Its whole answer is compared with the row's value when the clock has stopped.
//
//   cached         all blocks are in an LruBlockCache that is larger than the files
//   page_cache     BLOCKCACHE is off for the family: index and Bloom blocks are in the cache, data blocks are read from the file each time
//
// Everything is done twice before it counts, so that the code is compiled. What the compiler and the collector of garbage take is on other threads and not
// counted.
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.util.Bytes;

public final class HRegionBench {
  private static final int ROW_BYTES = 20;
  private static final int VALUE_BYTES = 100;
  private static final int BLOCK_BYTES = 4096;
  private static final int CHUNK = 500; // questions of one reading of the clock
  private static final int QUESTIONS = 100_000;
  private static final int WARM_ROUNDS = 2;
  private static final int WARM_QUESTIONS = 50_000;
  private static final int MOST_FILES = 1000;
  private static final byte[] FAMILY = {'f'};

  private final Configuration conf = HBaseConfiguration.create();
  private final FileSystem fs;
  private final Path directory;
  private final long rows;
  private final byte[] values = new byte[1 << 20];
  private boolean printing;

  private HRegionBench(Path directory, long rows) throws IOException {
    this.directory = directory;
    this.rows = rows;
    conf.set("fs.defaultFS", "file:///");
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem"); // no .crc files: HBase's own checksums are read
    conf.set("hbase.rootdir", directory.resolve("hbase").toUri().toString());
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false); // nothing is written, and its pool is the server's
    fs = new HFileSystem(conf, true);
    for (int i = 0; i < values.length; i++) {
      values[i] = i % 2 == 0 ? (byte) mixed(i) : (byte) 'v';
    }
  }

  // --- rows and questions

  private static long mixed(long x) { // the finaliser of SplitMix64
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }

  private static byte[] row(long number) {
    byte[] row = new byte[ROW_BYTES];
    Arrays.fill(row, (byte) '0');
    row[0] = 'r';
    for (int at = ROW_BYTES; number != 0; number /= 10) {
      row[--at] = (byte) ('0' + number % 10);
    }
    return row;
  }

  /** The row is 2 * i. */
  private boolean hasValueOf(Cell cell, long i) {
    int begin = (int) Long.remainderUnsigned(mixed(i), values.length - VALUE_BYTES);
    return Bytes.equals(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength(), values, begin, VALUE_BYTES);
  }

  private void check(Result result, long number) {
    boolean isPresent = number % 2 == 0;
    if (result.size() != (isPresent ? 1 : 0)
        || (isPresent && !(CellUtil.matchingRows(result.rawCells()[0], row(number)) && hasValueOf(result.rawCells()[0], number / 2)))) {
      throw new IllegalStateException("another answer for row " + number + ": " + result);
    }
  }

  // --- regions

  private interface FileName {
    String of(int number);
  }

  /** A region that has links to the files in its directory, not yet opened. */
  private HRegion region(String name, int files, FileName file, boolean cachesData) throws IOException {
    TableName tableName = TableName.valueOf(name);
    RegionInfo info = RegionInfoBuilder.newBuilder(tableName).setRegionId(1).build();
    Path table = directory.resolve("hbase").resolve(name);
    Path family = Files.createDirectories(table.resolve(info.getEncodedName()).resolve("f"));
    for (int i = 0; i < files; i++) {
      // The cache knows a block by its file's name alone, which must have 32 digits.
      Path link = family.resolve(String.format("%028x%04x", files, i));
      if (!Files.exists(link)) {
        Files.createLink(link, directory.resolve(file.of(i)));
      }
    }
    TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(tableName).setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
        .setBloomFilterType(BloomType.ROW).setBlocksize(BLOCK_BYTES).setBlockCacheEnabled(cachesData).build()).build();
    return HRegion.newHRegion(new org.apache.hadoop.fs.Path(table.toUri()), null, fs, conf, info, descriptor, null);
  }

  private HRegion opened(int files, boolean cachesData, LruBlockCache cache) throws IOException {
    HRegion region = region("files" + files, files, i -> "bloomery-" + rows + "-" + files + "-" + i, cachesData);
    region.setBlockCache(cache);
    region.initialize(null);
    return region;
  }

  // --- what is measured

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** Asks, checks, and returns the CPU time of a question in each chunk. */
  private double[] ask(HRegion region, int count, boolean arePresent, long seed) throws IOException {
    double[] costs = new double[count / CHUNK];
    long[] numbers = new long[CHUNK];
    Get[] gets = new Get[CHUNK];
    Result[] results = new Result[CHUNK];
    for (int chunk = 0; chunk < costs.length; chunk++) {
      for (int i = 0; i < CHUNK; i++) {
        numbers[i] = 2 * Long.remainderUnsigned(mixed(seed + (long) chunk * CHUNK + i), rows) + (arePresent ? 0 : 1);
        gets[i] = new Get(row(numbers[i]));
      }
      long start = cpu();
      for (int i = 0; i < CHUNK; i++) {
        results[i] = region.get(gets[i]);
      }
      costs[chunk] = (double) (cpu() - start) / CHUNK;
      for (int i = 0; i < CHUNK; i++) {
        check(results[i], numbers[i]);
      }
    }
    Arrays.sort(costs);
    return costs;
  }

  /** Returns the megabytes of rows and values per CPU second. */
  private double scan(HRegion region, boolean fillsCache) throws IOException {
    long count = 0;
    long bytes = 0;
    List<Cell> cells = new ArrayList<>();
    long start = cpu();
    try (RegionScanner scanner = region.getScanner(new Scan().setCacheBlocks(fillsCache))) {
      for (boolean more = true; more;) {
        more = scanner.nextRaw(cells);
        for (Cell cell : cells) {
          bytes += cell.getRowLength() + cell.getValueLength();
          count++;
        }
        cells.clear();
      }
    }
    double speed = bytes * 1e3 / (cpu() - start);
    if (count != rows || bytes != rows * (ROW_BYTES + VALUE_BYTES)) {
      throw new IllegalStateException(count + " cells of " + rows + ", " + bytes + " bytes");
    }
    return speed;
  }

  private void run(int files) throws IOException {
    long data = 0;
    for (int i = 0; i < files; i++) {
      data += Files.size(directory.resolve("bloomery-" + rows + "-" + files + "-" + i));
    }
    for (boolean isCached : new boolean[] {true, false}) {
      LruBlockCache cache = new LruBlockCache(2 * data + (64L << 20), BLOCK_BYTES, true, conf);
      HRegion region = opened(files, isCached, cache);
      if (isCached) {
        scan(region, true);
      }
      ask(region, WARM_QUESTIONS, false, 1_000_003L); // which reads every index block and Bloom chunk, too
      ask(region, WARM_QUESTIONS, true, 1_000_003L);
      for (boolean arePresent : new boolean[] {false, true}) {
        double[] costs = ask(region, QUESTIONS, arePresent, 1);
        print("%s_%s_1,%d,%.0f,%.0f", arePresent ? "present" : "absent", isCached ? "cached" : "page_cache", files, costs[costs.length / 2],
            costs[costs.length / 10]);
      }
      if (!isCached) {
        print("scan,%d,%.1f,", files, scan(region, false));
      }
      region.close();
      cache.shutdown();
    }
  }

  private void print(String line, Object... parts) {
    if (printing) {
      System.out.println("hbase," + String.format(line, parts));
    }
  }

  private static long heap() {
    Runtime runtime = Runtime.getRuntime();
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void open() throws IOException {
    if (!Files.exists(directory.resolve("thousand"))) {
      return;
    }
    LruBlockCache cache = new LruBlockCache(1L << 20, BLOCK_BYTES, true, conf);
    HRegion region = region("thousand", MOST_FILES, i -> "thousand/" + i, true);
    region.setBlockCache(cache);
    long before = heap();
    long start = System.nanoTime();
    region.initialize(null);
    double seconds = (System.nanoTime() - start) * 1e-9;
    print("open,%d,%.3f,%d", MOST_FILES, seconds, heap() - before);
    region.close();
    cache.shutdown();
  }

  public static void main(String[] args) throws Exception {
    Path thread = Path.of("/proc/thread-self").toRealPath().getFileName();
    new ProcessBuilder("taskset", "-pc", args[2], thread.toString()).redirectErrorStream(true).start().waitFor();
    HRegionBench bench = new HRegionBench(Path.of(args[1]), Long.parseLong(args[0]));
    for (int round = 0; round <= WARM_ROUNDS; round++) {
      bench.printing = round == WARM_ROUNDS;
      bench.run(8);
      bench.run(1);
      bench.open();
    }
    System.exit(0); // threads of the cache
  }
}
