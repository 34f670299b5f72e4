// Partitions.db and the chunks of Data.db, against complete sstables of a real node and against tries and chunks
// that the test writes.
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <zlib.h>

#include "codec/cassandra/cassandra_probes.h"
#include "codec/cassandra/compressed_data.h"
#include "codec/cassandra/partition_order.h"
#include "codec/cassandra/partition_trie.h"
#include "compress/block_compress.h"
#include "tests/codec/cassandra_sstables.h"
#include "tests/codec/damage.h"
#include "tests/codec/trie_writer.h"

namespace bloomery {
namespace {

using cassandra_keys::big;

std::span<const std::byte> view_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

const CassandraLayout kNewest = *cassandra_layout("da");

struct TrieRead {
  std::vector<std::string> prefixes;
  std::vector<PartitionPlace> places;
  Status status;
};

// Reads until a place does not ascend, as a caller must.
TrieRead read_trie(std::string_view file) {
  TrieRead read;
  auto trie = PartitionTrie::open(view_of(file));
  if (!trie) {
    read.status = trie.error();
    return read;
  }
  while (true) {
    const auto place = trie->next();
    if (!place) {
      read.status = place.error();
      return read;
    }
    if (!*place || (!read.places.empty() && (*place)->position <= read.places.back().position)) {
      return read;
    }
    read.prefixes.emplace_back((*place)->prefix);
    read.places.push_back(**place);
  }
}

std::string key_at(CompressedData& data, std::uint64_t position) {
  std::array<std::byte, 2> length;
  EXPECT_TRUE(data.read(position, length));
  std::string key(load_big16(length.data()), '\0');
  EXPECT_TRUE(data.read(position + 2, std::as_writable_bytes(std::span(key))));
  return key;
}

TEST(CassandraTrie, LeadsToTheKeysOfEverySSTable) {
  std::size_t count = 0;
  for (const GoldenSSTable& sstable : golden_sstables("bti-da-5.0.6")) {
    if (!sstable.has_filter) {
      continue;
    }
    SCOPED_TRACE(sstable.folder() + sstable.prefix);
    const std::string& file = sstable.file("Partitions.db");
    auto trie = PartitionTrie::open(view_of(file));
    ASSERT_TRUE(trie) << trie.error().to_string();
    auto data = CompressedData::open(view_of(sstable.file("Data.db")),
                                     view_of(sstable.file("CompressionInfo.db")), kNewest, nullptr);
    ASSERT_TRUE(data) << data.error().to_string();
    std::vector<std::string> keys;
    for (auto place = trie->next();; place = trie->next()) {
      ASSERT_TRUE(place) << place.error().to_string();
      if (!*place) {
        break;
      }
      EXPECT_FALSE((*place)->in_rows);
      keys.push_back(key_at(*data, (*place)->position));
      const Hash128 hash = cassandra_hash(keys.back());
      EXPECT_EQ((*place)->hash_byte, hash.high & 0xff);
      const std::string spelled = "\x40" + big(PartitionOrder::rank_of_hash(hash), 8);
      EXPECT_TRUE(spelled.starts_with((*place)->prefix));
    }
    EXPECT_EQ(std::set(keys.begin(), keys.end()), sstable.keys);
    EXPECT_EQ(keys.size(), trie->key_count());
    EXPECT_EQ(keys.front(), trie->first_key());
    EXPECT_EQ(keys.back(), trie->last_key());
    ++count;
  }
  EXPECT_EQ(count, 36u);
}

// Prefixes with one to 256 children, some the beginning of others.
std::string crafted_trie(TrieWriter& writer, std::map<std::string, std::int64_t>& expected) {
  std::mt19937_64 random(41);
  std::set<std::string> prefixes;
  for (int i = 0; i < 256; ++i) {
    prefixes.insert({'d', static_cast<char>(i)});
  }
  while (prefixes.size() < 3000) {
    std::string prefix = "x";
    while (random() % 8 != 0 || prefix.size() < 3) {
      prefix += static_cast<char>(random() % 5 + 250);
    }
    prefixes.insert(prefix.substr(0, 40));
  }
  std::int64_t position = 0;
  for (const std::string& prefix : prefixes) {
    position += static_cast<std::int64_t>(random() % 5000 + 1);
    expected[prefix] = position;
    writer.add(prefix, static_cast<std::uint8_t>(position), position % 3 == 0 ? position : -1 - position);
  }
  return writer.file("first", "last");
}

TEST(CassandraTrie, EveryTypeOfNodeIsRead) {
  TrieWriter writer;
  std::map<std::string, std::int64_t> expected;
  const std::string file = crafted_trie(writer, expected);
  for (std::size_t type = 0; type < writer.types().size(); ++type) {
    EXPECT_GT(writer.types()[type], 0) << type;
  }
  const TrieRead read = read_trie(file);
  ASSERT_TRUE(read.status) << read.status.error().to_string();
  ASSERT_EQ(read.places.size(), expected.size());
  std::size_t i = 0;
  for (const auto& [prefix, position] : expected) {
    EXPECT_EQ(read.prefixes[i], prefix);
    EXPECT_EQ(read.places[i].position, static_cast<std::uint64_t>(position));
    EXPECT_EQ(read.places[i].in_rows, position % 3 == 0);
    EXPECT_EQ(read.places[i++].hash_byte, static_cast<std::uint8_t>(position));
  }
}

TEST(CassandraTrie, PayloadsOfEverySize) {
  TrieWriter writer;
  std::vector<std::uint64_t> positions;
  for (unsigned bytes = 1; bytes <= 7; ++bytes) {
    positions.push_back((std::uint64_t{1} << (8 * bytes - 2)) - 1);
    writer.add(std::string("a") + static_cast<char>(bytes), static_cast<std::uint8_t>(bytes),
               big(positions.back(), bytes));
    writer.add(std::string("b") + static_cast<char>(bytes), 7,
               ~static_cast<std::int64_t>(positions.back() + (std::uint64_t{1} << 60)));
  }
  const TrieRead read = read_trie(writer.file("", ""));
  ASSERT_TRUE(read.status);
  ASSERT_EQ(read.places.size(), 14u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(read.places[i].position, positions[i]);
    EXPECT_TRUE(read.places[i].in_rows);
    EXPECT_FALSE(read.places[i].hash_byte);
    EXPECT_EQ(read.places[7 + i].position, positions[i] + (std::uint64_t{1} << 60));
    EXPECT_FALSE(read.places[7 + i].in_rows);
    EXPECT_EQ(read.places[7 + i].hash_byte, 7);
  }
}

// Each of these is a trie of one or two nodes.
TEST(CassandraTrie, WhatNoWriterMakesIsRefused) {
  const auto file_of = [](const std::string& trie, std::uint64_t root) {
    return trie + std::string(4, '\0') + big(trie.size(), 8) + big(1, 8) + big(root, 8);
  };
  const std::string leaf = "\x01\x05";
  EXPECT_EQ(read_trie(file_of(leaf, 0)).places.size(), 1u);
  const std::vector<std::pair<std::string, std::uint64_t>> bad = {
      {std::string("\0\5", 2), 0},  // neither payload nor child
      {leaf + std::string("\x10"
                          "a",
                          2),
       2},  // a pointer to the node itself
      {leaf + std::string("\x13"
                          "a",
                          2),
       2},  // a pointer before the file
      {leaf + std::string("\x20"
                          "a\0",
                          3),
       2},                                         // the same with a byte
      {leaf + std::string("\x50\0", 2), 2},        // sparse, no child
      {leaf + std::string("\x50\2ba\2\2", 6), 2},  // children out of order
      {leaf + std::string("\x50\2aa\2\2", 6), 2},  // one byte twice
      {leaf + std::string("\xb0"
                          "a\0\0\0",
                          5),
       2},  // dense, no first child
      {leaf + std::string("\xb0"
                          "a\1\0\2\0\0",
                          7),
       2},                                               // dense, no last child
      {leaf + std::string("\xb0\xff\1\0\2\0\2", 7), 2},  // bytes above 255
      {leaf + std::string("\x50\2ab\2", 5), 2},          // a node that is cut
      {leaf + std::string("\x30\2", 2), 2},              // the same
      {leaf + std::string("\xb0", 1), 2},                // the same
      {std::string("\x0f\1\2\3", 4), 0},                 // a payload that is cut
      {leaf, 2},                                         // a root outside of the trie
      {leaf, ~std::uint64_t{0}},
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const TrieRead read = read_trie(file_of(bad[i].first, bad[i].second));
    ASSERT_FALSE(read.status) << i;
    EXPECT_EQ(read.status.error().code(), ErrorCode::kCorruption) << i;
  }
}

// Every node has two pointers to the node before it, so that there are 2^60 paths to one leaf.
TEST(CassandraTrie, ATrieOfSharedNodesEndsAtTheFirstRepeatedKey) {
  std::string trie = "\x01\x05";
  std::uint64_t last = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t here = trie.size();
    trie += std::string("\x50\2ab") + std::string(2, static_cast<char>(here - last));
    last = here;
  }
  const TrieRead read =
      read_trie(trie + std::string(4, '\0') + big(trie.size(), 8) + big(1, 8) + big(last, 8));
  EXPECT_EQ(read.places.size(), 1u);
}

TEST(CassandraTrie, APathLongerThanAnyKeyIsRefused) {
  std::string trie = "\x01\x05";
  for (int i = 0; i < 140'000; ++i) {
    trie +=
        "\x12"
        "a";
  }
  const TrieRead read =
      read_trie(trie + std::string(4, '\0') + big(trie.size(), 8) + big(1, 8) + big(trie.size() - 2, 8));
  ASSERT_FALSE(read.status);
  EXPECT_TRUE(read.places.empty());
}

TEST(CassandraTrie, DamageIsReadToAnEnd) {
  const std::string file = golden_sstable("bti-da-5.0.6", "text").file("Partitions.db");
  const std::size_t keys = read_trie(file).places.size();
  EXPECT_EQ(keys, 45u);
  const auto check = [&](const std::string& damaged, const std::string& what) {
    const TrieRead read = read_trie(damaged);
    EXPECT_LE(read.places.size(), 2 * keys) << what;
    EXPECT_TRUE(read.status || read.status.error().code() == ErrorCode::kCorruption) << what;
  };
  for_each_flip(file, check);
  for_each_cut(file, check);
}

// --- Data.db.

struct CraftedData {
  std::string data;
  std::string info;
};

// Data in chunks of 4,096 bytes. A chunk that compresses to `limit` bytes or more is stored as it is.
CraftedData compressed(const std::string& text, const std::string& compressor,
                       std::optional<BlockCodec> codec, std::uint32_t limit) {
  constexpr std::size_t kChunk = 4096;
  CraftedData crafted;
  crafted.info = big(compressor.size(), 2) + compressor + big(1, 4) + big(5, 2) + "level" + big(1, 2) + "3" +
                 big(kChunk, 4) + big(limit, 4) + big(text.size(), 8) +
                 big((text.size() + kChunk - 1) / kChunk, 4);
  for (std::size_t at = 0; at < text.size(); at += kChunk) {
    const std::string chunk = text.substr(at, kChunk);
    std::string stored = chunk;
    if (codec == BlockCodec::kZlib) {
      uLongf size = compressBound(chunk.size());
      stored.resize(size);
      EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(stored.data()), &size,
                          reinterpret_cast<const Bytef*>(chunk.data()), chunk.size(), 6),
                Z_OK);
      stored.resize(size);
    } else if (codec) {
      auto compressing = BlockCompressor::create(*codec);
      stored.resize(compressing->largest_compressed(chunk.size()));
      stored.resize(*compressing->compress(view_of(chunk), std::as_writable_bytes(std::span(stored))));
      if (codec == BlockCodec::kLz4) {
        stored = little_endian(static_cast<std::uint32_t>(chunk.size())) + stored;
      }
    }
    if (codec && stored.size() >= limit) {
      stored = chunk + std::string(chunk.size() < limit ? limit - chunk.size() : 0, '\0');
    }
    crafted.info += big(crafted.data.size(), 8);
    crafted.data +=
        stored +
        big(crc32(0, reinterpret_cast<const Bytef*>(stored.data()), static_cast<uInt>(stored.size())), 4);
  }
  return crafted;
}

