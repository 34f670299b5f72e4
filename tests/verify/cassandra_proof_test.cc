// Filters of Cassandra against the keys of their sstables: those of real nodes, undamaged and damaged in every way that is
// one byte, one bit or one cut; and sstables that the test writes.
#include "verify/cassandra_proof.h"

#include <set>

#include <gtest/gtest.h>
#include <zlib.h>

#include "codec/cassandra/cassandra_probes.h"
#include "codec/cassandra/partition_order.h"
#include "tests/codec/cassandra_sstables.h"
#include "tests/codec/damage.h"
#include "tests/codec/trie_writer.h"
#include "tests/verify/shown_proof.h"
#include "verify/partition_keys.h"

namespace bloomery {
namespace {

using cassandra_keys::big;

Proof prove_in(const TestFolder& folder, const GoldenSSTable& sstable) {
  return prove_cassandra_filter(folder.path(sstable.prefix + "Filter.db"));
}

// `compares` is for undamaged sstables: each key must be in Data.db at its position.
std::set<std::string> walked_keys(const std::string& path, bool compares = false) {
  std::set<std::string> all;
  Proof proof;
  const SSTable sstable = *sstable_of(path);
  auto data = PartitionData::open(sstable, {});
  walk_partition_keys(sstable, {}, proof, [&all, &data, compares](const PartitionKeys& batch) {
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      all.emplace(batch.keys[i]);
      EXPECT_EQ(batch.hashes[i], cassandra_hash(batch.keys[i]));
      std::string in_data;
      if (compares) {
        const bool is_read = data && data->read_key(batch.positions[i], in_data);
        EXPECT_TRUE(is_read);
        EXPECT_EQ(in_data, batch.keys[i]);
      }
    }
  });
  return all;
}

TEST(CassandraProof, EveryGoldenFilterIsSoundAndIsMadeAgainByteForByte) {
  std::size_t count = 0;
  for (const std::string& release : golden_releases()) {
    for (const GoldenSSTable& sstable : golden_sstables(release)) {
      if (!sstable.has_filter) {
        continue;
      }
      SCOPED_TRACE(sstable.folder() + sstable.prefix);
      const TestFolder folder;
      sstable.lay_out(folder);
      const Proof proof = prove_in(folder, sstable);
      EXPECT_EQ(proof.verdict(), Verdict::kSound) << shown(proof);
      EXPECT_EQ(proof.keys, sstable.keys.size());
      EXPECT_TRUE(proof.notes.empty());
      EXPECT_GE(proof.bytes, sstable.file("Data.db").size() + sstable.file("Filter.db").size());
      const std::string path = folder.path(sstable.prefix + "Filter.db");
      EXPECT_EQ(walked_keys(path, true), sstable.keys);
      const Status repaired = repair_cassandra_filter(path, folder.path("new"));
      ASSERT_TRUE(repaired) << repaired.error().to_string();
      EXPECT_EQ(folder.read("new"), sstable.file("Filter.db"));
      EXPECT_FALSE(repair_cassandra_filter(path, folder.path("new"))) << "a file is replaced";
      ++count;
    }
  }
  EXPECT_EQ(count, 144u);
}

// Two partitions of each have an index of their rows. Data.db is compressed in three ways.
TEST(CassandraProof, PartitionsWithAnIndexOfRowsAreSound) {
  std::set<std::string> keys;
  for (int i = 0; i < 40; ++i) {
    keys.insert("key-" + std::to_string(i));
  }
  const auto files = golden_archive("cassandra-written/rows-5.0.6");
  std::size_t count = 0;
  for (const char* const table : {"bti/t0/", "bti/t1/", "bti/t2/", "big/t0/", "big/t1/", "big/t2/"}) {
    const TestFolder folder;
    std::string filter;
    for (auto at = files.lower_bound(table); at != files.end() && at->first.starts_with(table); ++at) {
      const std::string name = at->first.substr(std::string_view(table).size());
      folder.write(name, at->second);
      filter = name.ends_with("-Filter.db") ? name : filter;
    }
    const Proof proof = prove_cassandra_filter(folder.path(filter));
    EXPECT_EQ(proof.verdict(), Verdict::kSound) << table << shown(proof);
    EXPECT_EQ(walked_keys(folder.path(filter), true), keys);
    ASSERT_TRUE(repair_cassandra_filter(folder.path(filter), folder.path("new")));
    EXPECT_EQ(folder.read("new"), folder.read(filter));
    ++count;
  }
  EXPECT_EQ(count, 6u);
}

const std::vector<std::pair<std::string, std::string>>& small_tables() {
  static const std::vector<std::pair<std::string, std::string>> tables = {{"me-3.11.19", "int"},
                                                                          {"nb-5.0.6", "text"},
                                                                          {"oa-5.0.6-uuid-ids", "boolean"},
                                                                          {"bti-da-5.0.6", "bigint"}};
  return tables;
}

TEST(CassandraProof, EveryBitThatAKeySetIsMissedIfItIsCleared) {
  for (const auto& [release, table] : small_tables()) {
    const GoldenSSTable sstable = golden_sstable(release, table);
    const TestFolder folder;
    sstable.lay_out(folder);
    std::string filter = sstable.file("Filter.db");
    std::size_t cleared = 0;
    for (std::size_t bit = 64; bit < 8 * filter.size(); ++bit) {
      const auto mask = static_cast<char>(1 << (bit % 8));
      if ((filter[bit / 8] & mask) == 0) {
        continue;
      }
      filter[bit / 8] = static_cast<char>(filter[bit / 8] ^ mask);
      folder.write(sstable.prefix + "Filter.db", filter);
      const Proof proof = prove_in(folder, sstable);
      EXPECT_EQ(proof.verdict(), Verdict::kDenies) << sstable.folder() << bit << shown(proof);
      EXPECT_GE(proof.denied, 1u);
      ASSERT_FALSE(proof.denied_keys.empty());
      EXPECT_TRUE(sstable.keys.contains(proof.denied_keys.front()));
      filter[bit / 8] = static_cast<char>(filter[bit / 8] ^ mask);
      ++cleared;
    }
    EXPECT_GT(cleared, 8u);
  }
}

TEST(CassandraProof, AnyDamageOfAFilterIsRepaired) {
  const GoldenSSTable sstable = golden_sstable("nb-5.0.6", "text");
  const TestFolder folder;
  sstable.lay_out(folder);
  const std::string path = folder.path(sstable.prefix + "Filter.db");
  for_each_flip(sstable.file("Filter.db"), [&](const std::string& damaged, const std::string& what) {
    folder.write(sstable.prefix + "Filter.db", damaged);
    const Status repaired = repair_cassandra_filter(path, folder.path("new"));
    ASSERT_TRUE(repaired) << what << repaired.error().to_string();
    EXPECT_EQ(folder.read("new"), sstable.file("Filter.db")) << what;
    std::filesystem::remove(folder.path("new"));
  });
  for_each_cut(sstable.file("Filter.db"), [&](const std::string& cut, const std::string& what) {
    folder.write(sstable.prefix + "Filter.db", cut);
    EXPECT_EQ(prove_in(folder, sstable).verdict(), Verdict::kDamaged) << what;
    EXPECT_EQ(bool{repair_cassandra_filter(path, folder.path("new"))},
              cut.size() % 8 == 0 && cut.size() >= 16);
    std::filesystem::remove(folder.path("new"));
  });
}

TEST(CassandraProof, FiltersOfOtherSSTablesDenyKeys) {
  const auto all = golden_sstables("nb-5.0.6");
  std::size_t swapped = 0;
  const GoldenSSTable sstable = golden_sstable("nb-5.0.6", "text");
  for (const GoldenSSTable& other : all) {
    if (!other.has_filter || other.keys == sstable.keys || other.file("Filter.db")[3] != 5 ||
        other.keys.size() < 20) {
      continue;
    }
    const TestFolder folder;
    sstable.lay_out(folder);
    folder.write(sstable.prefix + "Filter.db", other.file("Filter.db"));
    const Proof proof = prove_in(folder, sstable);
    const bool has_all = std::ranges::includes(other.keys, sstable.keys);
    EXPECT_EQ(proof.verdict() == Verdict::kSound, has_all) << other.folder() << shown(proof);
    ++swapped;
  }
  EXPECT_GT(swapped, 10U);
}

// Returns how many of the damaged files were sound.
template <typename ForEach>
std::size_t sound_in(const GoldenSSTable& sstable, const std::string& component, ForEach for_each) {
  const TestFolder folder;
  sstable.lay_out(folder);
  std::size_t sound = 0;
  for_each(sstable.file(component), [&](const std::string& damaged, const std::string& what) {
    folder.write(sstable.prefix + component, damaged);
    const Proof proof = prove_in(folder, sstable);
    EXPECT_NE(proof.verdict(), Verdict::kDenies) << component << " " << what << shown(proof);
    if (proof.verdict() == Verdict::kSound) {
      ++sound;
      EXPECT_EQ(proof.keys, sstable.keys.size()) << what;
      EXPECT_EQ(walked_keys(folder.path(sstable.prefix + "Filter.db")), sstable.keys) << what;
    }
  });
  return sound;
}

constexpr auto kFlipEach = [](const std::string& file, auto use) { for_each_flip(file, use); };
constexpr auto kFlipOneBit = [](const std::string& file, auto use) {
  for_each_flip(file, use, Flips::kOneInTurn);
};
constexpr auto kCutEach = [](const std::string& file, auto use) { for_each_cut(file, use); };

// A damaged position is found only if the positions do not ascend any more: it decides nothing about the keys.
TEST(CassandraProof, ADamagedIndexIsNeverSoundWithOtherKeys) {
  for (const auto& [release, table] : small_tables()) {
    const GoldenSSTable sstable = golden_sstable(release, table);
    if (sstable.prefix.ends_with("-big-")) {
      EXPECT_EQ(sound_in(sstable, "Index.db", kCutEach), 0u);
      EXPECT_LE(sound_in(sstable, "Index.db", kFlipEach), 3 * 3 * sstable.keys.size());
      EXPECT_EQ(sound_in(sstable, "Summary.db", kCutEach), 0u);
    }
  }
}

TEST(CassandraProof, ADamagedTrieIsNeverSoundWithOtherKeys) {
  for (const char* const table : {"boolean", "text", "comp_text_int"}) {
    const GoldenSSTable sstable = golden_sstable("bti-da-5.0.6", table);
    EXPECT_EQ(sound_in(sstable, "Partitions.db", kCutEach), 0u);
    // The type of a node can change to another one that reads alike.
    EXPECT_LE(sound_in(sstable, "Partitions.db", kFlipEach), 3 * sstable.keys.size());
    EXPECT_EQ(sound_in(sstable, "CompressionInfo.db", kCutEach), 0u);
  }
}

TEST(CassandraProof, EveryDamagedByteOfTheDataIsFound) {
  for (const auto& [release, table] : small_tables()) {
    const GoldenSSTable sstable = golden_sstable(release, table);
    EXPECT_EQ(sound_in(sstable, "Data.db", kFlipOneBit), 0u);
    EXPECT_EQ(sound_in(sstable, "Data.db", kCutEach), 0u);
    EXPECT_EQ(sound_in(sstable, "Digest.crc32", kFlipEach), 0u);
  }
}

TEST(CassandraProof, DamagedStatisticsAreNeverSoundWithOtherKeys) {
  const GoldenSSTable sstable = golden_sstable("nb-5.0.6", "boolean");
  EXPECT_EQ(sound_in(sstable, "Statistics.db", kCutEach), 0u);
  EXPECT_EQ(sound_in(sstable, "Statistics.db", kFlipOneBit), 0u);
}

// --- Files that are missing.

Proof proof_without(const GoldenSSTable& sstable, std::initializer_list<const char*> components) {
  const TestFolder folder;
  sstable.lay_out(folder);
  for (const char* const component : components) {
    std::filesystem::remove(folder.path(sstable.prefix + component));
  }
  return prove_in(folder, sstable);
}

TEST(CassandraProof, MissingFilesAreSaid) {
  const GoldenSSTable bti = golden_sstable("bti-da-5.0.6", "text");
  const GoldenSSTable nb = golden_sstable("nb-5.0.6", "text");
  for (const auto& [sstable, index] : {std::pair(&bti, "Partitions.db"), std::pair(&nb, "Index.db")}) {
    const auto verdict = [&sstable = *sstable](std::initializer_list<const char*> components) {
      const Proof proof = proof_without(sstable, components);
      EXPECT_FALSE(proof.verdict() == Verdict::kUnproven && proof.unproven.empty());
      return proof.verdict();
    };
    EXPECT_EQ(verdict({"Data.db", index}), Verdict::kUnproven) << "a copied filter";
    EXPECT_EQ(verdict({"Data.db", index, "TOC.txt", "Statistics.db", "Digest.crc32"}), Verdict::kUnproven);
    EXPECT_EQ(verdict({"Data.db"}), Verdict::kDamaged) << "TOC.txt lists it";
    EXPECT_EQ(verdict({index}), Verdict::kDamaged);
    EXPECT_EQ(verdict({index, "TOC.txt"}), Verdict::kUnproven);
    EXPECT_EQ(verdict({"Statistics.db"}), Verdict::kDamaged);
    EXPECT_EQ(verdict({"Filter.db"}), Verdict::kUnproven);
    EXPECT_EQ(verdict({"TOC.txt"}), Verdict::kSound);
    EXPECT_EQ(verdict({"TOC.txt", "Digest.crc32"}), Verdict::kSound);
  }
  EXPECT_EQ(proof_without(nb, {"TOC.txt", "Statistics.db"}).verdict(), Verdict::kUnproven);
  EXPECT_EQ(proof_without(nb, {"TOC.txt", "Summary.db"}).verdict(), Verdict::kSound);
  EXPECT_EQ(proof_without(bti, {"TOC.txt", "Rows.db"}).verdict(), Verdict::kUnproven);
  EXPECT_EQ(proof_without(nb, {"TOC.txt", "Digest.crc32"}).notes.size(), 1u);
}

TEST(CassandraProof, OtherNamesAreNotProven) {
  const GoldenSSTable sstable = golden_sstable("nb-5.0.6", "text");
  const TestFolder folder;
  for (const char* const name :
       {"filter", "tmp-la-1-big-Filter.db", "zz-1-big-Filter.db", "nb-1-big-Data.db"}) {
    folder.write(name, sstable.file("Filter.db"));
    const Proof proof = prove_cassandra_filter(folder.path(name));
    EXPECT_EQ(proof.verdict(), Verdict::kUnproven) << name << shown(proof);
    EXPECT_FALSE(repair_cassandra_filter(folder.path(name), folder.path("new"))) << name;
  }
  EXPECT_EQ(prove_cassandra_filter(folder.path("nb-7-big-Filter.db")).verdict(), Verdict::kUnproven);
}

TEST(CassandraProof, RepairRefusesWhatItCannotReadCompletely) {
  for (const char* const component : {"Index.db", "Statistics.db"}) {
    const GoldenSSTable sstable = golden_sstable("nb-5.0.6", "text");
    const TestFolder folder;
    sstable.lay_out(folder);
    const std::string path = folder.path(sstable.prefix + "Filter.db");
    const std::string& file = sstable.file(component);
    for_each_cut(file, [&](const std::string& cut, const std::string& what) {
      if (component == std::string("Index.db") || cut.size() % 97 == 0) {
        folder.write(sstable.prefix + component, cut);
        EXPECT_FALSE(repair_cassandra_filter(path, folder.path("new"))) << component << " " << what;
      }
    });
    std::filesystem::remove(folder.path(sstable.prefix + component));
    EXPECT_FALSE(repair_cassandra_filter(path, folder.path("new"))) << component;
    EXPECT_FALSE(std::filesystem::exists(folder.path("new")));
  }
}

// --- Sstables that the test writes.

std::string crc32_text(std::string_view bytes) {
  return big(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), 4);
}

