// The messages of pgoutput: each kind is read whole, and no damage is read as something else than what its bytes say.
#include "connect/postgres/pgoutput.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

namespace bloomery::postgres {
namespace {

using std::literals::string_literals::operator""s;

std::string big(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = size - 1; i >= 0; --i) {
    bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  }
  return bytes;
}

std::string text_value(const std::string& text) {
  return "t" + big(text.size(), 4) + text;
}

const std::string kBegin = "B" + big(0x1122334455667788, 8) + big(777, 8) + big(4711, 4);
const std::string kCommit = "C\0"s + big(0x100, 8) + big(0x130, 8) + big(888, 8);
const std::string kRelation = "R" + big(16385, 4) + "public\0users\0d"s + big(2, 2) + "\1id\0"s + big(20, 4) +
                              big(0xffffffff, 4) + "\0email\0"s + big(1043, 4) + big(104, 4);
const std::string kInsert =
    "I" + big(16385, 4) + "N" + big(3, 2) + text_value("42") + "n" + text_value("a\0b"s);
const std::string kUpdate =
    "U" + big(16385, 4) + "O" + big(1, 2) + text_value("old") + "N" + big(2, 2) + text_value("new") + "u";
const std::string kPlainUpdate = "U" + big(16385, 4) + "N" + big(1, 2) + text_value("new");
const std::string kDelete = "D" + big(16385, 4) + "K" + big(1, 2) + text_value("gone");
const std::string kTruncate = "T" + big(2, 4) + "\1" + big(7, 4) + big(8, 4);
const std::string kOrigin = "O" + big(9, 8) + "elsewhere\0"s;
const std::string kType = "Y" + big(9, 4) + "public\0mood\0"s;
const std::string kMessage = "M\1"s + big(9, 8) + "bloomery\0"s + big(3, 4) + "abc";
const std::vector<std::string> kAll{kBegin,  kCommit,   kRelation, kInsert, kUpdate, kPlainUpdate,
                                    kDelete, kTruncate, kOrigin,   kType,   kMessage};

template <typename Kind>
Kind read(const std::string& bytes) {
  Result<Change> change = parse_change(bytes_of(bytes));
  EXPECT_TRUE(change) << (change ? "" : change.error().to_string());
  return change ? std::get<Kind>(*change) : Kind();
}

TEST(Pgoutput, ReadsTheFramesOfATransaction) {
  const Begin begin = read<Begin>(kBegin);
  EXPECT_EQ(begin.commit.value, 0x1122334455667788u);
  EXPECT_EQ(begin.xid, 4711u);
  const Commit commit = read<Commit>(kCommit);
  EXPECT_EQ(commit.commit.value, 0x100u);
  EXPECT_EQ(commit.end.value, 0x130u);
}

TEST(Pgoutput, ReadsTheDescriptionOfATable) {
  const Relation relation = read<Relation>(kRelation);
  EXPECT_EQ(relation.id, 16385u);
  EXPECT_EQ(relation.schema, "public");
  EXPECT_EQ(relation.name, "users");
  ASSERT_EQ(relation.columns.size(), 2u);
  EXPECT_TRUE(relation.columns[0].is_key);
  EXPECT_EQ(relation.columns[0].type_modifier, -1);
  EXPECT_FALSE(relation.columns[1].is_key);
  EXPECT_EQ(relation.columns[1].name, "email");
  EXPECT_EQ(relation.columns[1].type, 1043u);
}

TEST(Pgoutput, ReadsRowsWithNullsUnchangedValuesAndAnyBytes) {
  const Insert insert = read<Insert>(kInsert);
  ASSERT_EQ(insert.row.size(), 3u);
  EXPECT_EQ(insert.row[0].bytes, "42");
  EXPECT_EQ(insert.row[1].kind, Value::Kind::kNull);
  EXPECT_EQ(insert.row[2].bytes, "a\0b"s);
  const Update update = read<Update>(kUpdate);
  ASSERT_TRUE(update.old_row);
  EXPECT_EQ(update.old_row->at(0).bytes, "old");
  EXPECT_EQ(update.row[1].kind, Value::Kind::kUnchanged);
  EXPECT_FALSE(read<Update>(kPlainUpdate).old_row);
  EXPECT_EQ(read<Delete>(kDelete).old_row.at(0).bytes, "gone");
  EXPECT_EQ(read<Truncate>(kTruncate).relations, (std::vector<std::uint32_t>{7, 8}));
}

TEST(Pgoutput, ReadsWhatItHasNoUseFor) {
  EXPECT_EQ(read<Ignored>(kOrigin).type, 'O');
  EXPECT_EQ(read<Ignored>(kType).type, 'Y');
  EXPECT_EQ(read<Ignored>(kMessage).type, 'M');
}

TEST(Pgoutput, APieceOfAMessageIsAnError) {
  for (const std::string& message : kAll) {
    for (std::size_t size = 0; size < message.size(); ++size) {
      EXPECT_FALSE(parse_change(bytes_of(message.substr(0, size)))) << message[0] << " cut to " << size;
    }
    EXPECT_FALSE(parse_change(bytes_of(message + "x"))) << message[0] << " with a byte behind it";
  }
}

// What a parsed message says, as bytes: damage that is read at all must change this, or lie where nothing is read.
std::size_t bytes_said(const Tuple& tuple) {
  std::size_t sum = 0;
  for (const Value& value : tuple) {
    sum += value.bytes.size();
  }
  return sum;
}

// No value of any byte makes the parser read outside of the message or take memory that the message does not justify. The
// sanitizers see the former.
TEST(Pgoutput, EveryValueOfEveryByteIsReadOrRefused) {
  std::size_t refused = 0;
  for (const std::string& message : kAll) {
    for (std::size_t at = 0; at < message.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string damaged = message;
        damaged[at] = static_cast<char>(value);
        const Result<Change> change = parse_change(bytes_of(damaged));
        refused += change ? 0u : 1u;
        if (change && std::holds_alternative<Insert>(*change)) {
          EXPECT_LE(bytes_said(std::get<Insert>(*change).row), damaged.size());
        }
      }
    }
  }
  EXPECT_GT(refused, 10'000u);
}

TEST(Pgoutput, AnUnknownTypeIsUnsupported) {
  const Result<Change> change =
      parse_change(bytes_of("S1234"));  // the start of a stream, of protocol version 2
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().code(), ErrorCode::kUnsupported);
}

TEST(Pgoutput, ACountOfColumnsTakesNoMemoryThatTheBytesDoNotJustify) {
  EXPECT_FALSE(parse_change(bytes_of("I" + big(1, 4) + "N" + big(0xffff, 2))));
  EXPECT_FALSE(parse_change(bytes_of("T" + big(0xffffffff, 4) + "\1")));
  EXPECT_FALSE(parse_change(bytes_of("I" + big(1, 4) + "N" + big(1, 2) + "t" + big(0xffffffff, 4))));
}

}  // namespace
}  // namespace bloomery::postgres
