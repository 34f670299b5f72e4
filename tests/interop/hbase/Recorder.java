// Writes down what is done to a table of a running HBase, so that another store can do the same: `tests/store_replay` reads it. A line is a step, with
// tabs between its fields, which are escaped as in Escaping.java:
//
//   table NAME | family FAMILY,ATTRIBUTE=VALUE... | split ROW     gathered until `create` or `alter`
//   create | alter | flush
//   cell ROW FAMILY QUALIFIER TIMESTAMP TYPE VALUE                gathered until `mutate` or `check`; without a time stamp it is of the server's clock
//   mutate                                                        one call
//   check ROW FAMILY QUALIFIER DONE                               applied if the column is absent; DONE says whether it was
//   increment | append ROW FAMILY QUALIFIER BY RESULT
//   clock MILLISECONDS                                            of the server, in the steps that follow
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.util.Bytes;

final class Recorder {
  private static final List<String> ATTRIBUTES = List.of("VERSIONS", "MIN_VERSIONS", "TTL", "KEEP_DELETED_CELLS", "BLOOMFILTER", "COMPRESSION",
      "DATA_BLOCK_ENCODING", "BLOCKSIZE");

  private final PrintWriter out;

  Recorder(Path file) throws IOException {
    out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.US_ASCII), true);
  }

  private void step(Object... fields) {
    List<String> texts = new ArrayList<>();
    for (Object field : fields) {
      texts.add(field instanceof byte[] bytes ? Escaping.escape(bytes) : field.toString());
    }
    out.println(String.join("\t", texts));
  }

  private void family(ColumnFamilyDescriptor family) {
    StringBuilder text = new StringBuilder(family.getNameAsString());
    Map<String, String> values = new TreeMap<>();
    family.getValues().forEach((name, value) -> values.put(Bytes.toString(name.get()), Bytes.toString(value.get())));
    values.keySet().retainAll(ATTRIBUTES);
    String prefix = family.getConfigurationValue("RowPrefixBloomFilter.prefix_length");
    if (prefix != null) {
      values.put("RowPrefixBloomFilter.prefix_length", prefix);
    }
    values.forEach((name, value) -> text.append(',').append(name).append('=').append(value));
    step("family", text);
  }

  void create(TableName name, List<ColumnFamilyDescriptor> families, byte[][] splits) {
    step("clock", System.currentTimeMillis());
    step("table", name);
    families.forEach(this::family);
    for (byte[] split : splits) {
      step("split", split);
    }
    step("create");
  }

  void alter(ColumnFamilyDescriptor family) {
    family(family);
    step("alter");
  }

  void flush() {
    step("flush");
  }

  void clock(long milliseconds) {
    step("clock", milliseconds);
  }

  private void cells(Mutation mutation) {
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        step("cell", CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell),
            cell.getTimestamp() == HConstants.LATEST_TIMESTAMP ? "" : cell.getTimestamp(), KeyValue.Type.codeToType(cell.getTypeByte()),
            CellUtil.cloneValue(cell));
      }
    }
  }

  void mutate(List<? extends Mutation> mutations) {
    mutations.forEach(this::cells);
    step("mutate");
  }

  void check(byte[] family, byte[] qualifier, Mutation mutation, boolean isDone) {
    cells(mutation);
    step("check", mutation.getRow(), family, qualifier, isDone);
  }

  void count(String what, Cell result, byte[] by) {
    step("clock", result.getTimestamp());
    step(what, CellUtil.cloneRow(result), CellUtil.cloneFamily(result), CellUtil.cloneQualifier(result), by, CellUtil.cloneValue(result));
  }
}
