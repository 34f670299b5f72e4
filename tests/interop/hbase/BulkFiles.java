// A file as a bulk-load job writes it: HBase's own HFileOutputFormat2, given a task of a job that does not exist.
package org.apache.hadoop.hbase.regionserver;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

final class BulkFiles {
  private static final String TABLE = "golden";

  private BulkFiles() { }

  static Path write(Path directory, Configuration conf, HFileContext file, BloomType bloom, List<Cell> cells, byte[] family) throws Exception {
    String name = Bytes.toString(family);
    String column = URLEncoder.encode(TABLE + ";" + name, StandardCharsets.UTF_8);
    conf.set("mapreduce.output.fileoutputformat.outputdir", directory.toUri().toString());
    conf.set("hbase.mapreduce.hfileoutputformat.table.name", TABLE);
    conf.setBoolean("hbase.bulkload.locality.sensitive.enabled", false); // asks a cluster where the regions are
    conf.set("hbase.hfileoutputformat.families.compression", column + "=" + file.getCompression().getName());
    conf.set("hbase.hfileoutputformat.families.bloomtype", column + "=" + bloom);
    conf.set("hbase.mapreduce.hfileoutputformat.blocksize", column + "=" + file.getBlocksize());
    conf.set("hbase.mapreduce.hfileoutputformat.datablock.encoding", file.getDataBlockEncoding().name());
    TaskAttemptContext task = new TaskAttemptContextImpl(conf, TaskAttemptID.forName("attempt_202311142213_0001_r_000000_0"));
    RecordWriter<ImmutableBytesWritable, Cell> writer = new HFileOutputFormat2().getRecordWriter(task);
    for (Cell cell : cells) {
      writer.write(new ImmutableBytesWritable(), cell);
    }
    writer.close(task);
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(path -> Files.isRegularFile(path) && path.getParent().endsWith(name)).findFirst().orElseThrow();
    }
  }
}
