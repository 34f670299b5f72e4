// What do a get and a scan of a table cost, beside RocksDB (table_rocksdb.cc) with the same rows? bench/table.sh runs both.
//
//   table_bench ROWS DIRECTORY [WHAT...]      WHAT: gets, scan, threads, open; all of them unless given
//   table_bench ROWS DIRECTORY trace TRACES   writes the three traces of cache_bench into the directory TRACES
//
// CSV:  bloomery,what,files,median_ns,tenth_ns      CPU time of one row
//       bloomery,scan,files,MB,                     of rows and values per CPU second
//       bloomery,threads,files,ratio,               gets per second of two threads, in those of one
//       bloomery,open,files,seconds,bytes           of 1,000 files of a few rows: wall time, and memory that stays
//
// Run pinned, but for threads.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <sys/resource.h>

#include "base/file.h"
#include "bench/table_rows.h"
#include "bench/taken.h"
#include "bloomery/hfile/hfile_writer.h"
#include "bloomery/table/row_reader.h"
#include "bloomery/table/table.h"
#include "hfile/read_log.h"
#include "hfile/slabs.h"

namespace bloomery {
namespace {

constexpr std::int64_t kTime = 1'700'000'000'000;

HFileWriter create(const std::string& path, std::int64_t sequence) {
  HFileWriteOptions options;
  options.may_replace = true;
  options.block_bytes = kBlockBytes;
  options.bloom.type = hfile::BloomType::kRow;
  options.max_sequence_id = sequence;
  return take(HFileWriter::create(path, options));
}

std::vector<std::string> written(const std::string& directory, std::uint64_t rows, std::uint64_t files) {
  const BenchValues values;
  std::vector<std::string> paths;
  for (std::uint64_t file = 0; file < files; ++file) {
    paths.push_back(fmt::format("{}/bloomery-{}-{}-{}", directory, rows, files, file));
    if (std::filesystem::exists(paths.back())) {
      continue;
    }
    HFileWriter writer = create(paths.back(), static_cast<std::int64_t>(file));
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (file_of(i, files) == file) {
        const BenchRow row(2 * i);
        take(writer.append({.key = {row.text(), "f", "q", kTime, CellType::kPut}, .value = values.of(i)}));
      }
    }
    take(writer.finish());
  }
  return paths;
}

Table opened(const std::vector<std::string>& paths, std::uint64_t cache_bytes) {
  return take(Table::open_files(paths, {.cache = cache_bytes == 0 ? nullptr : BlockCache::make(cache_bytes),
                                        .pins_filters = true,
                                        .pins_indexes = true}));
}

std::vector<std::string> texts(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::string> rows;
  for (const std::uint64_t number : numbers) {
    rows.emplace_back(BenchRow(number).text());
  }
  return rows;
}

QuestionCost get_cost(RowReader& reader, const std::vector<std::string>& rows, std::size_t batch,
                      bool are_present) {
  RowResult result;
  std::vector<RowResult> results;
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  return cost_of(rows.size(), batch, [&](std::size_t at, std::size_t count) {
    if (count == 1) {
      if (take(reader.get(views[at], result)) != are_present) {
        fail("another answer");
      }
      return;
    }
    take(reader.get(std::span(views).subspan(at, count), results));
    for (const RowResult& each : results) {
      if (each.empty() == are_present) {
        fail("another answer");
      }
    }
  });
}

// Reads every row, so that the cache and the filters are full.
void warm(RowReader& reader, std::uint64_t rows) {
  RowResult result;
  for (std::uint64_t i = 0; i < rows; ++i) {
    (void)take(reader.get(BenchRow(2 * i).text(), result));
  }
}

constexpr std::uint64_t kAll = std::uint64_t{6} << 30;

void run_gets(const std::string& directory, std::uint64_t rows) {
  for (const std::uint64_t files : {8U, 1U}) {
    const auto paths = written(directory, rows, files);
    for (const std::uint64_t cache_bytes : {kAll, std::uint64_t{1} << 20}) {
      const bool is_cached = cache_bytes == kAll;
      const Table table = opened(paths, cache_bytes);
      RowReader reader = take(RowReader::make(table, {}));
      if (is_cached) {
        warm(reader, rows);
      }
      for (const bool are_present : {false, true}) {
        for (const std::size_t batch : {1U, 32U}) {
          const auto asked = texts(random_rows(100'000, rows, are_present, 1));
          const QuestionCost cost = get_cost(reader, asked, batch, are_present);
          fmt::print("bloomery,{}_{}_{},{},{:.0f},{:.0f}\n", are_present ? "present" : "absent",
                     is_cached ? "cached" : "page_cache", batch, files, cost.median_ns, cost.tenth_ns);
        }
      }
    }
  }
}

void run_scan(const std::string& directory, std::uint64_t rows) {
  for (const std::uint64_t files : {8U, 1U}) {
    const Table table = opened(written(directory, rows, files), 0);
    TableScanner scanner = take(table.scan({}));
    const double start = cpu_seconds();
    std::uint64_t bytes = 0;
    while (take(scanner.next())) {
      for (const KeptCell& kept : scanner.result().cells()) {
        bytes += kept.cell().key.row.size() + kept.cell().value.size();
      }
    }
    fmt::print("bloomery,scan,{},{:.1f},\n", files,
               static_cast<double>(bytes) / 1e6 / (cpu_seconds() - start));
  }
}

// Returns the gets per second of `threads` threads, each with a core of its own. They begin together, when all are ready,
// and each counts what it did in its own time.
double gets_per_second(const Table& table, const std::vector<std::string>& rows, unsigned threads) {
  constexpr std::size_t kGets = 400'000;
  std::barrier ready(static_cast<std::ptrdiff_t>(threads));
  std::vector<double> rates(threads);
  const auto work = [&](unsigned thread) {
    RowReader reader = take(RowReader::make(table, {}));
    RowResult result;
    const std::size_t begin = rows.size() / threads * thread;
    ready.arrive_and_wait();
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kGets; ++i) {
      (void)take(reader.get(rows[(begin + i) % rows.size()], result));
    }
    rates[thread] = kGets / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back(work, i);
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

void run_threads(const std::string& directory, std::uint64_t rows) {
  for (const std::uint64_t files : {8U, 1U}) {
    const Table table = opened(written(directory, rows, files), kAll);
    {
      RowReader reader = take(RowReader::make(table, {}));
      warm(reader, rows);
    }
    const auto present = texts(random_rows(100'000, rows, true, 1));
    const auto absent = texts(random_rows(100'000, rows, false, 1));
    for (const auto* const asked : {&present, &absent}) {
      std::vector<double> ratios;
      for (int i = 0; i < 5; ++i) {
        const double one = gets_per_second(table, *asked, 1);
        ratios.push_back(gets_per_second(table, *asked, 2) / one);
      }
      fmt::print("bloomery,threads_{},{},{:.2f},\n", asked == &present ? "present" : "absent", files,
                 median(ratios));
    }
  }
}

void run_open(const std::string& directory) {
  std::filesystem::create_directories(directory + "/thousand");
  std::vector<std::string> paths;
  for (std::uint64_t file = 0; file < 1000; ++file) {
    paths.push_back(fmt::format("{}/thousand/{}", directory, file));
    if (!std::filesystem::exists(paths.back())) {
      HFileWriter writer = create(paths.back(), static_cast<std::int64_t>(file));
      for (std::uint64_t i = 0; i < 2000; ++i) {
        take(writer.append({.key = {BenchRow(2 * i).text(), "f", "q", kTime, CellType::kPut}, .value = "v"}));
      }
      take(writer.finish());
    }
  }
  rlimit limit{};
  (void)getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
  const auto taken = [] {
    return mallinfo2().uordblks + mallinfo2().hblkhd + hfile::Slabs::of_process().bytes_of_slabs();
  };
  const std::size_t before = taken();
  const auto start = std::chrono::steady_clock::now();
  const Table table = opened(paths, std::uint64_t{1} << 20);
  RowReader reader = take(RowReader::make(table, {}));
  RowResult result;
  (void)take(reader.get("q", result));  // before all rows: opens the files and reads none
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("bloomery,open,1000,{:.3f},{}\n", seconds, taken() - before);
}

// Writes the blocks that the gets and scans of `ask` ask for.
class Trace {
 public:
  explicit Trace(const std::string& path) : out_(path) {}

  template <typename Ask>
  void record(const Ask& ask) {
    const hfile::ReadLog log;
    ask();
    for (const hfile::BlockRead& read : log.reads()) {
      const auto file = files_.try_emplace(read.file, files_.size()).first->second;
      out_ << file << " " << read.address.offset << " " << read.address.on_disk_bytes << "\n";
    }
  }

 private:
  std::ofstream out_;
  std::map<const void*, std::size_t> files_;
};

// Numbers from 0 up to `count`, the i-th most frequent as 1 / i^0.99, in a random order.
class Zipf {
 public:
  explicit Zipf(std::uint64_t count) : sums_(count) {
    double sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      sums_[i] = sum += 1 / std::pow(static_cast<double>(i + 1), 0.99);
    }
  }
  std::uint64_t next() {
    const double at = std::uniform_real_distribution<>(0, sums_.back())(random_);
    const auto rank = std::ranges::lower_bound(sums_, at) - sums_.begin();
    return mixed(static_cast<std::uint64_t>(rank)) % sums_.size();
  }

 private:
  std::vector<double> sums_;
  std::mt19937_64 random_{20261123};
};

void scan_rows(const Table& table, std::uint64_t first, std::uint64_t end) {
  ScanRequest request;
  request.start = std::string(BenchRow(2 * first).text());
  request.stop = std::string(BenchRow(2 * end).text());
  TableScanner scanner = take(table.scan(request));
  while (take(scanner.next())) {
  }
}

void run_traces(const std::string& directory, std::uint64_t rows, const std::string& to) {
  std::filesystem::create_directories(to);
  const Table table = opened(written(directory, rows, 8), 1);  // which keeps nothing
  RowReader reader = take(RowReader::make(table, {}));
  RowResult result;
  const auto get = [&](std::uint64_t i) { (void)take(reader.get(BenchRow(2 * i).text(), result)); };
  {
    Trace trace(to + "/zipf");
    Zipf zipf(rows);
    for (int i = 0; i < 400'000; ++i) {
      trace.record([&] { get(zipf.next()); });
    }
  }
  {
    Trace trace(to + "/scans");
    Zipf zipf(rows);
    for (int i = 0; i < 400'000; ++i) {
      trace.record([&] { get(zipf.next()); });
      if (i % 40'000 == 20'000) {
        trace.record([&] { scan_rows(table, 0, rows); });
      }
    }
  }
  Trace trace(to + "/loop");
  for (int round = 0; round < 10; ++round) {
    trace.record([&] { scan_rows(table, 0, rows); });
  }
}

int run(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: table_bench ROWS DIRECTORY [gets|scan|threads|open|trace TO]...\n");
    return 2;
  }
  const std::uint64_t rows = std::strtoull(argv[1], nullptr, 10);
  const std::string directory = argv[2];
  const std::vector<std::string> what(argv + 3, argv + argc);
  const auto wants = [&](const char* name) { return what.empty() || std::ranges::count(what, name) > 0; };
  if (!what.empty() && what.front() == "trace") {
    run_traces(directory, rows, what.at(1));
    return 0;
  }
  if (wants("gets")) {
    run_gets(directory, rows);
  }
  if (wants("scan")) {
    run_scan(directory, rows);
  }
  if (wants("threads")) {
    run_threads(directory, rows);
  }
  if (wants("open")) {
    run_open(directory);
  }
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run(argc, argv);
}
