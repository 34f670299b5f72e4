// The cells of a golden file, chosen by the settings data, rows, columns, versions, value, tags and mvcc. All are functions of numbers, so that
// every run writes the same bytes.
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.util.Bytes;

final class Cells {
  private static final long TIME = 1700000000000L;

  private final Settings settings;
  private final List<Cell> cells = new ArrayList<>();

  private Cells(Settings settings) {
    this.settings = settings;
  }

  static List<Cell> make(Settings settings) throws IOException {
    Cells made = new Cells(settings);
    switch (settings.text("data", "grid")) {
      case "grid" -> made.grid();
      case "mixed" -> made.mixed();
      case "prefixes" -> made.prefixes();
      case "wide" -> made.wide();
      case "equal" -> made.equal();
      case "times" -> made.times();
      case "keys" -> made.keys();
      case "empty" -> { }
      default -> throw new IllegalArgumentException("data=" + settings.text("data", ""));
    }
    made.cells.sort(CellComparatorImpl.COMPARATOR); // stable, with the sequence id as last criterion
    return made.cells;
  }

  /** rows x columns x versions, one shape. */
  private void grid() {
    for (int row = 0; row < settings.number("rows", 100); row++) {
      for (int column = 0; column < settings.number("columns", 1); column++) {
        for (int version = 0; version < settings.number("versions", 1); version++) {
          String value = "value-" + row + "-" + column + "-" + version + "-".repeat(settings.number("value", 0));
          put(String.format("row-%05d", row), String.format("q%02d", column), TIME + row - version, value);
        }
      }
    }
  }

  /** Every cell type, versions, empty qualifiers and values, rows and qualifiers of other lengths, bytes from 0x80 on, old and new timestamps. */
  private void mixed() {
    for (int i = 0; i < settings.number("rows", 100); i++) {
      String row = row(i);
      if (i % 4 == 0) {
        add(row, "", TIME - i, KeyValue.Type.DeleteFamily, "");
      }
      if (i % 6 == 1) {
        add(row, "", TIME + 5, KeyValue.Type.DeleteFamilyVersion, "");
      }
      if (i % 3 == 0) {
        put(row, "", i, "");
      }
      for (int version = 0; version <= i % 3; version++) {
        put(row, "q", TIME + 5 - version, "same value");
        put(row, "qa", TIME - (version == 0 ? 0 : 1L << 8 * version), "value-" + i + "-" + version);
      }
      if (i % 5 == 2) {
        add(row, "qa", TIME - 10, KeyValue.Type.DeleteColumn, "");
      }
      if (i % 7 == 3) {
        add(row, "qa", TIME, KeyValue.Type.Delete, "");
      }
      put(row, "q\u00ff\u0080", i % 2 == 0 ? TIME : 1L, i % 10 == 9 ? "long value ".repeat(25) : "\u00fe" + i);
    }
  }

  private static String row(int i) {
    return switch (i % 5) {
      case 0 -> String.format("row-%04d", i);
      case 1 -> "\u00e9\u00ff" + (char) (i % 256) + (char) (i / 256);
      case 2 -> String.valueOf((char) (i % 256));
      case 3 -> "a row with a long beginning, the same in all of them: " + i;
      default -> "\u0000\u0001" + i;
    };
  }

  /** Rows of which many are a prefix of the next one, and rows that differ in the last byte only, up to 0xff. */
  private void prefixes() {
    for (int i = 0; i < settings.number("rows", 60); i++) {
      String stem = "p" + (char) ('a' + i / 10);
      String row = switch (i % 10) {
        case 0 -> stem;
        case 1 -> stem + "\u0000";
        case 2 -> stem + "\u0000\u0000";
        case 3 -> stem + "\u0000\u0001";
        case 4 -> stem + "bcdefgh";
        case 5 -> stem + "bcdefghij";
        case 6 -> stem + "c";
        case 7 -> stem + "\u00fe";
        case 8 -> stem + "\u00ff";
        default -> stem + "\u00ff\u00ff";
      };
      put(row, "q", TIME, "v".repeat(settings.number("value", 40)));
    }
  }

