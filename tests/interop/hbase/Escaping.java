// How bytes are written in a line of text: one outside 0x21..0x7e and a backslash are \xHH; nothing is nothing. It needs none of HBase, so that
// the programs of every version of it can use it.
package org.apache.hadoop.hbase.regionserver;

final class Escaping {
  static String escape(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      int c = b & 0xff;
      if (c > 0x20 && c < 0x7f && c != '\\') {
        text.append((char) c);
      } else {
        text.append("\\x").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
      }
    }
    return text.toString();
  }

  static byte[] unescape(String text) {
    byte[] bytes = new byte[text.length()];
    int size = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        bytes[size++] = (byte) Integer.parseInt(text.substring(i + 2, i + 4), 16);
        i += 3;
      } else {
        bytes[size++] = (byte) text.charAt(i);
      }
    }
    return java.util.Arrays.copyOf(bytes, size);
  }
}
