// Random puts to an HRegion alone, without a server: a peer of bench/store_bench.
//
//   region-puts DIR PUTS BATCH      rows of 20 bytes, values of 100, one family with a filter of rows, SYNC_WAL to FSHLog on the local file system, a
//                                   memstore of 64 MB, no compaction
//
// It puts all rows once to warm up, then again into another region, until all is in files. Prints rows a CPU second of the process, the second time.
package org.apache.hadoop.hbase.regionserver;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WALFactory;

final class RegionPuts {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] QUALIFIER = Bytes.toBytes("q");
  static final long FLUSH_BYTES = 64L << 20;

  private RegionPuts() { }

  static void run(String directory, int puts, int batch, PrintStream out) throws Exception {
    measure(directory + "/warm", puts, batch);
    out.printf("puts hregion, batches of %d\trows/CPU s\t%.4g%n", batch, measure(directory + "/measured", puts, batch));
  }

  /** A region and its log. */
  record Logged(HRegion region, WALFactory logs) { }

  static Logged region(String directory, float cacheShare, int blockBytes) throws Exception {
    Configuration conf = Settings.configuration();
    conf.set(HConstants.HBASE_DIR, "file://" + directory);
    conf.set("hbase.wal.provider", "filesystem");
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    conf.setFloat("hfile.block.cache.size", cacheShare);
    CommonFSUtils.setWALRootDir(conf, new Path("file://" + directory));
    TableName name = TableName.valueOf("t");
    TableDescriptor table = TableDescriptorBuilder.newBuilder(name).setMemStoreFlushSize(FLUSH_BYTES).setDurability(Durability.SYNC_WAL)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(blockBytes).build()).build();
    RegionInfo info = RegionInfoBuilder.newBuilder(name).build();
    ChunkCreator.initialize(MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 256L << 20, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
    WALFactory logs = new WALFactory(conf, "region-puts");
    HRegion region = HRegion.createHRegion(info, new Path("file://" + directory), conf, table, logs.getWAL(info), true, null);
    return new Logged(region, logs);
  }

  private static double measure(String directory, int puts, int batch) throws Exception {
    Logged logged = region(directory, 0.1f, 64 << 10);
    HRegion region = logged.region();
    Random random = new Random(1);
    OperatingSystemMXBean machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long start = machine.getProcessCpuTime();
    Put[] together = new Put[batch];
    byte[] value = new byte[100];
    for (int done = 0; done < puts; done += batch) {
      for (int i = 0; i < batch; i++) {
        byte[] row = new byte[20];
        random.nextBytes(row);
        together[i] = new Put(row).addColumn(FAMILY, QUALIFIER, value);
      }
      if (batch == 1) {
        region.put(together[0]);
      } else {
        region.batchMutate(together);
      }
      if (region.getMemStoreDataSize() >= FLUSH_BYTES) {
        region.flush(true);
      }
    }
    region.close();
    double rate = 1e9 * puts / (machine.getProcessCpuTime() - start);
    logged.logs().close();
    return rate;
  }
}
