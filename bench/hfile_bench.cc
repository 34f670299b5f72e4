// What does a cell of an HFile cost to write, to scan and to get?
//
//   hfile_bench CELLS [DIRECTORY [WHAT...]]      DIRECTORY gets the files: a temporary one unless given
//
// Rows of 20 bytes, one column, values of 100 bytes that do not compress, blocks of 64 KiB, a ROW filter.
// CSV:
//   side,what,encoding,compression,count,wall_ns,cpu_ns,check      nanoseconds for one cell or question
//     write   append and finish; the file is not synced, as HBase's writer does not. write_synced: with that
//     scan    every cell from the first, its row and value copied
//     get     of a random row that is there: key range, filter, seek, the cell copied; of a new scanner each
//     miss    of one between them that is not
//     ..._cached    every block in a block cache that was filled before
//     open    opens the file; check: the bytes of memory that it then keeps
// WHAT leaves out the others, and finds the file in DIRECTORY.
//
// bench/hfile/HFileBench.java does the same with the same cells on its side; bench/hfile.sh runs both and
// compares the files and the checks. Fails where a cell is lost. Run pinned:  taskset -c 1
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <malloc.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/taken.h"
#include "bench/timing.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/hfile_writer.h"
#include "hfile/write_state.h"
#include "hfile/writer_access.h"

namespace bloomery {
namespace {

constexpr std::size_t kRowBytes = 20;
constexpr std::size_t kValueBytes = 100;
constexpr std::size_t kBatch = 4096;  // cells that are made ahead, with the clock stopped
constexpr std::int64_t kTime = 1'700'000'000'000;
constexpr std::uint64_t kCacheBytes = std::uint64_t{3} << 30;

using Row = std::array<char, kRowBytes>;

// The machine's files, but what is written is left to it to sync.
class UnsyncedFiles final : public FileSystem {
 public:
  Status sync(const File& file) override {
    (void)file;
    return {};
  }
  Status sync_directory_of(const std::string& path) override {
    (void)path;
    return {};
  }
};

// Even numbers are in the file.
Row row_of(std::uint64_t number) {
  Row row;
  row.fill('r');
  for (std::size_t at = kRowBytes; at > 4; number /= 10) {
    row[--at] = static_cast<char>('0' + number % 10);
  }
  return row;
}

std::string_view text_of(const Row& row) {
  return {row.data(), row.size()};
}

// Values that are not alike: views of one buffer of random bytes.
class Values {
 public:
  Values() : bytes_(std::size_t{1} << 20, '\0') {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<char>(mixed(i));
    }
  }

  std::string_view of(std::uint64_t i) const {
    return std::string_view(bytes_).substr(mixed(i) % (bytes_.size() - kValueBytes), kValueBytes);
  }

 private:
  std::string bytes_;
};

class Clock {
 public:
  void start() {
    cpu_ns_ -= now(CLOCK_THREAD_CPUTIME_ID);
    wall_ns_ -= now(CLOCK_MONOTONIC);
  }
  void stop() {
    wall_ns_ += now(CLOCK_MONOTONIC);
    cpu_ns_ += now(CLOCK_THREAD_CPUTIME_ID);
  }

  double wall_ns() const { return static_cast<double>(wall_ns_); }
  double cpu_ns() const { return static_cast<double>(cpu_ns_); }