// A Statistics.db of version na or later, with the parts that are read.
std::string crafted_statistics(const std::string& partitioner, double fpp, std::uint64_t partitions) {
  const std::string type = "org.apache.cassandra.db.marshal.BytesType";
  const std::vector<std::pair<std::uint32_t, std::string>> parts = {
      {0, big(partitioner.size(), 2) + partitioner + big(std::bit_cast<std::uint64_t>(fpp), 8)},
      {2, big(2, 4) + big(1, 8) + big(partitions / 2, 8) + big(2, 8) + big(partitions - partitions / 2, 8)},
      {3, std::string(3, '\0') + static_cast<char>(type.size()) + type}};
  const std::string count = big(parts.size(), 4);
  std::string table;
  std::string bodies;
  for (const auto& [number, body] : parts) {
    table += big(number, 4) + big(4 + 4 + 8 * parts.size() + 4 + bodies.size(), 4);
    bodies += body + crc32_text(body);
  }
  return count + crc32_text(count) + table + crc32_text(count + table) + bodies;
}

std::string vint_text(std::uint64_t value) {
  return value < 0x80     ? big(value, 1)
         : value < 0x4000 ? big(0x8000 | value, 2)
                          : big(0xf000000000 | value, 5);
}

// An sstable whose keys are in the order of their tokens, without compression. In the format bti, every third key
// is in Rows.db.
struct CraftedSSTable {
  CraftedSSTable(const std::string& format, std::size_t count, const std::string& partitioner)
      : prefix(format) {
    const auto order = PartitionOrder::of(partitioner);
    for (std::size_t i = 0; i < count; ++i) {
      keys.push_back("partition key " + std::to_string(i));
    }
    std::ranges::sort(keys, [&order](const std::string& a, const std::string& b) {
      const auto rank = [&order](const std::string& key) { return order->rank(key, cassandra_hash(key)); };
      return rank(a) < rank(b) || (rank(a) == rank(b) && a < b);
    });
    const std::string version = format.substr(0, 2);
    auto builder =
        build_dialect("cassandra:" + version, {.capacity = count, .fpp = 0.01, .bits_per_key = {}});
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    EXPECT_TRUE((*builder)->add(views));
    files["Filter.db"] = written(**(*builder)->finish());
    files["Statistics.db"] = crafted_statistics("org.apache.cassandra.dht." + partitioner, 0.01, count);
    TrieWriter trie;
    std::string& data = files["Data.db"];
    std::string& rows = files[format.ends_with("-bti-") ? "Rows.db" : "unused"];
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& key = keys[i];
      const bool in_rows = i % 3 == 2;
      rows += in_rows ? "rows' trie" : "";
      const auto place =
          in_rows ? static_cast<std::int64_t>(rows.size()) : ~static_cast<std::int64_t>(data.size());
      trie.add(shortest(i), static_cast<std::uint8_t>(cassandra_hash(key).high), place);
      rows += in_rows ? big(key.size(), 2) + key + vint_text(data.size()) + "\1\1\1" : "";
      files["Index.db"] += big(key.size(), 2) + key + vint_text(data.size()) +
                           (in_rows ? vint_text(200) + std::string(200, 'i') : vint_text(0));
      data += big(key.size(), 2) + key + "the rows of " + key;
    }
    if (format.ends_with("-bti-")) {
      files.erase("Index.db");
      files["Partitions.db"] = trie.file(keys.front(), keys.back());
    }
    files.erase("unused");
    files["Digest.crc32"] =
        std::to_string(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
  }

