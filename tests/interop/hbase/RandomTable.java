// A random table of a running HBase: its settings, its cells and what is done with it, all drawn from one seed. RandomTables.java asks it questions.
//
// Cells come by puts with equal and other time stamps, some with a TTL of their own, by increments, appends, deletes of all four types, and bulk loads.
// The table is flushed, split, merged, compacted, given other settings, and kept in a snapshot. A clone of that goes on by itself.
//
// A recorded table has only what an embedded store does as well, and each step is written down (Recorder.java). What a flush or a compaction leaves out
// must not come back: either no version is deleted alone, or all versions are kept; and an alteration changes neither their number nor their age.
//
// Cells that a TTL hides expired before 2010, and others live beyond 2040, so that answers do not depend on the time of asking.
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

final class RandomTable {
  private static final long TIME = 1700000000000L;
  private static final long OLD = 1000000000000L; // 2001: outlived by a TTL
  private static final long FUTURE = 4102444800000L; // 2100
  private static final int TWENTY_YEARS = 630720000; // seconds
  private static final long PATIENCE = 60_000; // milliseconds for what the server does on its own
  private static final long COMPACTION_PATIENCE = 15_000; // and for a compaction, which it need not finish
  // The server compacts only while one thread has this for itself; others would lose the files that a split refers to.
  private static final ReentrantReadWriteLock COMPACTING = new ReentrantReadWriteLock(true);

  final TableName name;
  final StringBuilder did = new StringBuilder();
  volatile String doing = ""; // a step of stir() that has not ended
  private final Random random;
  private Connection connection;
  private Admin admin;
  private final Path scratch;
  private final List<ColumnFamilyDescriptor> families = new ArrayList<>();
  private final List<byte[]> rows = new ArrayList<>();
  private final List<byte[]> qualifiers = new ArrayList<>();
  private int mixedRows; // rows at the end of the list in which markers of families may lie behind cells of the column without a name
  private int salt; // chooses the families that have the column without a name
  private int loads;
  private Recorder recorder; // null: nothing is written down
  private boolean deletesVersions; // one by one

  RandomTable(TableName name, Random random, Connection connection, Path scratch) throws IOException {
    this.name = name;
    this.random = random;
    this.connection = connection;
    this.admin = connection.getAdmin();
    this.scratch = scratch;
    chooseNames();
  }

  /** The clone of a table goes on with the same names and settings. */
  RandomTable(TableName name, RandomTable origin) {
    this.name = name;
    random = new Random(origin.random.nextLong());
    connection = origin.connection;
    admin = origin.admin;
    scratch = origin.scratch.resolveSibling(name.getNameAsString().replace(':', '.'));
    families.addAll(origin.families);
    rows.addAll(origin.rows);
    qualifiers.addAll(origin.qualifiers);
    mixedRows = origin.mixedRows;
    salt = origin.salt;
  }

  List<ColumnFamilyDescriptor> families() {
    return families;
  }

  // --- settings

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T any(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private void chooseNames() {
    TreeSet<byte[]> chosen = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    boolean hasBinary = chance(60);
    for (int i = 12 + random.nextInt(30); i > 0; i--) {
      byte[] row = Bytes.toBytes(String.format("row-%03d", random.nextInt(50)));
      switch (random.nextInt(hasBinary ? 8 : 12)) {
        case 0 -> row = Bytes.add(row, new byte[] {0});
        case 1 -> row = Bytes.add(row, new byte[] {(byte) 0xff});
        case 2 -> row = hasBinary ? new byte[] {(byte) 0xfe, (byte) random.nextInt(256), '(', (byte) random.nextInt(256), '\\'} : row;
        case 3 -> row = hasBinary ? new byte[] {0, 1, (byte) random.nextInt(256)} : row;
        default -> { }
      }
      chosen.add(row);
    }
    rows.addAll(chosen);
    boolean isWide = chance(15);
    List<String> names = new ArrayList<>(List.of("a", "aa", "ab", "b", "c\u0000", "qual", "\u00ff\u0080"));
    for (int i = 0; isWide && i < 40; i++) {
      names.add(String.format("c%02d", i));
    }
    for (String qualifier : names) {
      qualifiers.add(qualifier.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    }
    mixedRows = chance(25) ? 1 + random.nextInt(2) : 0;
    salt = random.nextInt(3);
  }

  void record(Recorder with) {
    recorder = with;
    deletesVersions = chance(60);
  }

  private ColumnFamilyDescriptor recordedFamily(String family) {
    ColumnFamilyDescriptorBuilder builder = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family));
    chooseAges(builder);
    if (deletesVersions) {
      builder.setMinVersions(0).setMaxVersions(1000);
    }
    return recordedFormat(builder).build();
  }

