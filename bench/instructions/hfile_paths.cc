// The hot paths of HBase's files: cells written, scanned and got. What is read is in the cache.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <system_error>

#include "bench/instructions/path.h"
#include "bench/instructions/workload.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/hfile_writer.h"

namespace bloomery::instructions {
namespace {

constexpr std::size_t kCells = 5'000;

// A folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hot-paths-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      fail("cannot make a folder " + name);
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file() const { return path_ / "cells"; }

 private:
  std::filesystem::path path_;
};

// Cells of one column with values of 100 bytes; the rows have even numbers.
struct Cells {
  Cells() {
    for (std::size_t i = 0; i < kCells; ++i) {
      rows.push_back(text_of(2 * i));
      std::string value(100, '\0');
      for (std::size_t at = 0; at < value.size(); ++at) {
        value[at] = static_cast<char>(mixed(i * value.size() + at));
      }
      values.push_back(std::move(value));
    }
  }

  // Begins the file `path`, which is for these cells.
  HFileWriter new_file(const std::string& path) const {
    HFileWriteOptions options;
    options.bloom.type = hfile::BloomType::kRow;
    options.creation_time = kTime;
    options.max_sequence_id = 7;
    return take(HFileWriter::create(path, options));
  }

  std::uint64_t append_all_to(HFileWriter& writer) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      take(writer.append({.key = {rows[i], "f", "q", kTime, CellType::kPut}, .value = values[i]}));
    }
    return rows.size();
  }

  static constexpr std::int64_t kTime = 1'700'000'000'000;
  std::vector<std::string> rows;
  std::vector<std::string> values;
};

Counted hfile_write() {
  const TemporaryFolder folder;
  const Cells cells;
  auto writer = cells.new_file(folder.file());
  const Counted count = counted(kCells, [&] { return cells.append_all_to(writer); });
  take(writer.finish());
  return count;
}

// Opened with a cache that holds all of the file.
HFileReader open_written(const TemporaryFolder& folder) {
  const Cells cells;
  auto writer = cells.new_file(folder.file());
  cells.append_all_to(writer);
  take(writer.finish());
  HFileOptions options;
  options.cache_bytes = std::uint64_t{64} << 20;
  options.keep_bloom_chunks = true;
  return take(HFileReader::open(folder.file(), options));
}

std::uint64_t scan_all(const HFileReader& reader) {
  std::uint64_t bytes = 0;
  HFileScanner scanner = reader.scan();
  for (bool found = take(scanner.seek_to_first()); found; found = take(scanner.next())) {
    bytes += scanner.cell().key.row.size() + scanner.cell().value.size();
  }
  return bytes;
}

std::uint64_t get_all(const HFileReader& reader, std::span<const std::string> rows) {
  std::uint64_t found = 0;
  for (const std::string& row : rows) {
    if (reader.may_contain_row(row)) {
      HFileScanner scanner = reader.scan();
      found += take(scanner.seek(first_on_row(row))) && scanner.cell().key.row == row ? 1U : 0U;
    }
  }
  return found;
}

Counted hfile_scan() {
  const TemporaryFolder folder;
  const HFileReader reader = open_written(folder);
  scan_all(reader);  // fills the cache
  return counted(kCells, [&] { return scan_all(reader); });
}

// Rows in random order; `odd` is 0 for rows that are there and 1 for rows between them.
Counted hfile_get(std::uint64_t odd) {
  const TemporaryFolder folder;
  const HFileReader reader = open_written(folder);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < kCells; ++i) {
    rows.push_back(text_of(2 * (mixed(i) % kCells) + odd));
  }
  scan_all(reader);
  get_all(reader, rows);  // brings the Bloom chunk and the index into memory
  const Counted count = counted(rows.size(), [&] { return get_all(reader, rows); });
  if (count.result != (odd == 0 ? rows.size() : 0)) {
    fail("a get found another number of rows than there are");
  }
  return count;
}

Counted hfile_get_present() {
  return hfile_get(0);
}

Counted hfile_get_absent() {
  return hfile_get(1);
}

constexpr Path kPaths[] = {
    {"hfile-get-present", kAny, hfile_get_present},
    {"hfile-get-absent", kAny, hfile_get_absent},
    {"hfile-scan", kAny, hfile_scan},
    {"hfile-write", kBoth, hfile_write},
};

}  // namespace

std::span<const Path> hfile_paths() {
  return kPaths;
}

}  // namespace bloomery::instructions
