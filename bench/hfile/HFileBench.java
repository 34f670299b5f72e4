// The JVM's side of bench/hfile.sh: what a cell costs HBase's own writer and reader, below the RPC.
//
//   HFileBench DIRECTORY CELLS CORE        DIRECTORY gets the files, the working thread runs on CORE
//
// The cells and questions are those of bench/hfile_bench.cc, and so are the lines that are printed:
//   side,what,encoding,compression,count,wall_ns,cpu_ns,check         nanoseconds for one cell or question; the processor time is the
//                                                                     working thread's, so that what the compiler and the collector of
//                                                                     garbage take is not in it
// Everything is done on a small file first, several times over, which is not printed. It lives in HBase's package because passesBloomFilter, the
// answer that a region server acts on, is visible only there.
package org.apache.hadoop.hbase.regionserver;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

public final class HFileBench {
  private static final long TIME = 1_700_000_000_000L; // of every cell, and of the file's making
  private static final int ROW_BYTES = 20;
  private static final int VALUE_BYTES = 100;
  private static final int BATCH = 4096; // cells that are made ahead, with the clock stopped
  private static final long WARM_CELLS = 500_000;
  private static final int WARM_ROUNDS = 6;
  private static final long CACHE_BYTES = 3L << 30;
  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};

  private final Configuration conf = HBaseConfiguration.create();
  private final FileSystem fs;
  private final byte[] values = new byte[1 << 20];
  private boolean printing;

  private HFileBench() throws Exception {
    conf.set("fs.defaultFS", "file:///");
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem"); // no .crc files: HBase's own checksums are read
    fs = new HFileSystem(conf, true);
    for (int i = 0; i < values.length; i++) {
      values[i] = (byte) mixed(i);
    }
  }

  // --- cells and questions

  private static long mixed(long x) { // the finaliser of SplitMix64
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }

  private static byte[] row(long number) { // even numbers are in the file
    byte[] row = new byte[ROW_BYTES];
    java.util.Arrays.fill(row, (byte) 'r');
    for (int at = ROW_BYTES; at > 4; number /= 10) {
      row[--at] = (byte) ('0' + number % 10);
    }
    return row;
  }

  private KeyValue cell(long i) {
    byte[] row = row(2 * i);
    int value = (int) Long.remainderUnsigned(mixed(i), values.length - VALUE_BYTES);
    return new KeyValue(row, 0, row.length, FAMILY, 0, 1, QUALIFIER, 0, 1, TIME, KeyValue.Type.Put, values, value, VALUE_BYTES);
  }

  /** A get as it comes from the RPC layer, which has already made these. */
  private static final class Question {
    final byte[] row;
    final Scan scan;
    final TreeSet<byte[]> columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    final Cell first;

    Question(byte[] row) {
      this.row = row;
      scan = new Scan(new Get(row).addColumn(FAMILY, QUALIFIER));
      columns.add(QUALIFIER);
      first = KeyValueUtil.createFirstOnRow(row);
    }
  }

  // --- the clock

  private final class Clock {
    private long wall;
    private long cpu;

    void start() {
      cpu -= ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      wall -= System.nanoTime();
    }

    void stop() {
      wall += System.nanoTime();
      cpu += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    void print(String what, DataBlockEncoding encoding, Compression.Algorithm compression, long count, long check) {
      if (printing) {
        System.out.printf("hbase,%s,%s,%s,%d,%.1f,%.1f,%d%n", what, encoding, compression, count, (double) wall / count, (double) cpu / count, check);
      }
    }
  }

  // --- what is measured

  private void write(Path file, long cells, DataBlockEncoding encoding, Compression.Algorithm compression) throws Exception {
    Files.deleteIfExists(file);
    Clock clock = new Clock();
    clock.start();
    StoreFileWriter writer = new StoreFileWriter.Builder(conf, new CacheConfig(conf, null), fs)
        .withFilePath(new org.apache.hadoop.fs.Path(file.toUri()))
        .withBloomType(BloomType.ROW)
        .withMaxKeyCount(cells)
        .withFileContext(new HFileContextBuilder().withBlockSize(65536).withCompression(compression).withDataBlockEncoding(encoding).withIncludesMvcc(true)
            .withHBaseCheckSum(true).withChecksumType(ChecksumType.CRC32C).withBytesPerCheckSum(16384).withCreateTime(TIME).withColumnFamily(FAMILY)
            .withCellComparator(CellComparatorImpl.COMPARATOR).build())
        .build();
    clock.stop();
    Cell[] batch = new Cell[BATCH];
    for (long begin = 0; begin < cells; begin += BATCH) {
      int size = (int) Math.min(BATCH, cells - begin);
      for (int i = 0; i < size; i++) {
        batch[i] = cell(begin + i);
      }
      clock.start();
      for (int i = 0; i < size; i++) {
        writer.append(batch[i]);
      }
      clock.stop();
    }
    clock.start();
    writer.appendMetadata(7, false);
    writer.close();
    clock.stop();
    clock.print("write", encoding, compression, cells, Files.size(file));
  }

  private HStoreFile open(Path file, LruBlockCache cache) throws Exception {
    StoreFileInfo info = StoreFileInfo.createStoreFileInfoForHFile(conf, fs, new org.apache.hadoop.fs.Path(file.toUri()), true);
    CacheConfig config = new CacheConfig(conf, cache);
    HStoreFile store = new HStoreFile(info, BloomType.ROW, config, new BloomFilterMetrics());
    store.initReader();
    return store;
  }

  /** What a reader of a cell does with it: takes its row and its value. */
  private static long take(Cell cell, byte[] into) {
    int row = CellUtil.copyRowTo(cell, into, 0);
    int end = CellUtil.copyValueTo(cell, into, row);
    return into[row - 1] + into[row] + into[end - 1] + cell.getTimestamp() % 1000;
  }

  private void scan(HStoreFile store, long cells, DataBlockEncoding encoding, Compression.Algorithm compression, boolean cacheBlocks) throws Exception {
    byte[] into = new byte[ROW_BYTES + VALUE_BYTES];
    long count = 0;
    long check = 0;
    Clock clock = new Clock();
    clock.start();
    StoreFileScanner scanner = store.getStreamScanner(false, cacheBlocks, false, Long.MAX_VALUE, 0, false);
    scanner.seek(KeyValue.LOWESTKEY);
    for (Cell cell = scanner.next(); cell != null; cell = scanner.next()) {
      check += take(cell, into);
      count++;
    }
    scanner.close();
    clock.stop();
    if (count != cells) {
      throw new IllegalStateException(count + " cells of " + cells);
    }
    clock.print(cacheBlocks ? "fill" : "scan", encoding, compression, cells, check);
  }

  private static long get(HStoreFile store, Question question, boolean cacheBlocks, byte[] into) throws Exception {
    StoreFileReader reader = store.getReader();
    // What StoreFileScanner.shouldUseScanner asks, but for the time range, which a get without one passes.
    if (!reader.passesKeyRangeFilter(question.scan) || !reader.passesBloomFilter(question.scan, question.columns)) {
      return 0;
    }
    long found = 0;
    StoreFileScanner scanner = store.getPreadScanner(cacheBlocks, Long.MAX_VALUE, 0, false);
    if (scanner.seek(question.first)) {
      Cell cell = scanner.next();
      if (CellUtil.matchingRows(cell, question.row)) {
        found = 1 + (take(cell, into) & 0xff);
      }
    }
    scanner.close();
    return found;
  }

  private void get(String what, HStoreFile store, long cells, long asked, int odd, boolean cached) throws Exception {
    byte[] into = new byte[ROW_BYTES + VALUE_BYTES];
    Question[] batch = new Question[BATCH];
    long check = 0;
    Clock clock = new Clock();
    for (long begin = 0; begin < asked; begin += BATCH) {
      int size = (int) Math.min(BATCH, asked - begin);
      for (int i = 0; i < size; i++) {
        batch[i] = new Question(row(2 * Long.remainderUnsigned(mixed(begin + i), cells - 1) + odd));
      }
      clock.start();
      for (int i = 0; i < size; i++) {
        check += get(store, batch[i], cached, into);
      }
      clock.stop();
    }
    clock.print(what + (cached ? "_cached" : ""), DataBlockEncoding.NONE, Compression.Algorithm.NONE, asked, check);
  }

  private void runEncoded(Path directory, long cells) throws Exception {
    Path file = directory.resolve("0123456789abcdef0123456789abcdee"); // HBase insists on such a name
    write(file, cells, DataBlockEncoding.FAST_DIFF, Compression.Algorithm.SNAPPY);
    HStoreFile store = open(file, null);
    scan(store, cells, DataBlockEncoding.FAST_DIFF, Compression.Algorithm.SNAPPY, false);
    store.closeStoreFile(true);
    Files.delete(file);
  }

  private void run(Path directory, long cells) throws Exception {
    Path file = directory.resolve("0123456789abcdef0123456789abcdef");
    long few = Math.min(cells, printing ? 30_000 : 5_000);
    long many = Math.min(cells, printing ? 1_000_000 : 100_000);
    write(file, cells, DataBlockEncoding.NONE, Compression.Algorithm.NONE);
    HStoreFile store = open(file, null);
    scan(store, cells, DataBlockEncoding.NONE, Compression.Algorithm.NONE, false);
    get("get", store, cells, few, 0, false);
    get("miss", store, cells, few, 1, false);
    store.closeStoreFile(true);
    LruBlockCache cache = new LruBlockCache(CACHE_BYTES, 65536, true, conf);
    store = open(file, cache);
    boolean printed = printing;
    printing = false;
    scan(store, cells, DataBlockEncoding.NONE, Compression.Algorithm.NONE, true);
    get("get", store, cells, many / 2, 0, true); // every Bloom chunk and index block too
    printing = printed;
    get("get", store, cells, many / 2, 0, true);
    get("miss", store, cells, many, 1, true);
    store.closeStoreFile(true);
    cache.shutdown();
  }

  public static void main(String[] args) throws Exception {
    EnvironmentEdgeManager.injectEdge(() -> TIME);
    Path thread = Path.of("/proc/thread-self").toRealPath().getFileName();
    new ProcessBuilder("taskset", "-pc", args[2], thread.toString()).redirectErrorStream(true).start().waitFor();
    Path directory = Path.of(args[0]);
    long cells = Long.parseLong(args[1]);
    HFileBench bench = new HFileBench();
    for (int round = 0; round < WARM_ROUNDS; round++) {
      bench.run(directory, WARM_CELLS);
    }
    bench.printing = true;
    bench.run(directory, cells);
    bench.printing = false; // only now, so that the code above is compiled for one encoding
    for (int round = 0; round < WARM_ROUNDS; round++) {
      bench.runEncoded(directory, WARM_CELLS);
    }
    bench.printing = true;
    bench.runEncoded(directory, cells);
    System.exit(0); // threads of the cache
  }
}
