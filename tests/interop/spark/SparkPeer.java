// Does with Spark's BloomFilter what tests/interop/spark/run tells it, one job a line of standard input:
//
//   build KIND N P KEYS FILTER                      create(n, p), a put of every key of KEYS, writeTo()
//   seeded KIND VERSION N BITS SEED KEYS FILTER     the same by create(version, n, bits, seed), which 3.5 lacks
//   fill KIND EMPTY KEYS FILTER                     the same, but begins with the filter of EMPTY
//   ask KIND FILTER KEYS ANSWERS                    readFrom(); the keys that may be in
//   merge A B FILTER                                mergeInPlace(), writeTo()
//   facts FILTER                                    prints: facts expectedFpp
//   shape N P                                       prints: shape N P k words, of what create(n, p) makes
//
// Keys are lines of text. A kind says what they stand for: text is for putString, hex for putBinary, long for putLong,
// and boxed for put(Object) of an Integer.
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.spark.util.sketch.BloomFilter;

public final class SparkPeer {
  private static byte[] bytesOf(String digits) {
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; ++i) {
      bytes[i] = (byte) Integer.parseInt(digits, 2 * i, 2 * i + 2, 16);
    }
    return bytes;
  }

  private static void put(BloomFilter filter, String kind, String line) {
    switch (kind) {
      case "text" -> filter.putString(line);
      case "hex" -> filter.putBinary(bytesOf(line));
      case "long" -> filter.putLong(Long.parseLong(line));
      default -> filter.put(Integer.valueOf(line));
    }
  }

  private static boolean mightContain(BloomFilter filter, String kind, String line) {
    return switch (kind) {
      case "text" -> filter.mightContainString(line);
      case "hex" -> filter.mightContainBinary(bytesOf(line));
      case "long" -> filter.mightContainLong(Long.parseLong(line));
      default -> filter.mightContain(Integer.valueOf(line));
    };
  }

  private static BloomFilter read(String path) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(path)))) {
      return BloomFilter.readFrom(in);
    }
  }

  private static void write(BloomFilter filter, String path) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(path)))) {
      filter.writeTo(out);
    }
  }

  private static void fill(BloomFilter filter, String kind, String keys, String path) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of(keys))) {
      lines.forEach(line -> put(filter, kind, line));
    }
    write(filter, path);
  }

  private static void ask(String kind, String path, String keys, String answers) throws IOException {
    BloomFilter filter = read(path);
    try (Stream<String> lines = Files.lines(Path.of(keys));
        PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(answers)))) {
      lines.filter(line -> mightContain(filter, kind, line)).forEach(line -> out.print(line + "\n"));
    }
  }

  // By reflection, so that this file compiles with a release that has neither versions nor seeds.
  private static BloomFilter seeded(String version, long n, long bits, int seed) throws ReflectiveOperationException {
    for (Class<?> inner : BloomFilter.class.getDeclaredClasses()) {
      if (inner.getSimpleName().equals("Version")) {
        for (Object constant : inner.getEnumConstants()) {
          if (constant.toString().equals(version)) {
            return (BloomFilter)
                BloomFilter.class
                    .getMethod("create", inner, long.class, long.class, int.class)
                    .invoke(null, constant, n, bits, seed);
          }
        }
      }
    }
    throw new ReflectiveOperationException("no version " + version);
  }

  private static void merge(String first, String second, String path) throws Exception {
    BloomFilter filter = read(first);
    filter.mergeInPlace(read(second));
    write(filter, path);
  }

  private static void shape(String n, String p) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BloomFilter.create(Long.parseLong(n), Double.parseDouble(p)).writeTo(out);
    ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
    System.out.println("shape " + n + " " + p + " " + bytes.getInt(4) + " " + bytes.getInt(bytes.getInt(0) == 1 ? 8 : 12));
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      String[] job = line.split(" ");
      switch (job[0]) {
        case "build" -> fill(BloomFilter.create(Long.parseLong(job[2]), Double.parseDouble(job[3])), job[1], job[4], job[5]);
        case "seeded" ->
            fill(
                seeded(job[2], Long.parseLong(job[3]), Long.parseLong(job[4]), Integer.parseInt(job[5])),
                job[1],
                job[6],
                job[7]);
        case "fill" -> fill(read(job[2]), job[1], job[3], job[4]);
        case "ask" -> ask(job[1], job[2], job[3], job[4]);
        case "merge" -> merge(job[1], job[2], job[3]);
        case "facts" -> System.out.println("facts " + read(job[1]).expectedFpp());
        case "shape" -> shape(job[1], job[2]);
        default -> throw new IOException("unknown job " + job[0]);
      }
    }
  }
}
