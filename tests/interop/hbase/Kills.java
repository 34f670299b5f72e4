// Random work on random tables of an HBase that will be killed, and questions to the one that came back, for tests/wal/kills.
//
//   kills SEED SCRATCH     reads commands, one a line:
//      work                makes tables and works on them, in several threads, until the server is gone; says "working" at once
//      ask DIR ROOT...     waits until the server has come back, asks every table, and writes to DIR a set of logs as tests/hbase_tables reads it,
//                          for each ROOT the same; says "asked TABLES QUESTIONS REFUSED"
//
// DIR/sources.tsv has ROOT, TABLE, the numbers of questions and of loose ones, and what was being done to the table when the server was killed. Loose
// questions are in questions/ROOT-TABLE.differ.queries, with HBase's answers as .differ.after: their answers may change by the flush that follows
// the replay. These are raw scans, questions about a range of time, since the flush prunes versions, filters of tables with MOB, whose values the
// flush replaces by references, and columns by name with NEW_VERSION_BEHAVIOR, of which HBase 2.6.4 sometimes prints more versions than were asked for.
package org.apache.hadoop.hbase.regionserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

final class Kills {
  private static final int THREADS = 3;
  private static final int TABLES = 5;
  private static final int GETS = 40;
  private static final int SCANS = 20;
  private static final long PATIENCE = 120_000; // milliseconds until the tables are there again
  private static final long CALL_LIMIT = 10_000;

  private final Random random;
  private final Path scratch;
  private final Configuration conf = HBaseConfiguration.create();
  private final Map<String, RandomTable> tables = new ConcurrentSkipListMap<>();
  private final AtomicInteger made = new AtomicInteger();
  private final ExecutorService asking = Executors.newCachedThreadPool(Kills::daemon);
  private volatile int life; // of the server
  private Connection connection;
  private int refused;

  private Kills(long seed, Path scratch) {
    random = new Random(seed);
    this.scratch = scratch;
    conf.setInt("hbase.client.retries.number", 3);
    for (String limit : List.of("hbase.rpc.timeout", "hbase.rpc.read.timeout", "hbase.client.operation.timeout", "hbase.client.scanner.timeout.period",
        "hbase.client.meta.operation.timeout")) {
      conf.setInt(limit, (int) CALL_LIMIT);
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true); // one that waits for a dead server must not keep the process
    return thread;
  }

