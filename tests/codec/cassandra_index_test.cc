// Index.db, Summary.db, the order of keys and the digest of data, against complete sstables of real nodes.
#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "codec/cassandra/cassandra_probes.h"
#include "codec/cassandra/data_digest.h"
#include "codec/cassandra/index_entries.h"
#include "codec/cassandra/index_summary.h"
#include "codec/cassandra/partition_order.h"
#include "codec/cassandra/statistics.h"
#include "tests/codec/cassandra_sstables.h"
#include "tests/codec/damage.h"

namespace bloomery {
namespace {

CassandraLayout layout_of_prefix(const std::string& prefix) {
  return *cassandra_layout(prefix.substr(0, 2));
}

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The keys of an Index.db, and where each begins in the data.
struct IndexRead {
  std::vector<std::string> keys;
  std::vector<std::uint64_t> positions;
  Status status;
};

IndexRead read_all(std::string_view file, const CassandraLayout& layout) {
  IndexRead read;
  IndexEntries entries(bytes_of_text(file), layout);
  while (entries.next()) {
    read.keys.emplace_back(entries.key());
    read.positions.push_back(entries.position());
  }
  read.status = entries.status();
  return read;
}

TEST(CassandraIndex, HasTheKeysOfEverySSTableInOrder) {
  std::size_t count = 0;
  for (const std::string& release : golden_releases()) {
    for (const GoldenSSTable& sstable : golden_sstables(release)) {
      if (!sstable.has_filter || sstable.prefix.find("-bti-") != std::string::npos) {
        continue;
      }
      SCOPED_TRACE(sstable.folder() + sstable.prefix);
      const CassandraLayout layout = layout_of_prefix(sstable.prefix);
      const IndexRead index = read_all(sstable.file("Index.db"), layout);
      ASSERT_TRUE(index.status) << index.status.error().to_string();
      EXPECT_EQ(std::set(index.keys.begin(), index.keys.end()), sstable.keys);
      EXPECT_EQ(index.keys.size(), sstable.keys.size());
      const auto statistics = read_statistics(bytes_of_text(sstable.file("Statistics.db")), layout);
      ASSERT_TRUE(statistics && *statistics);
      EXPECT_EQ((*statistics)->partitions, index.keys.size());
      const auto order = PartitionOrder::of((*statistics)->partitioner);
      ASSERT_TRUE(order);
      EXPECT_TRUE(std::ranges::is_sorted(index.keys, {}, [&order](const std::string& key) {
        return order->rank(key, cassandra_hash(key));
      }));
      const auto summary = read_index_summary(bytes_of_text(sstable.file("Summary.db")));
      ASSERT_TRUE(summary) << summary.error().to_string();
      EXPECT_EQ(summary->first_key, index.keys.front());
      EXPECT_EQ(summary->last_key, index.keys.back());
      ++count;
    }
  }
  EXPECT_GT(count, 100u);
}

TEST(CassandraIndex, BeforeVersionMaNumbersHaveFixedSizes) {
  using cassandra_keys::big;
  const std::string file =
      big(3, 2) + "one" + big(0, 8) + big(2, 4) + "xy" + big(0, 2) + big(7, 8) + big(0, 4);
  const IndexRead index = read_all(file, *cassandra_layout("la"));
  ASSERT_TRUE(index.status) << index.status.error().to_string();
  EXPECT_EQ(index.keys, (std::vector<std::string>{"one", ""}));
  EXPECT_EQ(index.positions, (std::vector<std::uint64_t>{0, 7}));
  std::size_t complete = 0;
  for_each_cut(file, [&complete](const std::string& cut, const std::string& what) {
    const IndexRead read = read_all(cut, *cassandra_layout("la"));
    EXPECT_EQ(bool{read.status}, cut.empty() || cut.size() == 19) << what;
    complete += read.keys.size();
  });
  EXPECT_EQ(complete, file.size() - 19);
}

TEST(CassandraIndex, TheIndexOfRowsIsSkippedAndPositionsMustAscend) {
  using cassandra_keys::big;
  const auto entry = [](const std::string& key, const std::string& position, const std::string& rows) {
    return big(key.size(), 2) + key + position + big(0x8000 | rows.size(), 2) + rows;
  };
  const CassandraLayout layout = *cassandra_layout("nb");
  const std::string rows(300, 'r');
  IndexRead index = read_all(entry("a", "\x05", rows) + entry("b", "\x80\x80", ""), layout);
  ASSERT_TRUE(index.status) << index.status.error().to_string();
  EXPECT_EQ(index.positions, (std::vector<std::uint64_t>{5, 128}));
  for (const char* const position : {"\x05", "\x04"}) {
    index = read_all(entry("a", "\x05", rows) + entry("b", position, ""), layout);
    ASSERT_FALSE(index.status);
    EXPECT_EQ(index.status.error().code(), ErrorCode::kCorruption);
    EXPECT_EQ(index.status.error().offset(), 306u);
    EXPECT_EQ(index.keys.size(), 1u);
  }
}

// A damaged file is read to some end, and keys are views of it.
TEST(CassandraIndex, DamageIsReadToAnEnd) {
  const GoldenSSTable sstable = golden_sstable("nb-5.0.6", "comp_text_int");
  const std::string& file = sstable.file("Index.db");
  const auto check = [&](const std::string& damaged, const std::string& what) {
    const IndexRead read = read_all(damaged, layout_of_prefix(sstable.prefix));
    EXPECT_LE(read.keys.size(), damaged.size() / 4) << what;
    EXPECT_TRUE(read.status || read.status.error().code() == ErrorCode::kCorruption) << what;
  };
  for_each_flip(file, check);
  for_each_cut(file, check);
}

TEST(CassandraIndex, DamagedSummariesHaveNoKeysThatAreNotThere) {
  const std::string& file = golden_sstable("nb-5.0.6", "map_text_int").file("Summary.db");
  const auto check = [&](const std::string& damaged, const std::string& what) {
    const auto read = read_index_summary(bytes_of_text(damaged));
    EXPECT_TRUE(read || read.error().code() == ErrorCode::kCorruption) << what;
    if (read) {
      EXPECT_LE(read->first_key.size() + read->last_key.size(), damaged.size()) << what;
    }
  };
  for_each_flip(file, check);
  for_each_cut(file, [](const std::string& cut, const std::string& what) {
    EXPECT_FALSE(read_index_summary(bytes_of_text(cut))) << what;
  });
  EXPECT_FALSE(read_index_summary(bytes_of_text(file + "x")));
}

TEST(CassandraIndex, DigestsAreTheOriginals) {
  for (const std::string& release : golden_releases()) {
    for (const GoldenSSTable& sstable : golden_sstables(release)) {
      const std::string& data = sstable.file("Data.db");
      const auto digest = read_data_digest(sstable.file("Digest.crc32"));
      ASSERT_TRUE(digest);
      const std::uint32_t first =
          continue_data_digest(DataDigestKind::kCrc32, initial_data_digest(DataDigestKind::kCrc32),
                               bytes_of_text(data.substr(0, 7)));
      EXPECT_EQ(continue_data_digest(DataDigestKind::kCrc32, first, bytes_of_text(data.substr(7))), *digest);
    }
  }
  // RFC 1950's checksum of a known text.
  EXPECT_EQ(continue_data_digest(DataDigestKind::kAdler32, initial_data_digest(DataDigestKind::kAdler32),
                                 bytes_of_text("Wikipedia")),
            0x11e60398u);
  EXPECT_EQ(*read_data_digest("4294967295\n"), 4294967295u);
  for (const char* const bad : {"", "12x", "-1", "4294967296", " 1"}) {
    EXPECT_FALSE(read_data_digest(bad)) << bad;
  }
}

TEST(CassandraIndex, OrdersOfPartitioners) {
  const auto rank = [](const char* partitioner, std::string_view key) {
    return PartitionOrder::of(partitioner)->rank(key, cassandra_hash(key));
  };
  // The MD5 of the empty text is d41d8cd98f00b204e9800998ecf8427e, a negative number.
  const Uint128 md5 = Uint128{0xd41d8cd98f00b204} << 64 | 0xe9800998ecf8427e;
  EXPECT_TRUE(rank("org.apache.cassandra.dht.RandomPartitioner", "") == 0 - md5);
  // That of "b" is 92eb5ffee6ae2fec3ad71c777531578f, and that of "a" 0cc175b9c0f1b6a831c399e269772661.
  EXPECT_TRUE(rank("RandomPartitioner", "a") == (Uint128{0x0cc175b9c0f1b6a8} << 64 | 0x31c399e269772661));
  EXPECT_TRUE(rank("ByteOrderedPartitioner", "a") == rank("ByteOrderedPartitioner", "b"));
  // The token of "hello" is the signed number cbd8a7b341bd9b02, see docs/formats/cassandra.md.
  EXPECT_TRUE(rank("Murmur3Partitioner", "hello") == 0x4bd8a7b341bd9b02);
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 63;
  EXPECT_EQ(PartitionOrder::rank_of_hash({.low = kLeast, .high = 0}), ~std::uint64_t{0});
  EXPECT_EQ(PartitionOrder::rank_of_hash({.low = kLeast + 1, .high = 0}), 1u);
  EXPECT_FALSE(PartitionOrder::of("org.apache.cassandra.dht.LocalPartitioner"));
}

TEST(CassandraIndex, VintsOfEveryLength) {
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t value = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
    const std::size_t more = std::min<std::size_t>(bits == 0 ? 0 : static_cast<std::size_t>(bits - 1) / 7, 8);
    std::string text = cassandra_keys::big(value, more + 1);
    text[0] =
        static_cast<char>(static_cast<unsigned char>(more == 8 ? 0 : text[0]) | (0xff00 >> more & 0xff));
    const CassandraVint vint = read_cassandra_vint(bytes_of_text(text));
    EXPECT_EQ(vint.value, value) << bits;
    EXPECT_EQ(vint.size_bytes, text.size()) << bits;
    for_each_cut(text, [](const std::string& cut, const std::string&) {
      EXPECT_EQ(read_cassandra_vint(bytes_of_text(cut)).size_bytes, 0u);
    });
  }
}

}  // namespace
}  // namespace bloomery
