// Eight files of one store, rows and columns interleaved: the data blocks that gets read are exactly those
// that the bits of the files' own filters let them read, per kind of filter and of get. Prints the table of
// docs/hfile-advise.md.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hfile/bloom/bloom_hash.h"
#include "tests/base/test_folder.h"
#include "tests/cli/counted_gets.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

constexpr std::size_t kFiles = 8;
constexpr std::size_t kRows = 4000;
constexpr std::size_t kColumns = 20;
constexpr std::size_t kGets = 2000;  // of each kind
constexpr std::uint32_t kPrefix = 19;

enum class Layout {
  kSpread,
  kClustered
};  // each file has some columns of every row; each row is in one file

// Rows of 20 bytes, every 20th number of those that are there; the last two digits may differ from all.
std::string row_of(std::size_t number) {
  return fmt::format("row-{:016}", number);
}

std::string column_of(std::size_t column) {
  return fmt::format("{:02}", column);
}

std::size_t mixed(std::size_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
  return x ^ (x >> 32);
}

std::size_t file_of(Layout layout, std::size_t row, std::size_t column) {
  return mixed(layout == Layout::kSpread ? row * kColumns + column : row) % kFiles;
}

std::vector<OwnedCell> cells_of(Layout layout, std::size_t file) {
  std::vector<OwnedCell> cells;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (file_of(layout, row, column) == file) {
        cells.push_back({.row = row_of(row * 20),
                         .family = "f",
                         .qualifier = column_of(column),
                         .timestamp = 1,
                         .value = std::string(100, static_cast<char>('a' + column))});
      }
    }
  }
  return cells;
}

struct Kind {
  const char* name;
  hbase::BloomType type;
};
constexpr std::array<Kind, 4> kKinds = {{{"NONE", hbase::BloomType::kNone},
                                         {"ROW", hbase::BloomType::kRow},
                                         {"ROWCOL", hbase::BloomType::kRowCol},
                                         {"ROWPREFIX_FIXED_LENGTH", hbase::BloomType::kRowPrefix}}};

using CountedStore = std::vector<CountedFile>;

CountedStore write_store(const TestFolder& folder, Layout layout, const Kind& kind) {
  CountedStore store;
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::string path = folder.path(fmt::format("{}{}{}", kind.name, static_cast<int>(layout), i));
    HFileWriteOptions options;
    options.block_bytes = 4096;
    options.bloom = {.type = kind.type,
                     .prefix_bytes = kind.type == hbase::BloomType::kRowPrefix ? kPrefix : 0,
                     .chunk_bytes = 1024};  // several chunks a file
    const Status written = write_cells(path, options, cells_of(layout, i));
    EXPECT_TRUE(written) << written.error().to_string();
    store.emplace_back(path);
    EXPECT_EQ(store.back().file()->bloom_type(), kind.type);
  }
  return store;
}

