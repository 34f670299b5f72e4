// Folders of Cassandra: those that a real node left, during compactions too, and what can be wrong with one.
#include "bloomery/dialects/cassandra_directory.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "codec/cassandra/key_type.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"
#include "codec/cassandra/transaction_log.h"
#include "tests/base/test_folder.h"
#include "tests/codec/cassandra_keys.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden_archive.h"

namespace bloomery {
namespace {

using Archive = std::map<std::string, std::string>;

const Archive& archive(const std::string& name) {
  static std::map<std::string, Archive> known;
  const auto found = known.find(name);
  return found != known.end() ? found->second : known.emplace(name, cassandra_archive(name)).first->second;
}

// Writes the files of one folder of an archive.
void lay_out(const TestFolder& folder, const Archive& files, const std::string& from) {
  for (const auto& [name, bytes] : files) {
    if (name.starts_with(from + "/")) {
      folder.write(name.substr(from.size() + 1), bytes);
    }
  }
}

std::string key_of(const std::string& family, std::uint64_t i) {
  return cassandra_keys::family(family).key(i).bytes;
}

std::vector<std::string> names_of(const CassandraDirectory& directory) {
  std::vector<std::string> names;
  for (const SSTableOfDirectory& sstable : directory.sstables()) {
    names.push_back(sstable.name);
  }
  return names;
}

TEST(CassandraDirectory, EveryTableOfEveryReleaseAnswersAsTheOriginal) {
  for (const char* release : {"me-3.11.19", "nb-5.0.6", "oa-5.0.6-uuid-ids", "bti-da-5.0.6"}) {
    const Archive& files = archive(release);
    std::map<std::string, std::vector<std::map<std::string, std::string>>> tables;
    for (const auto& row : rows_of(files.at("manifest.csv"))) {
      tables[row.at("table")].push_back(row);
    }
    for (const auto& [table, rows] : tables) {
      SCOPED_TRACE(std::string(release) + " " + table);
      const TestFolder folder;
      lay_out(folder, files, table);
      const auto directory = CassandraDirectory::open(folder.path(""));
      ASSERT_TRUE(directory) << directory.error().to_string();
      EXPECT_EQ(directory->sstables().size(), rows.size());
      EXPECT_TRUE(directory->notes().empty());
      const auto type = directory->key_type();
      ASSERT_TRUE(type && *type);
      const auto same = parse_cassandra_key_type(cassandra_keys::family(rows.front().at("family")).cql);
      EXPECT_EQ(describe(*parse_cassandra_key_type(**type)), describe(*same));
      for (const auto& row : rows) {
        const auto& sstable =
            *std::ranges::find(directory->sstables(), row.at("sstable"), &SSTableOfDirectory::name);
        if (row.at("fp_chance") == "1.0") {
          EXPECT_EQ(sstable.filter, nullptr);
          EXPECT_TRUE(directory->may_contain("anything"));
          continue;
        }
        ASSERT_NE(sstable.filter, nullptr) << sstable.trouble;
        EXPECT_EQ(sstable.filter->facts().set_bits, std::stoull(row.at("bits_set")));
        EXPECT_EQ(*sstable.filter->facts().target_fpp, std::stod(row.at("fp_chance")));
        std::uint64_t yes = 0;
        const std::uint64_t first = table == "offline_writer" ? 700 : 0;
        for (std::uint64_t i = 0; i < std::stoull(row.at("keys_asked")); ++i) {
          yes += sstable.may_contain(key_of(row.at("family"), first + i)) ? 1U : 0U;
        }
        EXPECT_EQ(yes, std::stoull(row.at("keys_answered_yes")));
      }
    }
  }
}

TEST(CassandraDirectory, ACommittedCompactionLeavesOnlyItsResult) {
  for (const char* release : {"me-3.11.19", "nb-5.0.6"}) {
    const TestFolder folder;
    lay_out(folder, archive("transactions"), std::string(release) + "/committed");
    const auto directory = CassandraDirectory::open(folder.path(""));
    ASSERT_TRUE(directory) << directory.error().to_string();
    EXPECT_EQ(names_of(*directory), std::vector<std::string>{std::string(release).substr(0, 2) + "-4-big"});
    EXPECT_EQ(directory->notes().size(), 3u);
    for (std::uint64_t i = 0; i < 100; ++i) {
      EXPECT_TRUE(directory->may_contain(key_of("uuid", i)));
    }
  }
}

// Two seconds before, the log had no COMMIT yet. What it adds may be half written.
TEST(CassandraDirectory, ACompactionWithoutCommitLeavesWhatItReads) {
  for (const char* ending : {"", "COMMIT:[,0,0][2613697771]", "ABORT"}) {
    const TestFolder folder;
    Archive files = archive("transactions");
    for (auto& [name, bytes] : files) {
      if (name.starts_with("nb-5.0.6/committed") && name.ends_with(".log")) {
        bytes = bytes.substr(0, bytes.find("COMMIT")) + ending;
        // A copy of a folder has all files of what is to be removed, or the database would not start either.
        bytes = bytes.substr(0, bytes.find("REMOVE")) + ending;
      }
    }
    lay_out(folder, files, "nb-5.0.6/committed");
    const auto directory = CassandraDirectory::open(folder.path(""));
    ASSERT_TRUE(directory) << directory.error().to_string();
    EXPECT_EQ(names_of(*directory), (std::vector<std::string>{"nb-1-big", "nb-2-big", "nb-3-big"}));
    ASSERT_EQ(directory->notes().size(), 1u);
    EXPECT_NE(directory->notes()[0].find("nb-4-big"), std::string::npos);
  }
}

TEST(CassandraDirectory, AnUnfinishedWriteIsNotLive) {
  for (const char* release : {"me-3.11.19", "nb-5.0.6"}) {
    const TestFolder folder;
    lay_out(folder, archive("transactions"), std::string(release) + "/unfinished");
    const auto directory = CassandraDirectory::open(folder.path(""));
    ASSERT_TRUE(directory) << directory.error().to_string();
    EXPECT_TRUE(directory->sstables().empty());
    EXPECT_EQ(directory->notes().size(), 1u);
    EXPECT_FALSE(directory->may_contain("anything"));
  }
}

TEST(CassandraDirectory, ADamagedLogIsAnError) {
  const TestFolder folder;
  lay_out(folder, archive("transactions"), "nb-5.0.6/committed");
  const auto log_name = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
      if (entry.path().extension() == ".log") {
        return entry.path().filename().string();
      }
    }
    return std::string();
  }();
  std::string log = archive("transactions").at("nb-5.0.6/committed/" + log_name);
  log[log.find("nb-1-big")] = 'x';
  folder.write(log_name, log);
  const auto directory = CassandraDirectory::open(folder.path(""));
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(directory.error().to_string().find("line 2"), std::string::npos) << directory.error().to_string();
}

