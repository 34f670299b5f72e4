// Facts of HBase that no file shows, asked of its code: the order of cells and of the keys used for seeking, and when a store file's filters are asked.
package org.apache.hadoop.hbase.regionserver;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.Bytes;

final class Facts {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  private Facts() { }

  static void print(PrintStream out) throws Exception {
    order(out);
    seekKeys(out);
    timeRanges(out);
    rowColumn(out);
    prefix(out);
    seeks(out);
  }

  /** Each cell sorts before the next one. */
  private static void order(PrintStream out) {
    byte[] none = new byte[0];
    List<Cell> cells = List.of(cell("a", "f", "", 9, KeyValue.Type.DeleteFamily), cell("a", "f", "", 9, KeyValue.Type.Put), cell("a", "f", "p", 1, KeyValue.Type.Put),
        cell("a", "f", "q", 9, KeyValue.Type.DeleteFamily), cell("a", "f", "q", 9, KeyValue.Type.DeleteColumn), cell("a", "f", "q", 9, KeyValue.Type.DeleteFamilyVersion),
        cell("a", "f", "q", 9, KeyValue.Type.Delete), cell("a", "f", "q", 9, KeyValue.Type.Put), cell("a", "f", "q", 8, KeyValue.Type.DeleteFamily),
        cell("a", "f", "q", 0, KeyValue.Type.Put), cell("a", "f", "q", -1, KeyValue.Type.Put), cell("a", "f", "q\u0000", 9, KeyValue.Type.Put), cell("a", "f", "\u00ff", 9, KeyValue.Type.Put),
        new KeyValue(Bytes.toBytes("a"), none, none, Long.MIN_VALUE, KeyValue.Type.Minimum), cell("a\u0000", "f", "", 9, KeyValue.Type.Put), cell("b", "f", "", 9, KeyValue.Type.Put),
        cell("\u0080", "f", "", 9, KeyValue.Type.Put));
    int right = 0;
    int pairs = 0;
    for (int i = 0; i < cells.size(); i++) {
      for (int j = 0; j < cells.size(); j++) {
        pairs++;
        right += Integer.signum(CellComparatorImpl.COMPARATOR.compare(cells.get(i), cells.get(j))) == Integer.signum(i - j) ? 1 : 0;
      }
    }
    out.println("order\t" + right + " of " + pairs + " pairs");
  }

  private static void seekKeys(PrintStream out) {
    Cell cell = cell("r", "f", "q", 5, KeyValue.Type.Put);
    out.println("first_on_row\t" + key(PrivateCellUtil.createFirstOnRow(cell)));
    out.println("first_delete_family_on_row\t" + key(PrivateCellUtil.createFirstDeleteFamilyCellOnRow(Bytes.toBytes("r"), FAMILY)));
    out.println("first_on_row_col\t" + key(PrivateCellUtil.createFirstOnRowCol(cell)));
    out.println("first_on_row_col_ts\t" + key(PrivateCellUtil.createFirstOnRowColTS(cell, 7)));
    out.println("last_on_row_col\t" + key(PrivateCellUtil.createLastOnRowCol(cell)));
    out.println("last_on_row\t" + key(PrivateCellUtil.createLastOnRow(cell)));
    out.println("first_on_next_row\t" + key(PrivateCellUtil.createFirstOnNextRow(cell)));
    out.println("bloom_key\t" + key(KeyValueUtil.createFirstOnRow(Bytes.toBytes("r"), 0, 1, new byte[0], 0, 0, Bytes.toBytes("q"), 0, 1)));
  }

  /** Which cells pull the least timestamp of a file to 0. */
  private static void timeRanges(PrintStream out) {
    for (KeyValue.Type type : List.of(KeyValue.Type.Put, KeyValue.Type.Delete, KeyValue.Type.DeleteFamilyVersion, KeyValue.Type.DeleteColumn, KeyValue.Type.DeleteFamily)) {
      TimeRangeTracker tracker = TimeRangeTracker.create(TimeRangeTracker.Type.NON_SYNC);
      tracker.includeTimestamp(cell("r", "f", "q", 100, KeyValue.Type.Put));
      tracker.includeTimestamp(cell("r", "f", "q", 50, type));
      out.println("time_range\t" + type + "\t" + tracker.getMin() + "\t" + tracker.getMax());
    }
  }

