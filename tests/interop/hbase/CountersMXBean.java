// What Counters shows.
package org.apache.hadoop.hbase.regionserver;

public interface CountersMXBean {
  /** How many questions the Bloom filters of a table's files were asked. */
  long bloomQuestions(String table);

  /** How many of them they answered with no. */
  long bloomNegatives(String table);

  /** How many data blocks were asked of the block cache. */
  long dataBlocks();
}
