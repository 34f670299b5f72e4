// Runs `parquet scan FILE` and `parquet check-stats FILE` once for each file of a list, all in one
// process:
//
//   ParquetVerdicts < list     a line of the list: number, path, tab-separated
//
// Prints for each line: number, verdict (`found` or `clean`), and what the tool said, tab-separated.
//
// The tool is parquet-cli's Main, unchanged. It reads every value, and verifies the checksums of pages
// if a file has them. `scan` reads through Avro, which has neither INT96 nor UUID. A file with these
// types is read by Parquet's GroupReadSupport instead.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.cli.Main;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.slf4j.Logger;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

public class ParquetVerdicts {
  /** An error and its causes. */
  private static String text_of(Throwable error) {
    return error == null ? "" : error + (error.getCause() == null ? "" : ": " + text_of(error.getCause()));
  }

  /** A logger that keeps what the tool prints. */
  private static Logger console(List<String> output) {
    return (Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, values) -> {
      if (method.getReturnType() == boolean.class) {
        return true;
      }
      Object[] rest = Arrays.copyOfRange(values, 1, values.length);
      if (rest.length == 1 && rest[0] instanceof Object[]) {
        rest = (Object[]) rest[0];
      }
      FormattingTuple printed = MessageFormatter.arrayFormat(String.valueOf(values[0]), rest);
      output.add(printed.getThrowable() == null ? printed.getMessage() : text_of(printed.getThrowable()));
      return null;
    });
  }

  private static int run(Configuration conf, String command, String path, List<String> output) {
    try {
      Constructor<Main> constructor = Main.class.getDeclaredConstructor(Logger.class);
      constructor.setAccessible(true);
      Main tool = constructor.newInstance(console(output));
      tool.setConf(conf);
      return tool.run(new String[] {command, path});
    } catch (Throwable error) {
      output.add(text_of(error));
      return -1;
    }
  }

  /** Reads every record with Parquet's own model of records; returns their count. */
  private static long read(Configuration conf, String path) throws IOException {
    try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), new Path(path)).withConf(conf).build()) {
      long count = 0;
      while (reader.read() != null) {
        ++count;
      }
      return count;
    }
  }

  private static String verdict_of(Configuration conf, String path) {
    List<String> output = new ArrayList<>();
    boolean clean = run(conf, "scan", path, output) == 0;
    String said = String.join(" ", output);
    if (said.contains("INT96 is deprecated") || said.contains("is not compatible with the file schema")) {
      output.clear();
      try {
        output.add("scan: Avro has no such type; GroupReadSupport: " + read(conf, path) + " records");
        clean = true;
      } catch (Exception error) {
        output.add(text_of(error));
      }
    }
    if (clean) {
      clean = run(conf, "check-stats", path, output) == 0;
    }
    said = String.join("; ", output).replaceAll("\\s", " ").replaceAll("; Time: [0-9.]+ s", "");
    return (clean ? "clean\t" : "found\t") + said.replaceAll("(file:)?/[^ ,:;)']*/", "");
  }

  public static void main(String[] arguments) throws IOException {
    Configuration conf = new Configuration();
    conf.setBoolean("parquet.page.verify-checksum.enabled", true);
    BufferedReader list = new BufferedReader(new InputStreamReader(System.in));
    for (String line = list.readLine(); line != null; line = list.readLine()) {
      String[] fields = line.split("\t");
      System.out.println(fields[0] + "\t" + verdict_of(conf, fields[1]));
    }
  }
}
