// Does with Apache Parquet's BlockSplitBloomFilter what tests/interop/parquet/run tells it, one job a line of input:
//
//   build KIND N P KEYS FILTER            a header and the bitset of the keys, sized by optimalNumOfBits()
//   ask KIND FILE OFFSET KEYS ANSWERS     the filter whose header is at OFFSET; the keys that findHash() finds
//
// Keys are lines of text; KIND says what they stand for: text, int, long.
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter;
import org.apache.parquet.format.BloomFilterAlgorithm;
import org.apache.parquet.format.BloomFilterCompression;
import org.apache.parquet.format.BloomFilterHash;
import org.apache.parquet.format.BloomFilterHeader;
import org.apache.parquet.format.SplitBlockAlgorithm;
import org.apache.parquet.format.Uncompressed;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.XxHash;
import org.apache.parquet.io.api.Binary;

public final class ParquetPeer {
  private static long hash(BlockSplitBloomFilter filter, String kind, String key) {
    return switch (kind) {
      case "text" -> filter.hash(Binary.fromString(key));
      case "int" -> filter.hash(Integer.parseInt(key));
      case "long" -> filter.hash(Long.parseLong(key));
      default -> throw new IllegalArgumentException("unknown kind " + kind);
    };
  }

  private static void build(String kind, long n, double p, String keys, String path) throws IOException {
    BlockSplitBloomFilter filter = new BlockSplitBloomFilter(BlockSplitBloomFilter.optimalNumOfBits(n, p) / 8);
    try (Stream<String> lines = Files.lines(Path.of(keys))) {
      lines.forEach(line -> filter.insertHash(hash(filter, kind, line)));
    }
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(path)))) {
      Util.writeBloomFilterHeader(
          new BloomFilterHeader(
              filter.getBitsetSize(),
              BloomFilterAlgorithm.BLOCK(new SplitBlockAlgorithm()),
              BloomFilterHash.XXHASH(new XxHash()),
              BloomFilterCompression.UNCOMPRESSED(new Uncompressed())),
          out);
      filter.writeTo(out);
    }
  }

  private static BlockSplitBloomFilter read(String path, long offset) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(path)))) {
      in.skipNBytes(offset);
      BloomFilterHeader header = Util.readBloomFilterHeader(in);
      if (!header.getAlgorithm().isSetBLOCK() || !header.getHash().isSetXXHASH() || !header.getCompression().isSetUNCOMPRESSED()) {
        throw new IOException("unexpected header " + header);
      }
      return new BlockSplitBloomFilter(in.readNBytes(header.getNumBytes()));
    }
  }

  private static void ask(String kind, String path, long offset, String keys, String answers) throws IOException {
    BlockSplitBloomFilter filter = read(path, offset);
    try (Stream<String> lines = Files.lines(Path.of(keys));
        PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(answers)))) {
      lines.filter(line -> filter.findHash(hash(filter, kind, line))).forEach(line -> out.print(line + "\n"));
    }
  }

  public static void main(String[] arguments) throws IOException {
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      String[] job = line.split(" ");
      switch (job[0]) {
        case "build" -> build(job[1], Long.parseLong(job[2]), Double.parseDouble(job[3]), job[4], job[5]);
        case "ask" -> ask(job[1], job[2], Long.parseLong(job[3]), job[4], job[5]);
        default -> throw new IOException("unknown job " + job[0]);
      }
    }
  }
}
