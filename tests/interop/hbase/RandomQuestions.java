// Random questions to one table, as lines (Question.java), about the rows, columns and times that it has and some that it has not.
//
// It also says which questions are unstable: HBase's answer depends there on its blocks and seeks, so that no reader can be held to it.
//
//   family markers      one lies behind a cell of the column without a name; HBase sometimes steps over it with the column
//   counted columns     a filter that counts columns meets several versions of the column without a name, or with NEW_VERSION_BEHAVIOR columns by name:
//                       instead of going on to the next column HBase sometimes seeks back to the same cell
//   short rows          a row is shorter than a PrefixFilter's prefix or a FuzzyRowFilter's key; HBase reads what lies behind the row
//
// MultiRowRangeFilter inside of SKIP is not asked. HBase fails at it or not, as other filters of a list stand; we always refuse it.
//
// HBase 2.6.4 may never answer these, and then keeps a processor busy for ever, so they are not asked either:
//
//   reversed scans with FuzzyRowFilter
//   raw scans that pass over cells of the column without a name
//   this column by name with NEW_VERSION_BEHAVIOR, and with ROWCOL filters any column by name
package org.apache.hadoop.hbase.regionserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

final class RandomQuestions {
  private static final List<String> KINDS = List.of("prefix", "column-prefix", "multiple-column-prefix", "column-range", "first-key-only", "key-only",
      "single-column-value", "single-column-value-exclude", "page", "row", "family", "qualifier", "value", "timestamps", "column-pagination",
      "inclusive-stop", "column-count-get", "dependent-column", "column-value", "fuzzy", "multi-row-range");
  private static final List<String> OPERATORS = List.of("EQUAL", "NOT_EQUAL", "LESS", "LESS_OR_EQUAL", "GREATER", "GREATER_OR_EQUAL");
  private static final List<String> PATTERNS = List.of("^v", "[0-3]$", "v1.*2", "(row|a)-0[12]", "^.{3}$", "a+b?", "\\x5cd{2}", "[^v]");
  private static final long BEGIN = 1700000000000L;

  private final Random random;
  private final List<Cell> cells; // all of the table, in the order of a raw scan
  private final List<ColumnFamilyDescriptor> descriptors;
  private final List<byte[]> families; // their names
  private final List<byte[]> rows;
  private final List<byte[]> qualifiers;
  private final boolean hasNoName; // a cell of the column without a name
  private final boolean hasFamilyMarkers;
  private int shortest = Integer.MAX_VALUE; // of all rows
  private final TreeMap<byte[], TreeSet<byte[]>> markersBehind = new TreeMap<>(Bytes.BYTES_COMPARATOR); // rows, and in which families
  private final TreeMap<byte[], TreeSet<byte[]>> severalWithoutName = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  // of the question that is being made
  private int skips; // SKIP around the filter that is being made
  private boolean isPaginated;
  private boolean readsShortRows;
  private boolean namesNewVersions; // a column of a family with NEW_VERSION_BEHAVIOR

  record Asked(String line, boolean isStable) { }

  RandomQuestions(Random random, List<ColumnFamilyDescriptor> descriptors, List<Cell> cells) {
    this.random = random;
    this.cells = cells;
    this.descriptors = descriptors;
    families = descriptors.stream().map(ColumnFamilyDescriptor::getName).toList();
    TreeSet<byte[]> rowSet = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    TreeSet<byte[]> qualifierSet = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    for (Cell cell : cells) {
      rowSet.add(CellUtil.cloneRow(cell));
      qualifierSet.add(CellUtil.cloneQualifier(cell));
      shortest = Math.min(shortest, cell.getRowLength());
    }
    rowSet.add(Bytes.toBytes("row-00"));
    qualifierSet.add(Bytes.toBytes("no"));
    rows = new ArrayList<>(rowSet);
    qualifiers = new ArrayList<>(qualifierSet);
    hasNoName = cells.stream().anyMatch(cell -> cell.getQualifierLength() == 0 && !isFamilyMarker(cell));
    hasFamilyMarkers = cells.stream().anyMatch(RandomQuestions::isFamilyMarker);
    findUnstable();
  }

  private static boolean isFamilyMarker(Cell cell) {
    return cell.getTypeByte() == KeyValue.Type.DeleteFamily.getCode() || cell.getTypeByte() == KeyValue.Type.DeleteFamilyVersion.getCode();
  }

  private void findUnstable() {
    Cell last = null;
    int withoutName = 0;
    for (Cell cell : cells) {
      if (last == null || !CellUtil.matchingRows(last, cell) || !CellUtil.matchingFamily(last, cell)) {
        withoutName = 0;
      }
      last = cell;
      if (isFamilyMarker(cell) && withoutName > 0) {
        note(markersBehind, cell);
      } else if (!isFamilyMarker(cell) && cell.getQualifierLength() == 0 && ++withoutName > 1) {
        note(severalWithoutName, cell);
      }
    }
  }