// Whatever one byte is damaged, or wherever the log ends: an error, or what it says is what the whole log says or what
// it would say without its last record.
TEST(CassandraDirectory, EveryFlipAndCutOfALogIsAnErrorOrASoundAnswer) {
  for (const auto& [name, whole] : archive("transactions")) {
    if (name.find("nb-5.0.6/committed") == std::string::npos || !name.ends_with(".log")) {
      continue;
    }
    const auto check = [](const std::string& text, const std::string& what) {
      const auto log = read_transaction_log(text);
      if (!log) {
        EXPECT_EQ(log.error().code(), ErrorCode::kCorruption) << what;
        return;
      }
      EXPECT_TRUE(!log->committed() || log->records.size() == 5) << what;
      for (const TransactionRecord& record : log->records) {
        EXPECT_TRUE(record.sstable.empty() || record.sstable.starts_with("nb-")) << what;
      }
    };
    check(whole, "whole");
    EXPECT_TRUE(read_transaction_log(whole)->committed());
    for_each_flip(whole, check);
    for_each_cut(whole, check);
    EXPECT_FALSE(read_transaction_log(whole + whole));
  }
}

SSTableFiles files(const char* name, std::uint32_t count, std::uint64_t newest = 0) {
  return {.sstable = name, .files = count, .newest_ms = newest};
}

