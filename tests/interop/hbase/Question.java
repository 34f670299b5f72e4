// A question to a table, as a line: the form of tests/golden/hbase-tables/README.md, which names its words. It is turned into HBase's Get or Scan,
// and HBase's answer into lines.
//
// Some words are not there:
//
//   filter-text=TEXT                              a filter in HBase's filter language, read by HBase's own parser
//   (column-count-get N)
//   (dependent-column =family =qualifier DROPS)   and with OP and CMP
//   (column-value =family =qualifier OP CMP)
//   (regex =pattern)                              a comparator
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

final class Question {
  private static final int CACHING = 1000; // rows of one answer of the server

  final String id;
  private final Get get; // null for a scan
  private final Scan scan;

  Question(String line) throws IOException {
    String[] words = line.split("\t");
    id = words[0];
    get = words[1].equals("get") ? new Get(Escaping.unescape(words[2].substring("row=".length()))) : null;
    scan = new Scan().setCaching(CACHING);
    boolean[] inclusive = {true, false};
    byte[][] ends = {new byte[0], new byte[0]};
    for (int i = get == null ? 2 : 3; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      String name = equals < 0 ? words[i] : words[i].substring(0, equals);
      String value = equals < 0 ? "" : words[i].substring(equals + 1);
      switch (name) {
        case "start" -> ends[0] = Escaping.unescape(value);
        case "start-exclusive" -> inclusive[0] = false;
        case "stop" -> ends[1] = Escaping.unescape(value);
        case "stop-inclusive" -> inclusive[1] = true;
        default -> apply(name, value);
      }
    }
    scan.withStartRow(ends[0], inclusive[0]).withStopRow(ends[1], inclusive[1]);
    applyTimes(words);
  }

  private void applyTimes(String[] words) throws IOException {
    long from = 0;
    long to = Long.MAX_VALUE;
    for (String word : words) {
      from = word.startsWith("from=") ? Long.parseLong(word.substring(5)) : from;
      to = word.startsWith("to=") ? Long.parseLong(word.substring(3)) : to;
    }
    if (get != null) {
      get.setTimeRange(from, to);
    } else {
      scan.setTimeRange(from, to);
    }
  }

