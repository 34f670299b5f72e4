// Has a current RocksDB check a list of tables, in one process:
//
//   RocksDbVerdicts < list     a line of the list: number, path, tab-separated
//
// Prints for each line: number, verdict (`found`, `clean` or `not run`), and what RocksDB said,
// tab-separated.
//
// SstFileReader opens each table, verifies the checksums of its blocks, and reads every entry. RocksDB
// 11 no longer reads tables of format_version 0, so these are not run.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;

public class RocksDbVerdicts {
  private static String verdict_of(String path) {
    try (BloomFilter policy = new BloomFilter(10);
         Options options = new Options().setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(policy));
         SstFileReader reader = new SstFileReader(options)) {
      reader.open(path);
      reader.verifyChecksum();
      long count = 0;
      try (ReadOptions verified = new ReadOptions().setVerifyChecksums(true); SstFileReaderIterator entry = reader.newIterator(verified)) {
        for (entry.seekToFirst(); entry.isValid(); entry.next()) {
          ++count;
        }
        entry.status();
      }
      return "clean\t" + count + " entries read";
    } catch (RocksDBException error) {
      String said = error.getMessage().replaceAll("/[^ ,:;)']*/", "").replaceAll("\\s+", " ");
      return (said.startsWith("Unsupported legacy magic") ? "not run\t" : "found\t") + said;
    }
  }

  public static void main(String[] arguments) throws IOException {
    RocksDB.loadLibrary();
    BufferedReader list = new BufferedReader(new InputStreamReader(System.in));
    for (String line = list.readLine(); line != null; line = list.readLine()) {
      String[] fields = line.split("\t");
      System.out.println(fields[0] + "\t" + verdict_of(fields[1]));
    }
  }
}
