// The keys of tables, in order, and what is refused of their order, their index and their blocks.
#include "codec/sstable/table_entries.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/codec/crafted_table.h"
#include "tests/codec/table_keys.h"

namespace bloomery::sstable {
namespace {

// A user key with a sequence number behind it.
std::string versioned(const std::string& user_key, std::uint64_t sequence) {
  return user_key + little_endian(sequence << 8 | 1);
}

struct CraftedBlock {
  std::vector<std::string> keys;  // internal ones
  std::string separator;          // a user key
};

std::string crafted(const std::vector<CraftedBlock>& blocks) {
  TableCrafter table(TableMagic::kLevelDb);
  std::string index;
  for (const CraftedBlock& block : blocks) {
    std::string entries;
    for (const std::string& key : block.keys) {
      entries += entry_bytes(0, key, "value");
    }
    index += entry_bytes(0, internal_key(block.separator), handle_bytes(table.append(block_bytes(entries))));
  }
  const BlockHandle meta = table.append(block_bytes(""));
  return table.finished(meta, table.append(block_bytes(index)));
}

struct Seen {
  std::vector<std::string> keys;
  std::vector<Error> errors;
};

Seen read_all_entries(const std::string& file, const EntriesForm& form = {}) {
  Seen seen;
  const auto table = TableFile::open(bytes_of(file));
  EXPECT_TRUE(table) << table.error().to_string();
  auto entries = TableEntries::open(*table, form);
  if (!entries) {
    seen.errors.push_back(entries.error());
    return seen;
  }
  while (true) {
    const Result<bool> more = entries->next();
    if (!more) {
      seen.errors.push_back(more.error());
      continue;
    }
    if (!*more) {
      return seen;
    }
    seen.keys.emplace_back(entries->user_key());
  }
}

using Keys = std::vector<std::string>;

TEST(TableEntries, KeysAreReadBlockByBlock) {
  const Seen seen =
      read_all_entries(crafted({{{versioned("a", 9), versioned("a", 3), versioned("b", 4)}, "b"},
                                {{versioned("b", 2), versioned("d", 1)}, "e"},
                                {{versioned("f", 1)}, "g"}}));
  EXPECT_EQ(seen.keys, (Keys{"a", "a", "b", "b", "d", "f"}));
  EXPECT_TRUE(seen.errors.empty()) << seen.errors.front().to_string();
}

TEST(TableEntries, ATableWithoutBlocksHasNoKeys) {
  const Seen seen = read_all_entries(crafted({}));
  EXPECT_TRUE(seen.keys.empty());
  EXPECT_TRUE(seen.errors.empty());
}

struct Misplaced {
  const char* what;
  std::vector<CraftedBlock> blocks;
  Keys keys;  // that are read all the same
};

TEST(TableEntries, WhatIsNotInOrderIsAnErrorAndTheNextBlockIsRead) {
  const std::vector<Misplaced> cases = {
      {"keys descend",
       {{{versioned("b", 1), versioned("a", 1)}, "c"}, {{versioned("d", 1)}, "e"}},
       {"b", "d"}},
      {"versions ascend",
       {{{versioned("a", 1), versioned("a", 2)}, "c"}, {{versioned("d", 1)}, "e"}},
       {"a", "d"}},
      {"blocks descend",
       {{{versioned("b", 1)}, "b"}, {{versioned("a", 1)}, "b"}, {{versioned("d", 1)}, "e"}},
       {"b", "d"}},
      {"a key is above its separator", {{{versioned("c", 1)}, "b"}, {{versioned("d", 1)}, "e"}}, {"c", "d"}},
      {"a separator is the next block's first key alone",
       {{{versioned("a", 1)}, "b"}, {{versioned("b", 1)}, "c"}, {{versioned("d", 1)}, "e"}},
       {"a", "d"}},
      {"a block is empty", {{{}, "a"}, {{versioned("d", 1)}, "e"}}, {"d"}},
      {"a key is too short", {{{"a"}, "b"}, {{versioned("d", 1)}, "e"}}, {"d"}},
  };
  for (const Misplaced& one : cases) {
    const Seen seen = read_all_entries(crafted(one.blocks));
    EXPECT_EQ(seen.keys, one.keys) << one.what;
    ASSERT_EQ(seen.errors.size(), 1u) << one.what;
    EXPECT_EQ(seen.errors.front().code(), ErrorCode::kCorruption) << one.what;
  }
}

TEST(TableEntries, AnotherOrderOfKeysIsNoDamage) {
  const std::string file = crafted({{{versioned("b", 1), versioned("a", 1)}, "b"}});
  const Seen presumed = read_all_entries(file, {.order = KeyOrder::kPresumablyBytewise});
  ASSERT_EQ(presumed.errors.size(), 1u);
  EXPECT_EQ(presumed.errors.front().code(), ErrorCode::kUnsupported);
  const Seen other = read_all_entries(file, {.index = {.is_bytewise = false}, .order = KeyOrder::kOther});
  EXPECT_EQ(other.keys, (Keys{"b", "a"}));
  EXPECT_TRUE(other.errors.empty());
}

// An index that leads to one block again and again would read it as often.
TEST(TableEntries, ABlockIsReadOnce) {
  TableCrafter table(TableMagic::kLevelDb);
  const BlockHandle data = table.append(block_bytes(entry_bytes(0, versioned("a", 1), "1")));
  const std::string index = block_bytes(entry_bytes(0, internal_key("a"), handle_bytes(data)) +
                                        entry_bytes(0, internal_key("b"), handle_bytes(data)));
  const BlockHandle meta = table.append(block_bytes(""));
  const Seen seen = read_all_entries(table.finished(meta, table.append(index)));
  EXPECT_EQ(seen.keys, Keys{"a"});
  EXPECT_EQ(seen.errors.size(), 1u);
}

TEST(TableEntries, AHashIndexBehindTheRestartsIsNotRead) {
  const std::string entries = entry_bytes(0, versioned("a", 1), "1");
  const std::string hashed = entries + std::string("\0\0\0\0", 4) + std::string(7, '\xff') +
                             std::string("\7\0", 2) + std::string("\1\0\0\x80", 4);
  auto read = BlockEntries::open(bytes_of(hashed), 0);
  ASSERT_TRUE(read) << read.error().to_string();
  ASSERT_TRUE(*read->next());
  EXPECT_EQ(read->key(), versioned("a", 1));
  EXPECT_FALSE(*read->next());
  for (std::size_t buckets = 8; buckets < 70; ++buckets) {  // more than there are
    std::string cut = hashed;
    cut[cut.size() - 6] = static_cast<char>(buckets);
    auto other = BlockEntries::open(bytes_of(cut), 0);
    EXPECT_TRUE(!other || !other->next().value_or(false) || buckets < hashed.size()) << buckets;
  }
}

// The index of a table of RocksDB may have each block's first key behind its handle.
TEST(TableEntries, AFirstKeyInTheIndexIsPassedOver) {
  TableCrafter table(TableMagic::kLevelDb);
  const BlockHandle data = table.append(block_bytes(entry_bytes(0, versioned("a", 1), "1")));
  const std::string first = versioned("a", 1);
  const std::string index =
      block_bytes(entry_bytes(0, internal_key("a"), handle_bytes(data) + varint_of(first.size()) + first));
  const BlockHandle meta = table.append(block_bytes(""));
  const std::string file = table.finished(meta, table.append(index));
  EXPECT_EQ(read_all_entries(file, {.index = {.first_keys = true}}).keys, Keys{"a"});
  const std::string longer = block_bytes(
      entry_bytes(0, internal_key("a"), handle_bytes(data) + varint_of(first.size() + 1) + first));
  TableCrafter other(TableMagic::kLevelDb);
  other.append(block_bytes(entry_bytes(0, versioned("a", 1), "1")));
  const BlockHandle other_meta = other.append(block_bytes(""));
  const Seen seen =
      read_all_entries(other.finished(other_meta, other.append(longer)), {.index = {.first_keys = true}});
  ASSERT_EQ(seen.errors.size(), 1u);
  EXPECT_EQ(seen.errors.front().code(), ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bloomery::sstable
