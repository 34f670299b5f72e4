// The settings of one golden file: KEY=VALUE pairs. A key with a dot is a setting of HBase by its full name, another one is ours.
package org.apache.hadoop.hbase.regionserver;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.util.Bytes;

final class Settings {
  final String name;
  final Configuration conf = configuration();
  private final Map<String, String> values = new LinkedHashMap<>();

  Settings(String name, List<String> pairs) {
    this.name = name;
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      String key = pair.substring(0, equals);
      String value = pair.substring(equals + 1);
      if (key.contains(".")) {
        conf.set(key, value);
      } else {
        values.put(key, value);
      }
    }
  }

  String text(String key, String otherwise) {
    return values.getOrDefault(key, otherwise);
  }

  int number(String key, int otherwise) {
    return Integer.parseInt(text(key, Integer.toString(otherwise)));
  }

  boolean yes(String key) {
    return text(key, "no").equals("yes");
  }

  BloomType bloom() {
    return BloomType.valueOf(text("bloom", "NONE"));
  }

  byte[] family() {
    return Bytes.toBytes(text("family", "f"));
  }

  boolean hasTags() {
    return !text("tags", "absent").equals("absent");
  }

  /** HBase's defaults are read once: it is most of the work on a small file. */
  private static final Configuration DEFAULTS = HBaseConfiguration.create();

  static Configuration configuration() {
    Configuration conf = new Configuration(DEFAULTS);
    conf.set("fs.defaultFS", "file:///");
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem"); // no .crc files beside ours
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.setFloat("hfile.block.cache.size", 0f);
    return conf;
  }
}