  private void apply(String name, String value) throws IOException {
    Query query = get != null ? get : scan;
    switch (name) {
      case "from", "to" -> { } // set together
      case "family" -> addFamily(Escaping.unescape(value));
      case "column" -> addColumn(Escaping.unescape(value.substring(0, value.indexOf(':'))), Escaping.unescape(value.substring(value.indexOf(':') + 1)));
      case "versions" -> setVersions(value.equals("all") ? Integer.MAX_VALUE : Integer.parseInt(value));
      case "family-time" -> {
        String[] parts = value.split(":");
        query.setColumnFamilyTimeRange(Escaping.unescape(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
      }
      case "max-per-family" -> setPerFamily(Integer.parseInt(value), -1);
      case "offset-per-family" -> setPerFamily(-1, Integer.parseInt(value));
      case "filter" -> query.setFilter(new Expression(value).filter());
      case "filter-text" -> query.setFilter(new ParseFilter().parseFilterString(Escaping.unescape(value)));
      case "reversed" -> scan.setReversed(true);
      case "raw" -> scan.setRaw(true);
      case "batch" -> scan.setBatch(Integer.parseInt(value));
      case "limit" -> scan.setLimit(Integer.parseInt(value));
      default -> throw new IllegalArgumentException(name);
    }
  }

  private void addFamily(byte[] family) {
    if (get != null) {
      get.addFamily(family);
    } else {
      scan.addFamily(family);
    }
  }

  private void addColumn(byte[] family, byte[] qualifier) {
    if (get != null) {
      get.addColumn(family, qualifier);
    } else {
      scan.addColumn(family, qualifier);
    }
  }

  private void setVersions(int versions) throws IOException {
    if (get != null) {
      get.readVersions(versions);
    } else {
      scan.readVersions(versions);
    }
  }

  private void setPerFamily(int most, int offset) {
    if (get != null) {
      get.setMaxResultsPerColumnFamily(most >= 0 ? most : get.getMaxResultsPerColumnFamily());
      get.setRowOffsetPerColumnFamily(offset >= 0 ? offset : get.getRowOffsetPerColumnFamily());
    } else {
      scan.setMaxResultsPerColumnFamily(most >= 0 ? most : scan.getMaxResultsPerColumnFamily());
      scan.setRowOffsetPerColumnFamily(offset >= 0 ? offset : scan.getRowOffsetPerColumnFamily());
    }
  }

  /** HBase's answer: the id with the numbers of results and cells, then a line for each cell. */
  List<String> ask(Table table) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("");
    int results = 0;
    if (get != null) {
      Result row = table.get(get);
      results = row.isEmpty() ? 0 : 1;
      add(row, 0, lines);
    } else {
      try (ResultScanner scanner = table.getScanner(scan)) {
        for (Result row = scanner.next(); row != null; row = scanner.next()) {
          add(row, results++, lines);
        }
      }
    }
    lines.set(0, id + "\t" + results + "\t" + (lines.size() - 1));
    return lines;
  }

  private static void add(Result row, int number, List<String> lines) {
    for (Cell cell : row.isEmpty() ? new Cell[0] : row.rawCells()) {
      lines.add(String.join("\t", Integer.toString(number), Escaping.escape(CellUtil.cloneRow(cell)), Escaping.escape(CellUtil.cloneFamily(cell)),
          Escaping.escape(CellUtil.cloneQualifier(cell)), Long.toString(cell.getTimestamp()),
          org.apache.hadoop.hbase.KeyValue.Type.codeToType(cell.getTypeByte()).name(), Escaping.escape(CellUtil.cloneValue(cell))));
    }
  }

  /** A filter in brackets: (all (prefix =a) (page 3)). */
  static final class Expression {
    private final String text;
    private int at;

    Expression(String text) {
      this.text = text;
    }

    Filter filter() throws IOException {
      return filter(term());
    }

    /** A list of terms, or a word. */
    private Object term() {
      while (text.charAt(at) == ' ') {
        at++;
      }
      if (text.charAt(at) != '(') {
        int begin = at;
        while (at < text.length() && " ()".indexOf(text.charAt(at)) < 0) {
          at++;
        }
        return text.substring(begin, at);
      }
      at++;
      List<Object> members = new ArrayList<>();
      while (text.charAt(at) != ')') {
        members.add(term());
        while (text.charAt(at) == ' ') {
          at++;
        }
      }
      at++;
      return members;
    }

    private static byte[] bytes(Object term) {
      return term.equals("null") ? null : Escaping.unescape(((String) term).substring(1));
    }

    private static int number(Object term) {
      return Integer.parseInt((String) term);
    }

    private static boolean yes(Object term) {
      return term.equals("true");
    }

    private static CompareOperator op(Object term) {
      return CompareOperator.valueOf((String) term);
    }

    private static ByteArrayComparable comparator(Object term) {
      List<?> parts = (List<?>) term;
      byte[] value = bytes(parts.get(1));
      return switch ((String) parts.get(0)) {
        case "binary" -> new BinaryComparator(value);
        case "binary-prefix" -> new BinaryPrefixComparator(value);
        case "substring" -> new SubstringComparator(Bytes.toString(value));
        case "regex" -> new RegexStringComparator(Bytes.toString(value));
        default -> throw new IllegalArgumentException(parts.toString());
      };
    }

    private static List<Filter> filters(List<?> terms) throws IOException {
      List<Filter> filters = new ArrayList<>();
      for (Object term : terms.subList(1, terms.size())) {
        filters.add(filter(term));
      }
      return filters;
    }

    private static SingleColumnValueFilter single(List<?> t) {
      boolean excludes = t.get(0).equals("single-column-value-exclude");
      SingleColumnValueFilter filter = excludes ? new SingleColumnValueExcludeFilter(bytes(t.get(1)), bytes(t.get(2)), op(t.get(3)), comparator(t.get(4)))
          : new SingleColumnValueFilter(bytes(t.get(1)), bytes(t.get(2)), op(t.get(3)), comparator(t.get(4)));
      filter.setFilterIfMissing(yes(t.get(5)));
      filter.setLatestVersionOnly(yes(t.get(6)));
      return filter;
    }

    private static Filter fuzzy(List<?> t) {
      List<Pair<byte[], byte[]>> keys = new ArrayList<>();
      for (Object term : t.subList(1, t.size())) {
        keys.add(new Pair<>(bytes(((List<?>) term).get(0)), bytes(((List<?>) term).get(1))));
      }
      return new FuzzyRowFilter(keys);
    }

    private static Filter ranges(List<?> t) throws IOException {
      List<MultiRowRangeFilter.RowRange> ranges = new ArrayList<>();
      for (Object term : t.subList(1, t.size())) {
        List<?> range = (List<?>) term;
        ranges.add(new MultiRowRangeFilter.RowRange(bytes(range.get(0)), yes(range.get(1)), bytes(range.get(2)), yes(range.get(3))));
      }
      return new MultiRowRangeFilter(ranges);
    }

    private static Filter filter(Object term) throws IOException {
      List<?> t = (List<?>) term;
      return switch ((String) t.get(0)) {
        case "prefix" -> new PrefixFilter(bytes(t.get(1)));
        case "column-prefix" -> new ColumnPrefixFilter(bytes(t.get(1)));
        case "multiple-column-prefix" -> new MultipleColumnPrefixFilter(t.subList(1, t.size()).stream().map(Expression::bytes).toArray(byte[][]::new));
        case "column-range" -> new ColumnRangeFilter(bytes(t.get(1)), yes(t.get(2)), bytes(t.get(3)), yes(t.get(4)));
        case "first-key-only" -> new FirstKeyOnlyFilter();
        case "key-only" -> new KeyOnlyFilter(yes(t.get(1)));
        case "single-column-value", "single-column-value-exclude" -> single(t);
        case "page" -> new PageFilter(number(t.get(1)));
        case "row" -> new RowFilter(op(t.get(1)), comparator(t.get(2)));
        case "family" -> new FamilyFilter(op(t.get(1)), comparator(t.get(2)));
        case "qualifier" -> new QualifierFilter(op(t.get(1)), comparator(t.get(2)));
        case "value" -> new ValueFilter(op(t.get(1)), comparator(t.get(2)));
        case "fuzzy" -> fuzzy(t);
        case "multi-row-range" -> ranges(t);
        case "timestamps" -> new TimestampsFilter(t.subList(1, t.size()).stream().map(time -> Long.valueOf((String) time)).toList());
        case "column-pagination" -> new ColumnPaginationFilter(number(t.get(1)), number(t.get(2)));
        case "column-count-get" -> new ColumnCountGetFilter(number(t.get(1)));
        case "dependent-column" -> t.size() == 4 ? new DependentColumnFilter(bytes(t.get(1)), bytes(t.get(2)), yes(t.get(3)))
            : new DependentColumnFilter(bytes(t.get(1)), bytes(t.get(2)), yes(t.get(3)), op(t.get(4)), comparator(t.get(5)));
        case "column-value" -> new ColumnValueFilter(bytes(t.get(1)), bytes(t.get(2)), op(t.get(3)), comparator(t.get(4)));
        case "inclusive-stop" -> new InclusiveStopFilter(bytes(t.get(1)));
        case "skip" -> new SkipFilter(filter(t.get(1)));
        case "while" -> new WhileMatchFilter(filter(t.get(1)));
        case "all" -> new FilterList(FilterList.Operator.MUST_PASS_ALL, filters(t));
        case "one" -> new FilterList(FilterList.Operator.MUST_PASS_ONE, filters(t));
        default -> throw new IllegalArgumentException(t.toString());
      };
    }
  }
}