  /** One row of many qualifiers, some a prefix of the next one, and one qualifier of many versions. */
  private void wide() {
    for (int i = 0; i < settings.number("columns", 60); i++) {
      String stem = String.format("c%02d", i / 4);
      put("the only row", stem + List.of("", "\u0000", "abc", "\u00ff").get(i % 4), TIME, "v".repeat(settings.number("value", 40)));
    }
    for (int version = 0; version < settings.number("versions", 30); version++) {
      put("the only row", "many versions", TIME - version, "v".repeat(settings.number("value", 40)));
    }
  }

  /** Runs of cells with the same key, longer than a block. */
  private void equal() {
    for (int i = 0; i < settings.number("rows", 4); i++) {
      for (int copy = 0; copy < settings.number("versions", 40); copy++) {
        put("row-" + i, "q", TIME, "copy " + copy);
      }
    }
  }

  /** Timestamps at and around the ends of their range, which the delta encodings treat by sign and length. */
  private void times() {
    long[] times = {Long.MAX_VALUE - 1, TIME, TIME - 1, 1L << 40, 1L << 32, 1L << 31, 65536, 256, 255, 1, 0, -1, -2, -256, -TIME, Long.MIN_VALUE + 1};
    for (int row = 0; row < settings.number("rows", 6); row++) {
      for (long time : times) {
        if (time < 0 && !settings.yes("negative")) {
          continue; // HBase reads such a cell back from an encoded block only
        }
        put("row-" + row, "q", time, "v" + row % 2);
      }
    }
  }

  /** A cell for each line of the file `keys`: an escaped row, or a row, a tab and a qualifier. */
  private void keys() throws IOException {
    KeyValue.Type type = KeyValue.Type.valueOf(settings.text("type", "Put"));
    for (String line : Files.readAllLines(Path.of(settings.text("keys", "")), StandardCharsets.US_ASCII)) {
      int tab = line.indexOf('\t');
      byte[] row = Escaping.unescape(tab < 0 ? line : line.substring(0, tab));
      byte[] qualifier = Escaping.unescape(tab < 0 ? "" : line.substring(tab + 1));
      cells.add(new KeyValue(row, settings.family(), qualifier, TIME, type));
    }
  }

  private void put(String row, String qualifier, long time, String value) {
    add(row, qualifier, time, KeyValue.Type.Put, value);
  }

  private void add(String row, String qualifier, long time, KeyValue.Type type, String value) {
    KeyValue cell = new KeyValue(bytes(row), settings.family(), bytes(qualifier), time, type, bytes(value), tags());
    cell.setSequenceId(mvcc());
    cells.add(cell);
  }

  private List<Tag> tags() {
    int i = cells.size();
    List<Tag> tags = new ArrayList<>();
    boolean lasting = settings.text("tags", "absent").equals("lasting"); // as some, but no cell is too old for a table
    if ((lasting || settings.text("tags", "absent").equals("some")) && i % 3 != 0) {
      tags.add(new ArrayBackedTag((byte) 8, Bytes.toBytes((lasting ? 1L << 42 : 86400000L) + i))); // a cell's own TTL
      if (i % 2 == 0) {
        tags.add(new ArrayBackedTag((byte) 2, bytes("secret|public")));
      }
      if (i % 11 == 1) {
        tags.add(new ArrayBackedTag((byte) 200, bytes("\u00ff".repeat(i % 150)))); // longer than a one-byte length
      }
    }
    if (settings.text("tags", "absent").equals("distinct")) {
      // Two of 200, so that a block has more tags than a dictionary of 127, and meets some again after they were dropped from it.
      tags.add(new ArrayBackedTag((byte) 2, bytes("label " + i % 200)));
      tags.add(new ArrayBackedTag((byte) 7, bytes("label " + i * i % 200)));
    }
    return tags;
  }

  private long mvcc() {
    int i = cells.size();
    return switch (settings.text("mvcc", "zero")) {
      case "large" -> List.of(0L, 1L, 127L, 128L, 300L, 1L << 20, 1L << 40, Long.MAX_VALUE).get(i % 8);
      case "count" -> i + 1L;
      default -> 0L;
    };
  }

  /** One byte a character, so that the text above can name any byte. */
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
