// What golden files do not reach in the encodings of data blocks: a full tag dictionary, and blocks that no
// writer makes.
#include <list>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "hfile/data_block_cursor.h"
#include "hfile/encoding/row_index.h"
#include "hfile/encoding/tag_reader.h"
#include "tests/base/test_bytes.h"
#include "tests/hfile/protobuf_bytes.h"

namespace bloomery::hfile {
namespace {

using namespace std::string_literals;

// The dictionary of HBase's writer, by its description: the least recently used of 127 gives its number to a
// new one.
class ModelDictionary {
 public:
  // The number of the tag, or nothing, and then it was added.
  std::optional<std::size_t> find_or_add(const std::string& tag) {
    for (auto entry = recent_.begin(); entry != recent_.end(); ++entry) {
      if (entry->tag == tag) {
        recent_.splice(recent_.begin(), recent_, entry);
        return entry->number;
      }
    }
    std::size_t number = recent_.size();
    if (number == 127) {
      number = recent_.back().number;
      recent_.pop_back();
    }
    recent_.push_front({tag, number});
    return std::nullopt;
  }

 private:
  struct Entry {
    std::string tag;
    std::size_t number;
  };
  std::list<Entry> recent_;  // the latest first
};

TEST(TagReader, AFullDictionaryForgetsWhatWasNotUsedForLongest) {
  std::mt19937_64 random(20261121);
  ModelDictionary model;
  std::string coded;
  std::vector<std::string> plain;
  for (int i = 0; i < 3000; ++i) {
    const std::string tag = "\x01tag" + std::to_string(random() % (i < 1000 ? 100 : 200));
    append_varint(coded, 2 + tag.size());
    if (const auto number = model.find_or_add(tag)) {
      coded += {'\0', static_cast<char>(*number)};
    } else {
      coded += '\xff';
      append_varint(coded, tag.size());
      coded += tag;
    }
    plain.push_back(std::string{'\0', static_cast<char>(tag.size())} + tag);
  }
  TagReader tags;
  tags.start(/*by_dictionary=*/true);
  ByteReader reader(bytes_of(coded));
  for (const std::string& expected : plain) {
    std::string_view found;
    ASSERT_TRUE(tags.read(reader, found));
    ASSERT_EQ(found, expected);
  }
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.failed());
}

TEST(TagReader, WhatIsNoneIsRefused) {
  for (const std::string& coded : {"\x05\x00\x00"s, "\x05\xff\x03\x01\x61"s, "\x03\xff\x03\x01\x61\x62"s,
                                   "\x05\xff\x00"s, "\x05"s, "\x80\x80\x04"s, "\xff\xff\xff\xff\xff\x01"s}) {
    TagReader tags;
    tags.start(/*by_dictionary=*/true);
    ByteReader reader(bytes_of(coded));
    std::string_view found;
    EXPECT_TRUE(!tags.read(reader, found) || reader.failed());
  }
}

BlockPointer block_of(const std::string& payload, MemoryShare memory = {}) {
  return Block::make(BlockHeader{.kind = BlockKind::kEncodedData,
                                 .uncompressed_bytes = static_cast<std::uint32_t>(payload.size())},
                     0, BlockMemory::copy_of(bytes_of(payload)), 0, std::move(memory));
}

// A key of the row "r" and the column f:q, and a cell of it with the value "v", both flat.
const std::string kKey = "\x00\x01r\x01\x66q\x00\x00\x00\x00\x00\x00\x00\x05\x04"s;
const std::string kCell = "\x00\x00\x00\x0f\x00\x00\x00\x01"s + kKey + "v";

Result<std::size_t> count_in(const std::string& payload, DataEncoding encoding) {
  DataBlockCursor cursor;
  BLOOMERY_RETURN_IF_ERROR(cursor.start(block_of(payload), encoding, {}));
  for (std::size_t count = 0;; ++count) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, cursor.next());
    if (!found) {
      return count;
    }
  }
}

TEST(DataBlockCursor, PlainCells) {
  EXPECT_EQ(*count_in("", DataEncoding::kNone), 0u);
  EXPECT_EQ(*count_in(kCell + kCell, DataEncoding::kNone), 2u);
  for (std::size_t size = 1; size < kCell.size(); ++size) {
    EXPECT_FALSE(count_in(kCell.substr(0, size), DataEncoding::kNone)) << size;
  }
  std::string huge = kCell;
  huge[4] = '\xff';
  EXPECT_FALSE(count_in(huge, DataEncoding::kNone)) << "a value beyond the block";
  std::string other_row = kCell;
  other_row[8] = '\x10';
  EXPECT_FALSE(count_in(other_row, DataEncoding::kNone)) << "a row beyond the key";
}

