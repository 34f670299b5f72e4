// Tables of a running HBase, through its client, for tests/interop/hbase/run: one process takes many steps, one a line of a file.
//
//   create TABLE LIST [KEY...]     a table with a family for each line of LIST (a name and settings, as of `files`), split before the KEYs
//   load TABLE DIRECTORY           bulk loads FAMILY/FILE... ; files: how many were loaded, split: how many of them had to be cut in two
//   scan TABLE OUT                 for each family what a scan of all versions shows: OUT/FAMILY, in the form of `bloomery hfile cat`
//   raw TABLE OUT                  the same with deleted cells and markers
//   get TABLE KEYS OUT             for each family what gets show: a key is a row, or a row, a tab and a qualifier
//   compactions on|off             whether the server compacts
//   drop TABLE
//   like TABLE OTHER               an empty table with the settings and regions of the other one
//   clone TABLE SNAPSHOT           a table of a snapshot that lies in the root
//   adopt TABLE SERVER             regions that lie in the root become a table: those of the server, which may be a dead one
//   await TABLE                    until every region answers
//   split TABLE KEY                splits a region before KEY
//   compact TABLE                  compacts all of a table and waits for it
//   stores TABLE                   regions, files, and how many of the files are references into a file of a region that was split
//   bloom TABLE                    how many questions the Bloom filters of the table were asked, and how many they answered with no
//   blocks TABLE                   how many data blocks the server asked of its block cache since the last such step
//
// Cells are printed without tags and mvcc, which stay on the server. Each step prints what it did.
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MetaTableAccessor;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableState;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSUtils;

final class Tables {
  private static final int BATCH = 1000; // gets sent together
  private static final long PATIENCE = 120_000; // milliseconds for anything the server does on its own

  private final Configuration conf = HBaseConfiguration.create();
  private final Connection connection = ConnectionFactory.createConnection(conf);
  private final Admin admin = connection.getAdmin();
  private final PrintStream out;

  private Tables(PrintStream out) throws IOException {
    this.out = out;
  }

  static void run(List<String> steps, PrintStream out) throws Exception {
    Tables tables = new Tables(out);
    for (String step : steps) {
      long start = System.currentTimeMillis();
      tables.step(step.split(" "));
      System.err.println(step + ": " + (System.currentTimeMillis() - start) + " ms");
    }
    tables.connection.close();
  }

