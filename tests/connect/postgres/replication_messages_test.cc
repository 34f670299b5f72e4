// What a follower of the log hears and says inside COPY BOTH, rows of COPY, and positions as text.
#include "connect/postgres/replication_messages.h"

#include <string>

#include <gtest/gtest.h>

#include "connect/postgres/copy_row.h"
#include "connect/postgres/lsn.h"
#include "tests/base/test_bytes.h"

namespace bloomery::postgres {
namespace {

using std::literals::string_literals::operator""s;

const std::string kPiece = "w"s + std::string(24, '\1') + "payload";
const std::string kKeepalive = "k\0\0\0\1\0\0\0\2"s + std::string(8, '\0') + "\1";

TEST(ReplicationMessages, ReadsAPieceAndAKeepalive) {
  const Result<ServerMessage> piece = parse_server_message(bytes_of(kPiece));
  ASSERT_TRUE(piece);
  EXPECT_EQ(std::get<LogPiece>(*piece).bytes.size(), 7u);
  const Result<ServerMessage> keepalive = parse_server_message(bytes_of(kKeepalive));
  ASSERT_TRUE(keepalive);
  EXPECT_EQ(std::get<Keepalive>(*keepalive).end.value, 0x100000002u);
  EXPECT_TRUE(std::get<Keepalive>(*keepalive).wants_reply);
}

TEST(ReplicationMessages, CutOrLongOnesAreErrors) {
  for (std::size_t size = 0; size < 25; ++size) {
    EXPECT_FALSE(parse_server_message(bytes_of(kPiece.substr(0, size)))) << size;
  }
  for (std::size_t size = 0; size < kKeepalive.size(); ++size) {
    EXPECT_FALSE(parse_server_message(bytes_of(kKeepalive.substr(0, size)))) << size;
  }
  EXPECT_FALSE(parse_server_message(bytes_of(kKeepalive + "x")));
  EXPECT_FALSE(parse_server_message(bytes_of("x")));
}

TEST(ReplicationMessages, TheStatusHasTheBytesOfTheProtocol) {
  const std::string status = status_message(
      {.written = {3}, .flushed = {2}, .applied = {1}, .wants_reply = true}, 0x0102030405060708);
  EXPECT_EQ(status, "r\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\1\2\3\4\5\6\7\x08\1"s);
}

TEST(Lsn, IsReadAsItIsWritten) {
  for (const std::uint64_t value : {0ull, 1ull, 0x16b374d848ull, 0xffffffffffffffffull}) {
    EXPECT_EQ(parse_lsn(to_text({value})), (Lsn{value}));
  }
  EXPECT_EQ(to_text({0x16b374d848}), "16/B374D848");
  for (const char* const text : {"", "1", "/", "1/", "/1", "1/1/1", "123456789/0", "x/1", "1/ 1"}) {
    EXPECT_FALSE(parse_lsn(text)) << text;
  }
}

TEST(CopyRow, UnescapesWhatCopyEscapes) {
  CopyRow row;
  ASSERT_TRUE(row.read("a\\tb\t\\N\t\\\\N\t\t\\n\\r\\b\\f\\v\n", 5));
  EXPECT_EQ(row.fields()[0], "a\tb");
  EXPECT_EQ(row.fields()[1], std::nullopt);
  EXPECT_EQ(row.fields()[2], "\\N");
  EXPECT_EQ(row.fields()[3], "");
  EXPECT_EQ(row.fields()[4], "\n\r\b\f\v");
}

TEST(CopyRow, AnotherNumberOfFieldsAndAnEndInAnEscapeAreErrors) {
  CopyRow row;
  EXPECT_FALSE(row.read("a\tb\n", 1));
  EXPECT_FALSE(row.read("a\n", 2));
  EXPECT_FALSE(row.read("a\\", 1));
  EXPECT_TRUE(row.read("", 1));
}

}  // namespace
}  // namespace bloomery::postgres
