// Writes HFiles with HBase's own code and prints what HBase's own readers make of a file: the source of tests/golden/hbase.
// It lives in HBase's package because StoreFileReader.passesBloomFilter, the answer a region server acts on, is visible only there.
//
//   write NAME OUT KEY=VALUE...    one file
//   goldens LIST DIRECTORY         every file of LIST (a name and KEY=VALUE pairs a line), with .cells, .info and .probes
//   cells LIST DIRECTORY           only what would be written, a .cells file each: for v2
//   listings LIST DIRECTORY        .cells, .info and .probes of files that are there, and whose cells must be those of LIST: for v2
//   scan FILE                      every cell: row, family, qualifier, timestamp, type, value, tags, mvcc; tab-separated, escaped
//   info FILE                      trailer, file info, blocks, index, Bloom filters
//   probe FILE KIND KEYS           Bloom answers for the keys of a file, one a line
//   vectors                        hash values, chunk sizes, separator keys
//   facts                          order of cells, seek keys, when filters are asked: see Facts.java
//   files, answers, check          many files at once, for tests/interop/hbase/run: see Peer.java
//   load, get, tables              the same with a running HBase: see Cluster.java, Tables.java
//   random-tables, recorded-tables, ask-again      random tables of a running HBase, with questions and answers: see RandomTables.java
//   region-puts, region-mixes      the speed of an HRegion: see RegionPuts.java and RegionMixes.java
//   kills                          the same of an HBase that is killed again and again: see Kills.java
//
// How fields are written: Escaping.java.
package org.apache.hadoop.hbase.regionserver;

import static org.apache.hadoop.hbase.regionserver.Escaping.escape;
import static org.apache.hadoop.hbase.regionserver.Escaping.unescape;

import java.io.DataInput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.HFileWriterImpl;
import org.apache.hadoop.hbase.util.BloomFilterChunk;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.Hash;
import org.apache.hadoop.io.BytesWritable;

public final class HBaseFiles {
  private static final long TIME = 1700000000000L; // every creation and bulk-load time
  private static final int LARGE_LISTING = 8000; // bytes, from which a golden listing is compressed
  private static final byte[] FAMILY = Bytes.toBytes("f");

  public static void main(String[] args) throws Exception {
    if (!List.of("load", "get", "tables", "region-puts", "region-mixes", "random-tables", "recorded-tables", "ask-again", "kills").contains(args.length == 0 ? "" : args[0])) {
      EnvironmentEdgeManager.injectEdge(() -> TIME);
    }
    switch (args.length == 0 ? "" : args[0]) {
      case "write" -> write(Path.of(args[2]), new Settings(args[1], List.of(args).subList(3, args.length)));
      case "goldens" -> goldens(Path.of(args[1]), Path.of(args[2]));
      case "cells" -> cells(Path.of(args[1]), Path.of(args[2]));
      case "listings" -> listings(Path.of(args[1]), Path.of(args[2]));
      case "scan" -> scan(Path.of(args[1]), System.out);
      case "info" -> info(Path.of(args[1]), System.out);
      case "probe" -> probe(Path.of(args[1]), args[2], Files.readAllLines(Path.of(args[3])), System.out);
      case "load" -> Cluster.load(TableName.valueOf(args[1]), BloomType.valueOf(args[2]), List.of(args).subList(3, args.length).stream().map(Path::of).toList(), System.out);
      case "get" -> Cluster.get(TableName.valueOf(args[1]), Files.readAllLines(Path.of(args[2])), System.out);
      case "files" -> Peer.files(Path.of(args[1]), Path.of(args[2]));
      case "answers" -> Peer.answers(Path.of(args[1]));
      case "check" -> Peer.check(Path.of(args[1]));
      case "tables" -> Tables.run(Files.readAllLines(Path.of(args[1])), System.out);
      case "random-tables", "recorded-tables" -> RandomTables.run(Long.parseLong(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), Path.of(args[4]),
          args[0].startsWith("recorded"), System.out);
      case "ask-again" -> RandomTables.askAgain(Path.of(args[1]), args.length > 2 ? args[2] : "", System.out);
      case "region-puts" -> RegionPuts.run(args[1], Integer.parseInt(args[2]), Integer.parseInt(args[3]), System.out);
      case "region-mixes" -> RegionMixes.run(args[1], Long.parseLong(args[2]), Integer.parseInt(args[3]), System.out);
      case "kills" -> Kills.run(Long.parseLong(args[1]), Path.of(args[2]), System.out);
      case "facts" -> Facts.print(System.out);
      case "vectors" -> vectors(System.out);
      default -> throw new IllegalArgumentException("write, goldens, cells, listings, scan, info, probe, vectors, facts, files, answers, check, load, get, tables, random-tables, recorded-tables, ask-again or kills");
    }
  }