  static std::string spelled(const std::string& key) {
    return "\x40" + big(PartitionOrder::rank_of_hash(cassandra_hash(key)), 8);
  }
  // The shortest prefix that differs from the keys before and after key i.
  std::string shortest(std::size_t i) const {
    const std::string key = spelled(keys[i]);
    std::size_t length = 1;
    for (const std::size_t other : {i - 1, i + 1}) {
      const std::string neighbour = other < keys.size() ? spelled(keys[other]) : "";
      const auto differs = std::ranges::mismatch(key, neighbour).in1;
      length = std::max(length, static_cast<std::size_t>(differs - key.begin()) + 1);
    }
    return key.substr(0, length);
  }

  void lay_out(const TestFolder& folder) const {
    for (const auto& [component, bytes] : files) {
      folder.write(prefix + component, bytes);
    }
  }
  std::string filter_in(const TestFolder& folder) const { return folder.path(prefix + "Filter.db"); }

  std::string prefix;
  std::vector<std::string> keys;
  std::map<std::string, std::string> files;
};

TEST(CassandraProof, CraftedSSTablesAreSound) {
  for (const char* const prefix : {"da-1-bti-", "nb-1-big-", "oa-2-big-"}) {
    for (const char* const partitioner :
         {"Murmur3Partitioner", "RandomPartitioner", "ByteOrderedPartitioner"}) {
      for (const std::size_t count : {1u, 63u, 64u, 65u, 5000u}) {
        SCOPED_TRACE(prefix + std::string(partitioner) + std::to_string(count));
        if (prefix == std::string("da-1-bti-") && partitioner != std::string("Murmur3Partitioner")) {
          continue;
        }
        const CraftedSSTable crafted(prefix, count, partitioner);
        const TestFolder folder;
        crafted.lay_out(folder);
        const Proof proof = prove_cassandra_filter(crafted.filter_in(folder));
        EXPECT_EQ(proof.verdict(), Verdict::kSound) << shown(proof);
        EXPECT_EQ(proof.keys, count);
        EXPECT_EQ(walked_keys(crafted.filter_in(folder)), std::set(crafted.keys.begin(), crafted.keys.end()));
      }
    }
  }
}