 private:
  static std::int64_t now(clockid_t clock) {
    timespec time{};
    (void)clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

  std::int64_t wall_ns_ = 0;
  std::int64_t cpu_ns_ = 0;
};

struct Form {
  const char* encoding = "NONE";
  const char* compression = "NONE";
};

void print(const char* what, const Form& form, std::uint64_t count, const Clock& clock, std::int64_t check) {
  const auto each = static_cast<double>(count);
  fmt::print("bloomery,{},{},{},{},{:.1f},{:.1f},{}\n", what, form.encoding, form.compression, count,
             clock.wall_ns() / each, clock.cpu_ns() / each, check);
}

// What a reader of a cell does with it: takes its row and its value.
class Taker {
 public:
  std::int64_t take(const Cell& cell) {
    const std::size_t row = cell.key.row.size();
    const std::size_t end = row + cell.value.size();
    if (end > into_.size()) {
      fail("a cell is larger than it was");
    }
    std::memcpy(into_.data(), cell.key.row.data(), row);
    std::memcpy(into_.data() + row, cell.value.data(), cell.value.size());
    return into_[row - 1] + into_[row] + into_[end - 1] + cell.key.timestamp % 1000;
  }

 private:
  std::array<signed char, kRowBytes + kValueBytes> into_;
};

class Bench {
 public:
  Bench(std::uint64_t cells, std::filesystem::path folder) : cells_(cells), folder_(std::move(folder)) {}

  void write(const char* what, const Form& form, FileSystem& files) const {
    HFileWriteOptions options;
    options.may_replace = true;
    options.encoding = *hfile::parse_data_encoding(form.encoding);
    options.compression = *hfile::parse_compression(form.compression);
    options.bloom.type = hfile::BloomType::kRow;
    options.creation_time = kTime;
    options.max_sequence_id = 7;
    std::vector<Row> rows(kBatch);
    std::vector<Cell> batch(kBatch);
    std::filesystem::remove(path_of(form));
    Clock clock;
    clock.start();
    HFileWriter writer = hfile::WriterAccess::writer_of(
        bloomery::take(hfile::WriteState::create(path_of(form), options, files)));
    clock.stop();
    for (std::uint64_t begin = 0; begin < cells_; begin += kBatch) {
      const std::size_t size = std::min<std::uint64_t>(kBatch, cells_ - begin);
      for (std::size_t i = 0; i < size; ++i) {
        rows[i] = row_of(2 * (begin + i));
        batch[i] = {.key = {text_of(rows[i]), "f", "q", kTime, CellType::kPut},
                    .value = values_.of(begin + i)};
      }
      clock.start();
      for (std::size_t i = 0; i < size; ++i) {
        bloomery::take(writer.append(batch[i]));
      }
      clock.stop();
    }
    clock.start();
    bloomery::take(writer.finish());
    clock.stop();
    print(what, form, cells_, clock, static_cast<std::int64_t>(std::filesystem::file_size(path_of(form))));
  }

  void scan(const char* what, const HFileReader& reader, const Form& form) const {
    Taker taker;
    std::uint64_t count = 0;
    std::int64_t check = 0;
    Clock clock;
    clock.start();
    HFileScanner scanner = reader.scan();
    for (bool found = bloomery::take(scanner.seek_to_first()); found;
         found = bloomery::take(scanner.next())) {
      check += taker.take(scanner.cell());
      ++count;
    }
    clock.stop();
    if (count != cells_) {
      fail(fmt::format("{} cells were written and {} read", cells_, count));
    }
    if (what != nullptr) {
      print(what, form, cells_, clock, check);
    }
  }

  void get(const char* what, const HFileReader& reader, std::uint64_t asked, std::uint64_t odd) const {
    const FlatKey first = *reader.first_key();
    const FlatKey last = *reader.last_key();
    const std::string first_row(first.key().row);
    const std::string last_row(last.key().row);
    std::vector<Row> rows(kBatch);
    Taker taker;
    std::int64_t check = 0;
    Clock clock;
    for (std::uint64_t begin = 0; begin < asked; begin += kBatch) {
      const std::size_t size = std::min<std::uint64_t>(kBatch, asked - begin);
      for (std::size_t i = 0; i < size; ++i) {
        rows[i] = row_of(2 * (mixed(begin + i) % (cells_ - 1)) + odd);
      }
      clock.start();
      for (std::size_t i = 0; i < size; ++i) {
        const std::string_view row = text_of(rows[i]);
        if (row < first_row || row > last_row || !reader.may_contain_row(row)) {
          continue;
        }
        HFileScanner scanner = reader.scan();
        if (bloomery::take(scanner.seek(first_on_row(row))) && scanner.cell().key.row == row) {
          check += 1 + (taker.take(scanner.cell()) & 0xff);
        }
      }
      clock.stop();
    }
    if (what != nullptr) {
      print(what, {}, asked, clock, check);
    }
  }

