// What a region server counts, as it is now, for tests/interop/hbase/run: a coprocessor that shows the server's own counters over JMX.
// HBase's metrics are these same counters, but remembered for seconds, and gone while the metrics system starts anew.
package org.apache.hadoop.hbase.regionserver;

import java.lang.management.ManagementFactory;
import java.util.function.ToLongFunction;
import javax.management.ObjectName;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.HasRegionServerServices;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.io.hfile.CacheStats;

@CoreCoprocessor // such a one is given the server
public final class Counters implements RegionServerCoprocessor, CountersMXBean {
  static final String NAME = "bloomery:name=Counters";

  private RegionServerServices server;

  @Override
  public void start(CoprocessorEnvironment environment) {
    server = ((HasRegionServerServices) environment).getRegionServerServices();
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(this, new ObjectName(NAME));
    } catch (javax.management.JMException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public long bloomQuestions(String table) {
    return sum(table, HStore::getBloomFilterRequestsCount);
  }

  @Override
  public long bloomNegatives(String table) {
    return sum(table, HStore::getBloomFilterNegativeResultsCount);
  }

  private long sum(String table, ToLongFunction<HStore> counter) {
    return server.getRegions().stream().map(HRegion.class::cast).filter(region -> region.getTableDescriptor().getTableName().equals(TableName.valueOf(table)))
        .flatMap(region -> region.getStores().stream()).mapToLong(counter).sum();
  }

  @Override
  public long[] blocks() {
    CacheStats all = server.getBlockCache().orElseThrow().getStats();
    long index = all.getLeafIndexHitCount() + all.getIntermediateIndexHitCount() + all.getRootIndexHitCount() + all.getLeafIndexMissCount()
        + all.getIntermediateIndexMissCount() + all.getRootIndexMissCount();
    long bloom = all.getBloomChunkHitCount() + all.getBloomChunkMissCount();
    long opening = all.getGeneralBloomMetaHitCount() + all.getDeleteFamilyBloomHitCount() + all.getMetaHitCount() + all.getFileInfoHitCount()
        + all.getTrailerHitCount() + all.getGeneralBloomMetaMissCount() + all.getDeleteFamilyBloomMissCount() + all.getMetaMissCount()
        + all.getFileInfoMissCount() + all.getTrailerMissCount();
    return new long[] {all.getHitCount() + all.getMissCount() - index - bloom - opening, index, bloom};
  }
}
