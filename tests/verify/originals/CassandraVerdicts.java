// Runs Cassandra's `sstableverify -e -f` once for each sstable of a list, all in one process:
//
//   CassandraVerdicts < list     a line of the list: number, table, folder with one sstable, tab-separated
//
// Prints for each line: number, verdict (`found`, `clean` or `not run`), and what the tool said,
// tab-separated.
//
// The tool is StandaloneVerifier.main() of the release on the class path, unchanged. It expects a
// schema in Cassandra's own tables. This class gives it one instead, with a table for each line. The
// table's name determines its partition key (see key_of()). The sstable is copied to the table's
// folder under the property verdicts.data.

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Permission;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.OfflineSchemaUpdateHandler;
import org.apache.cassandra.schema.SchemaTransformation.SchemaTransformationResult;
import org.apache.cassandra.schema.SchemaUpdateHandler;
import org.apache.cassandra.schema.SchemaUpdateHandlerFactory;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Tables;
import org.apache.cassandra.tools.StandaloneVerifier;

public class CassandraVerdicts implements SchemaUpdateHandlerFactory {
  private static final String KEYSPACE = "verdicts";
  private static final List<TableMetadata> tables = new ArrayList<>();

  /** The tool's exit, which must not end this process; an Error, since the tool catches Exceptions. */
  private static final class Exit extends Error {
    final int status;

    Exit(int status) {
      super("exit status " + status, null, false, false);
      this.status = status;
    }
  }

  private static final class NoExit extends SecurityManager {
    @Override
    public void checkExit(int status) {
      throw new Exit(status);
    }

    @Override
    public void checkPermission(Permission permission) {}

    @Override
    public void checkPermission(Permission permission, Object context) {}
  }

  /** Where the tool would read the schema from disk, it gets the tables of the list. */
  private static final class ListedSchema extends OfflineSchemaUpdateHandler {
    ListedSchema(BiConsumer<SchemaTransformationResult, Boolean> callback) {
      super(callback);
    }

    @Override
    public void reset(boolean local) {
      apply(keyspaces -> keyspaces.withAddedOrUpdated(
          KeyspaceMetadata.create(KEYSPACE, KeyspaceParams.simple(1), Tables.of(tables))), local);
    }
  }

  @Override
  public SchemaUpdateHandler getSchemaUpdateHandler(boolean online, BiConsumer<SchemaTransformationResult, Boolean> callback) {
    return new ListedSchema(callback);
  }

  /** The types of the partition key of a golden table; "text, int" for comp_text_int. */
  private static String key_of(String table) {
    String family = table.replaceAll("_(three_flushes|compacted|uni|seq|empty|writer)$", "");
    if (family.startsWith("comp_")) {
      return family.substring(5).replace("_", ", ");
    }
    if (family.matches("(list|set|map|tuple)_.*")) {
      return "frozen<" + family.replaceFirst("_", "<").replace('_', ',') + ">>";
    }
    return family.equals("offline") ? "text" : family;
  }

  private static TableMetadata table_of(String number, String table) {
    String[] types = key_of(table).split(", ");
    StringBuilder columns = new StringBuilder();
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < types.length; ++i) {
      columns.append("k").append(i).append(" ").append(types[i]).append(", ");
      key.append(i == 0 ? "" : ", ").append("k").append(i);
    }
    boolean has_clustering = !table.equals("offline_writer");
    String statement = "CREATE TABLE t" + number + " (" + columns + (has_clustering ? "c int, " : "") + "v int, PRIMARY KEY ((" + key + ")"
        + (has_clustering ? ", c" : "") + "))";
    return CreateTableStatement.parse(statement, KEYSPACE).id(TableId.fromUUID(new UUID(1L << 12, Long.parseLong(number)))).build();
  }

  private static void place(Path data, TableMetadata table, Path source) throws IOException {
    Path folder = data.resolve(KEYSPACE).resolve(table.name + "-" + table.id.toHexString());
    Files.createDirectories(folder);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(source)) {
      for (Path file : files) {
        Files.copy(file, folder.resolve(file.getFileName()));
      }
    }
  }

  /** Runs the tool; what it prints goes to `output`. */
  private static int verify(String table, ByteArrayOutputStream output) {
    PrintStream out = System.out, err = System.err, capture = new PrintStream(output, true);
    System.setOut(capture);
    System.setErr(capture);
    try {
      StandaloneVerifier.main(new String[] {"-e", "-f", KEYSPACE, table});
      return 0;
    } catch (Exit exit) {
      return exit.status;
    } catch (Throwable error) {
      error.printStackTrace();
      return -1;
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  /** The first line that reports an error with a message; without folders. */
  private static String first_error(String output) {
    for (String line : output.split("\n")) {
      if (line.matches("(WARNING: |Error |.*(Exception|Error)\\b).*") && !line.equals("WARNING: null")) {
        return line.replace("WARNING: ", "").replace('\t', ' ').replaceAll("/[^ ,:;)']*/", "");
      }
    }
    return "";
  }

  /** `clean` needs the line of success: the exit status of release 5.0 is 0 even if an Error stops it. */
  private static String verdict_of(int status, String output) {
    Matcher success = Pattern.compile("succeeded\\. (.*)").matcher(output);
    if (status == 0) {
      return success.find() ? "clean\t" + success.group(1) : "not run\tno sstable of this version is verified; exit status 0";
    }
    boolean reports = output.contains("Error Loading") || output.contains("Error verifying");
    return (reports ? "found\t" : "not run\t") + first_error(output);
  }

  public static void main(String[] arguments) throws IOException {
    Path data = Paths.get(System.getProperty("verdicts.data"));
    List<String[]> lines = new ArrayList<>();
    BufferedReader list = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = list.readLine(); line != null; line = list.readLine()) {
      lines.add(line.split("\t"));
    }
    System.setProperty("cassandra.schema.update_handler_factory.class", CassandraVerdicts.class.getName());
    DatabaseDescriptor.toolInitialization();
    for (String[] line : lines) {
      TableMetadata table = table_of(line[0], line[1]);
      tables.add(table);
      place(data, table, Paths.get(line[2]));
    }
    System.setSecurityManager(new NoExit());
    for (String[] line : lines) {
      ByteArrayOutputStream output = new ByteArrayOutputStream();
      int status = verify("t" + line[0], output);
      System.out.println(line[0] + "\t" + verdict_of(status, output.toString()));
    }
    System.setSecurityManager(null);
    System.exit(0);
  }
}