// Two neighbouring keys in the wrong order, in sstables of each order.
TEST(CassandraProof, KeysOutOfOrderAreFound) {
  for (const char* const partitioner :
       {"Murmur3Partitioner", "RandomPartitioner", "ByteOrderedPartitioner"}) {
    for (const std::size_t at : {0u, 62u, 63u, 64u, 198u}) {
      const CraftedSSTable crafted("nb-1-big-", 200, partitioner);
      const TestFolder folder;
      crafted.lay_out(folder);
      std::string index;
      for (std::size_t i = 0; i < crafted.keys.size(); ++i) {
        const std::string& key = crafted.keys[i == at ? at + 1 : i == at + 1 ? at : i];
        index += big(key.size(), 2) + key + vint_text(i) + vint_text(0);
      }
      folder.write("nb-1-big-Index.db", index);
      const Proof proof = prove_cassandra_filter(crafted.filter_in(folder));
      EXPECT_EQ(proof.verdict(), Verdict::kDamaged) << partitioner << at;
      EXPECT_EQ(proof.findings.size(), 1u) << shown(proof);
      EXPECT_EQ(proof.denied, 0u);
    }
  }
}

TEST(CassandraProof, DamagedRowsAreNeverSoundWithOtherKeys) {
  const CraftedSSTable crafted("da-1-bti-", 30, "Murmur3Partitioner");
  const TestFolder folder;
  crafted.lay_out(folder);
  const std::set<std::string> keys(crafted.keys.begin(), crafted.keys.end());
  for (const char* const component : {"Rows.db", "Partitions.db", "Data.db"}) {
    const std::string& file = crafted.files.at(component);
    const auto check = [&](const std::string& damaged, const std::string& what) {
      folder.write(crafted.prefix + component, damaged);
      const Proof proof = prove_cassandra_filter(crafted.filter_in(folder));
      EXPECT_NE(proof.verdict(), Verdict::kDenies) << component << " " << what << shown(proof);
      if (proof.verdict() == Verdict::kSound) {
        EXPECT_EQ(walked_keys(crafted.filter_in(folder)), keys) << component << " " << what;
      }
    };
    for_each_flip(file, check);
    for_each_cut(file, check);
    folder.write(crafted.prefix + component, file);
  }
}

