// Bytes as text: what is escaped, and that it reads back.
#include "base/byte_text.h"

#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(ByteText, PrintableBytesStandForThemselves) {
  EXPECT_EQ(escape_bytes(""), "");
  EXPECT_EQ(escape_bytes("row-1,~!"), "row-1,~!");
  EXPECT_EQ(escape_bytes("a b\\c\n"), "a\\x20b\\x5cc\\x0a");
  EXPECT_EQ(escape_bytes(std::string("\0\x7f\xff", 3)), "\\x00\\x7f\\xff");
  EXPECT_EQ(escape_bytes("a,b", ','), "a\\x2cb");
  std::string text = "before ";
  append_escaped(text, "x y");
  EXPECT_EQ(text, "before x\\x20y");
}

TEST(ByteText, EveryByteReadsBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(unescape_bytes(escape_bytes(bytes)), bytes);
  EXPECT_EQ(unescape_bytes(escape_bytes(bytes, 'a')), bytes);
}

TEST(ByteText, WhatATerminalWouldObeyIsNotPrintable) {
  EXPECT_EQ(printable_text("a note, with \\ and \"quotes\"; gr\u00fc\u00df, \u20ac, \U0001F600"),
            "a note, with \\ and \"quotes\"; gr\u00fc\u00df, \u20ac, \U0001F600");
  EXPECT_EQ(printable_text("\x1b[2Jnothing\r\nbloomery: ok\x7f"),
            "\\x1b[2Jnothing\\x0d\\x0abloomery: ok\\x7f");
  EXPECT_EQ(printable_text("\xc2\x9b"
                           "2J"),
            "\\xc2\\x9b2J")
      << "CSI as one character of UTF-8";
  EXPECT_EQ(printable_text("\u202egnp.exe"), "\\xe2\\x80\\xaegnp.exe") << "text that runs the other way";
  EXPECT_EQ(printable_text("\xff\xc3(\xe2\x82"), "\\xff\\xc3(\\xe2\\x82") << "no UTF-8";
  EXPECT_EQ(printable_text("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80").find_first_not_of("\\xabcdef0123456789"),
            std::string::npos)
      << "overlong, half a pair, beyond the last";
  EXPECT_EQ(printable_text(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable_text(""), "");
}

TEST(ByteText, OtherBackslashesAreBackslashes) {
  EXPECT_EQ(unescape_bytes("\\\\"), "\\");
  EXPECT_EQ(unescape_bytes("\\n\\x4\\xzz"), "\\n\\x4\\xzz");
  EXPECT_EQ(unescape_bytes("\\x4A\\x4a"), "JJ");
  EXPECT_EQ(unescape_bytes("\\"), "\\");
}

TEST(ByteText, OnlyABackslashBeginsACode) {
  EXPECT_EQ(unescape_bytes("zx41 \\x41 x42"), "zx41 A x42");
}

}  // namespace
}  // namespace bloomery
