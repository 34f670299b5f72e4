#include "bench/store_targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bloomery/store/store.h"
#include "bloomery/table/row_reader.h"

#if defined(BLOOMERY_HAS_ROCKSDB)
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#endif
#if defined(BLOOMERY_HAS_LEVELDB)
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>
#endif

namespace bloomery {
namespace {

double seconds_of(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class OurTarget : public Target {
 public:
  explicit OurTarget(const TargetOptions& options)
      : store_(take(Store::create(options.path, options_of(options)))),
        table_(take(store_.create_table(schema_of_bench(options.block_bytes)))),
        reader_(take(RowReader::make(table_.reader(), {.columns = {{.family = "f", .qualifier = "q"}}}))) {}

  void put(std::string_view row, std::string_view value) override {
    take(table_.put(row, "f", "q", value, {.durability = Durability::kSyncWal}));
  }
  void put_all(const Rows& rows, std::uint64_t from, std::uint64_t to) override {
    batch_.clear();
    for (std::uint64_t i = from; i < to; ++i) {
      batch_.push_back({.row = rows[i], .family = "f", .qualifier = "q", .value = value_of(i)});
    }
    take(table_.mutate(batch_, {.durability = Durability::kSyncWal}));
  }
  bool get(std::string_view row) override { return take(reader_.get(row, row_)); }
  std::uint64_t scan(std::string_view start, std::uint64_t count) override {
    request_.start = start;
    request_.limit = count;
    TableScanner scanner = take(table_.reader().scan(request_));
    std::uint64_t rows = 0;
    while (take(scanner.next())) {
      g_sink = g_sink + scanner.result().cells().front().cell().value.size();
      ++rows;
    }
    return rows;
  }
  void compact() override { take(table_.major_compact()); }
  void finish() override { take(store_.close()); }
  bool has_rows(const std::string& path) const override { return path.find("/data/") != std::string::npos; }

 private:
  static StoreOptions options_of(const TargetOptions& options) {
    StoreOptions ours{.flush_bytes = options.buffer_bytes, .compacts = options.compacts};
    if (options.cache_bytes > 0) {
      ours.cache = BlockCache::make(options.cache_bytes);
    }
    return ours;
  }

  Store store_;
  StoreTable table_;
  RowReader reader_;
  RowResult row_;
  ScanRequest request_;
  std::vector<Mutation> batch_;
};

#if defined(BLOOMERY_HAS_ROCKSDB)
void take(const rocksdb::Status& status) {
  if (!status.ok()) {
    stop(status.ToString());
  }
}

class RocksTarget : public Target {
 public:
  explicit RocksTarget(const TargetOptions& wanted) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.write_buffer_size = wanted.buffer_bytes;
    if (!wanted.compacts) {
      options.disable_auto_compactions = true;
      options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
    }
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10, false));
    if (wanted.cache_bytes > 0) {
      table.block_cache = rocksdb::NewLRUCache(wanted.cache_bytes);
    }
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    take(rocksdb::DB::Open(options, wanted.path, &db));
    db_.reset(db);
  }
  void put(std::string_view row, std::string_view value) override { take(db_->Put({}, row, value)); }
  void put_all(const Rows& rows, std::uint64_t from, std::uint64_t to) override {
    batch_.Clear();
    for (std::uint64_t i = from; i < to; ++i) {
      take(batch_.Put(rows[i], value_of(i)));
    }
    take(db_->Write({}, &batch_));
  }
  bool get(std::string_view row) override {
    value_.Reset();
    const rocksdb::Status status = db_->Get({}, db_->DefaultColumnFamily(), row, &value_);
    if (!status.ok() && !status.IsNotFound()) {
      take(status);
    }
    return status.ok();
  }
  std::uint64_t scan(std::string_view start, std::uint64_t count) override {
    const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}));
    std::uint64_t read = 0;
    for (rows->Seek(start); read < count && rows->Valid(); rows->Next()) {
      g_sink = g_sink + rows->key().size() + rows->value().size();
      ++read;
    }
    take(rows->status());
    return read;
  }
  void compact() override { take(db_->CompactRange({}, nullptr, nullptr)); }
  void finish() override {
    take(db_->Flush({}));
    take(db_->Close());
  }
  bool has_rows(const std::string& path) const override { return path.ends_with(".sst"); }

 private:
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::PinnableSlice value_;
  rocksdb::WriteBatch batch_;
};
#endif

#if defined(BLOOMERY_HAS_LEVELDB)
void take(const leveldb::Status& status) {
  if (!status.ok()) {
    stop(status.ToString());
  }
}
leveldb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}