TEST(DataBlockCursor, TheEncodingAndThePlainSizeAreHeldAgainstTheCells) {
  const std::string block = "\x00\x02\x00\x00\x00\x18\x0f\x01\x00"s + kKey + "v";
  EXPECT_EQ(*count_in(block, DataEncoding::kPrefix), 1u);
  for (const auto other : {DataEncoding::kDiff, DataEncoding::kFastDiff, DataEncoding::kRowIndexV1}) {
    EXPECT_EQ(count_in(block, other).error().code(), ErrorCode::kCorruption);
  }
  for (const char size : {'\x17', '\x19', '\0'}) {
    std::string wrong = block;
    wrong[5] = size;
    EXPECT_FALSE(count_in(wrong, DataEncoding::kPrefix));
  }
  for (std::size_t size = 0; size < block.size(); ++size) {
    EXPECT_FALSE(count_in(block.substr(0, size), DataEncoding::kPrefix)) << size;
  }
  std::string shares_with_none = block;
  shares_with_none[8] = 1;
  EXPECT_FALSE(count_in(shares_with_none, DataEncoding::kPrefix));
}

// A first cell has no cell before it to be like.
TEST(DataBlockCursor, TheFirstCellOfADiffSharesNothing) {
  const std::string front = "\x00\x03\x00\x00\x00\x18\x01\x66"s;
  const std::string sound = "\x00\x0f\x01\x00\x00\x01rq\x05\x04v"s;
  EXPECT_EQ(*count_in(front + sound, DataEncoding::kDiff), 1u);
  for (const char flag : {'\x01', '\x02', '\x04', '\x08'}) {
    std::string other = sound;
    other[0] = flag;
    EXPECT_FALSE(count_in(front + other, DataEncoding::kDiff));
  }
  std::string shares = sound;
  shares[3] = 1;
  EXPECT_FALSE(count_in(front + shares, DataEncoding::kDiff));
  std::string short_key = sound;
  short_key[1] = 11;
  EXPECT_FALSE(count_in(front + short_key, DataEncoding::kDiff));
}

TEST(RowIndex, NumbersThatDoNotFitAreNone) {
  const std::string cells = kCell + kCell;  // of one row
  const std::string end = "\x00\x00\x00\x30"s;
  EXPECT_TRUE(RowIndex::over(bytes_of(cells + "\x00\x00\x00\x01\x00\x00\x00\x00"s + end)));
  EXPECT_TRUE(RowIndex::over(bytes_of("\x00\x00\x00\x00\x00\x00\x00\x00"s)));
  EXPECT_FALSE(RowIndex::over(bytes_of(cells + "\x00\x00\x00\x00"s + end))) << "cells of no row";
  EXPECT_FALSE(RowIndex::over(bytes_of(cells + "\x00\x00\x00\x01\x00\x00\x00\x18"s + end)))
      << "not from the first cell";
  EXPECT_FALSE(RowIndex::over(bytes_of(cells + "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x30"s + end)));
  EXPECT_FALSE(RowIndex::over(bytes_of(cells + "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"s + end)));
  EXPECT_FALSE(RowIndex::over(bytes_of(cells + "\xff\xff\xff\xff\x00\x00\x00\x00"s + end)));
  EXPECT_FALSE(RowIndex::over(bytes_of("\xff\xff\xff\xff"s)));
}

// A cell that has the value of the one before it has also its size.
TEST(DataBlockCursor, AValueThatIsToldToBeTheSameHasTheSameSize) {
  const std::string first = "\x00\x04\x00\x00\x00\x30\x00\x0f\x01\x00"s + kKey + "v";
  const auto with = [&first](char flag, const std::string& size) {
    return first + flag + size + "\x06\x04"s;
  };
  EXPECT_EQ(*count_in(with('\x7f', ""), DataEncoding::kFastDiff), 2u);
  EXPECT_EQ(*count_in(with('\x6f', "\x01"s), DataEncoding::kFastDiff), 2u);
  EXPECT_FALSE(count_in(with('\x6f', "\x02"s), DataEncoding::kFastDiff));
  EXPECT_FALSE(count_in(with('\x6f', "\x00"s), DataEncoding::kFastDiff));
}