TEST(CassandraProof, ACallerSeesTheBytesAndCanStop) {
  const CraftedSSTable crafted("nb-1-big-", 60'000, "Murmur3Partitioner");
  const TestFolder folder;
  crafted.lay_out(folder);
  std::uint64_t seen = 0;
  ProofOptions options{.progress = [&seen](std::uint64_t bytes) {
    seen += bytes;
    return true;
  }};
  const Proof proof = prove_cassandra_filter(crafted.filter_in(folder), options);
  EXPECT_EQ(proof.verdict(), Verdict::kSound) << shown(proof);
  EXPECT_GT(seen, std::uint64_t{6} << 20);
  EXPECT_LE(seen, proof.bytes);
  options.progress = [](std::uint64_t) { return false; };
  const Proof stopped = prove_cassandra_filter(crafted.filter_in(folder), options);
  EXPECT_EQ(stopped.verdict(), Verdict::kUnproven) << shown(stopped);
  EXPECT_LT(stopped.keys, 60'000u);
  EXPECT_FALSE(repair_cassandra_filter(crafted.filter_in(folder), folder.path("new"), options));
}

// A filter larger than the second-level cache is queried with prefetches.
TEST(CassandraProof, EveryClearedBitOfALargeFilterIsFound) {
  CraftedSSTable crafted("oa-1-big-", 300'000, "Murmur3Partitioner");
  std::string& filter = crafted.files["Filter.db"];
  ASSERT_GT(filter.size(), std::size_t{256} << 10);
  const TestFolder folder;
  crafted.lay_out(folder);
  EXPECT_EQ(prove_cassandra_filter(crafted.filter_in(folder)).verdict(), Verdict::kSound);
  for (const std::size_t at : {std::size_t{8}, filter.size() / 2, filter.size() - 1}) {
    filter[at] = static_cast<char>(filter[at] & (filter[at] - 1));  // the lowest set bit
  }
  folder.write("oa-1-big-Filter.db", filter);
  const Proof proof = prove_cassandra_filter(crafted.filter_in(folder));
  EXPECT_EQ(proof.verdict(), Verdict::kDenies);
  EXPECT_GE(proof.denied, 3u);
}

// Filters of 1.2 to 2.2 are here without their data.
TEST(CassandraProof, OlderFiltersWithoutDataAreUnproven) {
  for (const auto& [name, bytes] : golden_archive("cassandra/older")) {
    if (name.ends_with(".Filter.db")) {
      const TestFolder folder;
      const std::string file = "shop-orders-" + name.substr(0, 2) + "-1-Filter.db";
      folder.write(file, bytes);
      EXPECT_EQ(prove_cassandra_filter(folder.path(file)).verdict(), Verdict::kUnproven) << name;
    }
  }
}

}  // namespace
}  // namespace bloomery