  /** The codec class of an algorithm is chosen by configuration and then kept for the whole process, hence the reload. */
  private static Compression.Algorithm codec(Settings settings) {
    Compression.Algorithm algorithm = Compression.Algorithm.valueOf(settings.text("codec", "NONE"));
    String codecClass = settings.text("class", "");
    if (!codecClass.isEmpty()) {
      settings.conf.set("hbase.io.compress." + algorithm.getName() + ".codec",
          codecClass.startsWith("org.") ? codecClass : "org.apache.hadoop.hbase.io.compress." + codecClass);
      algorithm.reload(settings.conf);
    }
    return algorithm;
  }

  // --- writing

  private static HFileContext context(Settings settings) {
    return new HFileContextBuilder()
        .withBlockSize(settings.number("block", 1024))
        .withCompression(codec(settings))
        .withDataBlockEncoding(DataBlockEncoding.valueOf(settings.text("encoding", "NONE")))
        .withIncludesTags(settings.hasTags())
        .withCompressTags(settings.yes("compress_tags"))
        .withIncludesMvcc(!settings.text("mvcc", "zero").equals("absent"))
        .withHBaseCheckSum(true)
        .withChecksumType(ChecksumType.valueOf(settings.text("checksum", "CRC32C")))
        .withBytesPerCheckSum(settings.number("checksum_chunk", 16384))
        .withCreateTime(TIME)
        .withColumnFamily(settings.family())
        .withCellComparator(CellComparatorImpl.COMPARATOR)
        .build();
  }

  static void write(Path out, Settings settings) throws Exception {
    List<Cell> cells = Cells.make(settings);
    String how = settings.text("writer", "flush");
    Path directory = Files.createTempDirectory("hbase-files");
    // A store file's name is hex; the readers of HStoreFile insist on it.
    Path file = directory.resolve("0123456789abcdef0123456789abcdef");
    switch (how) {
      case "flush", "compaction" -> writeStore(file, settings, cells, how.equals("compaction"));
      case "plain" -> writePlain(file, settings, cells);
      case "bulk" -> file = BulkFiles.write(directory, settings.conf, context(settings), settings.bloom(), cells, settings.family());
      default -> throw new IllegalArgumentException(how);
    }
    Files.copy(file, out, StandardCopyOption.REPLACE_EXISTING);
    if (settings.text("scan", "yes").equals("yes")) {
      checkScan(out, cells, settings);
    }
  }

  private static void writeStore(Path file, Settings settings, List<Cell> cells, boolean compaction) throws Exception {
    FileSystem fs = FileSystem.get(settings.conf);
    StoreFileWriter writer = new StoreFileWriter.Builder(settings.conf, new CacheConfig(settings.conf), fs)
        .withFilePath(hadoopPath(file))
        .withBloomType(settings.bloom())
        .withMaxKeyCount(cells.size())
        .withFileContext(context(settings))
        .build();
    for (Cell cell : cells) {
      writer.append(cell);
    }
    writer.appendMetadata(settings.number("sequence", 7), compaction);
    writer.close();
  }