  private static void note(Map<byte[], TreeSet<byte[]>> where, Cell cell) {
    where.computeIfAbsent(CellUtil.cloneRow(cell), row -> new TreeSet<>(Bytes.BYTES_COMPARATOR)).add(CellUtil.cloneFamily(cell));
  }

  // --- parts of a question

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T any(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private byte[] row() {
    byte[] row = any(rows);
    return switch (random.nextInt(10)) {
      case 0 -> Bytes.add(row, new byte[] {0});
      case 1 -> Arrays.copyOf(row, Math.max(1, row.length - 1));
      case 2 -> Bytes.add(row, Bytes.toBytes("~"));
      default -> row;
    };
  }

  private byte[] prefixOf(byte[] bytes) {
    return Arrays.copyOf(bytes, Math.min(bytes.length, 1 + random.nextInt(4)));
  }

  private long time() {
    return chance(85) || cells.isEmpty() ? BEGIN + random.nextInt(14) : any(cells).getTimestamp() + random.nextInt(2);
  }

  private static String argument(byte[] bytes) {
    return "=" + Escaping.escape(bytes).replace("(", "\\x28").replace(")", "\\x29");
  }

  private String comparator(byte[] like) {
    return switch (random.nextInt(7)) {
      case 0 -> "(binary-prefix " + argument(prefixOf(like)) + ")";
      case 1 -> "(substring " + argument(Bytes.toBytes(any(List.of("1", "row-0", "A", "v2")))) + ")";
      case 2 -> "(regex =" + any(PATTERNS).replace("(", "\\x28").replace(")", "\\x29") + ")";
      default -> "(binary " + argument(like) + ")";
    };
  }

  /** An operator and a comparator; those of text know equality only. */
  private String condition(byte[] like) {
    String comparator = comparator(like);
    boolean isText = comparator.startsWith("(substring") || comparator.startsWith("(regex");
    return any(isText ? OPERATORS.subList(0, 2) : OPERATORS) + " " + comparator;
  }

  private byte[] value() {
    List<Cell> some = cells.isEmpty() ? List.of() : List.of(any(cells), any(cells), any(cells));
    return some.stream().filter(cell -> cell.getValueLength() > 0 && cell.getValueLength() < 40).findFirst().map(CellUtil::cloneValue)
        .orElse(Bytes.toBytes("v15"));
  }

  private String column() {
    return argument(any(families)) + " " + argument(any(qualifiers));
  }

  private String filter(int depth, boolean isReversed) {
    if (depth > 0 && chance(25)) {
      StringBuilder list = new StringBuilder(chance(50) ? "(all" : "(one");
      for (int i = 2 + random.nextInt(2); i > 0; i--) {
        list.append(' ').append(filter(depth - 1, isReversed));
      }
      return list + ")";
    }
    if (depth > 0 && chance(12)) {
      boolean isSkip = chance(50);
      skips += isSkip ? 1 : 0;
      String inner = filter(depth - 1, isReversed);
      skips -= isSkip ? 1 : 0;
      return (isSkip ? "(skip " : "(while ") + inner + ")";
    }
    String kind = any(KINDS);
    boolean isAsked = !(kind.equals("fuzzy") && isReversed) && !(kind.equals("multi-row-range") && skips > 0);
    return isAsked ? "(" + (kind + " " + arguments(kind)).trim() + ")" : "(first-key-only)";
  }

  private String arguments(String kind) {
    switch (kind) {
      case "prefix": {
        byte[] prefix = prefixOf(any(rows));
        readsShortRows |= prefix.length > shortest;
        return argument(prefix);
      }
      case "column-prefix":
        return argument(prefixOf(any(qualifiers)));
      case "multiple-column-prefix": {
        TreeSet<String> prefixes = new TreeSet<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          prefixes.add(argument(prefixOf(any(qualifiers))));
        }
        return String.join(" ", prefixes);
      }
      case "column-range":
        return (chance(20) ? "null" : argument(any(qualifiers))) + " " + chance(50) + " " + (chance(20) ? "null" : argument(any(qualifiers))) + " " + chance(50);
      case "first-key-only":
        return "";
      case "key-only":
        return "" + chance(50);
      case "single-column-value", "single-column-value-exclude":
        return column() + " " + condition(value()) + " " + chance(40) + " " + chance(60);
      case "page", "column-count-get":
        isPaginated |= kind.equals("column-count-get");
        return "" + (1 + random.nextInt(5));
      case "row":
        return condition(row());
      case "family":
        return condition(any(families));
      case "qualifier":
        return condition(any(qualifiers));
      case "value":
        return condition(value());
      case "timestamps":
        return time() + " " + time() + " " + time();
      case "column-pagination":
        isPaginated = true;
        return (1 + random.nextInt(4)) + " " + random.nextInt(4);
      case "inclusive-stop":
        return argument(row());
      case "dependent-column":
        return column() + " " + chance(40) + (chance(40) ? " " + condition(value()) : "");
      case "column-value":
        return column() + " " + condition(value());
      case "fuzzy":
        return fuzzy();
      case "multi-row-range":
        return ranges();
      default:
        throw new IllegalArgumentException(kind);
    }
  }

