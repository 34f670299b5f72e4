// Measures a store beside RocksDB, LevelDB and bare system calls: writes, recovery, and gets beside a writer.
//
//    store_bench [DIRECTORY [PUTS [REPEATS [WHAT...]]]]
//
// Without arguments it makes 1000000 puts in a temporary folder, three times, and measures everything.
//
//    WHAT       figure
//    puts       random puts, handed to the operating system (SYNC_WAL), a CPU second
//    batches    the same rows in batches of 100
//    commits    writes a second that are on the disk (FSYNC_WAL), of 1, 16 and 64 writers, beside a loop of
//               the same calls
//    recovery   MB of log a CPU second of Store::open()
//    gets       ns of a get at rest and beside a writer: median and 99th percentile
//    absent     CPU ns of a get of an absent row, with a full and with an empty memstore
//
// Rows have 20 bytes and values 100, one family and one column, no compression of blocks, a filter of rows
// with each file. Each system has write buffers of 64 MiB and compaction off; LevelDB cannot turn it off, and
// has too few files for it. Writes are measured until all of them are in files and the system is closed, and
// beside that for the thread that puts. CPU time is the process's, with its background threads. Each
// measurement runs in a process of its own. It prints TSV: median, least, most.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <sched.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/store_targets.h"
#include "bloomery/store/store.h"
#include "bloomery/table/row_reader.h"

namespace bloomery {
namespace {

constexpr std::size_t kBatch = 100;
constexpr double kCommitSeconds = 2;

void pin(std::size_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu % std::max(1U, std::thread::hardware_concurrency()), &set);
  (void)sched_setaffinity(0, sizeof(set), &set);
}

struct Bench {
  std::string directory;
  std::uint64_t puts = 0;
  unsigned repeats = 0;
  std::map<std::string, std::vector<double>> lines = {};

  std::string path() const { return directory + "/store_bench"; }
  std::string fresh_path() const {
    std::filesystem::remove_all(path());
    return path();
  }
  void note(const std::string& name, double value) { lines[name].push_back(value); }
  double of(const std::string& name) const {
    const auto found = lines.find(name);
    return found == lines.end() ? 0 : median(found->second);
  }
};

// Returns rows a CPU second of the process, until all is in files, and of the thread that puts.
Figures write_rows(Target& target, const Rows& rows, bool in_batches) {
  (void)value_of(0);
  const double thread = cpu_seconds();
  const double process = process_seconds();
  if (in_batches) {
    for (std::uint64_t i = 0; i < rows.size(); i += kBatch) {
      target.put_all(rows, i, std::min(rows.size(), i + kBatch));
    }
  } else {
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
      target.put(rows[i], value_of(i));
    }
  }
  const double of_thread = cpu_seconds() - thread;
  target.finish();
  const auto count = static_cast<double>(rows.size());
  return {count / (process_seconds() - process), count / of_thread};
}

void measure_writes(Bench& bench, const Rows& rows, const std::string& name, bool in_batches) {
  const std::string path = bench.fresh_path();
  const Figures figures =
      in_process([&] { return write_rows(*make_target(name, {.path = path}), rows, in_batches); });
  const std::string what = fmt::format("{} {}", in_batches ? "batches" : "puts", name);
  bench.note(what, figures[0]);
  bench.note(what + " thread", figures[1]);
}

void measure_all_writes(Bench& bench, bool in_batches) {
  const Rows rows(bench.puts);
  for (unsigned i = 0; i < bench.repeats; ++i) {
    for (const std::string& name : target_names()) {
      measure_writes(bench, rows, name, in_batches);
    }
  }
}