  private void step(String[] words) throws Exception {
    TableName table = TableName.valueOf(words[1]);
    switch (words[0]) {
      case "create" -> create(table, Path.of(words[2]), List.of(words).subList(3, words.length));
      case "load" -> load(table, Path.of(words[2]));
      case "scan" -> scan(table, new Scan().readAllVersions(), Path.of(words[2]));
      case "raw" -> scan(table, new Scan().readAllVersions().setRaw(true), Path.of(words[2]));
      case "get" -> get(table, Files.readAllLines(Path.of(words[2])), Path.of(words[3]));
      case "compactions" -> admin.compactionSwitch(words[1].equals("on"), List.of());
      case "drop" -> drop(table);
      case "like" -> admin.createTable(TableDescriptorBuilder.copy(table, admin.getDescriptor(TableName.valueOf(words[2]))), splits(words[2]));
      case "clone" -> admin.cloneSnapshot(words[2], table);
      case "adopt" -> adopt(table, ServerName.valueOf(words[2]));
      case "await" -> wait("table " + table, () -> isThere(table));
      case "split" -> split(table, Escaping.unescape(words[2]));
      case "compact" -> compact(table);
      case "stores" -> stores(table);
      case "bloom" -> bloom(table);
      case "blocks" -> blocks(table);
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private void create(TableName name, Path list, List<String> splits) throws Exception {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    for (String line : Files.readAllLines(list)) {
      List<String> words = List.of(line.trim().split("\\s+"));
      Settings settings = new Settings(words.get(0), words.subList(1, words.size()));
      table.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(settings.family()).setMaxVersions(1000).setBloomFilterType(settings.bloom())
          .setDataBlockEncoding(DataBlockEncoding.valueOf(settings.text("encoding", "NONE")))
          .setCompressionType(Compression.Algorithm.valueOf(settings.text("codec", "NONE"))).setBlocksize(Math.max(1024, settings.number("block", 65536)))
          .setConfiguration("RowPrefixBloomFilter.prefix_length", settings.conf.get("RowPrefixBloomFilter.prefix_length", "1")).build());
    }
    byte[][] keys = splits.stream().map(Escaping::unescape).toArray(byte[][]::new);
    if (keys.length == 0) {
      admin.createTable(table.build());
    } else {
      admin.createTable(table.build(), keys);
    }
  }

  /** A file that crosses a boundary of regions is cut by the load, and its halves are loaded in its place. */
  private void load(TableName name, Path directory) throws Exception {
    Map<BulkLoadHFiles.LoadQueueItem, ?> loaded = BulkLoadHFiles.create(conf).bulkLoad(name, HBaseFiles.hadoopPath(directory));
    long split = loaded.keySet().stream().filter(item -> item.getFilePath().getName().contains(".")).count();
    out.println("load " + name + " files " + loaded.size() + " split " + split);
  }

  private List<byte[]> families(TableName name) throws IOException {
    List<byte[]> names = new ArrayList<>();
    for (ColumnFamilyDescriptor family : admin.getDescriptor(name).getColumnFamilies()) {
      names.add(family.getName());
    }
    return names;
  }

  private void scan(TableName name, Scan everything, Path directory) throws Exception {
    Files.createDirectories(directory);
    long cells = 0;
    for (byte[] family : families(name)) {
      Scan scan = new Scan(everything).addFamily(family).setCaching(BATCH);
      try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(scan); Writer lines = writer(directory, family)) {
        for (Result row : scanner) {
          cells += write(row, lines);
        }
      }
    }
    out.println("scan " + name + " cells " + cells);
  }

  private void get(TableName name, List<String> keys, Path directory) throws Exception {
    Files.createDirectories(directory);
    long cells = 0;
    for (byte[] family : families(name)) {
      try (Table table = connection.getTable(name); Writer lines = writer(directory, family)) {
        for (int begin = 0; begin < keys.size(); begin += BATCH) {
          List<Get> gets = new ArrayList<>();
          for (String key : keys.subList(begin, Math.min(begin + BATCH, keys.size()))) {
            gets.add(get(key, family));
          }
          for (Result row : table.get(gets)) {
            cells += write(row, lines);
          }
        }
      }
    }
    out.println("get " + name + " cells " + cells);
  }

  private static Get get(String key, byte[] family) throws IOException {
    int tab = key.indexOf('\t');
    Get get = new Get(Escaping.unescape(tab < 0 ? key : key.substring(0, tab))).readAllVersions();
    return tab < 0 ? get.addFamily(family) : get.addColumn(family, Escaping.unescape(key.substring(tab + 1)));
  }

  private static Writer writer(Path directory, byte[] family) throws IOException {
    return Files.newBufferedWriter(directory.resolve(Bytes.toString(family)), StandardCharsets.US_ASCII);
  }

  private static int write(Result row, Writer lines) throws IOException {
    for (Cell cell : row.rawCells() == null ? new Cell[0] : row.rawCells()) {
      lines.write(Peer.line(cell, false) + "\n");
    }
    return row.size();
  }

  private void drop(TableName name) throws IOException {
    admin.disableTable(name);
    admin.deleteTable(name);
  }

  private byte[][] splits(String name) throws IOException {
    byte[][] keys = admin.getRegions(TableName.valueOf(name)).stream().map(RegionInfo::getStartKey).filter(key -> key.length > 0).toArray(byte[][]::new);
    return keys.length == 0 ? null : keys;
  }