  static void run(long seed, Path scratch, PrintStream out) throws Exception {
    Kills kills = new Kills(seed, scratch);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      List<String> words = List.of(line.split(" "));
      try {
        switch (words.get(0)) {
          case "work" -> kills.work(out);
          case "ask" -> kills.ask(Path.of(words.get(1)), words.subList(2, words.size()), out);
          default -> throw new IllegalArgumentException(line);
        }
      } catch (Exception error) {
        error.printStackTrace();
        out.println("failed " + error);
      }
      out.flush();
    }
    System.exit(0);
  }

  // --- work

  private void work(PrintStream out) throws Exception {
    if (connection == null) {
      connect();
    }
    int mine = ++life;
    for (int i = 0; i < THREADS; i++) {
      Random chosen = new Random(random.nextLong());
      daemon(() -> workUntilItFails(chosen, mine)).start();
    }
    out.println("working");
  }

  private void workUntilItFails(Random chosen, int mine) {
    for (int failures = 0; failures < 3 && life == mine;) {
      try {
        step(chosen);
        failures = 0;
      } catch (Exception failed) { // a region was moving, or the server is gone
        failures++;
        System.err.println("failed: " + failed.toString().lines().findFirst().orElse(""));
      }
    }
  }

  private void step(Random chosen) throws Exception {
    List<RandomTable> all = new ArrayList<>(tables.values());
    if (all.isEmpty() || all.size() < TABLES && chosen.nextInt(4) == 0) {
      create(chosen);
      return;
    }
    RandomTable table = all.get(chosen.nextInt(all.size()));
    synchronized (table) {
      table.stir();
    }
  }

  private void create(Random chosen) throws Exception {
    TableName name = TableName.valueOf("t" + made.getAndIncrement());
    RandomTable table = new RandomTable(name, new Random(chosen.nextLong()), connection, scratch.resolve(name.getNameAsString()));
    synchronized (table) {
      tables.put(name.getNameAsString(), table);
      table.doing = "create";
      table.create();
      table.doing = "";
    }
  }

  // --- questions

  private void connect() throws Exception {
    if (connection != null) {
      Connection old = connection;
      asking.submit(() -> {
        old.close();
        return null;
      });
    }
    long end = System.currentTimeMillis() + PATIENCE;
    connection = ConnectionFactory.createConnection(conf);
    for (;;) {
      try {
        if (connection.getAdmin().getClusterMetrics().getLiveServerMetrics().size() > 0 && areAvailable()) {
          return;
        }
      } catch (Exception notYet) {
        if (System.currentTimeMillis() > end) {
          throw notYet;
        }
      }
      if (System.currentTimeMillis() > end) {
        throw new IOException("the tables are not there");
      }
      Thread.sleep(100);
    }
  }

  private boolean areAvailable() throws Exception {
    Admin admin = connection.getAdmin();
    for (TableName name : admin.listTableNames()) {
      if (admin.isTableDisabled(name)) {
        admin.enableTable(name);
      }
      if (!admin.isTableAvailable(name)) {
        return false;
      }
      try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(new Scan())) {
        while (scanner.next() != null) { } // of all regions
      }
    }
    return true;
  }

  private void ask(Path directory, List<String> roots, PrintStream out) throws Exception {
    life++; // what still works shall end
    connect();
    Admin admin = connection.getAdmin();
    Files.createDirectories(directory.resolve("questions"));
    int questions = 0;
    refused = 0;
    List<String> sources = new ArrayList<>();
    for (Map.Entry<String, RandomTable> entry : List.copyOf(tables.entrySet())) {
      RandomTable table = entry.getValue();
      if (!admin.tableExists(table.name)) {
        tables.remove(entry.getKey()); // it was being made, or dropped
        continue;
      }
      String doing = table.doing;
      table.comeBack(connection);
      if (doing.equals("create")) {
        continue; // HBase goes on making it; before, it had no regions and no rows
      }
      int[] counts = ask(table, directory.resolve("questions"), roots);
      questions += counts[0] + counts[1];
      for (String root : roots) {
        sources.add(String.join("\t", root, entry.getKey(), "" + counts[0], "" + counts[1], doing));
      }
    }
    Files.write(directory.resolve("sources.tsv"), sources);
    out.println("asked " + tables.size() + " " + questions + " " + refused);
  }

  private int[] ask(RandomTable table, Path directory, List<String> roots) throws Exception {
    RandomQuestions questions = new RandomQuestions(random, table.families(), cells(table.name));
    List<RandomQuestions.Asked> all = new ArrayList<>(List.of(questions.everything(1, false), questions.everything(2, true)));
    for (int i = 0; i < GETS + SCANS; i++) {
      all.add(i < GETS ? questions.get(i + 3) : questions.scan(i + 3));
    }
    List<List<String>> lines = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>()); // firm questions, answers; loose ones
    int[] counts = new int[2];
    try (Table asked = connection.getTable(table.name)) {
      for (RandomQuestions.Asked question : all) {
        List<String> answer = question.isStable() ? answer(asked, question.line()) : null;
        if (answer != null) {
          int loose = isLoose(question.line(), table.families()) ? 1 : 0;
          counts[loose]++;
          lines.get(2 * loose).add(question.line());
          lines.get(2 * loose + 1).addAll(answer);
        }
      }
    }
    for (String root : roots) {
      List<String> endings = List.of(".queries", ".answers", ".differ.queries", ".differ.after");
      for (int i = 0; i < endings.size(); i++) {
        Files.write(directory.resolve(root + "-" + table.name.getNameAsString() + endings.get(i)), lines.get(i));
      }
    }
    return counts;
  }

  private static boolean isLoose(String line, List<ColumnFamilyDescriptor> families) {
    boolean hasMob = families.stream().anyMatch(ColumnFamilyDescriptor::isMobEnabled);
    boolean hasNewVersions = families.stream().anyMatch(ColumnFamilyDescriptor::isNewVersionBehavior);
    return line.contains("\traw") || line.contains("\tfrom=") || line.contains("\tto=") || line.contains("\tfamily-time=")
        || (hasMob && line.contains("\tfilter")) || (hasNewVersions && line.contains("\tcolumn="));
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

  /** HBase's answer, or null if there is none. */
  private List<String> answer(Table table, String line) throws Exception {
    try {
      return asking.submit((Callable<List<String>>) () -> new Question(line).ask(table)).get(2 * CALL_LIMIT, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException failed) {
      refused++;
      return null;
    }
  }
}
