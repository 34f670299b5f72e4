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
