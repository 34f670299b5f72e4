// Cassandra's side of tests/interop/cassandra: its own filter classes, of whatever release is on the class path.
//
//   java -cp JARS tests/interop/cassandra/CassandraPeer.java < jobs
//
//   build KIND N P ORDER KEYS FILE     a filter of getFilter(N, P), filled with the keys, serialized
//   ask KIND FORMAT ORDER FILE KEYS ANSWERS   the keys that are present in the filter, one a line
//   shape N P                          prints "shape N P k words", or "refused"
//
// KIND is text, hex, int or long. ORDER is old for sstables before 3.0 and new for later ones; only 3.11 knows the old
// one. FORMAT is old for the words of sstables before 4.0. The calls differ between releases, so they are found by
// reflection.
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.cassandra.io.util.DataOutputStreamPlus;
import org.apache.cassandra.utils.FilterFactory;
import org.apache.cassandra.utils.IFilter;
import org.apache.cassandra.utils.MurmurHash;

public final class CassandraPeer {
  private static Method method(Class<?> type, String name) {
    Method found =
        Stream.of(type.getMethods())
            .filter(m -> m.getName().equals(name) && !m.isBridge())
            .findFirst()
            .orElse(null);
    if (found != null) {
      found.setAccessible(true); // 3.11's serializer is a class of its package
    }
    return found;
  }

  static IFilter create(long n, double p, boolean oldOrder) throws ReflectiveOperationException {
    for (Method m : FilterFactory.class.getMethods()) {
      if (m.getName().equals("getFilter") && m.getParameterCount() >= 2 && m.getParameterTypes()[1] == double.class) {
        return (IFilter)
            switch (m.getParameterCount()) {
              case 4 -> m.invoke(null, n, p, true, oldOrder);
              case 3 -> m.invoke(null, n, p, true);
              default -> m.invoke(null, n, p);
            };
      }
    }
    throw new NoSuchMethodException("getFilter");
  }

  private static Class<?> serializer() throws ClassNotFoundException {
    return Class.forName("org.apache.cassandra.utils.BloomFilterSerializer");
  }

  private static Object serializerFor(boolean oldFormat) throws ReflectiveOperationException {
    Method forVersion = method(serializer(), "forVersion");
    return forVersion == null ? null : forVersion.invoke(null, oldFormat);
  }

  static byte[] serialized(IFilter filter) throws ReflectiveOperationException, IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStreamPlus out = streamTo(bytes);
    method(serializer(), "serialize").invoke(serializerFor(false), filter, out);
    out.flush();
    return bytes.toByteArray();
  }

  private static DataOutputStreamPlus streamTo(ByteArrayOutputStream bytes) throws ReflectiveOperationException {
    return (DataOutputStreamPlus)
        Class.forName("org.apache.cassandra.io.util.WrappedDataOutputStreamPlus")
            .getConstructor(java.io.OutputStream.class)
            .newInstance(bytes);
  }

  static IFilter read(byte[] bytes, boolean oldFormat, boolean oldOrder) throws ReflectiveOperationException {
    Method m = method(serializer(), "deserialize");
    DataInput in = new DataInputStream(new ByteArrayInputStream(bytes));
    if (!m.getParameterTypes()[0].isInstance(in)) { // from 5.0 on
      in =
          (DataInput)
              Class.forName("org.apache.cassandra.io.util.DataInputBuffer")
                  .getConstructor(byte[].class)
                  .newInstance((Object) bytes);
    }
    return (IFilter)
        switch (m.getParameterCount()) {
          case 3 -> m.invoke(null, in, true, oldOrder);
          case 2 -> m.invoke(null, in, oldFormat);
          default -> m.invoke(serializerFor(oldFormat), in);
        };
  }

  private static ByteBuffer keyOf(String kind, String line) {
    return switch (kind) {
      case "int" -> ByteBuffer.allocate(4).putInt(0, Integer.parseInt(line));
      case "long" -> ByteBuffer.allocate(8).putLong(0, Long.parseLong(line));
      case "hex" -> ByteBuffer.wrap(java.util.HexFormat.of().parseHex(line));
      default -> ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    };
  }

  // The hash of a key that Murmur3Partitioner has decorated, without the classes that the partitioner needs.
  private static IFilter.FilterKey filterKey(String kind, String line) {
    ByteBuffer key = keyOf(kind, line);
    return hash -> MurmurHash.hash3_x64_128(key, 0, key.remaining(), 0, hash);
  }

  private static void build(String[] job) throws ReflectiveOperationException, IOException {
    IFilter filter = create(Long.parseLong(job[2]), Double.parseDouble(job[3]), job[4].equals("old"));
    try (Stream<String> lines = Files.lines(Path.of(job[5]))) {
      lines.forEach(line -> filter.add(filterKey(job[1], line)));
    }
    Files.write(Path.of(job[6]), serialized(filter));
  }

  private static void ask(String[] job) throws ReflectiveOperationException, IOException {
    IFilter filter = read(Files.readAllBytes(Path.of(job[4])), job[2].equals("old"), job[3].equals("old"));
    try (Stream<String> lines = Files.lines(Path.of(job[5]));
        PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(job[6])))) {
      lines.filter(line -> filter.isPresent(filterKey(job[1], line))).forEach(line -> out.print(line + "\n"));
    }
  }

  private static String shape(String n, String p) throws ReflectiveOperationException, IOException {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(serialized(create(Long.parseLong(n), Double.parseDouble(p), false)));
      return bytes.getInt(0) + " " + bytes.getInt(4);
    } catch (InvocationTargetException refused) {
      return "refused";
    }
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      String[] job = line.split(" ");
      switch (job[0]) {
        case "build" -> build(job);
        case "ask" -> ask(job);
        case "shape" -> System.out.println("shape " + job[1] + " " + job[2] + " " + shape(job[1], job[2]));
        default -> throw new IOException("unknown job " + job[0]);
      }
    }
  }
}
