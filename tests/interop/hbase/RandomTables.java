// Random tables with random questions and HBase's answers, for tests/interop/hbase/run: a set of the form that tests/hbase_tables reads.
//
//   random-tables SEED FIRST COUNT DIR     makes the tables random-SEED-FIRST ...  in the running HBase, asks, and writes to DIR:
//      sources.tsv, questions/SOURCE{,.unstable}.{queries,answers}    see tests/golden/hbase-tables/README.md
//      questions/SOURCE.blocks                                        what gets of a table read, in its final state: see BlockCounts.java
//      tables                                                         each table with its seed, settings and what was done with it
//
//   recorded-tables SEED FIRST COUNT DIR   the same with tables whose steps are written down, for another store: recorded/TABLE (Recorder.java)
//   ask-again DIR SUFFIX                   asks the questions of a set of logs of tables with this suffix to their names; prints those with another answer
//
// A table is asked 100 gets and 20 scans when all is done. Some are also asked 20 gets and 8 scans when a snapshot is taken, which are the
// snapshot's questions; some snapshots are cloned, and their clones go on by themselves and are asked too. Compactions are off in the end: the files must
// lie still until they have been read.
//
// Questions that HBase refuses, fails at or does not answer within a time limit are left out and counted.
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceExistException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.ipc.CallTimeoutException;

final class RandomTables {
  private static final int THREADS = 3; // the server mostly waits for itself
  private static final int PHASES = 5;
  private static final int CALL_LIMIT = 8_000; // milliseconds
  private static final String NAMESPACE = "random";

  private final long seed;
  private final Path directory;
  private final PrintStream out;
  private final Configuration conf = HBaseConfiguration.create();
  private final Path root = Path.of(conf.get("hbase.rootdir").substring("file://".length()));
  private final Connection connection = ConnectionFactory.createConnection(conf);
  private final ExecutorService asking = Executors.newCachedThreadPool(work -> {
    Thread thread = new Thread(work);
    thread.setDaemon(true); // one that waits for ever must not keep the process
    return thread;
  });
  private final PrintWriter sources;
  private final PrintWriter tables;
  private final Map<String, RandomTable> lyingStill = new TreeMap<>(); // by source: tables to which nothing happens any more
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger unanswered = new AtomicInteger();

  private RandomTables(long seed, Path directory, PrintStream out) throws IOException {
    this.seed = seed;
    this.directory = directory;
    this.out = out;
    Files.createDirectories(directory.resolve("questions"));
    sources = new PrintWriter(Files.newBufferedWriter(directory.resolve("sources.tsv"), StandardOpenOption.CREATE, StandardOpenOption.APPEND), true);
    tables = new PrintWriter(Files.newBufferedWriter(directory.resolve("tables"), StandardOpenOption.CREATE, StandardOpenOption.APPEND), true);
  }

  static void run(long seed, int first, int count, Path directory, boolean isRecorded, PrintStream out) throws Exception {
    RandomTables all = new RandomTables(seed, directory, out);
    all.connection.getAdmin().compactionSwitch(false, List.of());
    try {
      all.connection.getAdmin().createNamespace(NamespaceDescriptor.create(NAMESPACE).build());
    } catch (NamespaceExistException alreadyThere) {
      // of an earlier run
    }
    ExecutorService workers = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> made = new ArrayList<>();
    for (int number = first; number < first + count; number++) {
      int chosen = number;
      made.add(workers.submit((Callable<Void>) () -> {
        if (isRecorded) {
          all.recordedTable(chosen);
        } else {
          all.table(chosen);
        }
        return null;
      }));
    }
    workers.shutdown();
    for (Future<?> table : made) {
      table.get();
    }
    if (!isRecorded) {
      all.countBlocks();
    }
    out.println("random-tables tables " + count + " refused " + all.refused + " unanswered " + all.unanswered);
    all.connection.close();
  }

