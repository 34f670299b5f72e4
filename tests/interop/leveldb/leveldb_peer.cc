// LevelDB's side of tests/interop/leveldb/run, by LevelDB's public headers:
//
//   leveldb_peer create BITS KEYS FILTER      CreateFilter() of NewBloomFilterPolicy(BITS)
//   leveldb_peer ask FILTER KEYS              prints the keys for which KeyMayMatch()
//   leveldb_peer database BITS KEYS FOLDER MOST_BYTES     a compacted database with tables of at most so many
//   bytes leveldb_peer ask-database FOLDER KEYS     one Get() a key; prints those that the policy, as the
//   database asked it,
//                                             did not deny. Fails for a key that it was asked about twice,
//                                             and for one in a database of one table that it was not asked
//                                             about.
//   leveldb_peer log KEYS FOLDER              puts keys, the last of which stay in the log
#include <cstdlib>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../lines.h"

namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

void require(const leveldb::Status& status) {
  if (!status.ok()) {
    fail(status.ToString());
  }
}

void create(int bits_per_key, const std::string& key_file, const std::string& path) {
  const std::vector<std::string> keys = read_lines(key_file);
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  const Policy policy(leveldb::NewBloomFilterPolicy(bits_per_key));
  std::string filter;
  policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  write_bytes(path, filter);
}

void ask(const std::string& path, const std::string& key_file) {
  const std::string filter = read_bytes(path);
  const Policy policy(leveldb::NewBloomFilterPolicy(10));  // what it asks is in the filter's last byte
  for (const std::string& key : read_lines(key_file)) {
    if (policy->KeyMayMatch(key, filter)) {
      print_line(key);
    }
  }
}

std::unique_ptr<leveldb::DB> open(const leveldb::Options& options, const std::string& folder) {
  leveldb::DB* db = nullptr;
  require(leveldb::DB::Open(options, folder, &db));
  return std::unique_ptr<leveldb::DB>(db);
}

void make_database(int bits_per_key, const std::string& key_file, const std::string& folder,
                   std::size_t most_bytes) {
  const Policy policy(leveldb::NewBloomFilterPolicy(bits_per_key));
  leveldb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.filter_policy = policy.get();
  options.max_file_size = most_bytes;
  const auto db = open(options, folder);
  for (const std::string& key : read_lines(key_file)) {
    require(db->Put(leveldb::WriteOptions(), key, "a value of some bytes"));
  }
  // The first call looks for the deepest level before a table that is being written has reached its own.
  db->CompactRange(nullptr, nullptr);
  db->CompactRange(nullptr, nullptr);
}

void log_keys(const std::string& key_file, const std::string& folder) {
  const Policy policy(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options;
  options.filter_policy = policy.get();
  const auto db = open(options, folder);
  for (const std::string& key : read_lines(key_file)) {
    require(db->Put(leveldb::WriteOptions(), key, "a value of some bytes"));
  }
}

// LevelDB's policy, and how often it was asked and did not deny.
class WatchedPolicy final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int count, std::string* filter) const override {
    policy_->CreateFilter(keys, count, filter);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool matches = policy_->KeyMayMatch(key, filter);
    asked_ += 1;
    matched_ += matches ? 1 : 0;
    return matches;
  }
  int take_asked() const { return std::exchange(asked_, 0); }
  int take_matched() const { return std::exchange(matched_, 0); }

 private:
  Policy policy_{leveldb::NewBloomFilterPolicy(10)};
  mutable int asked_ = 0;
  mutable int matched_ = 0;
};

int table_count(leveldb::DB& db) {
  int count = 0;
  for (int level = 0; level < 7; ++level) {
    std::string files;
    if (!db.GetProperty("leveldb.num-files-at-level" + std::to_string(level), &files)) {
      fail("no number of tables");
    }
    count += std::stoi(files);
  }
  return count;
}

void ask_database(const std::string& folder, const std::string& key_file) {
  const WatchedPolicy policy;
  leveldb::Options options;
  options.filter_policy = &policy;
  const auto db = open(options, folder);
  const int tables = table_count(*db);
  std::string value;
  for (const std::string& key : read_lines(key_file)) {
    const leveldb::Status found = db->Get(leveldb::ReadOptions(), key, &value);
    const int asked = policy.take_asked();
    if (asked > 1 || (asked == 0 && tables == 1)) {
      fail("asked " + std::to_string(asked) + " times about " + key);
    }
    if (policy.take_matched() == 1) {
      print_line(key);
    } else if (found.ok()) {
      fail("found what its filter denies: " + key);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string job = words.empty() ? "" : words[0];
  if (job == "create" && words.size() == 4) {
    create(std::stoi(words[1]), words[2], words[3]);
  } else if (job == "ask" && words.size() == 3) {
    ask(words[1], words[2]);
  } else if (job == "database" && words.size() == 5) {
    make_database(std::stoi(words[1]), words[2], words[3], std::stoul(words[4]));
  } else if (job == "log" && words.size() == 3) {
    log_keys(words[1], words[2]);
  } else if (job == "ask-database" && words.size() == 3) {
    ask_database(words[1], words[2]);
  } else {
    fail("usage: see the head of leveldb_peer.cc");
  }
}