  private String fuzzy() {
    List<String> keys = new ArrayList<>();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      byte[] key = any(rows);
      byte[] mask = new byte[key.length];
      for (int j = 0; j < mask.length; j++) {
        mask[j] = (byte) random.nextInt(2);
      }
      readsShortRows |= key.length > shortest;
      keys.add("(" + argument(key) + " " + argument(mask) + ")");
    }
    return String.join(" ", keys);
  }

  private String ranges() {
    List<String> ranges = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      byte[] a = row();
      byte[] b = row();
      boolean ordered = Bytes.compareTo(a, b) < 0;
      boolean same = Bytes.equals(a, b);
      ranges.add("(" + argument(ordered ? a : b) + " " + (same || chance(60)) + " " + argument(ordered ? b : a) + " " + (same || chance(40)) + ")");
    }
    return String.join(" ", ranges);
  }

  /** A filter in HBase's language, of plain letters only. */
  private String filterText() {
    String family = Bytes.toString(any(families));
    List<String> texts = new ArrayList<>(List.of("KeyOnlyFilter()", "FirstKeyOnlyFilter()", "PrefixFilter('r')", "ColumnPrefixFilter('a')",
        "MultipleColumnPrefixFilter('a', 'qu')", "PageFilter(2)", "InclusiveStopFilter('row-02')", "TimestampsFilter(1700000000003, 1700000000006)",
        "RowFilter(>=, 'binary:row-015')", "FamilyFilter(=, 'binary:" + family + "')", "QualifierFilter(<, 'binaryprefix:b')",
        "QualifierFilter(!=, 'substring:UA')", "ValueFilter(=, 'substring:1')", "ValueFilter(=, 'regexstring:v.*[1-4]')",
        "ColumnRangeFilter('a', true, 'b', false)", "SingleColumnValueFilter('" + family + "', 'a', >, 'binary:v3')",
        "SingleColumnValueFilter('" + family + "', 'ab', =, 'substring:1', true, false)",
        "SingleColumnValueExcludeFilter('" + family + "', 'a', <=, 'binary:v7')", "DependentColumnFilter('" + family + "', 'a')",
        "DependentColumnFilter('" + family + "', 'b', true, <, 'binary:v5')", "ColumnValueFilter('" + family + "', 'qual', !=, 'binary:v1')",
        "ColumnCountGetFilter(3)", "ColumnPaginationFilter(2, 1)"));
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(3); i >= 0; i--) {
      text.append(chance(10) ? "SKIP " : chance(10) ? "WHILE " : "").append(any(texts)).append(i == 0 ? "" : chance(50) ? " AND " : " OR ");
    }
    isPaginated |= text.indexOf("ColumnCountGet") >= 0 || text.indexOf("ColumnPagination") >= 0;
    return "filter-text=" + Escaping.escape(Bytes.toBytes(text.toString()));
  }

  // --- questions

  private List<String> columns() {
    List<String> words = new ArrayList<>();
    for (int i = chance(45) ? 1 + random.nextInt(3) : 0; i > 0; i--) {
      ColumnFamilyDescriptor family = any(descriptors);
      byte[] qualifier = any(qualifiers);
      boolean isWhole = chance(30) || (family.isNewVersionBehavior() && (qualifier.length == 0 || family.getBloomFilterType() == BloomType.ROWCOL));
      namesNewVersions |= !isWhole && family.isNewVersionBehavior();
      words.add(isWhole ? "family=" + family.getNameAsString() : "column=" + family.getNameAsString() + ":" + Escaping.escape(qualifier));
    }
    return words;
  }

  private List<String> cellWords() {
    List<String> words = columns();
    words.addAll(versions());
    if (chance(25)) {
      long from = time();
      words.add("from=" + from);
      words.add("to=" + (chance(15) ? Long.MAX_VALUE : from + 1 + random.nextInt(8)));
    }
    if (chance(8)) {
      long from = time();
      words.add("family-time=" + Escaping.escape(any(families)) + ":" + from + ":" + (from + 1 + random.nextInt(8)));
    }
    if (chance(12)) {
      words.add("max-per-family=" + (1 + random.nextInt(4)));
      if (chance(50)) {
        words.add("offset-per-family=" + random.nextInt(3));
      }
    }
    return words;
  }

  private List<String> versions() {
    return switch (random.nextInt(5)) {
      case 0, 1 -> List.of("versions=all");
      case 2 -> List.of("versions=" + (2 + random.nextInt(4)));
      default -> List.of();
    };
  }

  private void begin() {
    isPaginated = false;
    readsShortRows = false;
    namesNewVersions = false;
  }

  Asked get(int number) {
    begin();
    List<String> words = new ArrayList<>(List.of(id(number), "get"));
    byte[] row = row();
    words.add("row=" + Escaping.escape(row));
    words.addAll(cellWords());
    if (chance(30)) {
      words.add(chance(25) ? filterText() : "filter=" + filter(2, false));
    }
    return asked(words, row, row);
  }

  Asked everything(int number, boolean isRaw) {
    begin();
    List<String> words = new ArrayList<>(List.of(id(number), "scan", "versions=all"));
    if (isRaw) {
      words.add("raw");
    }
    return isRaw ? new Asked(String.join("\t", words), true) : asked(words, new byte[0], new byte[0]);
  }

  Asked scan(int number) {
    begin();
    List<String> words = new ArrayList<>(List.of(id(number), "scan"));
    boolean isReversed = chance(25);
    byte[] a = chance(50) ? row() : new byte[0];
    byte[] b = chance(50) ? row() : new byte[0];
    boolean swap = a.length > 0 && b.length > 0 && (Bytes.compareTo(a, b) > 0) != isReversed;
    byte[] start = swap ? b : a;
    byte[] stop = swap ? a : b;
    if (chance(12)) { // a prefix: from it to the row behind all that have it
      start = prefixOf(any(rows));
      stop = start.clone();
      stop[stop.length - 1]++;
      stop = stop[stop.length - 1] == 0 ? new byte[0] : stop;
      isReversed = false;
    }
    addEnds(words, start, stop);
    if (isReversed) {
      words.add("reversed");
    }
    boolean isRaw = chance(10);
    if (isRaw) {
      addRaw(words);
    } else {
      words.addAll(cellWords());
      boolean hasFilter = chance(65);
      if (hasFilter) {
        words.add(chance(25) ? filterText() : "filter=" + filter(2, isReversed));
      }
      if (chance(25)) {
        words.add("limit=" + (1 + random.nextInt(12)));
      } else if (chance(hasFilter ? 8 : 25)) {
        words.add("batch=" + (1 + random.nextInt(5)));
      }
    }
    return isReversed ? asked(words, stop, start) : asked(words, start, stop);
  }

  private void addEnds(List<String> words, byte[] start, byte[] stop) {
    if (start.length > 0) {
      words.add("start=" + Escaping.escape(start));
      if (chance(25)) {
        words.add("start-exclusive");
      }
    }
    if (stop.length > 0) {
      words.add("stop=" + Escaping.escape(stop));
      if (chance(30)) {
        words.add("stop-inclusive");
      }
    }
  }

  private void addRaw(List<String> words) {
    words.add("raw");
    if (hasNoName || hasFamilyMarkers) {
      words.add("versions=all");
      return;
    }
    words.addAll(versions());
    if (chance(40)) {
      words.add("family=" + Escaping.escape(any(families)));
    }
    if (chance(30)) {
      long from = time();
      words.add("from=" + from);
      words.add("to=" + (from + 1 + random.nextInt(8)));
    }
  }

  private static String id(int number) {
    return String.format("q%04d", number);
  }

  /** Rows from the first to the last one; empty: no end. */
  private Asked asked(List<String> words, byte[] first, byte[] last) {
    TreeSet<byte[]> asked = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    for (String word : words) {
      if (word.startsWith("family=") || word.startsWith("column=")) {
        String name = word.substring("family=".length());
        asked.add(Escaping.unescape(name.contains(":") ? name.substring(0, name.indexOf(':')) : name));
      }
    }
    boolean isStable = !readsShortRows && !meets(markersBehind, asked, first, last) && !(isPaginated && (namesNewVersions || meets(severalWithoutName, asked, first, last)));
    return new Asked(String.join("\t", words), isStable);
  }

  private static boolean meets(TreeMap<byte[], TreeSet<byte[]>> where, TreeSet<byte[]> families, byte[] first, byte[] last) {
    return where.entrySet().stream().anyMatch(row -> Bytes.compareTo(row.getKey(), first) >= 0 && (last.length == 0 || Bytes.compareTo(row.getKey(), last) <= 0)
        && (families.isEmpty() || row.getValue().stream().anyMatch(families::contains)));
  }
}