// The calls of a commit without a store: an append of its bytes, a sync, and the write of a mark.
double bare_commits(const std::string& path) {
  const int log = open((path + ".log").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
  const int mark = open((path + ".mark").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  const std::string entry(270, 'e');
  const std::string slot(512, 'm');
  std::uint64_t commits = 0;
  const double begin = wall_seconds();
  while (wall_seconds() - begin < kCommitSeconds) {
    const bool done = write(log, entry.data(), entry.size()) > 0 && fsync(log) == 0 &&
                      pwrite(mark, slot.data(), slot.size(), static_cast<off_t>(commits % 2 * 512)) > 0;
    if (!done) {
      stop("a bare commit failed");
    }
    ++commits;
  }
  const double rate = static_cast<double>(commits) / (wall_seconds() - begin);
  close(log);
  close(mark);
  return rate;
}

// Returns commits a second, and the mean group.
Figures our_commits(const std::string& path, unsigned writers) {
  Store store = take(Store::create(path));
  StoreTable table = take(store.create_table(schema_of_bench()));
  const StoreCounters before = store.counters();
  std::vector<std::thread> threads;
  const double begin = wall_seconds();
  for (unsigned writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      for (std::uint64_t i = 0; wall_seconds() - begin < kCommitSeconds; ++i) {
        const BenchRow row(mixed(i * 64 + writer));
        take(table.put(row.text(), "f", "q", value_of(i)));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const double seconds = wall_seconds() - begin;
  const StoreCounters after = store.counters();
  const auto writes = static_cast<double>(after.writes - before.writes);
  return {writes / seconds, writes / static_cast<double>(after.groups - before.groups)};
}

void measure_commits(Bench& bench) {
  for (unsigned i = 0; i < bench.repeats; ++i) {
    for (const unsigned writers : {1U, 16U, 64U}) {
      const double bare = in_process([&] { return Figures{bare_commits(bench.path())}; })[0];
      const std::string path = bench.fresh_path();
      const Figures ours = in_process([&] { return our_commits(path, writers); });
      const double again = in_process([&] { return Figures{bare_commits(bench.path())}; })[0];
      const std::string name = fmt::format("commits {}", writers);
      bench.note(name, ours[0]);
      bench.note(name + " group", ours[1]);
      bench.note(name + " bare", (bare + again) / 2);
      bench.note(name + " ratio", 2 * ours[0] / (bare + again));
    }
  }
}

// No measurement fills a memstore of this size.
StoreOptions without_flushes() {
  return {.flush_bytes = std::uint64_t{256} << 20, .compacts = false};
}

// Leaves a store with a log and without files, as a process that was killed: it is never closed.
void leave_log(const std::string& path, const Rows& rows) {
  (void)in_process([&] {
    auto* const store = new Store(take(Store::create(path, without_flushes())));
    StoreTable table = take(store->create_table(schema_of_bench()));
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
      take(table.put(rows[i], "f", "q", value_of(i), {.durability = Durability::kSyncWal}));
    }
    return Figures{};
  });
}

double log_megabytes(const std::string& path) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path + "/WALs")) {
    bytes += entry.is_regular_file() ? static_cast<double>(entry.file_size()) : 0;
  }
  return bytes / 1e6;
}

