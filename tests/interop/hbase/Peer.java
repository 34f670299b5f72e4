// What tests/interop/hbase/run has HBase do with files, many in one process, since starting one takes longer than the work on a file.
//
//   files LIST DIRECTORY   writes every file of LIST (a name and KEY=VALUE pairs a line) to DIRECTORY/NAME/00..0, and HBase's own scan of it to
//                          DIRECTORY/NAME.cells, in the form of `bloomery hfile cat`
//   answers JOBS           a job a line: FILE KIND KEYS OUT. Which of the lines of KEYS the store file cannot exclude: written to OUT
//   check FILES            HBase's tool for HFiles (`hbase hfile -v -k -a -m -f`) on every file of a list: the file and how many cells it counted;
//                          fails where the tool warns
package org.apache.hadoop.hbase.regionserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;

final class Peer {
  private static final String FILE_NAME = "0".repeat(32);
  private static final Pattern COUNTED = Pattern.compile("Scanned kv count -> (\\d+)");

  private Peer() { }

  static void files(Path list, Path directory) throws Exception {
    each(list, words -> {
      Settings settings = new Settings(words.get(0), words.subList(1, words.size()));
      Path file = Files.createDirectories(directory.resolve(settings.name)).resolve(FILE_NAME);
      HBaseFiles.write(file, settings);
      if (settings.text("scan", "yes").equals("yes")) {
        scan(file, directory.resolve(settings.name + ".cells"));
      }
    });
  }

  private static void scan(Path file, Path out) throws Exception {
    StoreFileReader reader = HBaseFiles.open(file).getReader();
    boolean tags = reader.getHFileReader().getFileContext().isIncludesTags();
    HFileScanner scanner = reader.getHFileReader().getScanner(Settings.configuration(), false, true);
    try (Writer writer = Files.newBufferedWriter(out, StandardCharsets.US_ASCII)) {
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        writer.write(line(scanner.getCell(), tags) + "\n");
      }
    }
  }

  /** A cell as `bloomery hfile cat` prints it: the type by name. */
  static String line(Cell cell, boolean tags) throws IOException {
    return HBaseFiles.line(cell, tags, KeyValue.Type.codeToType(cell.getTypeByte()).name());
  }

  static void answers(Path jobs) throws Exception {
    Configuration conf = Settings.configuration();
    conf.setFloat("hfile.block.cache.size", 0.4f); // else a chunk is read and checked for each question
    each(jobs, words -> {
      CacheConfig cache = new CacheConfig(conf, BlockCacheFactory.createBlockCache(conf)); // one a file: it goes by their names, which are alike here
      StoreFileReader reader = HBaseFiles.open(Path.of(words.get(0)), cache).getReader();
      try (Writer writer = Files.newBufferedWriter(Path.of(words.get(3)), StandardCharsets.US_ASCII);
          Stream<String> lines = Files.lines(Path.of(words.get(2)), StandardCharsets.US_ASCII)) {
        for (String line : (Iterable<String>) lines::iterator) {
          int tab = line.indexOf('\t');
          byte[] row = Escaping.unescape(tab < 0 ? line : line.substring(0, tab));
          byte[] qualifier = Escaping.unescape(tab < 0 ? "" : line.substring(tab + 1));
          if (Probes.store(reader, words.get(1), row, qualifier)) {
            writer.write(line + "\n");
          }
        }
      }
    });
  }

  static void check(Path files) throws Exception {
    PrintStream screen = System.out;
    PrintStream errors = System.err;
    for (String file : Files.readAllLines(files)) {
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      PrintStream out = new PrintStream(said, true, StandardCharsets.ISO_8859_1);
      System.setOut(out);
      System.setErr(out);
      int status;
      try {
        status = new HFilePrettyPrinter(Settings.configuration()).run(new String[] {"-v", "-k", "-a", "-m", "-f", Path.of(file).toUri().toString()});
      } finally {
        System.setOut(screen);
        System.setErr(errors);
      }
      String text = said.toString(StandardCharsets.ISO_8859_1);
      Matcher counted = COUNTED.matcher(text);
      if (status != 0 || !counted.find() || text.contains("WARNING") || text.contains("Exception")) {
        throw new IOException(file + ": HBase's tool says " + status + ": " + text);
      }
      screen.println(file + "\t" + counted.group(1));
    }
  }

  private interface Work {
    void on(List<String> words) throws Exception;
  }

  private static void each(Path list, Work work) throws Exception {
    Files.readAllLines(list).parallelStream().forEach(line -> {
      try {
        work.on(List.of(line.trim().split("\\s+")));
      } catch (Exception error) {
        throw new IllegalStateException(line, error);
      }
    });
  }
}
