// What do our filter policies save LevelDB, and what does a question cost?
//
//   leveldb_policy_bench reads    a live LevelDB of a million keys of 16 bytes with values of 100, written in
//                                 random order and compacted, under each policy and under none: data blocks
//                                 read per Get, without a block cache. CSV:
//                                 policy,bits_per_key,filter_bits_per_key,absent_reads,present_reads
//   leveldb_policy_bench speed    one filter of LevelDB's bytes, asked about keys of 16 bytes by LevelDB's
//                                 policy, by ours, and in batches of 1,024 by the dialect "leveldb:raw". CSV:
//                                 keys,asked,leveldb_ns,policy_ns,batch_ns,policy_ratio,batch_ratio
//
// A ratio is LevelDB's time over ours, in the same round; contestants take turns and medians are printed.
// Fails where a key is lost. Run pinned:  taskset -c 1 build/bench/bench/leveldb_policy_bench speed
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/write_batch.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "bench/timing.h"
#include "bloomery/adapters/leveldb_policy.h"
#include "bloomery/dialects/dialects.h"

namespace bloomery {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "leveldb_policy_bench: {}\n", what);
  std::exit(1);
}

void require(const leveldb::Status& status) {
  if (!status.ok()) {
    fail(status.ToString());
  }
}

// Random, different for each i; even ones are in.
std::string key_of(std::uint64_t i) {
  return fmt::format("{:016x}", mixed(i));
}

// Counts what is read from tables; opening them included.
class CountedFile final : public leveldb::RandomAccessFile {
 public:
  CountedFile(leveldb::RandomAccessFile* file, std::atomic<std::uint64_t>& reads)
      : file_(file), reads_(reads) {}
  leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result,
                       char* scratch) const override {
    reads_.fetch_add(1, std::memory_order_relaxed);
    return file_->Read(offset, size, result, scratch);
  }

 private:
  std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::atomic<std::uint64_t>& reads_;
};

class CountingEnv final : public leveldb::EnvWrapper {
 public:
  CountingEnv() : EnvWrapper(leveldb::Env::Default()) {}
  leveldb::Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** file) override {
    leveldb::Status status = target()->NewRandomAccessFile(name, file);
    if (status.ok()) {
      *file = new CountedFile(*file, reads_);
    }
    return status;
  }
  std::uint64_t reads() const { return reads_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> reads_{0};
};

// A policy that weighs the filters it makes.
class WeighedPolicy final : public leveldb::FilterPolicy {
 public:
  explicit WeighedPolicy(Policy policy) : policy_(std::move(policy)) {}
  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int count, std::string* out) const override {
    const std::size_t before = out->size();
    policy_->CreateFilter(keys, count, out);
    keys_.fetch_add(static_cast<std::uint64_t>(count), std::memory_order_relaxed);
    bytes_.fetch_add(out->size() - before, std::memory_order_relaxed);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return policy_->KeyMayMatch(key, filter);
  }
  double bits_per_key() const {
    return static_cast<double>(bytes_.load()) * 8 / static_cast<double>(keys_.load());
  }

 private:
  Policy policy_;
  mutable std::atomic<std::uint64_t> keys_{0};
  mutable std::atomic<std::uint64_t> bytes_{0};
};

constexpr std::uint64_t kKeys = 1'000'000;
constexpr std::uint64_t kGets = 200'000;

void fill(leveldb::DB& db) {
  std::string value(100, '\0');
  for (std::uint64_t i = 0; i < kKeys;) {
    leveldb::WriteBatch batch;
    for (const std::uint64_t end = i + 1000; i < end; ++i) {
      for (std::size_t j = 0; j < value.size(); ++j) {
        value[j] = static_cast<char>(mixed(i * 128 + j));
      }
      batch.Put(key_of(2 * i), value);
    }
    require(db.Write(leveldb::WriteOptions(), &batch));
  }
  db.CompactRange(nullptr, nullptr);
}

// Data blocks read per Get of keys that are in, or of keys between them; all tables are open.
double reads_per_get(leveldb::DB& db, const CountingEnv& env, bool present) {
  std::string value;
  const std::uint64_t before = env.reads();
  for (std::uint64_t i = 0; i < kGets; ++i) {
    const std::uint64_t number = 2 * (mixed(i) % kKeys) + (present ? 0 : 1);
    if (db.Get(leveldb::ReadOptions(), key_of(number), &value).ok() != present) {
      fail("a key was lost, or found that was never in");
    }
  }
  return static_cast<double>(env.reads() - before) / static_cast<double>(kGets);
}

