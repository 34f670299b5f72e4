// The cost of a memstore: adds in random and in ascending order, seeks, and gets of absent rows.
//
//    memstore_bench [CELLS...]        default: 10000 100000 1000000
//
// Rows have 20 bytes and values 100. The peers are std::map and, if its library is found, RocksDB. RocksDB is
// measured by DB::Put() without a log and DB::Get() of existing rows. Both do more than its memtable does.
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "store/memstore.h"

#if defined(BLOOMERY_HAS_ROCKSDB)
#include <rocksdb/db.h>
#endif

namespace bloomery::store {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{128} << 20;
constexpr std::uint64_t kFewestSteps = 300'000;
const std::string kBenchValue(100, 'v');
volatile std::uint64_t g_memstore_sink;

double cpu_ns() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

using Rows = std::vector<std::string>;
Rows random_rows(std::uint64_t count, std::uint64_t seed, std::string_view prefix) {
  Rows rows;
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.push_back(
        fmt::format("{}{:0{}}", prefix, scrambled(i + (seed << 40)), 20 - prefix.size()).substr(0, 20));
  }
  return rows;
}
Rows ascending_rows(std::uint64_t count) {
  Rows rows;
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.push_back(fmt::format("{:020}", i));
  }
  return rows;
}

Cell cell_of(std::string_view row, std::int64_t mvcc) {
  return {.key = {row, "f", "q", 1, CellType::kPut}, .value = kBenchValue, .mvcc = mvcc};
}

// Returns the CPU time of one step, of enough repetitions.
double ns_of(std::uint64_t steps, const std::function<void()>& prepare, const std::function<void()>& run) {
  double spent = 0;
  std::uint64_t done = 0;
  while (done < kFewestSteps) {
    prepare();
    const double begin = cpu_ns();
    run();
    spent += cpu_ns() - begin;
    done += steps;
  }
  return spent / static_cast<double>(done);
}

void measure_memstore(std::string_view name, const Rows& rows) {
  std::unique_ptr<Memstore> memstore;
  const double add = ns_of(
      rows.size(), [&] { memstore = std::make_unique<Memstore>(kMost); },
      [&] {
        std::int64_t mvcc = 0;
        for (const std::string& row : rows) {
          if (!memstore->add(cell_of(row, ++mvcc))) {
            std::abort();
          }
        }
      });
  const auto cursor = memstore->cursor(~std::uint64_t{0});
  const double seek = ns_of(
      rows.size(), [] {},
      [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          g_memstore_sink =
              g_memstore_sink + (cursor->seek(first_on_row(rows[scrambled(i) % rows.size()])) ? 1 : 0);
        }
      });
  const double scan = ns_of(
      rows.size(), [] {},
      [&] {
        for (bool more = cursor->seek_to_first(); more; more = cursor->next()) {
          g_memstore_sink = g_memstore_sink + static_cast<std::uint64_t>(cursor->cell().mvcc);
        }
      });
  const Rows absent = random_rows(rows.size(), 77, "");
  std::uint64_t maybes = 0;
  const double deny = ns_of(
      rows.size(), [&] { maybes = 0; },
      [&] {
        for (const std::string& row : absent) {
          maybes += memstore->may_have_row(row) ? 1U : 0U;
        }
      });
  fmt::print(
      "{:>8} {:<28} add {:6.0f} ns  seek {:5.0f} ns  next {:4.0f} ns  absent {:4.0f} ns  maybe {:.2f} %  "
      "{:4.0f} bytes a cell\n",
      rows.size(), name, add, seek, scan, deny,
      100.0 * static_cast<double>(maybes) / static_cast<double>(absent.size()),
      static_cast<double>(memstore->bytes()) / static_cast<double>(rows.size()));
}

void measure_map(std::string_view name, const Rows& rows) {
  std::map<std::string, std::string> map;
  const double add = ns_of(
      rows.size(), [&] { map.clear(); },
      [&] {
        for (const std::string& row : rows) {
          map.emplace(row, kBenchValue);
        }
      });
  const double seek = ns_of(
      rows.size(), [] {},
      [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          g_memstore_sink =
              g_memstore_sink + map.lower_bound(rows[scrambled(i) % rows.size()])->second.size();
        }
      });
  fmt::print("{:>8} {:<28} add {:6.0f} ns  seek {:5.0f} ns\n", rows.size(), name, add, seek);
}

#if defined(BLOOMERY_HAS_ROCKSDB)
void measure_rocksdb(std::string_view name, const Rows& rows) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = std::size_t{1} << 30;
  options.allow_concurrent_memtable_write = false;
  const std::string path = "/dev/shm/memstore_bench_rocksdb";
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  const double add = ns_of(
      rows.size(),
      [&] {
        db.reset();
        rocksdb::DestroyDB(path, options);
        rocksdb::DB* opened = nullptr;
        if (!rocksdb::DB::Open(options, path, &opened).ok()) {
          std::abort();
        }
        db.reset(opened);
      },
      [&] {
        for (const std::string& row : rows) {
          db->Put(write, row, kBenchValue);
        }
      });
  rocksdb::PinnableSlice value;
  const double seek = ns_of(
      rows.size(), [] {},
      [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          value.Reset();
          db->Get({}, db->DefaultColumnFamily(), rows[scrambled(i) % rows.size()], &value);
        }
      });
  fmt::print("{:>8} {:<28} add {:6.0f} ns  seek {:5.0f} ns\n", rows.size(), name, add, seek);
  db.reset();
  rocksdb::DestroyDB(path, options);
}
#endif

void measure(std::uint64_t cells) {
  const Rows plain = random_rows(cells, 1, "");
  measure_memstore("memstore, random", plain);
  measure_memstore("memstore, common prefix", random_rows(cells, 1, "user0000"));
  measure_memstore("memstore, ascending", ascending_rows(cells));
  measure_map("std::map, random", plain);
#if defined(BLOOMERY_HAS_ROCKSDB)
  measure_rocksdb("RocksDB, no log, random", plain);
  measure_rocksdb("RocksDB, no log, ascending", ascending_rows(cells));
#endif
}

}  // namespace
}  // namespace bloomery::store

int main(int count, char** arguments) {
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < count; ++i) {
    sizes.push_back(std::strtoull(arguments[i], nullptr, 10));
  }
  if (sizes.empty()) {
    sizes = {10'000, 100'000, 1'000'000};
  }
  for (const std::uint64_t cells : sizes) {
    bloomery::store::measure(cells);
  }
}