  private Random randomOf(int number) {
    Random random = new Random(seed * 1_000_003 + number);
    for (int i = 0; i < 20; i++) {
      random.nextInt(); // neighbouring seeds begin alike
    }
    return random;
  }

  private void recordedTable(int number) throws Exception {
    Random random = randomOf(number);
    TableName name = TableName.valueOf("recorded-" + seed + "-" + number);
    RandomTable table = new RandomTable(name, random, connection, directory.resolve("scratch"));
    table.record(new Recorder(Files.createDirectories(directory.resolve("recorded")).resolve(name.getNameAsString())));
    table.create();
    table.workRecorded(1 + random.nextInt(PHASES));
    ask(table, "table", name.getNameAsString(), random, 100, 20);
    note(number, table);
  }

  static void askAgain(Path directory, String suffix, PrintStream out) throws Exception {
    RandomTables all = new RandomTables(0, directory, out);
    int asked = 0;
    int agree = 0;
    for (String source : Files.readAllLines(directory.resolve("sources.tsv"))) {
      String[] words = source.split("\t");
      TableName name = TableName.valueOf(words[1] + suffix);
      String file = words[0] + "-" + words[1];
      try (Connection asker = all.asker(); Table table = asker.getTable(name)) {
        Map<String, List<String>> expected = answersOf(Files.readAllLines(all.questions(file + ".answers")));
        for (String question : Files.readAllLines(all.questions(file + ".queries"))) {
          List<String> answer = all.answer(table, question);
          List<String> before = expected.get(question.substring(0, question.indexOf('\t')));
          asked++;
          if (before.equals(answer)) {
            agree++;
          } else {
            out.println(name + "\t" + question + "\n  before " + before + "\n  now    " + answer);
          }
        }
      }
    }
    out.println(agree + " of " + asked + " questions agree");
    all.connection.close();
  }

  private static Map<String, List<String>> answersOf(List<String> lines) {
    Map<String, List<String>> answers = new TreeMap<>();
    List<String> answer = null;
    for (String line : lines) {
      if (line.startsWith("q")) {
        answer = new ArrayList<>();
        answers.put(line.substring(0, line.indexOf('\t')), answer);
      }
      answer.add(line);
    }
    return answers;
  }

  private void table(int number) throws Exception {
    Random random = randomOf(number);
    String plain = "random-" + seed + "-" + number; // names of an earlier run are still there
    TableName name = TableName.valueOf(random.nextInt(3) == 0 ? NAMESPACE + ":" + plain : plain);
    RandomTable table = new RandomTable(name, random, connection, directory.resolve("scratch").resolve(plain));
    try {
      table.create();
      RandomTable clone = null;
      if (random.nextInt(100) < 60) {
        table.work(1 + PHASES / 2);
        String snapshot = "of-" + plain;
        table.snapshot(snapshot);
        ask(table, "snapshot", snapshot, random, 20, 8);
        if (random.nextBoolean()) {
          clone = table.clone(snapshot, TableName.valueOf(NAMESPACE, plain + "-clone"));
          clone.work(1);
          clone.settle(root);
          ask(clone, "table", clone.name.getNameAsString(), random, 20, 8);
        }
      }
      table.work(1 + random.nextInt(PHASES));
      table.settle(root);
      ask(table, "table", name.getNameAsString(), random, 100, 20);
      note(number, table);
      if (clone != null) {
        note(number, clone);
      }
    } catch (Exception error) {
      note(number, table);
      throw new IOException("table " + number + " of seed " + seed + ":" + table.did, error);
    }
  }

  private synchronized void note(int number, RandomTable table) {
    tables.println(table.name + " seed " + seed + " number " + number + table.did + table.settings());
  }

