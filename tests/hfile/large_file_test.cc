// Files above 4 GB: a golden file whose blocks lie behind a hole of 5 GiB, which is not stored and must not
// be read.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "hfile/trailer.h"
#include "tests/base/test_bytes.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/memory_files.h"
#include "tests/hfile/opened.h"
#include "tests/hfile/protobuf_bytes.h"
#include "tests/hfile/seal.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kHole = std::uint64_t{5} << 30;

// The bytes begin behind the hole.
class FilesBehindAHole final : public MemoryFiles {
 public:
  explicit FilesBehindAHole(std::string_view bytes) : MemoryFiles(bytes), size_(bytes.size()) {}

  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    EXPECT_GE(offset, kHole);
    return MemoryFiles::read_at(file, offset - kHole, bytes);
  }
  using FileSystem::facts;
  Result<FileFacts> facts(const File& file) override {
    (void)file;
    return FileFacts{.size_bytes = kHole + size_, .is_regular = true};
  }

 private:
  std::size_t size_;
};

template <typename T>
T load_at(const std::string& bytes, std::size_t at) {
  return load_big<T>(reinterpret_cast<const std::byte*>(bytes.data()) + at);
}

void move_offset(std::string& bytes, std::size_t at) {
  store_big(reinterpret_cast<std::byte*>(bytes.data()) + at, load_at<std::uint64_t>(bytes, at) + kHole);
}

// Every offset that a file of one index level has, moved; plain keys are shorter than 113 bytes.
std::string moved(std::string bytes) {
  const auto trailer = hfile::parse_trailer(bytes_of(bytes).last(4096), bytes.size());
  for (std::size_t at = 0; at < trailer->offset;) {
    if (load_at<std::uint64_t>(bytes, at + 16) != ~std::uint64_t{0}) {
      move_offset(bytes, at + 16);
    }
    at += 33 + load_at<std::uint32_t>(bytes, at + 8);
  }
  std::size_t entry = trailer->load_on_open_offset + 33;
  for (std::uint32_t i = 0; i < trailer->data_index_count; ++i) {
    move_offset(bytes, entry);
    entry += std::size_t{13} + static_cast<unsigned char>(bytes[entry + 12]);
  }
  for (std::size_t at = 0; at < trailer->offset;) {
    at += seal_block(bytes, at);
  }
  std::string fields;
  append_integer_field(fields, 1, trailer->file_info_offset + kHole);
  append_integer_field(fields, 2, trailer->load_on_open_offset + kHole);
  append_integer_field(fields, 3, trailer->data_index_bytes);
  append_integer_field(fields, 4, trailer->uncompressed_bytes);
  append_integer_field(fields, 5, trailer->data_index_count);
  append_integer_field(fields, 6, trailer->meta_index_count);
  append_integer_field(fields, 7, trailer->entry_count);
  append_integer_field(fields, 8, trailer->data_index_levels);
  append_integer_field(fields, 9, *trailer->first_data_block_offset + kHole);
  append_integer_field(fields, 10, *trailer->last_data_block_offset + kHole);
  append_bytes_field(fields, 11, trailer->comparator);
  append_integer_field(fields, 12, static_cast<std::uint64_t>(trailer->compression));
  std::string tail = "TRABLK\"$" + delimited(fields);
  tail.resize(4092);
  return bytes.substr(0, trailer->offset) + tail + std::string("\x03\x00\x00\x03", 4);
}

TEST(LargeHFile, BlocksBehind5GiBAreRead) {
  std::ifstream file(hbase_golden("plain.hfile"), std::ios::binary);
  const std::string bytes = moved({std::istreambuf_iterator<char>(file), {}});
  FilesBehindAHole files(bytes);
  const auto reader = open_in(files, "large.hfile");
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_GT(reader->facts().file_bytes, kHole);
  const auto listed = golden_lines("plain.cells");
  EXPECT_EQ(scanned(*reader), listed);
  HFileScanner scanner = reader->scan();
  const auto found = scanner.seek_to_last();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(line_of(scanner.cell()), listed.back());
  EXPECT_TRUE(*scanner.seek(first_on_row("row-00005")));
  EXPECT_EQ(scanner.cell().key.row, "row-00005");
}

}  // namespace
}  // namespace bloomery