void measure_reads(const std::string& name, int bits_per_key, Policy policy) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("bloomery-leveldb-policy-{}", ::getpid());
  CountingEnv env;
  const std::unique_ptr<leveldb::Cache> no_cache(leveldb::NewLRUCache(0));
  const bool filtered = policy != nullptr;
  const WeighedPolicy weighed(std::move(policy));
  leveldb::Options options;
  options.create_if_missing = true;
  options.env = &env;
  options.block_cache = no_cache.get();
  options.filter_policy = filtered ? &weighed : nullptr;
  leveldb::DB* opened = nullptr;
  require(leveldb::DB::Open(options, folder.string(), &opened));
  std::unique_ptr<leveldb::DB> db(opened);
  fill(*db);
  reads_per_get(*db, env, true);  // opens the tables
  const double absent = reads_per_get(*db, env, false);
  const double present = reads_per_get(*db, env, true);
  fmt::print("{},{},{:.2f},{:.4f},{:.4f}\n", name, bits_per_key, filtered ? weighed.bits_per_key() : 0.0,
             absent, present);
  std::fflush(stdout);
  db.reset();
  std::filesystem::remove_all(folder);
}

void measure_all_reads() {
  fmt::print("policy,bits_per_key,filter_bits_per_key,absent_reads,present_reads\n");
  measure_reads("none", 0, nullptr);
  measure_reads("LevelDB's own", 10, Policy(leveldb::NewBloomFilterPolicy(10)));
  measure_reads("our bloom policy", 10, new_leveldb_bloom_policy(10));
  measure_reads("our blocked policy", 10, new_leveldb_blocked_policy(10));
  // About what the cache lines of the last one take.
  for (const int bits_per_key : {14, 16}) {
    measure_reads("LevelDB's own", bits_per_key, Policy(leveldb::NewBloomFilterPolicy(bits_per_key)));
  }
}

constexpr std::size_t kAsked = std::size_t{1} << 14;  // so few that they stay in the second-level cache
constexpr std::size_t kBatch = 1024;
constexpr int kRounds = 101;

Cost ask_policy(const leveldb::FilterPolicy& policy, const std::string& filter,
                const std::vector<std::string>& keys, std::uint64_t& matched) {
  return timed(keys.size(), [&] {
    std::uint64_t count = 0;
    for (const std::string& key : keys) {
      count += policy.KeyMayMatch(key, filter) ? 1U : 0U;
    }
    matched = count;
  });
}

Cost ask_batches(const DialectFilter& filter, std::span<const std::string_view> keys,
                 std::uint64_t& matched) {
  return timed(keys.size(), [&] {
    std::vector<std::uint64_t> answers(answer_words(kBatch));
    std::uint64_t count = 0;
    for (std::size_t at = 0; at < keys.size(); at += kBatch) {
      filter.may_contain_batch(keys.subspan(at, kBatch), answers);
      for (const std::uint64_t word : answers) {
        count += static_cast<std::uint64_t>(std::popcount(word));
      }
    }
    matched = count;
  });
}

void measure_speed(std::uint64_t key_count, bool present) {
  const Policy own(leveldb::NewBloomFilterPolicy(10));
  const Policy ours = new_leveldb_bloom_policy(10);
  std::vector<std::string> members;
  for (std::uint64_t i = 0; i < key_count; ++i) {
    members.push_back(key_of(2 * i));
  }
  std::string filter;
  std::string same;
  const std::vector<leveldb::Slice> slices(members.begin(), members.end());
  own->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  ours->CreateFilter(slices.data(), static_cast<int>(slices.size()), &same);
  const auto raw = view_dialect(std::as_bytes(std::span(filter)), "leveldb:raw");
  if (filter != same || !raw) {
    fail("the filters differ");
  }
  std::vector<std::string> keys(kAsked);
  for (std::uint64_t i = 0; i < kAsked; ++i) {
    keys[i] = key_of(2 * (mixed(i) % key_count) + (present ? 0 : 1));
  }
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<double> ns[3];
  std::vector<double> ratios[2];
  for (int round = 0; round < kRounds; ++round) {
    std::uint64_t matched[3];
    const double times[3] = {ask_policy(*own, filter, keys, matched[0]).ns,
                             ask_policy(*ours, filter, keys, matched[1]).ns,
                             ask_batches(**raw, views, matched[2]).ns};
    if (matched[1] != matched[0] || matched[2] != matched[0] || (present && matched[0] != kAsked)) {
      fail("the answers differ");
    }
    for (int i = 0; i < 3; ++i) {
      ns[i].push_back(times[i]);
    }
    ratios[0].push_back(times[0] / times[1]);
    ratios[1].push_back(times[0] / times[2]);
  }
  fmt::print("{},{},{:.1f},{:.1f},{:.1f},{:.2f},{:.2f}\n", key_count, present ? "present" : "absent",
             median(ns[0]), median(ns[1]), median(ns[2]), median(ratios[0]), median(ratios[1]));
  std::fflush(stdout);
}

int run(std::string_view what) {
  if (what == "reads") {
    measure_all_reads();
    return 0;
  }
  if (what != "speed") {
    fmt::print(stderr, "usage: leveldb_policy_bench reads|speed\n");
    return 2;
  }
  fmt::print("keys,asked,leveldb_ns,policy_ns,batch_ns,policy_ratio,batch_ratio\n");
  for (const std::uint64_t keys : {40U, 1000U, 100000U, 1000000U}) {
    measure_speed(keys, true);
    measure_speed(keys, false);
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run(argc == 2 ? argv[1] : "");
}