void measure_recovery(Bench& bench) {
  const std::string path = bench.fresh_path();
  leave_log(path, Rows(900'000));
  const double megabytes = log_megabytes(path);
  for (unsigned i = 0; i < bench.repeats; ++i) {
    const Figures figures = in_process([&] {
      const double begin = process_seconds();
      (void)new Store(take(Store::open(path, without_flushes())));
      return Figures{megabytes / (process_seconds() - begin)};
    });
    bench.note("recovery", figures[0]);
  }
  bench.note("recovery MB", megabytes);
}

// Returns the median and the 99th percentile of the wall time of a get, in ns.
std::array<double, 2> get_times(RowReader& reader, const Rows& rows) {
  constexpr std::uint64_t kGets = 200'000;
  std::vector<double> times;
  RowResult result;
  for (std::uint64_t i = 0; i < kGets; ++i) {
    const std::string_view row = rows[mixed(i) % rows.size()];
    const auto begin = std::chrono::steady_clock::now();
    const bool found = take(reader.get(row, result));
    times.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
    if (!found) {
      stop("a row is missing");
    }
  }
  std::ranges::sort(times);
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

// Half of the rows are in a file, which is in the cache, and the other half in memory.
Figures get_beside_writer(const std::string& path) {
  const Rows rows(200'000);
  StoreOptions options = without_flushes();
  options.cache = BlockCache::make(std::uint64_t{256} << 20);
  Store store = take(Store::create(path, options));
  StoreTable table = take(store.create_table(schema_of_bench()));
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    take(table.put(rows[i], "f", "q", value_of(i), {.durability = Durability::kAsyncWal}));
    if (i == rows.size() / 2) {
      take(table.flush());
    }
  }
  RowReader reader = take(RowReader::make(table.reader(), {}));
  pin(0);
  (void)get_times(reader, rows);
  const auto rest = get_times(reader, rows);
  std::atomic<bool> ends = false;
  std::thread writer([&] {
    pin(1);
    for (std::uint64_t i = 0; !ends.load(std::memory_order_relaxed); ++i) {
      const BenchRow row(mixed(i + (std::uint64_t{7} << 40)));
      take(table.put(row.text(), "f", "q", value_of(i), {.durability = Durability::kSyncWal}));
    }
  });
  const auto beside = get_times(reader, rows);
  ends = true;
  writer.join();
  return {rest[0], rest[1], beside[0], beside[1]};
}

void measure_gets(Bench& bench) {
  for (unsigned i = 0; i < bench.repeats; ++i) {
    const std::string path = bench.fresh_path();
    const Figures figures = in_process([&] { return get_beside_writer(path); });
    bench.note("get p50 at rest", figures[0]);
    bench.note("get p99 at rest", figures[1]);
    bench.note("get p50 beside a writer", figures[2]);
    bench.note("get p99 beside a writer", figures[3]);
    bench.note("get p99 ratio", figures[3] / figures[1]);
  }
}

// Returns the CPU ns of a get of an absent row by RowReader and by Table.
std::array<double, 2> absent_ns(const StoreTable& table, const Rows& absent) {
  RowReader reader = take(RowReader::make(table.reader(), {}));
  RowResult result;
  const auto ns = [&](double begin) {
    return (cpu_seconds() - begin) * 1e9 / static_cast<double>(absent.size());
  };
  double begin = cpu_seconds();
  for (std::uint64_t i = 0; i < absent.size(); ++i) {
    g_sink = g_sink + (take(reader.get(absent[i], result)) ? 1 : 0);
  }
  const double of_reader = ns(begin);
  GetRequest request;
  begin = cpu_seconds();
  for (std::uint64_t i = 0; i < absent.size(); ++i) {
    request.row = absent[i];
    g_sink = g_sink + take(table.reader().get(request)).cells().size();
  }
  return {of_reader, ns(begin)};
}

// Returns the least of several rounds, so that what others do to the caches counts little.
std::array<double, 2> least_absent_ns(const StoreTable& table, const Rows& absent) {
  std::array<double, 2> least = absent_ns(table, absent);
  for (int round = 0; round < 6; ++round) {
    const auto ns = absent_ns(table, absent);
    least = {std::min(least[0], ns[0]), std::min(least[1], ns[1])};
  }
  return least;
}

// The store has a file in both cases, whose filter is asked too.
Figures get_absent(const std::string& path) {
  const Rows rows(500'000);
  const Rows absent(100'000, 9);
  StoreOptions options;  // the rows fill nine tenths of a default memstore
  options.cache = BlockCache::make(std::uint64_t{256} << 20);
  Store store = take(Store::create(path, options));
  StoreTable table = take(store.create_table(schema_of_bench()));
  const auto fill = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      take(table.put(rows[i], "f", "q", value_of(i), {.durability = Durability::kAsyncWal}));
    }
  };
  fill(rows.size() / 5);
  take(table.flush());
  const auto empty = least_absent_ns(table, absent);
  fill(rows.size());
  const auto full = least_absent_ns(table, absent);
  return {empty[0], full[0], empty[1], full[1]};
}

void measure_absent(Bench& bench) {
  for (unsigned i = 0; i < bench.repeats; ++i) {
    const std::string path = bench.fresh_path();
    const Figures figures = in_process([&] { return get_absent(path); });
    bench.note("absent RowReader, memstore empty", figures[0]);
    bench.note("absent RowReader, memstore full", figures[1]);
    bench.note("absent RowReader, difference", figures[1] - figures[0]);
    bench.note("absent Table::get, memstore empty", figures[2]);
    bench.note("absent Table::get, memstore full", figures[3]);
    bench.note("absent Table::get, difference", figures[3] - figures[2]);
  }
}

void print(const Bench& bench) {
  for (const auto& [name, values] : bench.lines) {
    const auto [least, most] = std::ranges::minmax(values);
    fmt::print("{}\t{:.4g}\t{:.4g}\t{:.4g}\n", name, median(values), least, most);
  }
  for (const std::string what : {"puts", "batches"}) {
    for (const std::string peer : {"rocksdb", "leveldb"}) {
      if (const double of_peer = bench.of(what + " " + peer); of_peer > 0) {
        fmt::print("{} / {}\t{:.3g}\n", what, peer, bench.of(what + " bloomery") / of_peer);
      }
    }
  }
}

}  // namespace

int store_bench_main(int count, char** arguments) {
  const std::string temporary = std::filesystem::temp_directory_path().string() + "/store_bench.XXXXXX";
  Bench bench{.directory = count > 1 ? arguments[1] : temporary,
              .puts = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1'000'000,
              .repeats = count > 3 ? static_cast<unsigned>(std::strtoul(arguments[3], nullptr, 10)) : 3};
  if (count <= 1 && mkdtemp(bench.directory.data()) == nullptr) {
    stop("no temporary folder");
  }
  const std::vector<std::string> what(arguments + std::min(count, 4), arguments + count);
  const std::vector<std::pair<std::string, std::function<void(Bench&)>>> all = {
      {"puts", [](Bench& it) { measure_all_writes(it, false); }},
      {"batches", [](Bench& it) { measure_all_writes(it, true); }},
      {"commits", measure_commits},
      {"recovery", measure_recovery},
      {"gets", measure_gets},
      {"absent", measure_absent}};
  fmt::print("figure\tmedian\tleast\tmost\n");
  for (const auto& [name, measure] : all) {
    if (what.empty() || std::ranges::find(what, name) != what.end()) {
      measure(bench);
    }
  }
  print(bench);
  std::filesystem::remove_all(count > 1 ? bench.path() : bench.directory);
  return 0;
}

}  // namespace bloomery

int main(int count, char** arguments) {
  return bloomery::store_bench_main(count, arguments);
}
