// Scans that read ahead, beside what they answer and count.
#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/hfile_writer.h"
#include "hfile/open_file.h"
#include "hfile/read_log.h"
#include "hfile/reader_access.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

constexpr int kScannedRows = 4000;

// Counts reads, and fails those of bytes from `end` on.
class CountingFiles final : public FileSystem {
 public:
  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    ++reads;
    if (offset < until && offset + bytes.size() > end) {
      return Error::io(file.path(), "read", EIO);
    }
    return FileSystem::read_at(file, offset, bytes);
  }

  std::uint64_t reads = 0;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t until = 0;  // what lies behind can be read
};

std::string scanned_row(int i) {
  std::string digits = std::to_string(i);
  return "r" + std::string(6 - digits.size(), '0') + digits;
}

std::string written_rows(const TestFolder& folder) {
  HFileWriteOptions options;
  options.block_bytes = 1024;
  const std::string path = folder.path("cells");
  auto writer = HFileWriter::create(path, options);
  EXPECT_TRUE(writer);
  for (int i = 0; i < kScannedRows; ++i) {
    const std::string row = scanned_row(i);
    EXPECT_TRUE(
        writer->append({.key = {row, "f", "q", 1, CellType::kPut}, .value = "a value of some bytes"}));
  }
  EXPECT_TRUE(writer->finish());
  return path;
}

struct Scanned {
  int rows = 0;
  std::optional<Error> error;
  std::vector<std::uint64_t> data_blocks;  // their offsets
  std::uint64_t reads = 0;
  HFileCounters counters;
};

Scanned scan(const std::string& path, CountingFiles& files) {
  const auto file = hfile::OpenFile::open(path, {}, {.files = &files});
  EXPECT_TRUE(file);
  Scanned scanned;
  const std::uint64_t before = files.reads;
  const hfile::ReadLog log;
  HFileScanner scanner = hfile::ReaderAccess::reader_of(*file).scan();
  Result<bool> found = scanner.seek_to_first();
  for (; found && *found; found = scanner.next()) {
    EXPECT_EQ(scanner.cell().key.row, scanned_row(scanned.rows));
    ++scanned.rows;
  }
  if (!found) {
    scanned.error = found.error();
  }
  for (const hfile::BlockRead& read : log.reads()) {
    if (read.address.kind == hfile::BlockKind::kData) {
      scanned.data_blocks.push_back(read.address.offset);
    }
  }
  scanned.reads = files.reads - before;
  scanned.counters = (*file)->counters();
  return scanned;
}

TEST(ScanAhead, ReadsSeveralBlocksByOneCallAndCountsEach) {
  const TestFolder folder;
  CountingFiles files;
  const Scanned all = scan(written_rows(folder), files);
  EXPECT_FALSE(all.error);
  EXPECT_EQ(all.rows, kScannedRows);
  EXPECT_GT(all.data_blocks.size(), 100U);
  EXPECT_EQ(all.counters.data_blocks, all.data_blocks.size());
  EXPECT_LT(all.reads, all.data_blocks.size() / 2);
}

// The rows before a block that cannot be read are answered, wherever it lies in what is read ahead.
TEST(ScanAhead, FailsAtTheBlockThatCannotBeReadAndNotBefore) {
  const TestFolder folder;
  const std::string path = written_rows(folder);
  CountingFiles files;
  const Scanned all = scan(path, files);
  for (std::size_t i = 1; i < all.data_blocks.size(); i += 7) {
    CountingFiles failing;
    failing.end = all.data_blocks[i];
    failing.until = all.data_blocks.back() + 1;  // the parts that open() reads are sound
    const Scanned cut = scan(path, failing);
    ASSERT_TRUE(cut.error);
    EXPECT_EQ(cut.error->code(), ErrorCode::kIo);
    EXPECT_EQ(cut.data_blocks.size(), i);
    EXPECT_GT(cut.rows, 0);
    EXPECT_LT(cut.rows, kScannedRows);
  }
}

}  // namespace
}  // namespace bloomery
