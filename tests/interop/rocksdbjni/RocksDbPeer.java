// The side of a current RocksDB in tests/interop/rocksdbjni/run, by rocksdbjni. It also wrote the golden databases tests/golden/rocksdb/db_* with
// -Dbytes=6000 and -Dprefix=8, from 400 keys key000000 to key000399. Their OPTIONS, LOG, LOCK and IDENTITY were left out.
//
//   RocksDbPeer database KIND VERSION KEYS FOLDER
//       KIND: full, partitioned, fixed (prefixes of PREFIX bytes and no whole keys), families (every second key in the
//       family `other`), logged (the second half of the keys lies in the log alone), blobs, backwards (the order of
//       rocksdb.ReverseBytewiseComparator). In the log, deletes of keys `deleted-N` and a deleted range that begins at
//       `range-begin` follow. VERSION is the format_version of the tables.
//   RocksDbPeer ask KIND FOLDER KEYS
//       one Get() a key; prints those that no filter denied, and those that Get() finds. Fails for a key that is found
//       although a filter denied it.
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.*;

public class RocksDbPeer {
  static final int FILE_BYTES = Integer.getInteger("bytes", 1_000_000);
  static final int PREFIX = Integer.getInteger("prefix", 10);

  static BlockBasedTableConfig table(String kind, int version) {
    return new BlockBasedTableConfig()
        .setFormatVersion(version)
        .setFilterPolicy(new BloomFilter(10))
        .setOptimizeFiltersForMemory(false)
        .setWholeKeyFiltering(!kind.equals("fixed"))
        .setPartitionFilters(kind.equals("partitioned"))
        .setIndexType(kind.equals("partitioned") ? IndexType.kTwoLevelIndexSearch : IndexType.kBinarySearch)
        .setMetadataBlockSize(1024);
  }

  static ColumnFamilyOptions familyOptions(String kind, int version) {
    ColumnFamilyOptions options = new ColumnFamilyOptions()
        .setTableFormatConfig(table(kind, version))
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setTargetFileSizeBase(FILE_BYTES)
        .setMergeOperator(new StringAppendOperator());
    if (kind.equals("fixed")) {
      options.useFixedLengthPrefixExtractor(PREFIX);
    }
    if (kind.equals("backwards")) {
      options.setComparator(BuiltinComparator.REVERSE_BYTEWISE_COMPARATOR);
    }
    if (kind.equals("blobs")) {
      options.setEnableBlobFiles(true).setMinBlobSize(8);
    }
    return options;
  }

  record Opened(RocksDB db, List<ColumnFamilyHandle> families) implements AutoCloseable {
    public void close() {
      families.forEach(ColumnFamilyHandle::close);
      db.close();
    }
  }

  static Opened open(String kind, int version, String folder) throws RocksDBException {
    List<ColumnFamilyDescriptor> wanted = new ArrayList<>();
    wanted.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions(kind, version)));
    if (kind.equals("families")) {
      wanted.add(new ColumnFamilyDescriptor("other".getBytes(StandardCharsets.UTF_8), familyOptions(kind, version)));
    }
    DBOptions options = new DBOptions()
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setAvoidFlushDuringRecovery(true)
        .setAvoidFlushDuringShutdown(true)
        .setInfoLogLevel(InfoLogLevel.FATAL_LEVEL);
    List<ColumnFamilyHandle> families = new ArrayList<>();
    return new Opened(RocksDB.open(options, folder, wanted, families), families);
  }

  static void makeDatabase(String kind, int version, String keyFile, String folder) throws Exception {
    List<String> keys = Files.readAllLines(Path.of(keyFile), StandardCharsets.UTF_8);
    byte[] value = "a value of some bytes".getBytes(StandardCharsets.UTF_8);
    try (Opened opened = open(kind, version, folder);
        WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
        WriteOptions logged = new WriteOptions();
        FlushOptions flush = new FlushOptions();
        CompactRangeOptions all = new CompactRangeOptions()
            .setBottommostLevelCompaction(CompactRangeOptions.BottommostLevelCompaction.kForce)) {
      int tabled = kind.equals("logged") ? keys.size() / 2 : keys.size();
      int compacted = tabled * 8 / 10; // the others stay in two files of level 0
      for (int i = 0; i < tabled; ++i) {
        ColumnFamilyHandle family = opened.families.get(i % opened.families.size());
        opened.db.put(family, unlogged, keys.get(i).getBytes(StandardCharsets.UTF_8), value);
        if (i + 1 == compacted) {
          opened.db.flush(flush, opened.families);
          for (ColumnFamilyHandle each : opened.families) {
            opened.db.compactRange(each, null, null, all);
          }
        } else if (i + 1 == tabled * 9 / 10 || i + 1 == tabled) {
          opened.db.flush(flush, opened.families);
        }
      }
      if (tabled < keys.size()) {
        writeLog(opened.db, opened.families.get(0), logged, keys.subList(tabled, keys.size()), value);
      }
    }
  }

  // Every kind of write that has a key.
  static void writeLog(RocksDB db, ColumnFamilyHandle family, WriteOptions options, List<String> keys, byte[] value)
      throws Exception {
    for (int i = 0; i < keys.size(); i += 5) {
      try (WriteBatch batch = new WriteBatch()) {
        for (int j = i; j < Math.min(i + 5, keys.size()); ++j) {
          byte[] key = keys.get(j).getBytes(StandardCharsets.UTF_8);
          switch (j % 5) {
            case 0 -> batch.merge(key, value);
            case 1 -> batch.merge(family, key, value);
            case 2 -> batch.put(family, key, value);
            default -> batch.put(key, value);
          }
        }
        db.write(options, batch);
      }
    }
    try (WriteBatch batch = new WriteBatch()) {
      batch.putLogData("a note".getBytes(StandardCharsets.UTF_8));
      batch.delete("deleted-1".getBytes(StandardCharsets.UTF_8));
      batch.delete(family, "deleted-2".getBytes(StandardCharsets.UTF_8));
      batch.singleDelete("deleted-3".getBytes(StandardCharsets.UTF_8));
      batch.singleDelete(family, "deleted-4".getBytes(StandardCharsets.UTF_8));
      batch.deleteRange("range-begin".getBytes(StandardCharsets.UTF_8), "range-end".getBytes(StandardCharsets.UTF_8));
      db.write(options, batch);
    }
  }

  static void ask(String kind, String folder, String keyFile) throws Exception {
    try (Opened opened = open(kind, 6, folder);
        BufferedReader keys = Files.newBufferedReader(Path.of(keyFile), StandardCharsets.UTF_8);
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
      opened.db.setPerfLevel(PerfLevel.ENABLE_COUNT);
      PerfContext counters = opened.db.getPerfContext();
      for (String line; (line = keys.readLine()) != null; ) {
        byte[] key = line.getBytes(StandardCharsets.UTF_8);
        boolean matched = false;
        boolean found = false;
        for (ColumnFamilyHandle family : opened.families) {
          counters.reset();
          found |= opened.db.get(family, key) != null;
          matched |= counters.getBloomSstHitCount() != 0;
        }
        if (found || matched) {
          out.write(line + "\n");
        }
      }
    }
  }

  public static void main(String[] words) throws Exception {
    RocksDB.loadLibrary();
    if (words.length == 5 && words[0].equals("database")) {
      makeDatabase(words[1], Integer.parseInt(words[2]), words[3], words[4]);
    } else if (words.length == 4 && words[0].equals("ask")) {
      ask(words[1], words[2], words[3]);
    } else {
      System.err.println("usage: see the head of RocksDbPeer.java");
      System.exit(2);
    }
  }
}