  private static void rowColumn(PrintStream out) throws Exception {
    StoreFileReader reader = write("data=grid rows=40 columns=3 bloom=ROWCOL");
    byte[] row = Bytes.toBytes("row-00007");
    Scan get = new Scan().withStartRow(row).withStopRow(row, true);
    Scan range = new Scan().withStartRow(row).withStopRow(Bytes.toBytes("row-00009"));
    out.println("rowcol get, no columns\t" + reader.passesBloomFilter(get, null));
    out.println("rowcol get, one absent column\t" + reader.passesBloomFilter(get, columns("absent")));
    out.println("rowcol get, two absent columns\t" + reader.passesBloomFilter(get, columns("absent", "absent too")));
    out.println("rowcol range scan, one absent column\t" + reader.passesBloomFilter(range, columns("absent")));
    StoreFileReader rows = write("data=grid rows=40 bloom=ROW");
    out.println("row range scan of absent rows\t" + rows.passesBloomFilter(new Scan().withStartRow(Bytes.toBytes("row-00007a")).withStopRow(Bytes.toBytes("row-00007b")), null));
    out.println("delete family, none in the file\t" + rows.passesDeleteFamilyBloomFilter(row, 0, row.length));
    StoreFileReader deletes = write("data=mixed rows=40 bloom=NONE io.storefile.delete.family.bloom.enabled=false");
    out.println("delete family, some in the file but no filter\t" + deletes.passesDeleteFamilyBloomFilter(row, 0, row.length));
    StoreFileReader empty = write("data=empty bloom=ROW");
    out.println("empty file\t" + empty.passesBloomFilter(get, null) + "\t" + empty.passesDeleteFamilyBloomFilter(row, 0, row.length) + "\t" + empty.passesKeyRangeFilter(new Scan()));
    StoreFileReader rowDeletes = write("data=mixed rows=40 bloom=ROWCOL");
    out.println("rowcol file has a delete-family filter\t" + (rowDeletes.deleteFamilyBloomFilter != null));
  }

  private static void prefix(PrintStream out) throws Exception {
    StoreFileReader reader = write("data=grid rows=40 bloom=ROWPREFIX_FIXED_LENGTH RowPrefixBloomFilter.prefix_length=8");
    String[][] ranges = {{"row-0001", "row-0001~"}, {"row-0001x", "row-0001y"}, {"row-0009a", "row-0009b"}, {"row-00a0", "row-00a1"}, {"qow-0001a", "qow-0001b"}, {"qow-0001", "qow-0002"}, {"qow", "qow~"}};
    for (String[] range : ranges) {
      Scan scan = new Scan().withStartRow(Bytes.toBytes(range[0])).withStopRow(Bytes.toBytes(range[1]));
      out.println("prefix 8, range " + range[0] + ".." + range[1] + "\t" + reader.passesBloomFilter(scan, null));
    }
    for (String row : List.of("row-00011", "row-0001", "row-000", "qow-00011", "qow")) {
      out.println("prefix 8, get " + row + "\t" + reader.passesBloomFilter(new Scan().withStartRow(Bytes.toBytes(row)).withStopRow(Bytes.toBytes(row), true), null));
    }
  }

  private static void seeks(PrintStream out) throws Exception {
    HFile.Reader reader = write("data=grid rows=60").getHFileReader();
    HFileScanner scanner = reader.getScanner(Settings.configuration(), false, true);
    byte[] boundary = CellUtil.cloneRow(reader.midKey().orElseThrow()); // the first row of a block, whose key in the index is made up
    Cell exact = cell("row-00003", "f", "q00", 1700000000003L, KeyValue.Type.Put);
    out.println("seek, exact\t" + scanner.seekTo(exact));
    out.println("seek, between\t" + scanner.seekTo(PrivateCellUtil.createFirstDeleteFamilyCellOnRow(Bytes.toBytes("row-00003"), FAMILY)));
    out.println("seek, before the file\t" + scanner.seekTo(PrivateCellUtil.createFirstDeleteFamilyCellOnRow(Bytes.toBytes("a"), FAMILY)));
    out.println("seek, beyond the file\t" + scanner.seekTo(PrivateCellUtil.createFirstDeleteFamilyCellOnRow(Bytes.toBytes("z"), FAMILY)));
    out.println("seek, after a block's key but before its first cell\t" + scanner.seekTo(PrivateCellUtil.createFirstDeleteFamilyCellOnRow(boundary, FAMILY)) + "\t"
        + key(scanner.getCell()));
  }

  private static StoreFileReader write(String settings) throws Exception {
    Path file = Files.createTempFile("facts", ".hfile");
    HBaseFiles.write(file, new Settings("fact", Arrays.asList(settings.split(" "))));
    return HBaseFiles.open(file).getReader();
  }

  private static TreeSet<byte[]> columns(String... names) {
    TreeSet<byte[]> result = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    Arrays.stream(names).forEach(name -> result.add(Bytes.toBytes(name)));
    return result;
  }

  private static KeyValue cell(String row, String family, String qualifier, long time, KeyValue.Type type) {
    return new KeyValue(latin(row), latin(family), latin(qualifier), time, type);
  }

  private static byte[] latin(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private static String key(Cell cell) {
    return Escaping.escape(PrivateCellUtil.getCellKeySerializedAsKeyValueKey(cell));
  }
}
