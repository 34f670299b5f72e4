// Every golden table is sound; a filter that lies is found, whatever its checksum says; damage and cuts are never sound.
#include "verify/table_proof.h"

#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "bloomery/codec/leveldb_filter_block.h"
#include "tests/base/test_folder.h"
#include "tests/codec/crafted_table.h"
#include "tests/codec/damage.h"
#include "tests/verify/damaged_table.h"
#include "tests/verify/shown_proof.h"

namespace bloomery {
namespace {

class TableProof : public testing::Test {
 protected:
  Proof prove(const std::string& bytes, const std::string& name = "000005.ldb") const {
    folder_.write(name, bytes);
    return prove_table_file(folder_.path(name), {});
  }

  TestFolder folder_;
};

TEST_F(TableProof, EveryGoldenTableIsSound) {
  std::uint64_t keys = 0;
  for (const std::string& name : golden_tables()) {
    const Proof proof = prove(unpacked_golden(name));
    EXPECT_EQ(proof.verdict(), Verdict::kSound) << name << ": " << shown(proof);
    EXPECT_GT(proof.keys, 0u) << name;
    EXPECT_EQ(proof.kind, name.starts_with("leveldb") ? "LevelDB table" : "RocksDB table") << name;
    keys += proof.keys;
  }
  EXPECT_GT(keys, 40'000u);
}

TEST_F(TableProof, EveryTableOfAGoldenDatabaseIsSound) {
  for (const char* const name :
       {"leveldb/db_logged/000005.ldb", "leveldb/db_logged/000012.ldb", "rocksdb/db_logged_fv7/000009.sst",
        "rocksdb/db_partitioned_fv7/000009.sst", "rocksdb/db_fixed_fv6/000009.sst",
        "rocksdb/db_full_fv6/000009.sst", "rocksdb/db_backwards_fv7/000009.sst"}) {
    const Proof proof = prove(golden_file(name));
    EXPECT_EQ(proof.verdict(), Verdict::kSound) << name << ": " << shown(proof);
  }
}

// Each set bit of a filter is one that some key needs.
TEST_F(TableProof, OneClearedBitOfAFilterIsDenied) {
  for (const char* const name :
       {"leveldb/db_none.ldb", "rocksdb/legacy_b10_fv2_text5000.sst",
        "rocksdb/fastlocal_b10_fv5_text5000.sst", "rocksdb/extra_prefix6_fastlocal_b10_fv5_text5000.sst"}) {
    const std::string file = unpacked_golden(name);
    const FilterPlace filter = filter_of(file);
    std::mt19937_64 random(7);
    for (int i = 0; i < 10; ++i) {
      std::string lying = file;
      std::size_t at = 0;
      do {
        at = filter.handle.offset + random() % (filter.handle.size / 2);
      } while (file[at] == '\0');
      lying[at] = static_cast<char>(file[at] & (static_cast<unsigned char>(file[at]) - 1));
      sign_block(lying, filter.handle);
      const Proof proof = prove(lying);
      EXPECT_EQ(proof.verdict(), Verdict::kDenies) << name << " at " << at << ": " << shown(proof);
      EXPECT_GT(proof.denied, 0u);
      EXPECT_LE(proof.denied_keys.size(), Proof::kMostDeniedKeys);
    }
    std::string damaged = file;
    damaged[filter.handle.offset] = static_cast<char>(damaged[filter.handle.offset] ^ 1);
    const Proof proof = prove(damaged);
    EXPECT_EQ(proof.verdict(), Verdict::kDamaged) << name;
    EXPECT_EQ(proof.findings.size(), 1u) << shown(proof);
  }
}

TEST_F(TableProof, AFilterOfAnotherTableIsDenied) {
  const std::string file = unpacked_golden("leveldb/db_none.ldb");
  const std::string other = unpacked_golden("leveldb/db_snappy.ldb");
  const FilterPlace filter = filter_of(file);
  std::string lying = file;
  std::string stretched = other.substr(filter_of(other).handle.offset, 1024);
  lying.replace(filter.handle.offset, stretched.size(), stretched);
  sign_block(lying, filter.handle);
  EXPECT_NE(prove(lying).verdict(), Verdict::kSound);
}

TEST_F(TableProof, NoFlippedByteIsSound) {
  for (const char* const name : {"leveldb/db_logged/000005.ldb", "rocksdb/db_logged_fv7/000010.sst"}) {
    for_each_flip(
        golden_file(name),
        [&](const std::string& damaged, const std::string& what) {
          EXPECT_NE(prove(damaged).verdict(), Verdict::kSound) << name << ": " << what;
        },
        Flips::kOneInTurn);
  }
}

TEST_F(TableProof, NoCutTableIsSoundAndEveryOneIsDamaged) {
  for_each_cut(golden_file("leveldb/db_logged/000005.ldb"),
               [&](const std::string& cut, const std::string& what) {
                 EXPECT_EQ(prove(cut).verdict(), Verdict::kDamaged) << what;
               });
}

// Each data block is damaged in turn: the others are asked all the same.
TEST_F(TableProof, ADamagedBlockIsOneFindingAndTheOthersAreAsked) {
  std::string file = unpacked_golden("leveldb/db_none.ldb");
  const std::uint64_t all = prove(file).keys;
  file[5000] = static_cast<char>(file[5000] ^ 1);
  const Proof proof = prove(file);
  EXPECT_EQ(proof.verdict(), Verdict::kDamaged);
  EXPECT_EQ(proof.findings.size(), 1u) << shown(proof);
  EXPECT_EQ(proof.denied, 0u);
  EXPECT_GT(proof.keys, all - 100);
  EXPECT_LT(proof.keys, all);
}

TEST_F(TableProof, ATableWithoutAFilterIsUnproven) {
  TableCrafter table(sstable::TableMagic::kLevelDb);
  const auto data = table.append(block_bytes(entry_bytes(0, internal_key("a"), "1")));
  const auto meta = table.append(block_bytes(""));
  const auto index = table.append(block_bytes(entry_bytes(0, internal_key("b"), handle_bytes(data))));
  const Proof proof = prove(table.finished(meta, index));
  EXPECT_EQ(proof.verdict(), Verdict::kUnproven) << shown(proof);
  EXPECT_EQ(proof.unproven, std::vector<std::string>{"it has no filter"});
}

// A table of 100 keys whose filter has another name, or is LevelDB's of other keys.
std::string table_of_policy(const std::string& name, const std::string& in_filter) {
  TableCrafter table(sstable::TableMagic::kLevelDb);
  LevelDbFilterBlockWriter writer(10);
  std::string entries;
  EXPECT_TRUE(writer.start_block(0));
  for (int i = 100; i < 200; ++i) {
    entries += entry_bytes(0, internal_key("key" + std::to_string(i)), "value");
    writer.add_key(in_filter + std::to_string(i));
  }
  const auto data = table.append(block_bytes(entries));
  const auto filter = table.append(*writer.finish());
  const auto meta = table.append(block_bytes(entry_bytes(0, name, handle_bytes(filter))));
  return table.finished(meta,
                        table.append(block_bytes(entry_bytes(0, internal_key("l"), handle_bytes(data)))));
}

// A filter of an unknown policy is recognised by what it computes, and not asked unless somebody says so.
TEST_F(TableProof, AFilterUnderAnotherNameIsRecognisedByItsAnswers) {
  const Proof own = prove(table_of_policy("filter.of.mine", "key"));
  EXPECT_EQ(own.verdict(), Verdict::kUnproven) << shown(own);
  ASSERT_EQ(own.notes.size(), 2u);  // no key has a byte above 127, so the two rules agree
  EXPECT_TRUE(own.notes.front().starts_with("its filter answers like leveldb's: all 100 keys are in"))
      << own.notes.front();
  const Proof other = prove(table_of_policy("filter.of.mine", "other"));
  EXPECT_EQ(other.verdict(), Verdict::kUnproven) << shown(other);
  EXPECT_TRUE(other.notes.empty());
  EXPECT_EQ(prove(table_of_policy("filter.leveldb.BuiltinBloomFilter2", "key")).verdict(), Verdict::kSound);
  EXPECT_EQ(prove(table_of_policy("filter.leveldb.BuiltinBloomFilter2", "other")).verdict(),
            Verdict::kDenies);

  const std::string named = table_of_policy("filter.of.mine", "key");
  EXPECT_EQ(view_dialect(bytes_of(named), "leveldb:table").error().code(), ErrorCode::kUnsupported);
  for (const char* const policy : {"leveldb:table,policy=leveldb", "leveldb:table,policy=rocksdb"}) {
    const auto filter = viewed(named, policy);
    ASSERT_NE(filter, nullptr);
    EXPECT_TRUE(filter->may_contain("key150"));
    EXPECT_FALSE(filter->may_contain("zebra"));
  }
  EXPECT_EQ(view_dialect(bytes_of(named), "leveldb:table,policy=other").error().code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(TableProof, AStoppedProofIsUnproven) {
  TableCrafter table(sstable::TableMagic::kLevelDb);
  std::string index;
  for (const char key : {'a', 'b', 'c'}) {
    const auto data =
        table.append(block_bytes(entry_bytes(0, internal_key({key}), std::string(2 << 20, 'v'))));
    index += entry_bytes(0, internal_key({key}), handle_bytes(data));
  }
  const auto meta = table.append(block_bytes(""));
  folder_.write("a.ldb", table.finished(meta, table.append(block_bytes(index))));
  const Proof proof = prove_table_file(folder_.path("a.ldb"),
                                       {.memory = {}, .progress = [](std::uint64_t) { return false; }});
  EXPECT_EQ(proof.verdict(), Verdict::kUnproven) << shown(proof);
  EXPECT_EQ(proof.unproven.back(), "the proof was stopped");
}

TEST_F(TableProof, AMissingFileIsUnproven) {
  EXPECT_EQ(prove_table_file(folder_.path("no.ldb"), {}).verdict(), Verdict::kUnproven);
}

}  // namespace
}  // namespace bloomery