  private List<Cell> cells(TableName name) throws IOException {
    List<Cell> cells = new ArrayList<>();
    try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(new Scan().setRaw(true).readAllVersions())) {
      for (Result row : scanner) {
        cells.addAll(row.listCells());
      }
    }
    return cells;
  }

  /** A connection that asks once, for at most CALL_LIMIT; it begins without knowledge of regions, so a region that has moved is no failure. */
  private Connection asker() throws IOException {
    Configuration limited = new Configuration(conf);
    limited.setInt("hbase.client.retries.number", 0);
    for (String limit : List.of("hbase.rpc.timeout", "hbase.rpc.read.timeout", "hbase.client.operation.timeout", "hbase.client.scanner.timeout.period")) {
      limited.setInt(limit, CALL_LIMIT);
    }
    return ConnectionFactory.createConnection(limited);
  }

  private void ask(RandomTable table, String kind, String source, Random random, int gets, int scans) throws Exception {
    RandomQuestions questions = new RandomQuestions(random, table.families(), cells(table.name));
    List<RandomQuestions.Asked> all = new ArrayList<>(List.of(questions.everything(1, false), questions.everything(2, true)));
    for (int i = 0; i < gets + scans - 2; i++) {
      all.add(i < gets ? questions.get(i + 3) : questions.scan(i + 3));
    }
    String file = (kind + "-" + source).replace(':', '.');
    int[] counts = new int[2];
    try (Connection asker = asker(); Table asked = asker.getTable(table.name);
        PrintWriter queries = writer(file + ".queries"); PrintWriter answers = writer(file + ".answers");
        PrintWriter unstableQueries = writer(file + ".unstable.queries"); PrintWriter unstableAnswers = writer(file + ".unstable.answers")) {
      for (RandomQuestions.Asked question : all) {
        List<String> answer = answer(asked, question.line());
        if (answer != null) {
          counts[question.isStable() ? 0 : 1]++;
          (question.isStable() ? queries : unstableQueries).println(question.line());
          answer.forEach((question.isStable() ? answers : unstableAnswers)::println);
        }
      }
    }
    synchronized (sources) {
      if (kind.equals("table")) {
        lyingStill.put(file, table);
      }
      sources.println(String.join("\t", file, kind, source, Integer.toString(counts[0]), Integer.toString(counts[1])));
    }
  }

  /** Asks the gets again that were answered, and plain ones, while nothing else goes on. */
  private void countBlocks() throws Exception {
    long start = System.currentTimeMillis();
    BlockCounts counts = new BlockCounts();
    for (Map.Entry<String, RandomTable> source : lyingStill.entrySet()) {
      List<String> gets = BlockCounts.plainGets(source.getValue().families(), cells(source.getValue().name));
      for (String ending : List.of(".queries", ".unstable.queries")) {
        Files.readAllLines(questions(source.getKey() + ending)).stream().filter(line -> line.contains("\tget\t")).forEach(gets::add);
      }
      try (Table table = connection.getTable(source.getValue().name); PrintWriter out = writer(source.getKey() + ".blocks")) {
        counts.count(table, gets, out);
      }
    }
    System.err.println("blocks of gets: " + (System.currentTimeMillis() - start) + " ms");
  }

  private Path questions(String name) {
    return directory.resolve("questions").resolve(name);
  }

  private PrintWriter writer(String name) throws IOException {
    return new PrintWriter(Files.newBufferedWriter(questions(name), StandardCharsets.US_ASCII));
  }

  /** HBase's answer, or null if there is none. */
  private List<String> answer(Table table, String line) throws Exception {
    Future<List<String>> answer = asking.submit(() -> new Question(line).ask(table));
    try {
      return answer.get(2L * CALL_LIMIT, TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      answer.cancel(true);
      unanswered.incrementAndGet();
      System.err.println(table.getName() + ": no answer: " + line);
    } catch (ExecutionException failed) {
      boolean isLate = org.apache.commons.lang3.exception.ExceptionUtils.indexOfType(failed, CallTimeoutException.class) >= 0;
      (isLate ? unanswered : refused).incrementAndGet();
      System.err.println(table.getName() + ": " + failed.getCause().toString().lines().findFirst().orElse("") + ": " + line);
    }
    return null;
  }
}