TEST(CassandraDirectory, LogsThatContradictTheFilesAreErrors) {
  const TransactionLog running{.records = {{TransactionRecordType::kAdd, "/d", "nb-3-big", 0, 8},
                                           {TransactionRecordType::kRemove, "/d", "nb-1-big", 1000, 8}}};
  const auto dead = [&running](std::vector<SSTableFiles> present, const char* folder) {
    return dead_sstables(running, folder, present);
  };
  EXPECT_EQ(*dead({files("nb-1-big", 8, 1000), files("nb-3-big", 2)}, "/d"),
            std::vector<std::string>{"nb-3-big"});
  EXPECT_FALSE(dead({files("nb-1-big", 7, 1000)}, "/d"));    // a file is gone without a COMMIT
  EXPECT_FALSE(dead({}, "/d"));                              // all are
  EXPECT_FALSE(dead({files("nb-1-big", 8, 1001)}, "/d"));    // restored from a backup
  EXPECT_TRUE(dead({files("nb-1-big", 8, 1001)}, "/copy"));  // a copy has times of its own
  EXPECT_FALSE(dead({files("nb-1-big", 7)}, "/copy"));
  EXPECT_FALSE(dead({}, "/copy"));  // what is added must not be dropped if what it replaces is not there
  TransactionLog done = running;
  done.records.push_back({TransactionRecordType::kCommit, "", "", 0, 0});
  const std::vector<SSTableFiles> left = {files("nb-1-big", 3, 1000), files("nb-3-big", 8)};
  EXPECT_EQ(*dead_sstables(done, "/d", left), std::vector<std::string>{"nb-1-big"});
  EXPECT_TRUE(is_transaction_log_name("nb_txn_compaction_9f0ca150-e660-11f1-a1dc-e3b0fed93f17.log"));
  EXPECT_TRUE(is_transaction_log_name("bti-da_txn_write_9f0ca150-e660-11f1-a1dc-e3b0fed93f17.log"));
  EXPECT_TRUE(is_transaction_log_name("txn_flush_9f0ca150-e660-11f1-a1dc-e3b0fed93f17.log"));
  EXPECT_FALSE(is_transaction_log_name("000007.log"));
}

TEST(CassandraDirectory, DamageAndMissingFiltersForceMaybes) {
  const auto trouble = [](const char* file, auto change) {
    const TestFolder folder;
    lay_out(folder, archive("nb-5.0.6"), "text");
    std::string bytes = archive("nb-5.0.6").at(std::string("text/nb-1-big-") + file);
    change(bytes);
    folder.write(std::string("nb-1-big-") + file, bytes);
    const auto directory = CassandraDirectory::open(folder.path(""));
    EXPECT_TRUE(directory) << directory.error().to_string();
    EXPECT_TRUE(directory->may_contain("key-000000"));
    EXPECT_EQ(directory->may_contain("absent"), directory->sstables()[0].filter == nullptr);
    return directory->sstables()[0].trouble;
  };
  EXPECT_EQ(trouble("Filter.db", [](std::string&) {}), "");
  EXPECT_NE(trouble("Filter.db", [](std::string& bytes) { bytes.pop_back(); }).find("words"),
            std::string::npos);
  EXPECT_NE(trouble("Filter.db", [](std::string& bytes) { bytes[3] = 7; }).find("fpp"), std::string::npos);
  EXPECT_NE(trouble("Statistics.db", [](std::string& bytes) { bytes[60] ^= 1; }).find("checksum"),
            std::string::npos);
  EXPECT_NE(trouble("TOC.txt", [](std::string& bytes) { bytes.erase(bytes.find("Filter.db"), 10); })
                .find("TOC.txt"),
            std::string::npos);
  const TestFolder folder;
  lay_out(folder, archive("nb-5.0.6"), "text");
  std::filesystem::remove(folder.path("nb-1-big-Filter.db"));
  EXPECT_NE(CassandraDirectory::open(folder.path(""))->sstables()[0].trouble.find("missing"),
            std::string::npos);
}