class LevelTarget : public Target {
 public:
  explicit LevelTarget(const TargetOptions& wanted) : filter_(leveldb::NewBloomFilterPolicy(10)) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    options.write_buffer_size = wanted.buffer_bytes;
    options.filter_policy = filter_.get();
    if (wanted.cache_bytes > 0) {
      cache_.reset(leveldb::NewLRUCache(wanted.cache_bytes));
      options.block_cache = cache_.get();
    }
    leveldb::DB* db = nullptr;
    take(leveldb::DB::Open(options, wanted.path, &db));
    db_.reset(db);
  }
  void put(std::string_view row, std::string_view value) override {
    take(db_->Put({}, slice(row), slice(value)));
  }
  void put_all(const Rows& rows, std::uint64_t from, std::uint64_t to) override {
    batch_.Clear();
    for (std::uint64_t i = from; i < to; ++i) {
      batch_.Put(slice(rows[i]), slice(value_of(i)));
    }
    take(db_->Write({}, &batch_));
  }
  bool get(std::string_view row) override {
    const leveldb::Status status = db_->Get({}, slice(row), &value_);
    if (!status.ok() && !status.IsNotFound()) {
      take(status);
    }
    return status.ok();
  }
  std::uint64_t scan(std::string_view start, std::uint64_t count) override {
    const std::unique_ptr<leveldb::Iterator> rows(db_->NewIterator({}));
    std::uint64_t read = 0;
    for (rows->Seek(slice(start)); read < count && rows->Valid(); rows->Next()) {
      g_sink = g_sink + rows->key().size() + rows->value().size();
      ++read;
    }
    take(rows->status());
    return read;
  }
  void compact() override { db_->CompactRange(nullptr, nullptr); }
  void finish() override {
    take(db_->Write({}, nullptr));  // begins a new write buffer; the destructor waits for the flush
    db_.reset();
  }
  bool has_rows(const std::string& path) const override {
    return path.ends_with(".ldb") || path.ends_with(".sst");
  }

 private:
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<leveldb::DB> db_;
  std::string value_;
  leveldb::WriteBatch batch_;
};
#endif

}  // namespace

void stop(std::string_view what) {
  fmt::print(stderr, "stopped: {}\n", what);
  std::_Exit(1);
}

double process_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
double wall_seconds() {
  return seconds_of(CLOCK_MONOTONIC);
}

Figures in_process(const std::function<Figures()>& measure) {
  std::array<int, 2> ends = {};
  if (pipe(ends.data()) != 0) {
    stop("no pipe");
  }
  const pid_t child = fork();
  if (child == 0) {
    const Figures figures = measure();
    (void)std::fflush(stdout);
    const bool sent = write(ends[1], figures.data(), sizeof(figures)) == sizeof(figures);
    std::_Exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Figures figures = {};
  const auto size = read(ends[0], figures.data(), sizeof(figures));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (size != sizeof(figures)) {
    stop("a measurement failed");
  }
  return figures;
}

Rows::Rows(std::uint64_t count, std::uint64_t seed) {
  bytes_.reserve(count * kRowBytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    bytes_.append(BenchRow(mixed(i + (seed << 40))).text());
  }
}

std::string_view value_of(std::uint64_t i) {
  static const std::string pool = [] {
    std::string bytes;
    for (std::uint64_t word = 0; bytes.size() < std::size_t{1} << 16; ++word) {
      bytes += fmt::format("{:x}", mixed(word));
    }
    return bytes;
  }();
  return std::string_view(pool).substr(i % 65000, kValueBytes);
}

TableSchema schema_of_bench(std::uint64_t block_bytes) {
  auto schema = take(TableSchema::of_table("t"));
  take(schema.add_family("f"));
  take(schema.set("f", "BLOCKSIZE", std::to_string(block_bytes)));
  return schema;
}

const std::vector<std::string>& target_names() {
  static const std::vector<std::string> names = {
    "bloomery",
#if defined(BLOOMERY_HAS_ROCKSDB)
    "rocksdb",
#endif
#if defined(BLOOMERY_HAS_LEVELDB)
    "leveldb",
#endif
  };
  return names;
}

std::unique_ptr<Target> make_target(std::string_view name, const TargetOptions& options) {
#if defined(BLOOMERY_HAS_ROCKSDB)
  if (name == "rocksdb") {
    return std::make_unique<RocksTarget>(options);
  }
#endif
#if defined(BLOOMERY_HAS_LEVELDB)
  if (name == "leveldb") {
    return std::make_unique<LevelTarget>(options);
  }
#endif
  if (name == "bloomery") {
    return std::make_unique<OurTarget>(options);
  }
  stop(fmt::format("this program was built without {}", name));
}

}  // namespace bloomery
