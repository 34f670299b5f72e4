// Keys to ask a file's Bloom filters for, and HBase's answers. A line: kind, row, qualifier, 1 if the key was added, the answer of the store file
// (what a region server acts on: it knows the last key, and for ROWCOL also asks for the row's deletes), the answer of the filter alone.
// 1 is "maybe", 0 is "no".
package org.apache.hadoop.hbase.regionserver;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

final class Probes {
  private static final int PRESENT = 60; // of each kind at most
  private static final int ABSENT = 120;
  private static final int FALSE_POSITIVES = 6;
  private static final int CANDIDATES = 20000;

  private final StoreFileReader reader;
  private final List<String> lines = new ArrayList<>();

  private Probes(StoreFileReader reader) {
    this.reader = reader;
  }

  static List<String> make(Settings settings, Path file) throws Exception {
    Probes probes = new Probes(HBaseFiles.open(file).getReader());
    List<Cell> cells = Cells.make(settings);
    if (probes.reader.generalBloomFilter != null) {
      probes.general(cells, settings.bloom());
    }
    if (probes.reader.deleteFamilyBloomFilter != null) {
      probes.rows(cells.stream().filter(cell -> CellUtil.isDeleteFamily(cell) || isDeleteFamilyVersion(cell)).toList(), "DELETE_FAMILY", 0);
    }
    return probes.lines;
  }

  private static boolean isDeleteFamilyVersion(Cell cell) {
    return cell.getTypeByte() == KeyValue.Type.DeleteFamilyVersion.getCode();
  }

  private void general(List<Cell> cells, BloomType type) {
    switch (type) {
      case ROW -> rows(cells, "ROW", 0);
      case ROWPREFIX_FIXED_LENGTH -> rows(cells, "ROWPREFIX", reader.getPrefixLength());
      case ROWCOL -> rowsAndColumns(cells);
      default -> { }
    }
  }

  private void rows(List<Cell> cells, String kind, int prefix) {
    Set<byte[]> added = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    cells.forEach(cell -> added.add(cut(CellUtil.cloneRow(cell), prefix)));
    int step = Math.max(1, added.size() / PRESENT);
    int i = 0;
    for (byte[] row : added) {
      if (i++ % step == 0 || i == added.size()) {
        lines.add(line(reader, kind, row, new byte[0], true));
      }
    }
    int positives = 0;
    for (i = 0; i < CANDIDATES && (i < ABSENT || positives < FALSE_POSITIVES); i++) {
      byte[] row = absentRow(i);
      if (!added.contains(cut(row, prefix))) {
        boolean maybe = filter(reader, kind, row, new byte[0]);
        positives += maybe ? 1 : 0;
        if (i < ABSENT || maybe) {
          lines.add(line(reader, kind, row, new byte[0], false));
        }
      }
    }
  }

  private void rowsAndColumns(List<Cell> cells) {
    int step = Math.max(1, cells.size() / PRESENT);
    Set<String> added = new TreeSet<>();
    cells.forEach(cell -> added.add(both(CellUtil.cloneRow(cell), CellUtil.cloneQualifier(cell))));
    for (int i = 0; i < cells.size(); i++) {
      if (i % step == 0 || i + 1 == cells.size()) {
        lines.add(line(reader, "ROWCOL", CellUtil.cloneRow(cells.get(i)), CellUtil.cloneQualifier(cells.get(i)), true));
      }
    }
    int positives = 0;
    for (int i = 0; i < CANDIDATES && (i < ABSENT || positives < FALSE_POSITIVES); i++) {
      // Half of them have a row that is there: only the column is missing.
      byte[] row = i % 2 == 0 ? absentRow(i) : CellUtil.cloneRow(cells.get(i % cells.size()));
      byte[] qualifier = Bytes.toBytes(i % 3 == 0 ? "q00" : "absent" + i);
      if (!added.contains(both(row, qualifier))) {
        boolean maybe = filter(reader, "ROWCOL", row, qualifier);
        positives += maybe ? 1 : 0;
        if (i < ABSENT || maybe) {
          lines.add(line(reader, "ROWCOL", row, qualifier, false));
        }
      }
    }
  }

  private static String both(byte[] row, byte[] qualifier) {
    return Escaping.escape(row) + "\t" + Escaping.escape(qualifier);
  }

  private static byte[] cut(byte[] row, int prefix) {
    return prefix == 0 || row.length <= prefix ? row : Bytes.copy(row, 0, prefix);
  }

  /** Among and around the rows of the file, and beyond its first and last one. */
  private static byte[] absentRow(int i) {
    return switch (i % 6) {
      case 0 -> Bytes.toBytes(String.format("row-%05d/", i));
      case 1 -> ("\u00e9\u00fe" + i).getBytes(StandardCharsets.ISO_8859_1);
      case 2 -> Bytes.toBytes("a row with another beginning" + i);
      case 3 -> Bytes.toBytes("row-" + i + "x");
      case 4 -> i % 4 == 0 ? Bytes.toBytes("\u0000" + i) : Bytes.toBytes("zz" + i);
      default -> Bytes.toBytes("p" + (char) ('a' + i % 7) + i);
    };
  }

  static String line(StoreFileReader reader, String kind, byte[] row, byte[] qualifier, boolean present) {
    return String.join("\t", kind, Escaping.escape(row), Escaping.escape(qualifier), present ? "1" : "0", store(reader, kind, row, qualifier) ? "1" : "0",
        filter(reader, kind, row, qualifier) ? "1" : "0");
  }

  static boolean store(StoreFileReader reader, String kind, byte[] row, byte[] qualifier) {
    if (kind.equals("DELETE_FAMILY")) {
      return reader.passesDeleteFamilyBloomFilter(row, 0, row.length);
    }
    Scan get = new Scan().withStartRow(row, true).withStopRow(row, true);
    TreeSet<byte[]> columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    columns.add(qualifier);
    return reader.passesBloomFilter(get, kind.equals("ROWCOL") ? columns : null);
  }

  static boolean filter(StoreFileReader reader, String kind, byte[] row, byte[] qualifier) {
    CompoundBloomFilter general = (CompoundBloomFilter) reader.generalBloomFilter;
    if (kind.equals("ROWCOL")) {
      Cell key = KeyValueUtil.createFirstOnRow(row, 0, row.length, new byte[0], 0, 0, qualifier, 0, qualifier.length);
      return general.contains(key, null, BloomType.ROWCOL);
    }
    if (kind.equals("DELETE_FAMILY")) {
      return ((CompoundBloomFilter) reader.deleteFamilyBloomFilter).contains(row, 0, row.length, null);
    }
    byte[] key = kind.equals("ROWPREFIX") ? cut(row, reader.getPrefixLength()) : row;
    return general.contains(key, 0, key.length, null);
  }
}
