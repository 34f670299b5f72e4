// A file that is cut while it is mapped: the reader lives, and is told; every other SIGBUS does what it did.
#include "base/map_watch.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "bloomery/base/cut_files.h"
#include "sanitized.h"
#include "test_folder.h"

namespace bloomery {
namespace {

constexpr std::size_t kPage =
    4096;  // or a multiple of what the machine has; the tests cut at multiples of 16

class MapWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    survive_cut_files();
    ASSERT_TRUE(cut_files_are_survived());
  }

  MappedFile map(const std::string& name, std::size_t size, MapAccess access = MapAccess::kReadOnly) {
    folder_.write(name, std::string(size, 'x'));
    FileSystem& files = FileSystem::real();
    const OpenFor purpose = access == MapAccess::kReadWrite ? OpenFor::kUpdating : OpenFor::kReading;
    Result<File> file = files.open(folder_.path(name), purpose);
    EXPECT_TRUE(file) << file.error().to_string();
    Result<MappedFile> mapping = files.map(*file, size, access);
    EXPECT_TRUE(mapping) << mapping.error().to_string();
    return std::move(mapping).value();
  }
  void cut(const std::string& name, std::size_t size) {
    std::filesystem::resize_file(folder_.path(name), size);
  }

  TestFolder folder_;
};

// Reads every byte; a compiler may not leave it out.
std::uint64_t sum(const MappedFile& mapping) {
  const volatile std::byte* const bytes = mapping.bytes().data();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < mapping.bytes().size(); ++i) {
    total += static_cast<std::uint64_t>(bytes[i]);
  }
  return total;
}

TEST_F(MapWatchTest, AWholeFileIsWhole) {
  const MappedFile mapping = map("file", 8 * kPage);
  EXPECT_EQ(sum(mapping), 8 * kPage * 'x');
  EXPECT_TRUE(mapping.status());
}

TEST_F(MapWatchTest, WhatWasCutReadsAsZerosAndIsTold) {
  for (const MapAccess access : {MapAccess::kReadOnly, MapAccess::kCopyOnWrite, MapAccess::kReadWrite}) {
    const MappedFile mapping = map("file", 64 * kPage, access);
    cut("file", 16 * kPage);
    EXPECT_EQ(sum(mapping), 16 * kPage * 'x');
    const Status status = mapping.status();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(status.error().detail().find("cut while it was read"), std::string::npos);
    EXPECT_EQ(sum(mapping), 16 * kPage * 'x');  // again, and nothing raises
  }
}

TEST_F(MapWatchTest, AMappingThatIsWrittenIsSurvivedToo) {
  for (const MapAccess access : {MapAccess::kCopyOnWrite, MapAccess::kReadWrite}) {
    const MappedFile mapping = map("file", 32 * kPage, access);
    cut("file", 0);
    volatile std::byte& last = mapping.writable_bytes().back();
    last = std::byte{1};
    EXPECT_EQ(std::byte{last}, std::byte{1});
    EXPECT_FALSE(mapping.status());
  }
}

// The system fills the rest of the page with zeros and raises nothing; only the file's size tells.
TEST_F(MapWatchTest, ACutInsideOfAPageIsTold) {
  const MappedFile mapping = map("file", 100);
  cut("file", 99);
  EXPECT_EQ(sum(mapping), std::uint64_t{99} * 'x');
  const Status status = mapping.status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().offset(), 99u);
}

TEST_F(MapWatchTest, AFileThatGrewAgainWasCutAllTheSameIfItWasRead) {
  const MappedFile mapping = map("file", 32 * kPage);
  cut("file", 0);
  EXPECT_EQ(sum(mapping), 0u);
  cut("file", 32 * kPage);
  EXPECT_FALSE(mapping.status());
}

TEST_F(MapWatchTest, AFileThatGrowsIsWhole) {
  const MappedFile mapping = map("file", 3 * kPage);
  cut("file", 9 * kPage);
  EXPECT_EQ(sum(mapping), 3 * kPage * 'x');
  EXPECT_TRUE(mapping.status());
}

// More than a piece of the table holds; each is told about itself alone, also after it was moved.
TEST_F(MapWatchTest, OfManyMappingsTheOneThatWasCutIsTold) {
  std::vector<MappedFile> mappings;
  for (int i = 0; i < 300; ++i) {
    mappings.push_back(map("file" + std::to_string(i), 16 * kPage));
  }
  cut("file170", 0);
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    EXPECT_EQ(sum(mappings[i]), i == 170 ? 0 : 16 * kPage * 'x') << i;
    EXPECT_EQ(mappings[i].status().has_value(), i != 170) << i;
  }
  MappedFile moved = std::move(mappings[170]);
  EXPECT_FALSE(moved.status());
  mappings.clear();
  moved = map("new", 16 * kPage);  // may lie where the cut one lay
  EXPECT_EQ(sum(moved), 16 * kPage * 'x');
  EXPECT_TRUE(moved.status());
}

// Threads that read what is cut, beside others that map and unmap.
TEST_F(MapWatchTest, ThreadsSurviveTogether) {
  const MappedFile shared = map("shared", 256 * kPage);
  std::atomic<bool> done{false};
  std::thread mapper([&] {
    for (int i = 0; !done; ++i) {
      const MappedFile own = map("own" + std::to_string(i % 4), 16 * kPage);
      EXPECT_EQ(sum(own), 16 * kPage * 'x');
      EXPECT_TRUE(own.status());
    }
  });
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (shared.status()) {
        (void)sum(shared);
      }
      (void)sum(shared);
    });
  }
  cut("shared", 16 * kPage);
  for (std::thread& reader : readers) {
    reader.join();
  }
  done = true;
  mapper.join();
  EXPECT_FALSE(shared.status());
}

TEST_F(MapWatchTest, AnotherSigbusEndsTheProcessAsBefore) {
  if (kSanitized) {
    GTEST_SKIP() << "their own handler ends the process";
  }
  EXPECT_EXIT((void)std::raise(SIGBUS), testing::KilledBySignal(SIGBUS), "");
  const auto read_foreign = [&] {
    folder_.write("foreign", std::string(8 * kPage, 'x'));
    Result<File> file = FileSystem::real().open(folder_.path("foreign"), OpenFor::kReading);
    void* const data = ::mmap(nullptr, 8 * kPage, PROT_READ, MAP_SHARED, file->descriptor(), 0);
    cut("foreign", 0);
    (void)*static_cast<const volatile char*>(data);
  };
  EXPECT_EXIT(read_foreign(), testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace bloomery
