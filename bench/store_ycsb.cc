// Measures a store with compactions beside RocksDB and LevelDB: the mixes of YCSB, space, and gets during a
// compaction.
//
//    store_ycsb WHAT DIRECTORY ROWS OPERATIONS [SYSTEM...]
//
//    WHAT    figures
//    mixes   loads ROWS rows, then runs the mixes A, B, C, F, D and E, each of OPERATIONS operations; or letters
//            of mixes:
//              A  half reads, half updates          D  95 % reads of recent rows, 5 % inserts
//              B  95 % reads, 5 % updates           E  95 % scans of 1 to 100 rows, 5 % inserts
//              C  reads                             F  half reads, half reads followed by an update
//            The rows of A, B, C, E and F are drawn by Zipf's law with exponent 0.99. Their order has nothing to
//            do with the order of the keys, as in YCSB.
//    space   puts ROWS rows, OPERATIONS times, each time all of them in another order
//    tails   gets of random rows: OPERATIONS at rest, those during a compaction of all files, and OPERATIONS after it
//
// A mix lasts until its flushes and compactions have ended: their CPU time counts. What it prints, as TSV of
// system, mix, figure and value:
//
//    operations/CPU s     with all threads of the process
//    p50, p99, p99.9      ns of an operation, wall time
//    written/put          bytes of write calls, logs included, for each byte of rows and values put
//    disk/row             bytes of files with rows, logs not included, for each row
//    most disk/live       the maximum of `space`, sampled 50 times a second, in units of what is left after a
//                         compaction of all; and the same after the last background compaction
//    memory MB            anonymous memory of the process
//
// One thread asks. Each system has write buffers of 64 MiB, blocks of 4 KiB, a block cache of 512 MiB (`tails`:
// all rows fit twice), and its own defaults otherwise. Each runs in a process of its own.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "bench/store_targets.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kCacheBytes = std::uint64_t{512} << 20;

// Numbers below `count` by Zipf's law: 0 is the most frequent. Gray et al., "Quickly generating billion-record
// synthetic databases", 1994.
class Zipf {
 public:
  explicit Zipf(std::uint64_t count) : count_(static_cast<double>(count)) {
    for (std::uint64_t i = 1; i <= count; ++i) {
      zeta_ += std::pow(static_cast<double>(i), -kExponent);
    }
    const double of_two = 1 + std::pow(2.0, -kExponent);
    eta_ = (1 - std::pow(2 / count_, 1 - kExponent)) / (1 - of_two / zeta_);
  }
  std::uint64_t next(std::mt19937_64& random) const {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    if (u * zeta_ < 1) {
      return 0;
    }
    if (u * zeta_ < 1 + std::pow(0.5, kExponent)) {
      return 1;
    }
    const double place = count_ * std::pow(eta_ * u - eta_ + 1, 1 / (1 - kExponent));
    return static_cast<std::uint64_t>(std::min(place, count_ - 1));
  }

 private:
  static constexpr double kExponent = 0.99;
  double count_;
  double zeta_ = 0;
  double eta_ = 0;
};

struct Mix {
  std::string_view name;
  double reads = 0;
  double updates = 0;
  double inserts = 0;
  double scans = 0;  // the rest are reads followed by an update
  bool is_latest = false;
};
constexpr Mix kMixes[] = {{.name = "A", .reads = 0.5, .updates = 0.5},
                          {.name = "B", .reads = 0.95, .updates = 0.05},
                          {.name = "C", .reads = 1},
                          {.name = "F", .reads = 0.5},
                          {.name = "D", .reads = 0.95, .inserts = 0.05, .is_latest = true},
                          {.name = "E", .inserts = 0.05, .scans = 0.95}};

// The number behind a name in a file of /proc/self, such as wchar of io.
double own_number(const char* file, std::string_view name) {
  std::ifstream lines(file);
  std::string word;
  while (lines >> word) {
    if (word == name) {
      double value = 0;
      lines >> value;
      return value;
    }
  }
  stop(fmt::format("{} has no {}", file, name));
}