// The bits of the key in the chunk it belongs to, read here from the file's bytes.
bool bits_say_maybe(const hfile::OpenFile& file, std::string_view key) {
  const hbase::BloomMeta& meta = file.bloom()->meta();
  const hbase::ChunkEntry* chunk = nullptr;
  for (const hbase::ChunkEntry& entry : meta.chunks) {
    const bool is_behind = meta.order == hbase::KeyOrder::kRowCol
                               ? *hbase::parse_rowcol_key(entry.first_key) > *hbase::parse_rowcol_key(key)
                               : entry.first_key > key;
    chunk = is_behind ? chunk : &entry;
  }
  if (chunk == nullptr) {
    return false;
  }
  const auto block = file.source().read({.kind = hfile::BlockKind::kBloomChunk,
                                         .offset = chunk->block_offset,
                                         .on_disk_bytes = chunk->block_bytes});
  EXPECT_TRUE(block);
  const auto bytes = (*block)->payload();
  const std::uint32_t first = murmur2_32_signed_tail(key, 0);
  const std::uint32_t second = murmur2_32_signed_tail(key, first);
  for (std::uint32_t i = 0; i < meta.hash_count; ++i) {
    const std::int64_t sum = static_cast<std::int32_t>(first + i * second);
    const auto bit = static_cast<std::uint64_t>(sum < 0 ? -sum : sum) % (8 * bytes.size());
    if ((std::to_integer<unsigned>(bytes[bit / 8]) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

// Of a file that is in range.
bool predicts_read(const CountedFile& counted, const AskedGet& get) {
  const hfile::OpenFile& file = *counted.file();
  switch (file.bloom_type()) {
    case hbase::BloomType::kNone:
      return true;
    case hbase::BloomType::kRow:
      return bits_say_maybe(file, get.row);
    case hbase::BloomType::kRowPrefix:
      return bits_say_maybe(file, hbase::row_prefix(get.row, kPrefix));
    case hbase::BloomType::kRowCol:
      return !get.qualifier || bits_say_maybe(file, hbase::RowColKey({get.row, *get.qualifier}).bytes()) ||
             bits_say_maybe(file, hbase::RowColKey({get.row, {}}).bytes());
  }
  return true;
}

struct Asked {
  const char* name;
  AskedGet (*get)(std::size_t i);
  bool finds;
};

// Of absent rows every second shares its prefix with one that is there.
std::string absent_row(std::size_t i) {
  return row_of(i % kRows * 20 + (i % 2 == 0 ? 5 : 15));
}
std::string present_row(std::size_t i) {
  return row_of(i * 7 % kRows * 20);
}

const std::array<Asked, 5> kAsked = {{
    {"present cell",
     [](std::size_t i) {
       return AskedGet{present_row(i), column_of(i % kColumns)};
     },
     true},
    {"absent column of a present row",
     [](std::size_t i) {
       return AskedGet{present_row(i), column_of(i % kColumns) + "x"};
     },
     false},
    {"column of an absent row",
     [](std::size_t i) {
       return AskedGet{absent_row(i * 2 + i % 2), column_of(i % kColumns)};
     },
     false},
    {"whole row", [](std::size_t i) { return AskedGet{present_row(i)}; }, true},
    {"absent row", [](std::size_t i) { return AskedGet{absent_row(i * 2 + i % 2)}; }, false},
}};

// [kind of get][kind of filter]: data blocks, over all gets.
using Table = std::array<std::array<std::uint64_t, kKinds.size()>, kAsked.size()>;

// One get of all stores: `plain`, which have no filters, say what it reads of a file that is not skipped.
void count(const AskedGet& get, bool finds, std::array<CountedStore, kKinds.size()>& stores,
           std::array<std::uint64_t, kKinds.size()>& blocks, std::uint64_t& wrong) {
  const CellChoice choice = choice_of(get);
  std::array<std::uint64_t, kKinds.size()> cells = {};
  for (std::size_t file = 0; file < kFiles; ++file) {
    const CountedFile::Reads plain = stores[0][file].get(get, choice);
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      CountedFile& asked = stores[kind][file];
      const CountedFile::Reads reads = kind == 0 ? plain : asked.get(get, choice);
      const bool predicted = plain.is_read && predicts_read(asked, get);
      const bool as_predicted = reads.is_read == predicted && reads.blocks == (predicted ? plain.blocks : 0);
      wrong += as_predicted ? 0U : 1U;
      blocks[kind] += reads.blocks;
      cells[kind] += reads.cells;
    }
  }
  for (const std::uint64_t found : cells) {
    wrong += (found != 0) == finds && found == cells[0] ? 0U : 1U;
  }
}

Table measure(Layout layout) {
  const TestFolder folder;
  std::array<CountedStore, kKinds.size()> stores;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    stores[kind] = write_store(folder, layout, kKinds[kind]);
  }
  Table table = {};
  for (std::size_t asked = 0; asked < kAsked.size(); ++asked) {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < kGets; ++i) {
      count(kAsked[asked].get(i), kAsked[asked].finds, stores, table[asked], wrong);
    }
    EXPECT_EQ(wrong, 0u) << kAsked[asked].name;
  }
  return table;
}

double mean(const Table& table, std::size_t asked, std::size_t kind) {
  return static_cast<double>(table[asked][kind]) / kGets;
}

void print(const char* layout, const Table& table) {
  for (std::size_t asked = 0; asked < kAsked.size(); ++asked) {
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", layout, kAsked[asked].name,
               mean(table, asked, 0), mean(table, asked, 1), mean(table, asked, 2), mean(table, asked, 3));
  }
}

enum : std::size_t { kCell, kAbsentColumn, kColumnOfAbsentRow, kWhole, kAbsentRow };
enum : std::size_t { kNone, kRow, kRowCol, kRowPrefix };

TEST(HFileReads, OfRowsThatAllFilesShareAreThoseThatTheBitsPredict) {
  const Table table = measure(Layout::kSpread);
  print("spread", table);
  EXPECT_LT(mean(table, kCell, kRowCol), 1.2);
  EXPECT_GT(table[kCell][kRow], table[kCell][kRowCol] * 4);
  EXPECT_GT(table[kAbsentColumn][kRow], table[kAbsentColumn][kRowCol] * 50);
  EXPECT_GT(table[kColumnOfAbsentRow][kNone], table[kColumnOfAbsentRow][kRow] * 50);
  EXPECT_EQ(table[kWhole][kRowCol], table[kWhole][kNone]);
  EXPECT_EQ(table[kAbsentRow][kRowCol], table[kAbsentRow][kNone]);
}

TEST(HFileReads, OfRowsInOneFileAreThoseThatTheBitsPredict) {
  const Table table = measure(Layout::kClustered);
  print("clustered", table);
  EXPECT_LT(mean(table, kCell, kRow), 1.6);
  EXPECT_LT(mean(table, kCell, kRowCol), 1.6);
  EXPECT_GT(table[kAbsentRow][kNone], table[kAbsentRow][kRow] * 50);
  EXPECT_GT(table[kWhole][kRowCol], table[kWhole][kRow] * 3);
  EXPECT_LT(table[kAbsentRow][kRowPrefix], table[kAbsentRow][kNone]);
}

}  // namespace
}  // namespace bloomery
