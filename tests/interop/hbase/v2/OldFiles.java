// Writes HFiles of version 2 with HBase 0.98's store-file writer, whose default that version is; HBase 2 only reads them.
//
//   OldFiles LIST DIRECTORY     for every name and KEY=VALUE pairs of LIST: reads DIRECTORY/NAME.cells, writes DIRECTORY/NAME.hfile
//
// What HBase 0.98's own scanner then finds in the file must be the lines that were read, which `hbase cells` made. No time is stored in these files.
// It is in HBase's package, as Settings.java is, which it shares with the programs of HBase 2.
package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.ChecksumType;

public final class OldFiles {
  public static void main(String[] args) throws Exception {
    System.setProperty("java.version", "1.8.0"); // HBase 0.98 stops at a version without a point after one digit
    Path directory = Path.of(args[1]);
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        List<String> words = List.of(line.trim().split("\\s+"));
        make(new Settings(words.get(0), words.subList(1, words.size())), directory);
      }
    }
  }

  private static void make(Settings settings, Path directory) throws Exception {
    List<String> lines = Files.readAllLines(directory.resolve(settings.name + ".cells"));
    // A store file's name is hex.
    Path file = Files.createTempDirectory("old-files").resolve("0123456789abcdef0123456789abcdef");
    write(file, settings, lines);
    if (!lines.equals(scan(file, settings))) {
      throw new IOException(settings.name + ": HBase 0.98 reads back other cells than it was given");
    }
    Files.copy(file, directory.resolve(settings.name + ".hfile"), StandardCopyOption.REPLACE_EXISTING);
  }

  private static void write(Path file, Settings settings, List<String> lines) throws Exception {
    StoreFile.Writer writer = new StoreFile.WriterBuilder(settings.conf, new CacheConfig(settings.conf), FileSystem.get(settings.conf))
        .withFilePath(hadoopPath(file))
        .withBloomType(settings.bloom())
        .withMaxKeyCount(lines.size())
        .withFileContext(context(settings))
        .build();
    for (String line : lines) {
      writer.append(cell(line));
    }
    writer.appendMetadata(settings.number("sequence", 7), false);
    writer.close();
  }

  private static HFileContext context(Settings settings) {
    return new HFileContextBuilder()
        .withBlockSize(settings.number("block", 1024))
        .withCompression(Compression.Algorithm.valueOf(settings.text("codec", "NONE")))
        .withDataBlockEncoding(DataBlockEncoding.valueOf(settings.text("encoding", "NONE")))
        .withIncludesMvcc(!settings.text("mvcc", "zero").equals("absent"))
        .withHBaseCheckSum(true)
        .withChecksumType(ChecksumType.valueOf(settings.text("checksum", "CRC32")))
        .withBytesPerCheckSum(settings.number("checksum_chunk", 16384))
        .build();
  }

  private static List<String> scan(Path file, Settings settings) throws Exception {
    HFile.Reader reader = HFile.createReader(FileSystem.get(settings.conf), hadoopPath(file), new CacheConfig(settings.conf), settings.conf);
    reader.loadFileInfo();
    if (reader.getTrailer().getMajorVersion() != 2) {
      throw new IOException(settings.name + ": expected version 2, found " + reader.getTrailer().getMajorVersion());
    }
    List<String> lines = new ArrayList<>();
    HFileScanner scanner = reader.getScanner(false, true);
    for (boolean found = scanner.seekTo(); found; found = scanner.next()) {
      lines.add(line(scanner.getKeyValue()));
    }
    return lines;
  }

  private static org.apache.hadoop.fs.Path hadoopPath(Path path) {
    return new org.apache.hadoop.fs.Path(path.toAbsolutePath().toUri());
  }

  // --- a cell as a line of a .cells file

  private static KeyValue cell(String line) {
    String[] fields = line.split("\t", -1);
    KeyValue cell = new KeyValue(Escaping.unescape(fields[0]), Escaping.unescape(fields[1]), Escaping.unescape(fields[2]), Long.parseLong(fields[3]),
        KeyValue.Type.codeToType((byte) Integer.parseInt(fields[4])), Escaping.unescape(fields[5]));
    cell.setMvccVersion(Long.parseLong(fields[7]));
    return cell;
  }

  private static String line(KeyValue cell) {
    return String.join("\t", Escaping.escape(CellUtil.cloneRow(cell)), Escaping.escape(CellUtil.cloneFamily(cell)), Escaping.escape(CellUtil.cloneQualifier(cell)),
        Long.toString(cell.getTimestamp()), Integer.toString(cell.getTypeByte() & 0xff), Escaping.escape(CellUtil.cloneValue(cell)), "",
        Long.toString(cell.getMvccVersion()));
  }
}