  HFileReader open(const Form& form, const HFileOptions& options) const {
    return bloomery::take(HFileReader::open(path_of(form), options));
  }

  void measure_open() const {
    const auto in_use = [] {
      const auto facts = ::mallinfo2();
      return static_cast<std::int64_t>(facts.uordblks + facts.hblkhd);
    };
    const std::int64_t before = in_use();
    Clock clock;
    clock.start();
    const HFileReader reader = open({}, {});
    clock.stop();
    print("open", {}, 1, clock, in_use() - before);
  }

  std::uint64_t cells() const { return cells_; }

 private:
  std::filesystem::path path_of(const Form& form) const {
    return folder_ / (std::string("ours-") + form.encoding + '-' + form.compression);
  }

  std::uint64_t cells_;
  std::filesystem::path folder_;
  Values values_;
};

void run(const Bench& bench, const std::vector<std::string>& wanted) {
  const auto is_wanted = [&](const char* what) {
    return wanted.empty() || std::ranges::find(wanted, what) != wanted.end();
  };
  constexpr Form kPlain{};
  constexpr Form kEncoded{"FAST_DIFF", "SNAPPY"};
  const std::uint64_t cells = bench.cells();
  UnsyncedFiles unsynced;
  if (is_wanted("write_synced")) {
    bench.write("write_synced", kPlain, FileSystem::real());
  }
  if (is_wanted("write")) {
    bench.write("write", kPlain, unsynced);
  }
  if (is_wanted("encoded")) {
    bench.write("write", kEncoded, unsynced);
    bench.scan("scan", bench.open(kEncoded, {}), kEncoded);
  }
  if (is_wanted("open")) {
    bench.measure_open();
  }
  if (is_wanted("scan")) {
    bench.scan("scan", bench.open(kPlain, {}), kPlain);
  }
  const HFileReader reader = bench.open(kPlain, {});
  const std::uint64_t few = std::min<std::uint64_t>(cells, 30'000);
  if (is_wanted("get")) {
    bench.get("get", reader, few, 0);
  }
  if (is_wanted("miss")) {
    bench.get("miss", reader, few, 1);
  }
  if (is_wanted("get_cached") || is_wanted("miss_cached")) {
    HFileOptions options;
    options.cache_bytes = kCacheBytes;
    options.keep_bloom_chunks = true;
    const HFileReader cached = bench.open(kPlain, options);
    const std::uint64_t many = std::min<std::uint64_t>(cells, 1'000'000);
    bench.scan(nullptr, cached, kPlain);
    bench.get(nullptr, cached, many / 2, 0);  // every Bloom chunk and index block too
    if (is_wanted("get_cached")) {
      bench.get("get_cached", cached, many / 2, 0);
    }
    if (is_wanted("miss_cached")) {
      bench.get("miss_cached", cached, many, 1);
    }
  }
}

// Removes what was written.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hfile-bench-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::uint64_t cells =
      arguments.empty() ? 1'000'000 : static_cast<std::uint64_t>(std::strtod(arguments[0].c_str(), nullptr));
  std::optional<bloomery::TemporaryFolder> temporary;
  if (arguments.size() < 2) {
    temporary.emplace();
  }
  const bloomery::Bench bench(cells, temporary ? temporary->path() : std::filesystem::path(arguments[1]));
  bloomery::run(bench, {arguments.begin() + std::min<std::ptrdiff_t>(2, argc - 1), arguments.end()});
  return 0;
}
