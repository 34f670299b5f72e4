// How many blocks gets make a running HBase read, for tests/interop/hbase/run: its own counters before and after each get (CountersMXBean.blocks).
//
// The counters are the whole server's, which also reads for itself, and a block that is not in its cache may count twice. So each get is asked in several
// rounds over all gets of a table, and the least of its counts is what it needs.
//
// A line that is written has the counts of data blocks, index blocks and Bloom chunks, and the question (Question.java), separated by tabs.
package org.apache.hadoop.hbase.regionserver;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

final class BlockCounts {
  private static final int ROUNDS = 4;
  private static final int MOST_ROWS = 40;
  private static final int MOST_COLUMNS = 40;
  private static final byte[] BEHIND = Bytes.toBytes("!"); // makes a name that is not there, and lies between others

  private final CountersMXBean counters = CountersMXBean.connect();

  BlockCounts() throws Exception { }

  /** Gets by row and by column, of what is there and of what is not, but for those that HBase may never answer (RandomQuestions.java). */
  static List<String> plainGets(List<ColumnFamilyDescriptor> families, List<Cell> cells) {
    TreeSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    cells.forEach(cell -> rows.add(CellUtil.cloneRow(cell)));
    List<String> gets = new ArrayList<>();
    for (byte[] row : some(new ArrayList<>(rows), MOST_ROWS)) {
      gets.add(row(row));
      gets.add(row(Bytes.add(row, BEHIND)));
    }
    for (Cell cell : some(cells, MOST_COLUMNS)) {
      ColumnFamilyDescriptor family = families.stream().filter(each -> CellUtil.matchingFamily(cell, each.getName())).findFirst().orElseThrow();
      boolean mayHang = family.isNewVersionBehavior() && (cell.getQualifierLength() == 0 || family.getBloomFilterType() == BloomType.ROWCOL);
      if (!mayHang) {
        gets.add(row(CellUtil.cloneRow(cell)) + column(family, CellUtil.cloneQualifier(cell)));
        gets.add(row(CellUtil.cloneRow(cell)) + column(family, Bytes.add(CellUtil.cloneQualifier(cell), BEHIND)));
      }
    }
    for (int i = 0; i < gets.size(); i++) {
      gets.set(i, String.format("p%04d\tget\t%s", i + 1, gets.get(i)));
    }
    return gets;
  }

  /** At most `most` of the list, evenly spread. */
  private static <T> List<T> some(List<T> all, int most) {
    List<T> chosen = new ArrayList<>();
    int count = Math.min(most, all.size());
    for (int i = 0; i < count; i++) {
      chosen.add(all.get((int) ((long) i * all.size() / count)));
    }
    return chosen;
  }

  private static String row(byte[] row) {
    return "row=" + Escaping.escape(row);
  }

  private static String column(ColumnFamilyDescriptor family, byte[] qualifier) {
    return "\tcolumn=" + family.getNameAsString() + ":" + Escaping.escape(qualifier);
  }

  /** Asks the gets and writes what each needs. */
  void count(Table table, List<String> gets, PrintWriter out) throws Exception {
    long[][] least = new long[gets.size()][];
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < least.length; i++) {
        Question question = new Question(gets.get(i));
        long[] before = counters.blocks();
        question.ask(table);
        least[i] = smaller(least[i], counters.blocks(), before);
      }
    }
    for (int i = 0; i < least.length; i++) {
      out.println(least[i][0] + "\t" + least[i][1] + "\t" + least[i][2] + "\t" + gets.get(i));
    }
  }

  private static long[] smaller(long[] least, long[] after, long[] before) {
    long[] counts = new long[after.length];
    for (int kind = 0; kind < counts.length; kind++) {
      long count = after[kind] - before[kind];
      counts[kind] = least == null ? count : Math.min(least[kind], count);
    }
    return counts;
  }
}
