// Loads HFiles into a running HBase as a bulk load does, and reads the table back through its client: the proof that a file is fit for a cluster.
//
//   load TABLE BLOOM FILE...   makes a table of one family `f` (replacing it), loads the files, prints every cell as `scan` does, deleted ones and markers
//                              included; tags and mvcc stay on the server and are printed as none and 0
//   get TABLE ROWS             one Get for each row of a file of escaped rows: the row and how many cells came back
package org.apache.hadoop.hbase.regionserver;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

final class Cluster {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  private Cluster() { }

  static void load(TableName name, BloomType bloom, List<Path> files, PrintStream out) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
      if (admin.tableExists(name)) {
        admin.disableTable(name);
        admin.deleteTable(name);
      }
      ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBloomFilterType(bloom).setMaxVersions(1000)
          .setConfiguration("RowPrefixBloomFilter.prefix_length", "8");
      admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(family.build()).build());
      Path directory = Files.createTempDirectory("hbase-load");
      Files.createDirectory(directory.resolve("f"));
      for (int i = 0; i < files.size(); i++) {
        Files.copy(files.get(i), directory.resolve("f").resolve(String.format("%032x", i + 1)));
      }
      Map<BulkLoadHFiles.LoadQueueItem, ?> loaded = BulkLoadHFiles.create(conf).bulkLoad(name, new org.apache.hadoop.fs.Path(directory.toUri()));
      if (loaded.size() != files.size()) {
        throw new IllegalStateException("loaded " + loaded.size() + " of " + files.size() + " files");
      }
      scan(connection, name, out);
    }
  }

  private static void scan(Connection connection, TableName name, PrintStream out) throws Exception {
    Scan everything = new Scan().setRaw(true).readAllVersions();
    try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(everything)) {
      for (Result row : scanner) {
        for (Cell cell : row.rawCells()) {
          out.println(HBaseFiles.line(cell, false));
        }
      }
    }
  }

  static void get(TableName name, List<String> rows, PrintStream out) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create()); Table table = connection.getTable(name)) {
      for (String row : rows) {
        Result result = table.get(new Get(Escaping.unescape(row)).readAllVersions());
        out.println(row + "\t" + result.size());
      }
    }
  }
}
