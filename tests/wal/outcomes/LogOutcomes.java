// What HBase's own reader of logs makes of damaged ones, for tests/wal/outcomes/run; compiled against HBase 2.5 and 2.6.
//
//   write LOG              a closed log of 100 entries, each of one cell
//   read LIST              reads the logs of a list, the first of them intact. Prints a line for each: the path, how it ended, and the entries
//                          in their order by their number in the intact log, or x for one that it has not
//
// It ends as in log splitting: ok, also where the reader throws an EOFException, which splitting takes for the end; error; crash, of an Error. An entry
// of another region or family is not printed, since nobody would replay it.
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.apache.hadoop.hbase.wal.WALProvider;

public final class LogOutcomes {
  private static final int ENTRIES = 100;
  private static final String REGION = "0123456789abcdef0123456789abcdef";
  private static final long TIME = 1700000000000L;

  private final Configuration conf = HBaseConfiguration.create();
  private final FileSystem files = FileSystem.getLocal(conf).getRawFileSystem();
  private final Map<String, Integer> numbers = new HashMap<>();

  private LogOutcomes() throws IOException {
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false); // of a local file system
  }

  public static void main(String[] args) throws Exception {
    LogOutcomes outcomes = new LogOutcomes();
    if (args[0].equals("write")) {
      outcomes.write(new Path(args[1]));
    } else {
      PrintStream out = new PrintStream(System.out, false, "US-ASCII");
      for (String log : Files.readAllLines(java.nio.file.Path.of(args[1]))) {
        outcomes.read(log, out);
      }
      out.flush();
    }
    System.exit(0);
  }

  private void write(Path log) throws Exception {
    try (WALProvider.Writer writer = WALFactory.createWALWriter(files, log, conf)) {
      for (int i = 0; i < ENTRIES; i++) {
        WALKeyImpl key = new WALKeyImpl(Bytes.toBytes(REGION), TableName.valueOf("t"), i + 1, TIME + i + 1, List.of(new java.util.UUID(0, 0)).subList(0, 0), 0, 0, null);
        WALEdit edit = new WALEdit();
        edit.add(new KeyValue(Bytes.toBytes("row-" + i), Bytes.toBytes("f"), Bytes.toBytes("q"), TIME, Bytes.toBytes("value-" + i)));
        writer.append(new WAL.Entry(key, edit));
      }
    }
  }

  private void read(String log, PrintStream out) {
    StringBuilder entries = new StringBuilder();
    String end = "ok";
    try {
      Object reader = open(new Path(log));
      Method next = Stream.of(reader.getClass().getMethods()).filter(method -> method.getName().equals("next") && method.getParameterCount() == 0).findFirst().get();
      next.setAccessible(true);
      try {
        for (WAL.Entry entry = (WAL.Entry) call(next, reader); entry != null; entry = (WAL.Entry) call(next, reader)) {
          add(entry, entries);
        }
      } finally {
        ((java.io.Closeable) reader).close();
      }
    } catch (EOFException endOfLog) { // the end for log splitting
    } catch (Exception failed) {
      end = "error";
    } catch (Error failed) {
      end = "crash";
    }
    out.println(log + "\t" + end + "\t" + entries);
  }

  private Object open(Path log) throws Exception {
    for (String name : List.of("createStreamReader", "createReader")) {
      try {
        return call(WALFactory.class.getMethod(name, FileSystem.class, Path.class, Configuration.class), null, files, log, conf);
      } catch (NoSuchMethodException otherVersion) {
        continue;
      }
    }
    throw new IllegalStateException("no reader of logs");
  }

  private static Object call(Method method, Object on, Object... arguments) throws Exception {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException failed) {
      if (failed.getCause() instanceof Error) {
        throw (Error) failed.getCause();
      }
      throw (Exception) failed.getCause();
    }
  }

  private void add(WAL.Entry entry, StringBuilder entries) {
    if (!Bytes.toString(entry.getKey().getEncodedRegionName()).equals(REGION)) {
      return;
    }
    StringBuilder text = new StringBuilder().append(entry.getKey().getSequenceId());
    for (Cell cell : entry.getEdit().getCells()) {
      if (!Bytes.toString(CellUtil.cloneFamily(cell)).equals("f")) {
        return;
      }
      text.append('|').append(Bytes.toStringBinary(CellUtil.cloneRow(cell))).append('|').append(Bytes.toStringBinary(CellUtil.cloneQualifier(cell))).append('|')
          .append(cell.getTimestamp()).append('|').append(cell.getType()).append('|').append(Bytes.toStringBinary(CellUtil.cloneValue(cell)))
          .append('|').append(cell.getTagsLength());
    }
    if (numbers.size() < ENTRIES && entries.length() == 0 == numbers.isEmpty()) {
      numbers.putIfAbsent(text.toString(), numbers.size());
    }
    Integer number = numbers.get(text.toString());
    entries.append(entries.length() == 0 ? "" : ",").append(number == null ? "x" : number.toString());
  }
}