class Run {
 public:
  Run(std::string system, std::string directory, std::uint64_t rows, std::uint64_t cache_bytes)
      : system_(std::move(system)), directory_(directory + "/" + system_), rows_(rows) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory);
    target_ = make_target(
        system_,
        {.path = directory_, .cache_bytes = cache_bytes, .block_bytes = kBlockBytes, .compacts = true});
  }
  ~Run() { std::filesystem::remove_all(directory_); }

  void mixes(std::string_view names, std::uint64_t operations) {
    measure("load", rows_, [&] {
      for (std::uint64_t i = 0; i < rows_; ++i) {
        timed([&] { put(i); });
      }
    });
    const Zipf zipf(rows_);
    for (const Mix& mix : kMixes) {
      if (names.find(mix.name) == std::string_view::npos) {
        continue;
      }
      std::mt19937_64 random(rows_);
      measure(mix.name, operations, [&] {
        for (std::uint64_t i = 0; i < operations; ++i) {
          operate(mix, zipf, random);
        }
      });
    }
  }

  void space(std::uint64_t rounds) {
    std::atomic<bool> ends = false;
    double most = 0;
    std::thread sampler([&] {
      while (!ends) {
        most = std::max(most, disk_bytes());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    const double cpu = process_seconds();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::vector<std::uint32_t> order(rows_);
      for (std::uint64_t i = 0; i < rows_; ++i) {
        order[i] = static_cast<std::uint32_t>(i);
      }
      std::shuffle(order.begin(), order.end(), std::mt19937_64(round));
      for (const std::uint32_t row : order) {
        put(row);
      }
    }
    settle();
    print("space", "puts/CPU s", static_cast<double>(rounds * rows_) / (process_seconds() - cpu));
    print("space", "written/put", own_number("/proc/self/io", "wchar:") / static_cast<double>(put_bytes_));
    ends = true;
    sampler.join();
    const double settled = disk_bytes();
    target_->compact();
    settle();
    const double live = disk_bytes();
    print("space", "most disk/live", most / live);
    print("space", "settled disk/live", settled / live);
    print("space", "compacted bytes a row", live / static_cast<double>(rows_));
    print("space", "memory MB", own_number("/proc/self/status", "RssAnon:") / 1024);
  }

  // Gets run for as long as the compaction, and as often at rest.
  void tails(std::uint64_t gets) {
    for (std::uint64_t i = 0; i < rows_; ++i) {
      put(i);
    }
    settle();
    std::mt19937_64 random(rows_);
    const auto get = [&] { timed([&] { read(random() % rows_); }); };
    const auto report = [&](std::string_view when) {
      print_times(when);
      times_.clear();
    };
    for (std::uint64_t i = 0; i < gets; ++i) {  // fills the cache
      get();
    }
    times_.clear();
    for (std::uint64_t i = 0; i < gets; ++i) {
      get();
    }
    report("rest");
    std::atomic<bool> ends = false;
    std::thread compaction([&] {
      target_->compact();
      ends = true;
    });
    while (!ends) {
      get();
    }
    compaction.join();
    print("compaction", "gets", static_cast<double>(times_.size()));
    report("compaction");
    for (std::uint64_t i = 0; i < gets; ++i) {
      get();
    }
    report("after");
  }

 private:
  void put(std::uint64_t row) {
    target_->put(BenchRow(mixed(row)).text(), value_of(puts_++));
    put_bytes_ += kRowBytes + kValueBytes;
  }
  void read(std::uint64_t row) {
    if (!target_->get(BenchRow(mixed(row)).text())) {
      stop(fmt::format("{} has lost row {}", system_, row));
    }
  }

  void operate(const Mix& mix, const Zipf& zipf, std::mt19937_64& random) {
    const double kind = std::uniform_real_distribution<double>(0, 1)(random);
    const std::uint64_t rank = zipf.next(random);
    const std::uint64_t row = mix.is_latest ? newest_ - rank : mixed(rank + 1) % rows_;
    if (kind < mix.reads) {
      timed([&] { read(row); });
    } else if (kind < mix.reads + mix.updates) {
      timed([&] { put(row); });
    } else if (kind < mix.reads + mix.updates + mix.inserts) {
      timed([&] { put(++newest_); });
    } else if (mix.scans > 0) {
      const std::uint64_t count = 1 + random() % 100;
      timed([&] { g_sink = g_sink + target_->scan(BenchRow(mixed(row)).text(), count); });
    } else {
      timed([&] {
        read(row);
        put(row);
      });
    }
  }

  template <typename Work>
  void timed(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const auto ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin);
    times_.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(ns.count(), UINT32_MAX)));
  }

  // Waits until the process does nothing for half a second.
  static void settle() {
    for (int still = 0; still < 5;) {
      const double before = process_seconds();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      still = process_seconds() - before < 0.002 ? still + 1 : 0;
    }
  }

  double disk_bytes() const {
    double bytes = 0;
    std::error_code gone;  // files leave while we look
    for (auto file = std::filesystem::recursive_directory_iterator(directory_, gone);
         file != std::filesystem::recursive_directory_iterator(); file.increment(gone)) {
      if (target_->has_rows(file->path().string())) {
        const auto size = file->is_regular_file(gone) ? file->file_size(gone) : 0;
        bytes += gone ? 0 : static_cast<double>(size);
      }
    }
    return bytes;
  }

  void measure(std::string_view mix, std::uint64_t operations, const std::function<void()>& work) {
    times_.clear();
    times_.reserve(operations);
    const double cpu = process_seconds();
    const double written = own_number("/proc/self/io", "wchar:");
    const std::uint64_t put_before = put_bytes_;
    work();
    settle();
    print(mix, "operations/CPU s", static_cast<double>(operations) / (process_seconds() - cpu));
    print_times(mix);
    if (put_bytes_ > put_before) {
      print(mix, "written/put",
            (own_number("/proc/self/io", "wchar:") - written) / static_cast<double>(put_bytes_ - put_before));
    }
    print(mix, "disk/row", disk_bytes() / static_cast<double>(newest_ + 1));
    print(mix, "memory MB", own_number("/proc/self/status", "RssAnon:") / 1024);
  }

  void print_times(std::string_view mix) {
    std::ranges::sort(times_);
    const auto part = [&](double share) {
      return times_[static_cast<std::size_t>(share * static_cast<double>(times_.size() - 1))];
    };
    print(mix, "p50", part(0.5));
    print(mix, "p99", part(0.99));
    print(mix, "p99.9", part(0.999));
  }
  void print(std::string_view mix, std::string_view figure, double value) const {
    fmt::print("{}\t{}\t{}\t{:.5g}\n", system_, mix, figure, value);
    (void)std::fflush(stdout);
  }

  std::string system_;
  std::string directory_;
  std::uint64_t rows_;
  std::uint64_t newest_ = rows_ - 1;
  std::uint64_t puts_ = 0;
  std::uint64_t put_bytes_ = 0;
  std::unique_ptr<Target> target_;
  std::vector<std::uint32_t> times_;
};

}  // namespace

int store_ycsb_main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) {
    stop("usage: store_ycsb mixes|A|B|C|D|E|F|space|tails DIRECTORY ROWS OPERATIONS [SYSTEM...]");
  }
  const std::string& what = arguments[0];
  const std::uint64_t rows = std::strtoull(arguments[2].c_str(), nullptr, 10);
  const std::uint64_t operations = std::strtoull(arguments[3].c_str(), nullptr, 10);
  const std::vector<std::string> named(arguments.begin() + 4, arguments.end());
  for (const std::string& system : named.empty() ? target_names() : named) {
    (void)in_process([&] {
      Run run(system, arguments[1], rows, what == "tails" ? rows * 512 : kCacheBytes);
      if (what == "space") {
        run.space(operations);
      } else if (what == "tails") {
        run.tails(operations);
      } else {
        run.mixes(what == "mixes" ? "ABCFDE" : what, operations);
      }
      return Figures{};
    });
  }
  return 0;
}

}  // namespace bloomery

int main(int count, char** arguments) {
  return bloomery::store_ycsb_main({arguments + 1, arguments + count});
}
