// Writes HFiles in the order of hbase:meta with HBase's own store-file writer, and the rows of meta_order.txt in HBase's order:
//
//   classpath=$(tests/interop/hbase/hbase classpath); javac -d CLASSES -cp "$classpath" MetaFiles.java
//   java -cp "CLASSES:$classpath" org.apache.hadoop.hbase.regionserver.MetaFiles DIRECTORY
//
// Start keys have bytes below the comma, commas and ff, so that the order differs from that of bytes. Blocks, index blocks and
// Bloom chunks are small, so that there are several of each. `tests/interop/hbase/hbase scan FILE` lists the cells beside.
package org.apache.hadoop.hbase.regionserver;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.MetaCellComparator;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

public final class MetaFiles {
  private static final long TIME = 1700000000000L;
  private static final byte[] FAMILY = Bytes.toBytes("info");

  public static void main(String[] args) throws Exception {
    EnvironmentEdgeManager.injectEdge(() -> TIME);
    Path directory = Path.of(args[0]);
    write(directory.resolve("meta_none.hfile"), DataBlockEncoding.NONE, BloomType.ROWCOL);
    write(directory.resolve("meta_row_index.hfile"), DataBlockEncoding.ROW_INDEX_V1, BloomType.ROW);
    write(directory.resolve("meta_fast_diff.hfile"), DataBlockEncoding.FAST_DIFF, BloomType.NONE);
    order(directory.resolve("meta_order.txt"));
  }

  private static KeyValue cell(byte[] row, String qualifier, KeyValue.Type type, String value) {
    return new KeyValue(row, FAMILY, Bytes.toBytes(qualifier), TIME, type, Bytes.toBytes(value));
  }

  private static TreeSet<KeyValue> cells() {
    TreeSet<KeyValue> cells = new TreeSet<>(MetaCellComparator.META_COMPARATOR);
    String[] starts = {"", "\0", "\0\1", " x", "!", "*,", "k,with,commas", ",", ",,", "row-001", "row-001\0", "row-002", "row-01", "~", "\u007f"};
    for (String table : new String[] {"a", "a-b", "ab", "ns:t", "t"}) {
      cells.add(cell(Bytes.toBytes(table), "state", KeyValue.Type.Put, "enabled"));
      for (String start : starts) {
        byte[] row = Bytes.toBytes(table + "," + start + "," + (TIME + start.length()) + ".id.");
        for (String qualifier : new String[] {"regioninfo", "server", "state"}) {
          cells.add(cell(row, qualifier, KeyValue.Type.Put, qualifier + " of " + table));
        }
        if (start.equals("row-001")) {
          cells.add(cell(row, "", KeyValue.Type.DeleteFamily, ""));
        }
      }
      byte[] last = Bytes.add(Bytes.toBytes(table + ","), new byte[] {(byte) 0xff, 0x2c, (byte) 0x80}, Bytes.toBytes("," + TIME + ".id."));
      cells.add(cell(last, "state", KeyValue.Type.Put, "OPEN"));
    }
    return cells;
  }

  private static void write(Path out, DataBlockEncoding encoding, BloomType bloom) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hfile.index.block.max.size", 512);
    conf.setInt("io.storefile.bloom.block.size", 64);
    conf.setInt("io.storefile.bloom.max.fold", 3);
    HFileContext context = new HFileContextBuilder().withBlockSize(512).withDataBlockEncoding(encoding).withIncludesMvcc(true)
        .withHBaseCheckSum(true).withCreateTime(TIME).withColumnFamily(FAMILY).withCellComparator(MetaCellComparator.META_COMPARATOR).build();
    Path file = Files.createTempDirectory("hbase-files").resolve("0123456789abcdef0123456789abcdef");
    StoreFileWriter writer = new StoreFileWriter.Builder(conf, new CacheConfig(conf), FileSystem.getLocal(conf))
        .withFilePath(new org.apache.hadoop.fs.Path(file.toUri())).withBloomType(bloom).withMaxKeyCount(1000).withFileContext(context).build();
    for (KeyValue cell : cells()) {
      writer.append(cell);
    }
    writer.appendMetadata(7, false);
    writer.close();
    Files.copy(file, out, StandardCopyOption.REPLACE_EXISTING);
  }

  private static KeyValue key(byte[] row) {
    return new KeyValue(row, FAMILY, FAMILY, TIME, KeyValue.Type.Put);
  }

  private static String escape(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) {
      int value = each & 255;
      text.append(value >= 0x21 && value <= 0x7e && value != '\\' ? String.valueOf((char) value) : String.format("\\x%02x", value));
    }
    return text.toString();
  }

  // 300 rows without comma, or with two or more: all pairs of them are compared, and the order is total.
  private static void order(Path out) throws Exception {
    Random random = new Random(21);
    String alphabet = "ab,,,1!\0\u007f-:";
    TreeMap<byte[], Integer> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    cells().forEach(cell -> rows.put(org.apache.hadoop.hbase.CellUtil.cloneRow(cell), 1));
    while (rows.size() < 300) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(9); i > 0; i--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      byte[] row = Bytes.toBytes(text.toString());
      if (row.length > 0 && random.nextInt(6) == 0) {
        row[random.nextInt(row.length)] = (byte) 0xff;
      }
      int commas = 0;
      for (byte each : row) {
        commas += each == ',' ? 1 : 0;
      }
      if (commas != 1 && row.length > 0) {
        rows.put(row, 1);
      }
    }
    List<byte[]> sorted = new ArrayList<>(rows.keySet());
    sorted.sort((a, b) -> MetaCellComparator.META_COMPARATOR.compareRows(key(a), key(b)));
    for (int i = 0; i < sorted.size(); i++) {
      for (int j = 0; j < sorted.size(); j++) {
        if (Integer.signum(MetaCellComparator.META_COMPARATOR.compareRows(key(sorted.get(i)), key(sorted.get(j)))) != Integer.signum(i - j)) {
          throw new IllegalStateException("no order: " + escape(sorted.get(i)) + " and " + escape(sorted.get(j)));
        }
      }
    }
    try (PrintStream lines = new PrintStream(Files.newOutputStream(out), false, StandardCharsets.US_ASCII)) {
      sorted.forEach(row -> lines.print(escape(row) + "\n"));
    }
  }
}