  private ColumnFamilyDescriptorBuilder recordedFormat(ColumnFamilyDescriptorBuilder builder) {
    return builder.setKeepDeletedCells(any(List.of(KeepDeletedCells.values())))
        .setBloomFilterType(any(List.of(BloomType.NONE, BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH)))
        .setConfiguration("RowPrefixBloomFilter.prefix_length", Integer.toString(1 + random.nextInt(6)))
        .setDataBlockEncoding(any(List.of(DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF, DataBlockEncoding.FAST_DIFF,
            DataBlockEncoding.ROW_INDEX_V1)))
        .setCompressionType(any(List.of(Compression.Algorithm.NONE, Compression.Algorithm.GZ, Compression.Algorithm.SNAPPY, Compression.Algorithm.LZ4,
            Compression.Algorithm.ZSTD)))
        .setBlocksize(chance(50) ? 1024 : 65536);
  }

  private ColumnFamilyDescriptor family(String family) {
    if (recorder != null) {
      return recordedFamily(family);
    }
    ColumnFamilyDescriptorBuilder builder = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family))
        .setBloomFilterType(any(List.of(BloomType.values())))
        .setConfiguration("RowPrefixBloomFilter.prefix_length", Integer.toString(1 + random.nextInt(6)))
        .setDataBlockEncoding(any(List.of(DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF, DataBlockEncoding.FAST_DIFF,
            DataBlockEncoding.ROW_INDEX_V1)))
        .setCompressionType(any(List.of(Compression.Algorithm.NONE, Compression.Algorithm.GZ, Compression.Algorithm.SNAPPY, Compression.Algorithm.LZ4,
            Compression.Algorithm.ZSTD)))
        .setBlocksize(chance(50) ? 256 + random.nextInt(800) : 65536).setCompressTags(chance(50)).setNewVersionBehavior(chance(20));
    chooseAges(builder);
    if (chance(20)) {
      builder.setMobEnabled(true).setMobThreshold(8 + random.nextInt(40));
    }
    if (builder.build().getBlocksize() < 65536) { // several levels of indexes, several chunks of filters
      builder.setConfiguration("hfile.index.block.max.size", "128").setConfiguration("hfile.index.block.min.entries", "3")
          .setConfiguration("io.storefile.bloom.block.size", "16");
    }
    return builder.build();
  }

  private void chooseAges(ColumnFamilyDescriptorBuilder builder) {
    int versions = any(List.of(1, 1, 2, 3, 5, 100));
    builder.setMinVersions(0).setMaxVersions(versions).setKeepDeletedCells(any(List.of(KeepDeletedCells.values())));
    boolean hasTtl = chance(40);
    builder.setTimeToLive(hasTtl ? TWENTY_YEARS : Integer.MAX_VALUE);
    builder.setMinVersions(hasTtl && chance(50) ? 1 + random.nextInt(Math.min(3, versions)) : 0);
  }

  /** Describes the settings, for a report. */
  String settings() {
    StringBuilder text = new StringBuilder();
    for (ColumnFamilyDescriptor family : families) {
      text.append(' ').append(family.toString().replace(" ", ""));
    }
    return text.toString();
  }

  void create() throws Exception {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name)
        .setValue("hbase.table.sanity.checks", "false") // which want blocks of 1 KiB at least
        .setValue("hbase.hstore.blockingStoreFiles", "1000")
        .setValue("hbase.hstore.compaction.min", "2");
    if (chance(25)) {
      table.setValue("hbase.store.file-tracker.impl", "FILE");
      did.append(" tracked");
    }
    for (String family : List.of("f", "g", "h").subList(0, 1 + random.nextInt(3))) {
      families.add(family(family));
      table.setColumnFamily(families.get(families.size() - 1));
    }
    byte[][] keys = splitKeys(random.nextInt(3));
    if (recorder != null) {
      recorder.create(name, families, keys);
    }
    did.append(" regions ").append(keys.length + 1);
    if (keys.length == 0) {
      admin.createTable(table.build());
    } else {
      admin.createTable(table.build(), keys);
    }
  }

  private byte[][] splitKeys(int count) {
    TreeSet<byte[]> keys = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    for (int i = 0; i < count; i++) {
      keys.add(any(rows));
    }
    return keys.toArray(byte[][]::new);
  }

  // --- cells

  private long time() {
    return chance(88) ? TIME + random.nextInt(12) : chance(70) ? OLD + random.nextInt(6) : FUTURE + random.nextInt(3);
  }

  private byte[] value() {
    byte[] value = Bytes.toBytes("v" + random.nextInt(30));
    return chance(15) ? Arrays.copyOf(value, random.nextInt(90)) : chance(5) ? new byte[0] : value;
  }

  private boolean isMixed(byte[] row) {
    return rows.subList(rows.size() - mixedRows, rows.size()).stream().anyMatch(mixed -> mixed == row);
  }

  /** Of each family one of the two: the column without a name, or markers of families; both only in mixed rows. */
  private boolean hasNoName(ColumnFamilyDescriptor family, byte[] row) {
    return isMixed(row) || (family.getName()[0] + salt) % 3 == 0;
  }

  private boolean hasFamilyMarkers(ColumnFamilyDescriptor family, byte[] row) {
    return isMixed(row) || !hasNoName(family, row);
  }

  private byte[] qualifier(ColumnFamilyDescriptor family, byte[] row) {
    return hasNoName(family, row) && chance(25) ? new byte[0] : any(qualifiers);
  }

  private Put put() {
    byte[] row = any(rows);
    Put put = new Put(row);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      ColumnFamilyDescriptor family = any(families);
      put.addColumn(family.getName(), qualifier(family, row), time(), value());
    }
    if (recorder == null && chance(8)) {
      put.setTTL(chance(50) ? 1000 : 1000L * TWENTY_YEARS);
    }
    return put;
  }

  private Row delete() {
    byte[] row = any(rows);
    ColumnFamilyDescriptor family = any(families);
    Delete delete = new Delete(row);
    byte[] qualifier = qualifier(family, row);
    if (family.isNewVersionBehavior() && qualifier.length == 0) {
      qualifier = any(qualifiers); // HBase 2.6.4 fails with an exception when it reads such a marker
    }
    if (hasFamilyMarkers(family, row) && chance(45)) {
      return chance(50) ? delete.addFamily(family.getName(), time()) : delete.addFamilyVersion(family.getName(), time());
    }
    return switch (random.nextInt(5)) {
      case 0, 1 -> delete.addColumns(family.getName(), qualifier, time());
      case 2 -> delete.addColumn(family.getName(), qualifier); // of the newest version
      default -> delete.addColumn(family.getName(), qualifier, time());
    };
  }

  private void write() throws Exception {
    List<Row> work = new ArrayList<>();
    for (int i = 20 + random.nextInt(90); i > 0; i--) {
      work.add(chance(25) ? delete() : put());
    }
    try (Table table = connection.getTable(name)) {
      table.batch(work, new Object[work.size()]);
      for (int i = chance(40) ? 1 + random.nextInt(5) : 0; i > 0; i--) {
        count(table);
      }
    }
    did.append(" write");
  }

  private void count(Table table) throws IOException {
    byte[] family = any(families).getName();
    if (chance(50)) {
      table.increment(new Increment(any(rows)).addColumn(family, Bytes.toBytes("count"), random.nextInt(100)));
    } else {
      table.append(new Append(any(rows)).addColumn(family, any(qualifiers), Bytes.toBytes("+" + random.nextInt(10))));
    }
  }

  // --- what is done

  void work(int phases) throws Exception {
    for (int i = 0; i < phases; i++) {
      write();
      if (chance(80)) {
        flush();
      }
      switch (random.nextInt(8)) {
        case 0 -> split();
        case 1 -> merge();
        case 2, 3 -> load();
        case 4, 5 -> compact();
        case 6 -> alter();
        default -> { }
      }
    }
    flush();
  }

  private void flush() throws IOException {
    admin.flush(name);
    did.append(" flush");
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Runs what moves regions or their files while nothing is compacted. */
  private void undisturbed(String what, Step step) throws Exception {
    Lock lock = COMPACTING.readLock();
    lock.lock();
    try {
      step.run();
      did.append(' ').append(what);
    } catch (IOException refused) { // as of a region that has references
      did.append(" no-").append(what);
    } finally {
      lock.unlock();
    }
  }

  private void split() throws Exception {
    byte[] key = any(rows);
    undisturbed("split", () -> {
      for (RegionInfo region : admin.getRegions(name)) {
        if (region.containsRow(key) && !Bytes.equals(region.getStartKey(), key)) {
          admin.splitRegionAsync(region.getRegionName(), key).get(PATIENCE, TimeUnit.MILLISECONDS);
          return;
        }
      }
      throw new IOException("no region to split");
    });
  }

  private void merge() throws Exception {
    undisturbed("merge", () -> {
      List<RegionInfo> regions = admin.getRegions(name);
      if (regions.size() < 2) {
        throw new IOException("one region");
      }
      int first = random.nextInt(regions.size() - 1);
      byte[][] both = {regions.get(first).getEncodedNameAsBytes(), regions.get(first + 1).getEncodedNameAsBytes()};
      try {
        admin.mergeRegionsAsync(both, false).get(PATIENCE, TimeUnit.MILLISECONDS);
      } catch (java.util.concurrent.ExecutionException refused) {
        throw new IOException(refused);
      }
    });
  }

  private KeyValue loaded(ColumnFamilyDescriptor family) {
    byte[] row = any(rows);
    byte[] qualifier = qualifier(family, row);
    if (!chance(25)) {
      return new KeyValue(row, family.getName(), qualifier, time(), KeyValue.Type.Put, value());
    }
    if (hasFamilyMarkers(family, row) && chance(50)) {
      return new KeyValue(row, family.getName(), new byte[0], time(), chance(50) ? KeyValue.Type.DeleteFamily : KeyValue.Type.DeleteFamilyVersion);
    }
    qualifier = family.isNewVersionBehavior() && qualifier.length == 0 ? any(qualifiers) : qualifier;
    return new KeyValue(row, family.getName(), qualifier, time(), chance(50) ? KeyValue.Type.DeleteColumn : KeyValue.Type.Delete);
  }

  private void load() throws Exception {
    Path directory = scratch.resolve("load" + loads++);
    for (ColumnFamilyDescriptor family : families) {
      TreeSet<Cell> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
      for (int i = 5 + random.nextInt(50); i > 0; i--) {
        cells.add(loaded(family));
      }
      if (chance(80)) {
        write(directory, family, new ArrayList<>(cells));
      }
    }
    Configuration conf = new Configuration(connection.getConfiguration());
    conf.set("RowPrefixBloomFilter.prefix_length", "3"); // of files that are cut at a region's end
    undisturbed("load", () -> BulkLoadHFiles.create(conf).bulkLoad(name, HBaseFiles.hadoopPath(Files.createDirectories(directory))));
  }

  private void write(Path directory, ColumnFamilyDescriptor family, List<Cell> cells) throws Exception {
    Configuration conf = Settings.configuration();
    conf.set("hbase.io.compress.zstd.codec", connection.getConfiguration().get("hbase.io.compress.zstd.codec", ""));
    conf.set("RowPrefixBloomFilter.prefix_length", family.getConfigurationValue("RowPrefixBloomFilter.prefix_length"));
    BloomType bloom = family.getBloomFilterType() == BloomType.ROWPREFIX_FIXED_LENGTH ? BloomType.ROW : family.getBloomFilterType();
    Path file = BulkFiles.write(scratch.resolve("writing" + loads + family.getNameAsString()), conf, new HFileContextBuilder().withBlockSize(family.getBlocksize())
        .withCompression(family.getCompressionType()).withDataBlockEncoding(family.getDataBlockEncoding()).withColumnFamily(family.getName()).build(), bloom, cells,
        family.getName());
    Files.move(file, Files.createDirectories(directory.resolve(family.getNameAsString())).resolve(file.getFileName()));
  }

  private void compact() throws Exception {
    boolean isMajor = chance(50);
    flush();
    COMPACTING.writeLock().lock();
    try {
      admin.compactionSwitch(true, List.of());
      if (isMajor) {
        admin.majorCompact(name);
      } else {
        admin.compact(name);
      }
      Thread.sleep(300); // until the server has begun
      did.append(awaitCompaction(isMajor) ? " " : " unfinished-").append(isMajor ? "major" : "minor");
    } finally {
      try {
        admin.compactionSwitch(false, List.of()); // which also stops one that goes on
      } finally {
        COMPACTING.writeLock().unlock();
      }
    }
  }

  private boolean awaitCompaction(boolean isMajor) throws Exception {
    long end = System.currentTimeMillis() + COMPACTION_PATIENCE;
    while (admin.getCompactionState(name) != CompactionState.NONE || (isMajor && hasManyFiles())) {
      if (System.currentTimeMillis() > end) {
        return false;
      }
      Thread.sleep(100);
    }
    return true;
  }

  private boolean hasManyFiles() throws Exception {
    long regions = admin.getRegions(name).size();
    return openFiles() > regions * families.size();
  }

  /** How many files the server has open. */
  private long openFiles() throws Exception {
    return admin.getRegionMetrics(admin.getRegionServers().iterator().next(), name).stream().mapToLong(region -> region.getStoreFileCount()).sum();
  }

  private void alter() throws Exception {
    int which = random.nextInt(families.size());
    ColumnFamilyDescriptorBuilder changed = ColumnFamilyDescriptorBuilder.newBuilder(families.get(which));
    chooseAges(changed);
    undisturbed("alter", () -> {
      admin.modifyColumnFamily(name, changed.build());
      families.set(which, changed.build());
    });
  }

  // --- what is done to a table that is recorded

  void workRecorded(int phases) throws Exception {
    for (int i = 0; i < phases; i++) {
      writeRecorded();
      if (chance(60)) {
        flush();
        recorder.flush();
      }
      if (chance(20)) {
        int which = random.nextInt(families.size());
        ColumnFamilyDescriptorBuilder changed = recordedFormat(ColumnFamilyDescriptorBuilder.newBuilder(families.get(which)));
        admin.modifyColumnFamily(name, changed.build());
        families.set(which, changed.build());
        recorder.alter(changed.build());
        did.append(" alter");
      }
    }
  }

  private void writeRecorded() throws Exception {
    try (Table table = connection.getTable(name)) {
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        batchRecorded(table);
        for (int single = random.nextInt(8); single > 0; single--) {
          writeRecorded(table);
        }
      }
    }
    did.append(" write");
  }

  /** Puts, and deletes whose time does not depend on what is there. */
  private void batchRecorded(Table table) throws Exception {
    List<Mutation> work = new ArrayList<>();
    for (int i = 1 + random.nextInt(30); i > 0; i--) {
      Mutation one = chance(25) ? (Delete) delete() : put();
      if (!isOfNewest(one) && (deletesVersions || !isOfVersion(one))) {
        work.add(one);
      }
    }
    if (!work.isEmpty()) {
      table.batch(work, new Object[work.size()]);
      recorder.mutate(work);
    }
  }

  private static boolean isOfNewest(Mutation mutation) {
    return mutation.getFamilyCellMap().values().stream().flatMap(List::stream).anyMatch(cell -> cell.getTimestamp() == HConstants.LATEST_TIMESTAMP);
  }

  private static boolean isOfVersion(Mutation mutation) {
    return mutation.getFamilyCellMap().values().stream().flatMap(List::stream).anyMatch(
        cell -> cell.getTypeByte() == KeyValue.Type.Delete.getCode() || cell.getTypeByte() == KeyValue.Type.DeleteFamilyVersion.getCode());
  }

  private void writeRecorded(Table table) throws Exception {
    byte[] row = any(rows);
    byte[] family = any(families).getName();
    byte[] qualifier = any(qualifiers);
    switch (random.nextInt(deletesVersions ? 5 : 3)) {
      case 0 -> {
        long by = random.nextInt(100) - 20;
        Cell result = table.increment(new Increment(row).addColumn(family, Bytes.toBytes("count"), by)).rawCells()[0];
        recorder.count("increment", result, Bytes.toBytes(Long.toString(by)));
      }
      case 1 -> {
        byte[] by = Bytes.toBytes("+" + random.nextInt(10));
        recorder.count("append", table.append(new Append(row).addColumn(family, qualifier, by)).rawCells()[0], by);
      }
      case 2 -> {
        Put put = put();
        boolean isDone = table.checkAndMutate(CheckAndMutate.newBuilder(put.getRow()).ifNotExists(family, qualifier).build(put)).isSuccess();
        recorder.check(family, qualifier, put, isDone);
      }
      default -> deleteNewest(table, row, family, qualifier);
    }
  }

  /** The newest version, alone or behind a put in one call; if there is none, the marker has the server's time, which is then read. */
  private void deleteNewest(Table table, byte[] row, byte[] family, byte[] qualifier) throws Exception {
    List<Mutation> work = new ArrayList<>();
    if (chance(40)) {
      work.add(new Put(row).addColumn(family, chance(50) ? qualifier : any(qualifiers), time(), value()));
    }
    work.add(new Delete(row).addColumn(family, qualifier));
    long before = System.currentTimeMillis();
    recorder.clock(before);
    table.mutateRow(RowMutations.of(work));
    long after = System.currentTimeMillis();
    try (ResultScanner found = table.getScanner(new Scan().withStartRow(row).withStopRow(row, true).addFamily(family).setRaw(true).readAllVersions())) {
      Result now = found.next();
      for (Cell cell : now == null ? new Cell[0] : now.rawCells()) {
        if (cell.getTimestamp() >= before && cell.getTimestamp() <= after && cell.getTypeByte() == KeyValue.Type.Delete.getCode()) {
          recorder.clock(cell.getTimestamp());
        }
      }
    }
    recorder.mutate(work);
  }

  // --- what is done to a table whose server may be killed at any moment (Kills.java)

  void stir() throws Exception {
    switch (random.nextInt(30)) {
      case 0, 1, 2 -> step("flush", this::flush);
      case 3, 4 -> step("flush of a family", () -> admin.flush(name, any(families).getName()));
      case 5 -> step("split", this::split);
      case 6 -> step("merge", this::merge);
      case 7, 8 -> step("load", this::load);
      case 9 -> step("compact", this::compact);
      case 10 -> step("alter", this::alter);
      case 11 -> step("reopen", this::reopen);
      case 12, 13, 14, 15, 16, 17 -> step("write", this::write);
      default -> step("write", this::writeSingly);
    }
  }

  private void step(String what, Step step) throws Exception {
    doing = what;
    int before = did.length();
    step.run();
    doing = did.indexOf(" no-", before) >= 0 ? what : ""; // refused, or the server is gone
  }

  private void reopen() throws Exception {
    undisturbed("reopen", () -> {
      admin.disableTable(name);
      admin.enableTable(name);
    });
  }

  /** Small entries of the log, in all ways to make them. */
  private void writeSingly() throws Exception {
    try (Table table = connection.getTable(name)) {
      for (int i = 1 + random.nextInt(40); i > 0; i--) {
        Put put = put();
        byte[] row = put.getRow();
        byte[] family = any(families).getName();
        switch (random.nextInt(7)) {
          case 0 -> count(table);
          case 1 -> table.mutateRow(RowMutations.of(List.of(new Delete(row).addColumns(family, Bytes.toBytes("a"), time()), put)));
          case 2 -> table.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(family, any(qualifiers)).build(put));
          case 3 -> table.delete((Delete) delete());
          default -> table.put(put.setDurability(any(List.of(Durability.SYNC_WAL, Durability.SYNC_WAL, Durability.ASYNC_WAL, Durability.FSYNC_WAL,
              Durability.SKIP_WAL))));
        }
      }
    }
    did.append(" singly");
  }

  /** The server has come back. What was being done to the table was done or not. */
  void comeBack(Connection with) throws IOException {
    connection = with;
    admin = with.getAdmin();
    doing = "";
    List<ColumnFamilyDescriptor> now = List.of(admin.getDescriptor(name).getColumnFamilies());
    families.clear();
    families.addAll(now);
  }

  void snapshot(String snapshot) throws Exception {
    undisturbed("snapshot", () -> admin.snapshot(snapshot, name));
  }

  RandomTable clone(String snapshot, TableName cloned) throws Exception {
    undisturbed("clone", () -> admin.cloneSnapshot(snapshot, cloned));
    return new RandomTable(cloned, this);
  }

  /** Waits until the directories hold what the server has open. Where a list of files counts, files that were cut for a load stay for ever. */
  void settle(Path root) throws Exception {
    if (admin.getDescriptor(name).getValue("hbase.store.file-tracker.impl").equals("FILE")) {
      return;
    }
    Path directory = root.resolve("data").resolve(name.getNamespaceAsString()).resolve(name.getQualifierAsString());
    List<String> live = admin.getRegions(name).stream().map(RegionInfo::getEncodedName).toList();
    long end = System.currentTimeMillis() + PATIENCE;
    while (true) {
      long lying = 0;
      for (String region : live) {
        for (ColumnFamilyDescriptor family : families) {
          try (Stream<Path> files = Files.list(directory.resolve(region).resolve(family.getNameAsString()))) {
            lying += files.filter(file -> Files.isRegularFile(file) && !file.getFileName().toString().startsWith(".")).count();
          }
        }
      }
      if (lying == openFiles()) {
        return;
      }
      if (System.currentTimeMillis() > end) {
        throw new IOException(name + ": " + lying + " files lie there, " + openFiles() + " are open");
      }
      Thread.sleep(100);
    }
  }
}
