// Runs HBase's `hbase hfile -k -v -m -f FILE` once for each file of a list, all in one process:
//
//   HFileVerdicts < list     a line of the list: number, path, tab-separated
//
// Prints for each line: number, verdict (`found` or `clean`), and what the tool said, tab-separated.
//
// The tool is HFilePrettyPrinter, unchanged. It reads every cell, checks the order of the rows, and
// prints the metadata. It does not verify the checksums of HFile's blocks, since it leaves that to the
// file system. The verdict is `found` for an exit status other than 0, an exception, or a warning of
// the tool.

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;

public class HFileVerdicts {
  /** Runs the tool; what it prints and logs goes to `output`. */
  private static int print(Configuration conf, String path, PrintStream output) {
    HFilePrettyPrinter tool = new HFilePrettyPrinter(conf);
    tool.setPrintStreams(output, output);
    try {
      return tool.run(new String[] {"-k", "-v", "-m", "-f", path});
    } catch (Throwable error) {
      error.printStackTrace(output);
      return -1;
    }
  }

  /** The innermost exception, else the tool's first warning; without folders. */
  private static String error_in(String output) {
    String found = "";
    for (String line : output.split("\n")) {
      boolean is_cause = line.startsWith("Caused by: ") || (found.isEmpty() && line.matches("[a-z][\\w.$]*(Exception|Error)\\b.*"));
      if (is_cause || (found.isEmpty() && line.startsWith("WARNING, "))) {
        found = line.replace("Caused by: ", "").replace('\t', ' ').replaceAll("(file:)?/[^ ,:;)']*/", "");
      }
    }
    return found;
  }

  private static String verdict_of(int status, String output) {
    if (status != 0 || output.contains("\nWARNING, ")) {
      return "found\t" + error_in(output);
    }
    Matcher cells = Pattern.compile("Scanned kv count -> (\\d+)").matcher(output);
    return "clean\t" + (cells.find() ? cells.group(1) : "no") + " cells read";
  }

  public static void main(String[] arguments) throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, 0);  // as the tool's own main() does
    PrintStream err = System.err;
    BufferedReader list = new BufferedReader(new InputStreamReader(System.in));
    for (String line = list.readLine(); line != null; line = list.readLine()) {
      String[] fields = line.split("\t");
      ByteArrayOutputStream output = new ByteArrayOutputStream();
      PrintStream capture = new PrintStream(output, true);
      System.setErr(capture);
      int status = print(conf, "file://" + fields[1], capture);
      System.setErr(err);
      System.out.println(fields[0] + "\t" + verdict_of(status, output.toString()));
    }
    System.exit(0);
  }
}