  private static void writePlain(Path file, Settings settings, List<Cell> cells) throws Exception {
    HFile.Writer writer = HFile.getWriterFactory(settings.conf, new CacheConfig(settings.conf))
        .withPath(FileSystem.get(settings.conf), hadoopPath(file))
        .withFileContext(context(settings))
        .create();
    for (int i = 0; i < settings.number("meta", 0); i++) {
      // Out of order on purpose: the writer sorts the names.
      int number = settings.number("meta", 0) - 1 - i;
      writer.appendMetaBlock("meta" + number, new BytesWritable(Bytes.toBytes("content of meta block " + number)));
    }
    for (Cell cell : cells) {
      writer.append(cell);
    }
    writer.close();
  }

  /** What HBase reads back must be what it was given: the listing beside a golden file is then the input too. */
  private static void checkScan(Path file, List<Cell> cells, Settings settings) throws Exception {
    if (!lines(cells, settings.hasTags()).equals(lines(file))) {
      throw new IOException(settings.name + ": HBase reads back other cells than it was given");
    }
  }

  // --- golden files

  private static void goldens(Path list, Path directory) throws Exception {
    Files.createDirectories(directory);
    for (Settings settings : listed(list)) {
      write(directory.resolve(settings.name + ".hfile"), settings);
      listing(settings, directory);
    }
  }

  private static void cells(Path list, Path directory) throws Exception {
    for (Settings settings : listed(list)) {
      try (PrintStream out = print(directory, settings.name + ".cells")) {
        lines(Cells.make(settings), settings.hasTags()).forEach(cell -> out.print(cell + "\n"));
      }
    }
  }

  private static void listings(Path list, Path directory) throws Exception {
    for (Settings settings : listed(list)) {
      checkScan(directory.resolve(settings.name + ".hfile"), Cells.make(settings), settings);
      listing(settings, directory);
    }
  }