std::string some_text(std::size_t bytes) {
  std::mt19937_64 random(17);
  std::string text;
  while (text.size() < bytes) {  // every third chunk does not compress
    text += text.size() / 4096 % 3 == 2 ? std::string(1, static_cast<char>(random()))
                                        : "row " + std::to_string(random() % 50);
  }
  return text.substr(0, bytes);
}

TEST(CassandraData, EveryCompressorGivesTheData) {
  const std::string text = some_text(30'000);
  for (const auto& [name, codec] : std::vector<std::pair<std::string, std::optional<BlockCodec>>>{
           {"LZ4Compressor", BlockCodec::kLz4},
           {"org.apache.cassandra.io.compress.SnappyCompressor", BlockCodec::kSnappy},
           {"DeflateCompressor", BlockCodec::kZlib},
           {"ZstdCompressor", BlockCodec::kZstd},
           {"NoopCompressor", std::nullopt}}) {
    for (const std::uint32_t limit : {0x7fffffffU, 3686U, 1500U}) {
      SCOPED_TRACE(name + " " + std::to_string(limit));
      const CraftedData crafted = compressed(text, name, codec, limit);
      auto data = CompressedData::open(view_of(crafted.data), view_of(crafted.info), kNewest, nullptr);
      ASSERT_TRUE(data) << data.error().to_string();
      EXPECT_EQ(data->size(), text.size());
      for (const std::size_t step : {1000u, 4096u, 7777u}) {
        std::string read(text.size(), '\0');
        for (std::size_t at = 0; at < text.size(); at += step) {
          const Status status = data->read(
              at,
              std::as_writable_bytes(std::span(read)).subspan(at).first(std::min(step, text.size() - at)));
          ASSERT_TRUE(status) << status.error().to_string();
        }
        EXPECT_EQ(read, text);
      }
    }
  }
}

TEST(CassandraData, ReadsOutsideOfTheDataAreErrors) {
  const std::string text = some_text(10'000);
  const CraftedData crafted = compressed(text, "LZ4Compressor", BlockCodec::kLz4, 0x7fffffff);
  auto data = CompressedData::open(view_of(crafted.data), view_of(crafted.info), kNewest, nullptr);
  auto plain = CompressedData::open(view_of(text), {}, kNewest, nullptr);
  std::array<std::byte, 4> out;
  for (auto* const opened : {&*data, &*plain}) {
    EXPECT_TRUE(opened->read(9'996, out));
    EXPECT_FALSE(opened->read(9'997, out));
    EXPECT_FALSE(opened->read(~std::uint64_t{0}, out));
  }
}

TEST(CassandraData, UnknownCompressorsAndTooLittleMemoryAreSaid) {
  const std::string text = some_text(10'000);
  const CraftedData unknown = compressed(text, "com.example.OwnCompressor", BlockCodec::kLz4, 0x7fffffff);
  const auto refused = CompressedData::open(view_of(unknown.data), view_of(unknown.info), kNewest, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
  const CraftedData known = compressed(text, "LZ4Compressor", BlockCodec::kLz4, 0x7fffffff);
  auto small = CompressedData::open(view_of(known.data), view_of(known.info), kNewest,
                                    std::make_shared<MemoryBudget>(4095));
  std::array<std::byte, 1> out;
  ASSERT_TRUE(small);
  EXPECT_EQ(small->read(0, out).error().code(), ErrorCode::kCapacity);
}

// A chunk that is damaged is an error, whatever its checksum says.
TEST(CassandraData, DamageIsAnErrorOrTheData) {
  const std::string text = some_text(9'000);
  const CraftedData crafted = compressed(text, "LZ4Compressor", BlockCodec::kLz4, 0x7fffffff);
  const auto check = [&](const std::string& file, const std::string& info, const std::string& what) {
    auto data = CompressedData::open(view_of(file), view_of(info), kNewest, nullptr);
    std::string read(text.size(), '\0');
    if (data && data->read(0, std::as_writable_bytes(std::span(read)))) {
      EXPECT_EQ(read, text) << what;
      EXPECT_EQ(file, crafted.data) << what;
    }
  };
  for_each_flip(
      crafted.data,
      [&](const std::string& file, const std::string& what) { check(file, crafted.info, what); },
      Flips::kOneInTurn);
  for_each_cut(crafted.data,
               [&](const std::string& file, const std::string& what) { check(file, crafted.info, what); });
  for_each_flip(crafted.info,
                [&](const std::string& info, const std::string& what) { check(crafted.data, info, what); });
  for_each_cut(crafted.info, [&](const std::string& info, const std::string& what) {
    EXPECT_FALSE(CompressedData::open(view_of(crafted.data), view_of(info), kNewest, nullptr)) << what;
  });
}

}  // namespace
}  // namespace bloomery
