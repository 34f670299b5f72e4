// Does with Guava's BloomFilter what tests/interop/guava/run tells it, one job a line of standard input:
//
//   build FUNNEL N P KEYS FILTER     create(), put() of every key of KEYS, writeTo()
//   fill FUNNEL EMPTY KEYS FILTER    the same, but begins with the filter of EMPTY
//   ask FUNNEL FILTER KEYS ANSWERS   readFrom(); the keys that mightContain()
//   merge FUNNEL A B FILTER          putAll(), writeTo()
//   serialise FUNNEL FILTER OBJECT   readFrom(); ObjectOutputStream.writeObject()
//   restore FUNNEL OBJECT KEYS ANSWERS   ObjectInputStream.readObject(); the keys that mightContain()
//   facts FUNNEL FILTER              prints: facts expectedFpp approximateElementCount
//   shape N P                        prints: shape N P k words, of what create() makes
//
// Keys are lines of text; a funnel (text, utf16, hex, int, long) says what they stand for.
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;

public final class GuavaPeer {
  // A funnel, and what it takes made of a line.
  private static final class Kind<T> {
    final Funnel<? super T> funnel;
    final Function<String, T> parse;

    Kind(Funnel<? super T> funnel, Function<String, T> parse) {
      this.funnel = funnel;
      this.parse = parse;
    }

    BloomFilter<T> read(String path) throws IOException {
      try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(path)))) {
        return BloomFilter.readFrom(in, funnel);
      }
    }

    void fill(BloomFilter<T> filter, String keys, String path) throws IOException {
      try (Stream<String> lines = Files.lines(Path.of(keys))) {
        lines.forEach(line -> filter.put(parse.apply(line)));
      }
      write(filter, path);
    }

    void write(BloomFilter<T> filter, String path) throws IOException {
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(path)))) {
        filter.writeTo(out);
      }
    }

    void serialise(String path, String object) throws IOException {
      try (ObjectOutputStream out =
          new ObjectOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(object))))) {
        out.writeObject(read(path));
      }
    }

    @SuppressWarnings("unchecked") // both sides name the funnel
    void restore(String object, String keys, String answers) throws IOException {
      try (ObjectInputStream in = new ObjectInputStream(new BufferedInputStream(Files.newInputStream(Path.of(object))))) {
        ask((BloomFilter<T>) in.readObject(), keys, answers);
      } catch (ClassNotFoundException e) {
        throw new IOException(e);
      }
    }

    void ask(String path, String keys, String answers) throws IOException {
      ask(read(path), keys, answers);
    }

    void ask(BloomFilter<T> filter, String keys, String answers) throws IOException {
      try (Stream<String> lines = Files.lines(Path.of(keys));
          PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(answers)))) {
        lines.filter(line -> filter.mightContain(parse.apply(line))).forEach(line -> out.print(line + "\n"));
      }
    }

    void merge(String first, String second, String path) throws IOException {
      BloomFilter<T> filter = read(first);
      filter.putAll(read(second));
      write(filter, path);
    }

    void facts(String path) throws IOException {
      BloomFilter<T> filter = read(path);
      System.out.println("facts " + filter.expectedFpp() + " " + filter.approximateElementCount());
    }

    void run(String[] job) throws IOException {
      switch (job[0]) {
        case "build" -> fill(BloomFilter.create(funnel, Long.parseLong(job[2]), Double.parseDouble(job[3])), job[4], job[5]);
        case "fill" -> fill(read(job[2]), job[3], job[4]);
        case "ask" -> ask(job[2], job[3], job[4]);
        case "merge" -> merge(job[2], job[3], job[4]);
        case "facts" -> facts(job[2]);
        case "serialise" -> serialise(job[2], job[3]);
        case "restore" -> restore(job[2], job[3], job[4]);
        default -> throw new IOException("unknown job " + job[0]);
      }
    }
  }

  private static byte[] bytesOf(String digits) {
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; ++i) {
      bytes[i] = (byte) Integer.parseInt(digits, 2 * i, 2 * i + 2, 16);
    }
    return bytes;
  }

  private static Kind<?> kindOf(String funnel) throws IOException {
    return switch (funnel) {
      case "text" -> new Kind<String>(Funnels.stringFunnel(StandardCharsets.UTF_8), Function.identity());
      case "utf16" -> new Kind<String>(Funnels.unencodedCharsFunnel(), Function.identity());
      case "hex" -> new Kind<byte[]>(Funnels.byteArrayFunnel(), GuavaPeer::bytesOf);
      case "int" -> new Kind<Integer>(Funnels.integerFunnel(), Integer::valueOf);
      case "long" -> new Kind<Long>(Funnels.longFunnel(), Long::valueOf);
      default -> throw new IOException("unknown funnel " + funnel);
    };
  }

  private static void shape(String n, String p) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BloomFilter.create(Funnels.longFunnel(), Long.parseLong(n), Double.parseDouble(p)).writeTo(out);
    ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
    System.out.println("shape " + n + " " + p + " " + (bytes.get(1) & 255) + " " + bytes.getInt(2));
  }

  public static void main(String[] arguments) throws IOException {
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      String[] job = line.split(" ");
      if (job[0].equals("shape")) {
        shape(job[1], job[2]);
      } else {
        kindOf(job[1]).run(job);
      }
    }
  }
}
