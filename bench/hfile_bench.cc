// What does a cell of an HFile cost to write, to scan and to get?
//
//   hfile_bench [CELLS [ENCODING [COMPRESSION [BLOOM]]]]      1,000,000 NONE NONE ROW unless given
//
// Rows of 20 bytes, one column, values of 100 bytes that do not compress, blocks of 64 KiB. CSV:
//   what,cells,encoding,compression,bloom,ns_per_cell,mb_per_s,ratio
//     write    append and finish, with the fsync      copy   the same file's bytes, written and synced in
//     pieces scan     every cell, from the first             read   the same file's bytes, read in pieces get
//     seek to a random row that is there     miss   may_contain_row of one that is not
//
// A megabyte is one of keys and values. The file is in the page cache. The ratio is the time over that of
// copy, or of read. Fails where a cell is lost. Run pinned:  taskset -c 1 build/bench/bench/hfile_bench
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "bench/timing.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/hfile_writer.h"

namespace bloomery {
namespace {

constexpr std::size_t kRowBytes = 20;
constexpr std::size_t kValueBytes = 100;
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr int kRounds = 3;

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "hfile_bench: {}\n", what);
  std::exit(1);
}

template <typename T>
T take(Result<T> result) {
  if (!result) {
    fail(result.error().to_string());
  }
  return std::move(result).value();
}
void take(const Status& status) {
  if (!status) {
    fail(status.error().to_string());
  }
}

// Even numbers are in the file.
class Row {
 public:
  Row() : bytes_(kRowBytes, 'r') {}

  std::string_view of(std::uint64_t number) {
    for (std::size_t at = kRowBytes; at > 4; number /= 10) {
      bytes_[--at] = static_cast<char>('0' + number % 10);
    }
    return bytes_;
  }

 private:
  std::string bytes_;
};

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

class Bench {
 public:
  Bench(std::uint64_t cells, HFileWriteOptions options) : cells_(cells), options_(std::move(options)) {
    options_.may_replace = true;
    std::string name = (std::filesystem::temp_directory_path() / "hfile-bench-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "written";
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void run() {
    fmt::print("what,cells,encoding,compression,bloom,ns_per_cell,mb_per_s,ratio\n");
    std::vector<double> write;
    std::vector<double> copied;
    for (int round = 0; round < kRounds; ++round) {
      write.push_back(timed(cells_, [this] { write_all(); }).ns);
      copied.push_back(timed(cells_, [this] { copy(); }).ns);
    }
    print("write", median(write), median(copied));
    print("copy", median(copied), median(copied));
    std::vector<double> scanned;
    std::vector<double> read;
    for (int round = 0; round < kRounds; ++round) {
      scanned.push_back(timed(cells_, [this] { scan(); }).ns);
      read.push_back(timed(cells_, [this] { read_all(); }).ns);
    }
    print("scan", median(scanned), median(read));
    print("read", median(read), median(read));
    const std::uint64_t asked = std::min<std::uint64_t>(cells_, 100'000);
    print("get", timed(asked, [&] { get(asked); }).ns, median(read));
    print("miss", timed(asked, [&] { miss(asked); }).ns, median(read));
  }

 private:
  void write_all() {
    HFileWriter writer = take(HFileWriter::create(path_, options_));
    Row row;
    for (std::uint64_t i = 0; i < cells_; ++i) {
      const Cell cell{.key = {row.of(2 * i), "f", "q", 1'700'000'000'000, CellType::kPut},
                      .value = values_.of(i)};
      take(writer.append(cell));
    }
    take(writer.finish());
  }

  void copy() const {
    const std::vector<std::byte> piece(kPieceBytes, std::byte{1});
    AtomicFile file =
        take(AtomicFile::create(FileSystem::real(), folder_ / "copy", {.if_exists = IfExists::kReplace}));
    for (std::uint64_t left = std::filesystem::file_size(path_); left > 0;) {
      const std::size_t size = std::min<std::uint64_t>(left, piece.size());
      take(file.append(std::span(piece).first(size)));
      left -= size;
    }
    take(file.commit());
  }

  void scan() const {
    const HFileReader reader = take(HFileReader::open(path_));
    HFileScanner scanner = reader.scan();
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    for (bool found = take(scanner.seek_to_first()); found; found = take(scanner.next())) {
      ++count;
      bytes += scanner.cell().value.size();
    }
    if (count != cells_ || bytes != cells_ * kValueBytes) {
      fail(fmt::format("{} cells were written and {} read", cells_, count));
    }
  }

  void read_all() const {
    std::vector<std::byte> piece(kPieceBytes);
    FileSystem& files = FileSystem::real();
    const File file = take(files.open(path_, OpenFor::kReading));
    std::uint64_t offset = 0;
    while (const std::size_t count = take(files.read_at(file, offset, piece))) {
      offset += count;
    }
    g_sink = offset;
  }

  void get(std::uint64_t asked) const {
    const HFileReader reader = take(HFileReader::open(path_));
    HFileScanner scanner = reader.scan();
    Row row;
    for (std::uint64_t i = 0; i < asked; ++i) {
      const std::string_view wanted = row.of(2 * (mixed(i) % cells_));
      if (!take(scanner.seek(first_on_row(wanted))) || scanner.cell().key.row != wanted) {
        fail("a row is lost");
      }
    }
  }

  void miss(std::uint64_t asked) const {
    const HFileReader reader = take(HFileReader::open(path_));
    Row row;
    std::uint64_t maybe = 0;
    for (std::uint64_t i = 0; i < asked; ++i) {
      maybe += reader.may_contain_row(row.of(2 * (mixed(i) % cells_) + 1)) ? 1U : 0U;
    }
    g_sink = maybe;
  }

  void print(const char* what, double ns, double floor_ns) const {
    constexpr std::size_t kCellBytes = 12 + kRowBytes + 2 + kValueBytes;
    fmt::print("{},{},{},{},{},{:.1f},{:.0f},{:.2f}\n", what, cells_, options_.encoding, options_.compression,
               options_.bloom.type, ns, static_cast<double>(kCellBytes) * 1e3 / ns, ns / floor_ns);
  }

  std::uint64_t cells_;
  HFileWriteOptions options_;
  std::filesystem::path folder_;
  std::string path_;
  Values values_;
};

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* otherwise) { return i < argc ? argv[i] : otherwise; };
  bloomery::HFileWriteOptions options;
  options.encoding = argument(2, "NONE");
  options.compression = argument(3, "NONE");
  options.bloom.type = argument(4, "ROW");
  bloomery::Bench(std::strtoull(argument(1, "1000000"), nullptr, 10), options).run();
  return 0;
}
