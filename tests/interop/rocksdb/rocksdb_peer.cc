// RocksDB's side of tests/interop/rocksdb/run, by RocksDB's public headers:
//
//   rocksdb_peer table POLICY BITS VERSION KEYS SST    a table of all keys; POLICY is bloom or ribbon,
//   VERSION the format's rocksdb_peer filter SST FILTER                     the filter as RocksDB reads it
//   from a table rocksdb_peer ask SST FILTER KEYS     one Get() a key from a database of that table, with the
//   bytes of FILTER in the
//                                        place of the table's filter; prints the keys that the filter did not
//                                        deny
//   rocksdb_peer database BITS KEYS FOLDER             a compacted database of several tables
//   rocksdb_peer ask-database FOLDER KEYS              the same as ask, with its own filters
//
// What reads a filter (FilterBitsReader) is not in the public headers, but what makes one is: a policy of
// ours gives RocksDB's own reader other bytes than the table's. The answer is told by the counters of
// PerfContext.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <string>
#include <vector>

#include "../lines.h"

namespace {

namespace fs = std::filesystem;

void require(const rocksdb::Status& status) {
  if (!status.ok()) {
    fail(status.ToString());
  }
}

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

Policy policy_of(const std::string& name, double bits_per_key) {
  return Policy(name == "ribbon" ? rocksdb::NewRibbonFilterPolicy(bits_per_key, -1)
                                 : rocksdb::NewBloomFilterPolicy(bits_per_key));
}

// RocksDB's policy; keeps the bytes that it is given to read, or has others read.
class SwappingPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit SwappingPolicy(std::string other = {}) : other_(std::move(other)) {}

  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override { return policy_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    read_ = contents.ToString();
    return policy_->GetFilterBitsReader(other_.empty() ? contents : rocksdb::Slice(other_));
  }
  const std::string& read() const { return read_; }

 private:
  Policy policy_ = policy_of("bloom", 10);
  std::string other_;
  mutable std::string read_;
};

rocksdb::Options options_with(Policy policy, std::uint32_t version = 5) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  table.format_version = version;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<rocksdb::DB> open(const rocksdb::Options& options, const std::string& folder) {
  rocksdb::DB* db = nullptr;
  require(rocksdb::DB::Open(options, folder, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

void make_table(const Policy& policy, std::uint32_t version, const std::string& key_file,
                const std::string& sst) {
  std::vector<std::string> keys = read_lines(key_file);
  std::ranges::sort(keys);
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options_with(policy, version));
  require(writer.Open(sst));
  for (const std::string& key : keys) {
    require(writer.Put(key, "a value of some bytes"));
  }
  require(writer.Finish());
}

// A database beside the table that takes in a copy of it.
std::unique_ptr<rocksdb::DB> database_of(const std::string& sst, const Policy& policy) {
  const std::string folder = sst + ".db";
  fs::remove_all(folder);
  rocksdb::Options options = options_with(policy);
  options.create_if_missing = true;
  auto db = open(options, folder);
  require(db->IngestExternalFile({sst}, rocksdb::IngestExternalFileOptions()));
  return db;
}

void print_not_denied(rocksdb::DB& db, const std::string& key_file, bool of_one_table) {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::PerfContext& counters = *rocksdb::get_perf_context();
  rocksdb::PinnableSlice value;
  for (const std::string& key : read_lines(key_file)) {
    counters.Reset();
    value.Reset();
    const rocksdb::Status found = db.Get(rocksdb::ReadOptions(), db.DefaultColumnFamily(), key, &value);
    const auto asked = counters.bloom_sst_hit_count + counters.bloom_sst_miss_count;
    if (asked > 1 || (asked == 0 && of_one_table)) {
      fail("asked " + std::to_string(asked) + " times about " + key);
    }
    if (counters.bloom_sst_hit_count == 1) {
      print_line(key);
    } else if (found.ok()) {
      fail("found what its filter denies: " + key);
    }
  }
}

void ask(const std::string& sst, const std::string& filter, const std::string& key_file) {
  const auto policy = std::make_shared<SwappingPolicy>(read_bytes(filter));
  const auto db = database_of(sst, policy);
  print_not_denied(*db, key_file, true);
}

void take_filter(const std::string& sst, const std::string& path) {
  const auto policy = std::make_shared<SwappingPolicy>();
  const auto db = database_of(sst, policy);
  rocksdb::PinnableSlice value;
  db->Get(rocksdb::ReadOptions(), db->DefaultColumnFamily(), "a key", &value).PermitUncheckedError();
  write_bytes(path, policy->read());
}

void make_database(double bits_per_key, const std::string& key_file, const std::string& folder) {
  rocksdb::Options options = options_with(policy_of("bloom", bits_per_key));
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.target_file_size_base = 1000000;
  const auto db = open(options, folder);
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  for (const std::string& key : read_lines(key_file)) {
    require(db->Put(unlogged, key, "a value of some bytes"));
  }
  require(db->Flush(rocksdb::FlushOptions()));
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  require(db->CompactRange(all, nullptr, nullptr));
}

void ask_database(const std::string& folder, const std::string& key_file) {
  const auto db = open(options_with(policy_of("bloom", 10)), folder);
  print_not_denied(*db, key_file, false);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string job = words.empty() ? "" : words[0];
  if (job == "table" && words.size() == 6) {
    make_table(policy_of(words[1], std::stod(words[2])), static_cast<std::uint32_t>(std::stoul(words[3])),
               words[4], words[5]);
  } else if (job == "filter" && words.size() == 3) {
    take_filter(words[1], words[2]);
  } else if (job == "ask" && words.size() == 4) {
    ask(words[1], words[2], words[3]);
  } else if (job == "database" && words.size() == 4) {
    make_database(std::stod(words[1]), words[2], words[3]);
  } else if (job == "ask-database" && words.size() == 3) {
    ask_database(words[1], words[2]);
  } else {
    fail("usage: see the head of rocksdb_peer.cc");
  }
}
