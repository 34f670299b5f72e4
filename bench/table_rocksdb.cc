// The peer of table_bench: RocksDB 7.8, with the same rows, in the same settings. See bench/table.sh.
//
//   table_rocksdb ROWS DIRECTORY [WHAT...]
//
// CSV:  rocksdb,what,files,median_ns,tenth_ns        of scans: rocksdb,scan,files,MB of rows and values per CPU second,
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "bench/table_rows.h"

namespace bloomery {
namespace {

void take(const rocksdb::Status& status) {
  if (!status.ok()) {
    fmt::print(stderr, "table_rocksdb: {}\n", status.ToString());
    std::exit(1);
  }
}

rocksdb::Options options_of(std::size_t cache_bytes) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.level0_slowdown_writes_trigger = 1000;
  options.level0_stop_writes_trigger = 1000;
  options.write_buffer_size = std::size_t{4} << 30;
  options.max_open_files = -1;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = kBlockBytes;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10, false));
  table.block_cache = rocksdb::NewLRUCache(cache_bytes);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<rocksdb::DB> open(const std::string& path, std::size_t cache_bytes) {
  rocksdb::DB* db = nullptr;
  take(rocksdb::DB::Open(options_of(cache_bytes), path, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

std::string written(const std::string& directory, std::uint64_t rows, std::uint64_t files) {
  const std::string path = fmt::format("{}/rocksdb-{}-{}", directory, rows, files);
  if (std::filesystem::exists(path + "/done")) {
    return path;
  }
  std::filesystem::remove_all(path);
  const auto db = open(path, 1 << 20);
  const BenchValues values;
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (std::uint64_t file = 0; file < files; ++file) {
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (file_of(i, files) == file) {
        const std::string_view value = values.of(i);
        take(db->Put(write, BenchRow(2 * i).text(), rocksdb::Slice(value.data(), value.size())));
      }
    }
    take(db->Flush({}));
  }
  take(rocksdb::WriteStringToFile(rocksdb::Env::Default(), "", path + "/done"));
  return path;
}

std::vector<std::string> texts(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::string> rows;
  for (const std::uint64_t number : numbers) {
    rows.emplace_back(BenchRow(number).text());
  }
  return rows;
}

QuestionCost get_cost(rocksdb::DB& db, const std::vector<std::string>& rows, std::size_t batch,
                      bool are_present) {
  rocksdb::ReadOptions read;
  rocksdb::PinnableSlice value;
  std::vector<rocksdb::Slice> keys(batch);
  std::vector<rocksdb::PinnableSlice> found(batch);
  std::vector<rocksdb::Status> statuses(batch);
  return cost_of(rows.size(), batch, [&](std::size_t at, std::size_t count) {
    if (count == 1) {
      value.Reset();
      if (db.Get(read, db.DefaultColumnFamily(), rows[at], &value).ok() != are_present) {
        take(rocksdb::Status::Corruption("another answer"));
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = rows[at + i];
      found[i].Reset();
    }
    db.MultiGet(read, db.DefaultColumnFamily(), count, keys.data(), found.data(), statuses.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (statuses[i].ok() != are_present) {
        take(rocksdb::Status::Corruption("another answer"));
      }
    }
  });
}

void scan_all(rocksdb::DB& db, std::uint64_t files) {
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(read));
  const double start = cpu_seconds();
  std::uint64_t bytes = 0;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    bytes += at->key().size() + at->value().size();
  }
  take(at->status());
  fmt::print("rocksdb,scan,{},{:.1f},\n", files, static_cast<double>(bytes) / 1e6 / (cpu_seconds() - start));
}

void run(const std::string& directory, std::uint64_t rows) {
  constexpr std::size_t kCached = std::size_t{6} << 30;
  const std::size_t questions = 100'000;
  for (const std::uint64_t files : {8U, 1U}) {
    const std::string path = written(directory, rows, files);
    for (const std::size_t cache_bytes : {kCached, std::size_t{1} << 20}) {
      const bool is_cached = cache_bytes == kCached;
      const auto db = open(path, cache_bytes);
      if (is_cached) {  // fills the cache
        const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator({}));
        for (at->SeekToFirst(); at->Valid(); at->Next()) {
        }
      }
      for (const bool are_present : {false, true}) {
        for (const std::size_t batch : {1U, 32U}) {
          const auto asked = texts(random_rows(questions, rows, are_present, 1));
          const QuestionCost cost = get_cost(*db, asked, batch, are_present);
          fmt::print("rocksdb,{}_{}_{},{},{:.0f},{:.0f}\n", are_present ? "present" : "absent",
                     is_cached ? "cached" : "page_cache", batch, files, cost.median_ns, cost.tenth_ns);
        }
      }
      if (!is_cached) {
        scan_all(*db, files);
      }
    }
  }
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: table_rocksdb ROWS DIRECTORY\n");
    return 2;
  }
  bloomery::run(argv[2], std::strtoull(argv[1], nullptr, 10));
}