// A block of a few kilobytes whose keys share what they have would keep more than 256 MiB, the least budget of a file, when
// gone back through.
TEST(DataBlockCursor, GoingBackKeepsNoMoreThanItsLimit) {
  const std::string row(32000, 'r');
  std::string key = "\x7d\x00"s + row + "\x01\x66q\x00\x00\x00\x00\x00\x00\x00\x05\x04"s;
  std::string cells;
  append_varint(cells, key.size());
  append_varint(cells, 1);
  append_varint(cells, 0);
  cells += key + 'v';
  const auto back = [&](std::uint32_t count) {
    std::string block = "\x00\x02"s;
    for (int shift = 24; shift >= 0; shift -= 8) {
      block += static_cast<char>((count * (8 + key.size() + 1)) >> shift);
    }
    block += cells;
    for (std::uint32_t i = 1; i < count; ++i) {
      append_varint(block, 0);
      append_varint(block, 1);
      append_varint(block, key.size());
      block += 'v';
    }
    DataBlockCursor cursor;
    const auto budget = std::make_shared<MemoryBudget>(MemoryBudget::kLeastDefault);
    EXPECT_TRUE(cursor.start(block_of(block, MemoryShare(budget)), DataEncoding::kPrefix, {}));
    const auto found = cursor.last();
    EXPECT_LE(budget->most_used(), budget->limit());
    return found ? std::nullopt : std::optional(found.error().code());
  };
  EXPECT_EQ(back(1000), std::nullopt);
  EXPECT_EQ(back(9000), ErrorCode::kCapacity);  // 288 MB of keys
}

// A step after the error read the block before, which was gone (seen by AddressSanitizer).
TEST(DataBlockCursor, ABlockThatCannotBeReadLeavesNothingOfTheOneBefore) {
  const std::string sound = "\x00\x04\x00\x00\x00\x18\x00\x0f\x01\x00"s + kKey + "v";
  for (const DataEncoding encoding : {DataEncoding::kFastDiff, DataEncoding::kRowIndexV1}) {
    DataBlockCursor cursor;
    ASSERT_TRUE(cursor.start(block_of(sound), DataEncoding::kFastDiff, {}));
    ASSERT_TRUE(*cursor.next());
    EXPECT_FALSE(cursor.start(block_of("\x00\x07"s), encoding, {}));
    const Result<bool> next = cursor.next();
    EXPECT_FALSE(next && *next);
    const Result<bool> previous = cursor.previous();
    EXPECT_FALSE(previous && *previous);
    EXPECT_TRUE(cursor.start(block_of(sound), DataEncoding::kFastDiff, {})) << "the next block is read again";
    EXPECT_TRUE(*cursor.next());
  }
}

TEST(DataBlockCursor, TheFirstCellOfAFastDiffSharesNothing) {
  const std::string front = "\x00\x04\x00\x00\x00\x18"s;
  const std::string sound = "\x00\x0f\x01\x00"s + kKey + "v";
  EXPECT_EQ(*count_in(front + sound, DataEncoding::kFastDiff), 1u);
  for (const char flag : {'\x01', '\x04', '\x20', '\x40', '\x80'}) {
    std::string other = sound;
    other[0] = flag;
    EXPECT_FALSE(count_in(front + other, DataEncoding::kFastDiff)) << static_cast<int>(flag);
  }
  std::string shares = sound;
  shares[3] = 1;
  EXPECT_FALSE(count_in(front + shares, DataEncoding::kFastDiff));
}

// Tags are at most 65,535 bytes, which is what their size in a plain cell can say.
TEST(TagReader, TagsBeyondTheirLargestSizeAreRefused) {
  for (const std::size_t size : {65535U, 65536U}) {
    std::string coded;
    append_varint(coded, size);
    coded += '\xff';
    append_varint(coded, size - 2);
    coded += std::string(size - 2, 't');
    TagReader tags;
    tags.start(/*by_dictionary=*/true);
    ByteReader reader(bytes_of(coded));
    std::string_view found;
    EXPECT_EQ(tags.read(reader, found) && !reader.failed(), size == 65535) << size;
  }
}

}  // namespace
}  // namespace bloomery::hfile