  /** Writes to hbase:meta what it would have said of the regions when the server died. */
  private void adopt(TableName name, ServerName server) throws Exception {
    org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path(conf.get("hbase.rootdir"));
    FileSystem files = root.getFileSystem(conf);
    int regions = 0;
    try (Table meta = connection.getTable(TableName.META_TABLE_NAME)) {
      for (org.apache.hadoop.fs.Path directory : FSUtils.getRegionDirs(files, CommonFSUtils.getTableDir(root, name))) {
        RegionInfo region = HRegionFileSystem.loadRegionInfoFileContent(files, directory);
        long now = System.currentTimeMillis();
        Put row = MetaTableAccessor.makePutFromRegionInfo(region, now);
        MetaTableAccessor.addLocation(row, server, 1, 0);
        row.addColumn(HConstants.CATALOG_FAMILY, HConstants.SERVERNAME_QUALIFIER, Bytes.toBytes(server.getServerName()));
        row.addColumn(HConstants.CATALOG_FAMILY, HConstants.STATE_QUALIFIER, Bytes.toBytes("OPEN"));
        meta.put(row);
        regions++;
      }
      meta.put(new Put(name.getName()).addColumn(HConstants.TABLE_FAMILY, HConstants.TABLE_STATE_QUALIFIER,
          new TableState(name, TableState.State.ENABLED).convert().toByteArray()));
    }
    out.println("adopt " + name + " regions " + regions);
  }

  /** Asks by a new connection, since one that knows a dead server goes on asking it. */
  private boolean isThere(TableName name) {
    Configuration once = new Configuration(conf);
    once.setInt("hbase.client.retries.number", 1);
    try (Connection fresh = ConnectionFactory.createConnection(once); Table table = fresh.getTable(name); ResultScanner scanner = table.getScanner(new Scan())) {
      while (scanner.next() != null) { } // of all regions
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  private void split(TableName name, byte[] key) throws Exception {
    int regions = admin.getRegions(name).size();
    admin.split(name, key);
    wait("two regions where one was", () -> admin.getRegions(name).size() == regions + 1 && admin.isTableAvailable(name) && online(name) == regions + 1);
  }

  private long online(TableName name) throws Exception {
    return admin.getRegionMetrics(admin.getRegionServers().iterator().next(), name).size();
  }

  private void compact(TableName name) throws Exception {
    int regions = admin.getRegions(name).size();
    int families = families(name).size();
    admin.majorCompact(name);
    wait("a compacted table", () -> {
      long[] files = files(name);
      return files[1] == 0 && files[0] <= (long) regions * families && admin.getCompactionState(name) == org.apache.hadoop.hbase.client.CompactionState.NONE;
    });
  }

  private void stores(TableName name) throws Exception {
    long[] files = files(name);
    out.println("stores " + name + " regions " + online(name) + " files " + files[0] + " references " + files[1]);
  }

  /** The files that the server has open, and how many references lie in the folders of the table's regions. */
  private long[] files(TableName name) throws Exception {
    long open = admin.getRegionMetrics(admin.getRegionServers().iterator().next(), name).stream().mapToLong(region -> region.getStoreFileCount()).sum();
    long references = 0;
    Path data = Path.of(conf.get("hbase.rootdir").substring("file://".length())).resolve("data/default").resolve(name.getNameAsString());
    for (var region : admin.getRegions(name)) {
      try (Stream<Path> files = Files.walk(data.resolve(region.getEncodedName()))) {
        references += files.filter(path -> path.getFileName().toString().matches("[0-9a-f_SeqId]+\\.[0-9a-f]{32}")).count();
      }
    }
    return new long[] {open, references};
  }

  private void bloom(TableName name) throws Exception {
    CountersMXBean counters = counters();
    out.println("bloom " + name + " questions " + counters.bloomQuestions(name.getNameAsString()) + " negatives " + counters.bloomNegatives(name.getNameAsString()));
  }

  private long blocks; // counted at the last such step

  private void blocks(TableName name) throws Exception {
    long counted = counters().blocks()[0];
    out.println("blocks " + name + " " + (counted - blocks));
    blocks = counted;
  }

  private CountersMXBean counters;

  private CountersMXBean counters() throws Exception {
    if (counters == null) {
      counters = CountersMXBean.connect();
    }
    return counters;
  }

  private static void wait(String what, Callable<Boolean> done) throws Exception {
    for (long end = System.currentTimeMillis() + PATIENCE; !done.call(); Thread.sleep(200)) {
      if (System.currentTimeMillis() > end) {
        throw new IOException("waited in vain for " + what);
      }
    }
  }
}