  private static List<Settings> listed(Path list) throws IOException {
    List<Settings> all = new ArrayList<>();
    for (String line : Files.readAllLines(list)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        List<String> words = List.of(line.trim().split("\\s+"));
        all.add(new Settings(words.get(0), words.subList(1, words.size())));
      }
    }
    return all;
  }

  /** What HBase reads in the file, beside it. */
  private static void listing(Settings settings, Path directory) throws Exception {
    Path file = directory.resolve(settings.name + ".hfile");
    List<String> cells = lines(file);
    boolean large = cells.stream().mapToInt(cell -> cell.length() + 1).sum() > LARGE_LISTING;
    try (PrintStream out = print(directory, settings.name + (large ? ".cells.gz" : ".cells"))) {
      cells.forEach(cell -> out.print(cell + "\n"));
    }
    try (PrintStream out = print(directory, settings.name + ".info")) {
      info(file, out);
    }
    List<String> probes = settings.text("probes", "yes").equals("yes") ? Probes.make(settings, file) : List.of();
    if (!probes.isEmpty()) {
      try (PrintStream out = print(directory, settings.name + ".probes")) {
        probes.forEach(out::println);
      }
    }
    System.out.println(settings.name + " " + Files.size(file));
  }

  private static PrintStream print(Path directory, String name) throws IOException {
    OutputStream file = Files.newOutputStream(directory.resolve(name));
    return new PrintStream(name.endsWith(".gz") ? new GZIPOutputStream(file) : file, false, StandardCharsets.US_ASCII);
  }

  // --- reading

  static HStoreFile open(Path file) throws Exception {
    return open(file, new CacheConfig(Settings.configuration()));
  }

  static HStoreFile open(Path file, CacheConfig cache) throws Exception {
    Configuration conf = Settings.configuration();
    Path copy = Files.createTempDirectory("hbase-files").resolve("0123456789abcdef0123456789abcdef");
    Files.createSymbolicLink(copy, file.toAbsolutePath());
    StoreFileInfo info = StoreFileInfo.createStoreFileInfoForHFile(conf, FileSystem.get(conf), hadoopPath(copy), true);
    // A Bloom type other than NONE makes the reader load the filters; the file's own type decides how they are used.
    HStoreFile store = new HStoreFile(info, BloomType.ROW, cache, new BloomFilterMetrics());
    store.initReader();
    return store;
  }

  static org.apache.hadoop.fs.Path hadoopPath(Path path) {
    return new org.apache.hadoop.fs.Path(path.toAbsolutePath().toUri());
  }

  private static List<String> lines(Path file) throws Exception {
    List<String> result = new ArrayList<>();
    StoreFileReader reader = open(file).getReader();
    boolean tags = reader.getHFileReader().getFileContext().isIncludesTags();
    HFileScanner scanner = reader.getHFileReader().getScanner(Settings.configuration(), false, true);
    if (scanner.seekTo()) {
      do {
        result.add(line(scanner.getCell(), tags));
      } while (scanner.next());
    }
    return result;
  }

  private static List<String> lines(List<Cell> cells, boolean tags) throws IOException {
    List<String> result = new ArrayList<>();
    for (Cell cell : cells) {
      result.add(line(cell, tags));
    }
    return result;
  }

  private static void scan(Path file, PrintStream out) throws Exception {
    lines(file).forEach(out::println);
  }

  static String line(Cell cell, boolean withTags) throws IOException {
    return line(cell, withTags, Integer.toString(cell.getTypeByte() & 0xff));
  }

  static String line(Cell cell, boolean withTags, String type) throws IOException {
    List<String> tags = new ArrayList<>();
    Iterator<Tag> each = PrivateCellUtil.tagsIterator(cell);
    while (withTags && each.hasNext()) {
      Tag tag = each.next();
      tags.add((tag.getType() & 0xff) + ":" + escape(Tag.cloneValue(tag)).replace(",", "\\x2c"));
    }
    return String.join("\t", escape(CellUtil.cloneRow(cell)), escape(CellUtil.cloneFamily(cell)), escape(CellUtil.cloneQualifier(cell)),
        Long.toString(cell.getTimestamp()), type, escape(CellUtil.cloneValue(cell)),
        String.join(",", tags), Long.toString(cell.getSequenceId()));
  }

  private static void info(Path file, PrintStream out) throws Exception {
    StoreFileReader store = open(file).getReader();
    HFile.Reader reader = store.getHFileReader();
    FixedFileTrailer trailer = reader.getTrailer();
    out.println("size " + Files.size(file));
    out.println("version " + trailer.getMajorVersion() + "." + trailer.getMinorVersion());
    out.println("file_info_offset " + trailer.getFileInfoOffset());
    out.println("load_on_open_data_offset " + trailer.getLoadOnOpenDataOffset());
    out.println("uncompressed_data_index_size " + trailer.getUncompressedDataIndexSize());
    out.println("total_uncompressed_bytes " + trailer.getTotalUncompressedBytes());
    out.println("data_index_count " + trailer.getDataIndexCount());
    out.println("meta_index_count " + trailer.getMetaIndexCount());
    out.println("entry_count " + trailer.getEntryCount());
    out.println("num_data_index_levels " + trailer.getNumDataIndexLevels());
    out.println("first_data_block_offset " + trailer.getFirstDataBlockOffset());
    out.println("last_data_block_offset " + trailer.getLastDataBlockOffset());
    out.println("comparator_class_name " + trailer.getComparatorClassName());
    out.println("compression_codec " + trailer.getCompressionCodec());
    for (Map.Entry<byte[], byte[]> entry : reader.getHFileInfo().entrySet()) {
      String key = escape(entry.getKey());
      if (!key.startsWith("hfile.FILE_")) { // these two are in memory only, and hold this machine's paths
        out.println("info " + key + " " + escape(entry.getValue()));
      }
    }
    out.println("first_key " + store.getFirstKey().map(HBaseFiles::key).orElse(""));
    out.println("mid_key " + (trailer.getEntryCount() == 0 ? Optional.<Cell>empty() : reader.midKey()).map(HBaseFiles::key).orElse(""));
    out.println("last_key " + store.getLastKey().map(HBaseFiles::key).orElse(""));
    blocks(reader, out);
    bloom("general", reader.getGeneralBloomFilterMetadata(), reader, out);
    bloom("delete_family", reader.getDeleteBloomFilterMetadata(), reader, out);
  }

  private static String key(Cell cell) {
    return escape(PrivateCellUtil.getCellKeySerializedAsKeyValueKey(cell));
  }

  /** Every block by its header, in file order: type, offset, size on disk with header and checksums, size of the payload uncompressed. */
  private static void blocks(HFile.Reader reader, PrintStream out) throws Exception {
    long end = reader.getContext().getFileSize() - reader.getTrailer().getTrailerSize();
    HFileBlock.BlockIterator blocks = reader.getUncachedBlockReader().blockRange(0, end);
    for (HFileBlock block = blocks.nextBlock(); block != null; block = blocks.nextBlock()) {
      out.println("block " + block.getBlockType() + " " + block.getOffset() + " " + block.getOnDiskSizeWithHeader() + " "
          + block.getUncompressedSizeWithoutHeader());
    }
  }

  private static void bloom(String which, DataInput meta, HFile.Reader reader, PrintStream out) throws IOException {
    if (meta == null) {
      return;
    }
    CompoundBloomFilter filter = (CompoundBloomFilter) BloomFilterFactory.createFromMeta(meta, reader);
    out.println("bloom " + which + " chunks " + filter.getNumChunks() + " k " + filter.getHashCount() + " hash "
        + filter.getHash().getClass().getSimpleName() + " bytes " + filter.getByteSize() + " keys " + filter.getKeyCount() + " max_keys " + filter.getMaxKeys());
    for (int i = 0; i < filter.getNumChunks(); i++) {
      HFileBlock block = filter.getBloomBlock(i);
      out.println("chunk " + which + " " + block.getOffset() + " " + block.getUncompressedSizeWithoutHeader());
    }
  }

  // --- Bloom answers

  private static void probe(Path file, String kind, List<String> keys, PrintStream out) throws Exception {
    StoreFileReader reader = open(file).getReader();
    for (String key : keys) {
      String[] parts = (key + "\t").split("\t", -1);
      byte[] row = unescape(parts[0]);
      byte[] qualifier = unescape(parts[1]);
      out.println(key + "\t" + (Probes.store(reader, kind, row, qualifier) ? "maybe" : "no") + "\t" + (Probes.filter(reader, kind, row, qualifier) ? "maybe" : "no"));
    }
  }

  // --- facts without a file

  private static void vectors(PrintStream out) throws Exception {
    String[] keys = {"", "a", "row1", "row-0001", "row-00010", "\\x80", "\\xff\\x80", "\\x01\\xff\\x80", "\\x00\\x01\\x02\\x03\\xff\\x80\\x90",
        "\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\\x09\\x0a\\x0b\\x0c", "\\x00\\x04row1\\x00q1\\x7f\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff",
        "\\x00\\x04row1\\x00\\x7f\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff"};
    for (int type = 0; type < 3; type++) {
      Hash hash = Hash.getInstance(type);
      for (String key : keys) {
        byte[] bytes = unescape(key);
        org.apache.hadoop.hbase.util.HashKey<byte[]> hashKey = new org.apache.hadoop.hbase.util.ByteArrayHashKey(bytes, 0, bytes.length);
        int h1 = hash.hash(hashKey, 0);
        out.println(String.format("hash\t%d\t%s\t%08x\t%08x", type, escape(bytes), h1, hash.hash(hashKey, h1)));
      }
    }
    int[] hints = {131072, 65536, 4096, 100000, 128, 512};
    float[] rates = {0.01f, 0.1f, 0.001f};
    for (int hint : hints) {
      for (float rate : rates) {
        size(out, "ROW", hint, rate, rate);
        size(out, "ROWCOL", hint, rate, (float) (1 - Math.sqrt(1 - rate)));
      }
    }
    folds(out);
    separators(out);
  }

  private static void size(PrintStream out, String type, int hint, float rate, float effective) {
    BloomFilterChunk chunk = BloomFilterUtil.createBySize(hint, effective, Hash.MURMUR_HASH, 7, BloomType.ROW);
    out.println("size\t" + type + "\t" + hint + "\t" + rate + "\t" + chunk.getByteSize() + "\t"
        + BloomFilterUtil.idealMaxKeys(chunk.getByteSize() * 8, effective) + "\t" + chunk.getHashCount() + "\t" + chunk.getMaxKeys());
  }

  private static void folds(PrintStream out) throws Exception {
    int[][] cases = {{131072, 1}, {131072, 10}, {131072, 100}, {131072, 1000}, {131072, 10000}, {131072, 20000}, {131072, 27326}, {131072, 27327}, {131072, 54652},
        {131072, 54653}, {100000, 1}, {100000, 326}, {100000, 327}, {128, 1}, {128, 53}, {128, 54}};
    for (int[] one : cases) {
      BloomFilterChunk chunk = BloomFilterUtil.createBySize(one[0], 0.01f, Hash.MURMUR_HASH, 7, BloomType.ROW);
      chunk.allocBloom();
      for (int i = 0; i < one[1]; i++) {
        chunk.add(new KeyValue(Bytes.toBytes(String.format("row-%04d", i)), FAMILY, null, 0L, KeyValue.Type.Put));
      }
      chunk.compactBloom();
      java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
      chunk.writeBloom(new java.io.DataOutputStream(bytes));
      byte[] digest = java.security.MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
      String content = bytes.size() <= 16 ? Bytes.toHex(bytes.toByteArray()) : "sha256:" + Bytes.toHex(digest);
      out.println("fold\t" + one[0] + "\t" + one[1] + "\t" + chunk.getByteSize() + "\t" + chunk.getMaxKeys() + "\t" + content);
    }
  }

  private static void separators(PrintStream out) {
    String[][] pairs = {{"row1", "q", "row2", "q"}, {"row1", "q", "row9", "q"}, {"row", "q", "row1", "q"}, {"row", "q", "row\\x00", "q"}, {"row", "q", "row\\xff", "q"},
        {"a", "q", "abc", "q"}, {"row\\xfe", "q", "row\\xff", "q"}, {"row\\x7f", "q", "row\\x80", "q"}, {"abc", "q", "b", "q"}, {"hudi-key-000000469-abcdefghij", "", "hudi-key-000000470-abcdefghij", ""},
        {"r", "q1", "r", "q2"}, {"r", "q1", "r", "q9z"}, {"r", "q", "r", "q1"}, {"r", "q", "r", "qabc"}, {"r", "", "r", "q1"}, {"r", "q", "r", "q"}, {"r", "q\\xfe", "r", "q\\xff"}};
    for (String[] pair : pairs) {
      Cell left = new KeyValue(unescape(pair[0]), FAMILY, unescape(pair[1]), 20L, KeyValue.Type.Put);
      Cell right = new KeyValue(unescape(pair[2]), FAMILY, unescape(pair[3]), 10L, KeyValue.Type.Put);
      Cell middle = HFileWriterImpl.getMidpoint(CellComparatorImpl.COMPARATOR, left, right);
      out.println("separator\t" + key(left) + "\t" + key(right) + "\t" + key(middle));
    }
  }
}