TEST(CassandraDirectory, FoldersThatAreNone) {
  const TestFolder folder;
  EXPECT_EQ(CassandraDirectory::open(folder.path("nothing")).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(CassandraDirectory::open(folder.path("")).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(CassandraDirectory::looks_like_one(folder.path("")));
  folder.write("zz-1-big-Filter.db", "x");
  EXPECT_TRUE(CassandraDirectory::looks_like_one(folder.path("")));
  EXPECT_EQ(CassandraDirectory::open(folder.path("")).error().code(), ErrorCode::kUnsupported);
}

TEST(CassandraDirectory, FilesThatWereBeingWrittenBefore30AreLeftOut) {
  const TestFolder folder;
  const Archive& older = archive("older");
  folder.write("shop-orders-jb-3-Filter.db", older.at("jb_52keys_09.Filter.db"));
  folder.write("shop-orders-tmp-jb-4-Filter.db", "half of it");
  const auto directory = CassandraDirectory::open(folder.path(""));
  ASSERT_TRUE(directory) << directory.error().to_string();
  EXPECT_EQ(names_of(*directory), std::vector<std::string>{"shop-orders-jb-3"});
  EXPECT_EQ(directory->notes().size(), 1u);
  EXPECT_FALSE(*directory->key_type());
}

TEST(CassandraDirectory, SSTablesOfDifferentKeysAreAnError) {
  const TestFolder folder;
  lay_out(folder, archive("nb-5.0.6"), "text");
  for (const auto& [name, bytes] : archive("nb-5.0.6")) {
    if (name.starts_with("int/nb-1-big-")) {
      folder.write("nb-2-big-" + name.substr(13), bytes);
    }
  }
  const auto directory = CassandraDirectory::open(folder.path(""));
  ASSERT_TRUE(directory);
  EXPECT_FALSE(directory->key_type());
}

// Statistics from na on have checksums of all that is read.
TEST(CassandraDirectory, EveryFlipAndCutOfStatisticsIsNoticedWhereThereAreChecksums) {
  for (const auto& [release, version] : {std::pair("nb-5.0.6", "nb"), std::pair("me-3.11.19", "me")}) {
    const std::string prefix = std::string("comp_text_int/") + version + "-1-big-";
    const std::string& whole = archive(release).at(prefix + "Statistics.db");
    const CassandraLayout layout = *cassandra_layout(version);
    const auto read = [&layout](const std::string& bytes) {
      return read_statistics(std::as_bytes(std::span(bytes)), layout);
    };
    const auto expected = read(whole);
    ASSERT_TRUE(expected && *expected);
    EXPECT_EQ((*expected)->fpp, 0.001);
    EXPECT_EQ((*expected)->partitioner, "org.apache.cassandra.dht.Murmur3Partitioner");
    std::size_t noticed = 0;
    std::size_t flips = 0;
    for_each_flip(
        whole,
        [&](const std::string& bytes, const std::string& what) {
          const auto found = read(bytes);
          ++flips;
          noticed += found ? 0U : 1U;
          EXPECT_TRUE(found || found.error().code() == ErrorCode::kCorruption) << what;
        },
        Flips::kOneInTurn);
    if (layout.has_metadata_crc) {
      EXPECT_EQ(noticed, flips);
    }
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      const auto found = read(whole.substr(0, size));
      EXPECT_TRUE(!found || !layout.has_metadata_crc) << size;
    }
  }
}

}  // namespace
}  // namespace bloomery
