// What writing keeps in memory: a block, the index entries that no leaf has, a chunk of each filter. Nothing
// is allocated for a cell.
//
// Allocations are counted by replacing operator new, for the thread that asks for it.
#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace {

struct Counted {
  bool on = false;
  std::size_t calls = 0;
  std::size_t bytes = 0;  // that are held
  std::size_t most_bytes = 0;
};
thread_local Counted counted;

// Null when there is none.
void* allocate(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (counted.on && memory != nullptr) {
    ++counted.calls;
    counted.bytes += malloc_usable_size(memory);
    counted.most_bytes = std::max(counted.most_bytes, counted.bytes);
  }
  return memory;
}

void* allocate_or_throw(std::size_t size) {
  void* const memory = allocate(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void release(void* memory) {
  if (counted.on && memory != nullptr) {
    counted.bytes -= std::min(counted.bytes, malloc_usable_size(memory));
  }
  std::free(memory);
}

}  // namespace

// All that malloc can serve, so that what one of these made is not released by another's counterpart.
void* operator new(std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new[](std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}

namespace bloomery {
namespace {

// Writes cells of 100-byte values in blocks of 4 KiB, one ROW filter beside; returns what it took.
Counted write_many(std::size_t count, const HFileWriteOptions& options) {
  const TestFolder folder;
  const std::string path = folder.path("a");
  const std::string value(100, 'v');
  std::string row = "row0000000000";
  counted = {.on = true};
  {
    auto writer = HFileWriter::create(path, options);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t at = row.size() - 1; ++row[at] > '9'; --at) {
        row[at] = '0';
      }
      const Cell cell{.key = {row, "f", "q", 5, CellType::kPut}, .value = value};
      EXPECT_TRUE(writer->append(cell));
    }
    EXPECT_TRUE(writer->finish());
  }
  const Counted result = counted;
  counted = {};
  return result;
}

class HFileWriteMemory : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Encodings, HFileWriteMemory,
                         testing::Values("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"),
                         [](const auto& param) { return std::string(param.param); });

TEST_P(HFileWriteMemory, GrowsByLeavesOfTheIndexAndChunksOnly) {
  const HFileWriteOptions options{.block_bytes = 4096,
                                  .encoding = *hfile::parse_data_encoding(GetParam()),
                                  .index_block_bytes = 8192,
                                  .bloom = {.type = hfile::BloomType::kRow, .chunk_bytes = 16384}};
  const Counted few = write_many(100'000, options);
  const Counted many = write_many(400'000, options);
  // 300,000 cells of 140 bytes are 10,000 blocks at most, 50 leaves, 22 chunks.
  EXPECT_LT(many.calls - few.calls, 15'000u) << "allocations for a cell";
  EXPECT_LT(many.most_bytes, few.most_bytes + (std::size_t{64} << 10)) << "what is held grows with the cells";
  EXPECT_LT(few.most_bytes, std::size_t{1} << 20);
}

}  // namespace
}  // namespace bloomery
