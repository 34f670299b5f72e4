// The order of the calls in an update in place and in a save: what a crash between two of them must find.
//
// A file system that fails at the n-th call cannot see a call that is missing, and no test in one process sees what an
// fsync does. So the calls are written down, in their order, and compared with the order that makes each step safe:
//
//   update   reserve the bytes | mark the header dirty | sync | ...keys... | sync the mapping | clean header | sync
//   save     write | sync | rename | sync the directory
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "bloomery/filter/bloom_filter.h"
#include "filter/native/native_file.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

using Calls = std::vector<std::string>;

// The machine's file system; it writes down the calls that change something.
class RecordingFileSystem final : public FileSystem {
 public:
  Calls calls;

  Result<std::size_t> write(const File& file, std::span<const std::byte> bytes) override {
    if (calls.empty() || calls.back() != "write") {  // however many pieces there are
      calls.emplace_back("write");
    }
    return FileSystem::write(file, bytes);
  }
  Result<std::size_t> write_at(const File& file, std::uint64_t offset,
                               std::span<const std::byte> bytes) override {
    const auto header = parse_native_header(bytes, FileSystem::facts(file)->size_bytes);
    const bool is_header = offset == 0 && header.has_value();
    calls.emplace_back(!is_header ? "write_at" : header->dirty ? "dirty header" : "clean header");
    return FileSystem::write_at(file, offset, bytes);
  }
  Status sync(const File& file) override {
    calls.emplace_back("sync");
    return FileSystem::sync(file);
  }
  Status sync_mapping(const File& file, const MappedFile& mapping) override {
    calls.emplace_back("sync mapping");
    return FileSystem::sync_mapping(file, mapping);
  }
  Status reserve(const File& file, std::uint64_t size_bytes) override {
    EXPECT_EQ(size_bytes, FileSystem::facts(file)->size_bytes);
    calls.emplace_back("reserve");
    return FileSystem::reserve(file, size_bytes);
  }
  Status rename(const std::string& from, const std::string& to) override {
    calls.emplace_back("rename");
    return FileSystem::rename(from, to);
  }
  Status sync_directory_of(const std::string& path) override {
    calls.emplace_back("sync directory");
    return FileSystem::sync_directory_of(path);
  }
};

BloomFilter updated_filter() {
  BloomFilter filter = *BloomFilter::for_capacity(1000, 0.01);
  insert_numbered(filter, 0, 200);
  return filter;
}

TEST(UpdateOrder, NoBitChangesBeforeTheDirtyMarkIsDownAndNoneIsVouchedForBeforeItIs) {
  const TestFolder folder;
  ASSERT_TRUE(updated_filter().save(folder.path("f")));
  RecordingFileSystem files;
  auto body = open_native_file(files, folder.path("f"), {.access = Access::kUpdateInPlace});
  ASSERT_TRUE(body) << body.error().to_string();
  EXPECT_EQ(files.calls, (Calls{"reserve", "dirty header", "sync"}));
  (*body)->storage.raw()[0] |= std::byte{0xff};
  files.calls.clear();
  ASSERT_TRUE(finish_native_update(files, **body));
  EXPECT_EQ(files.calls, (Calls{"dirty header", "sync mapping", "clean header", "sync"}));
}

TEST(UpdateOrder, ASaveGetsItsNameOnlyWhenItsBytesAreDown) {
  const TestFolder folder;
  FilterBody body;
  body.header.bits = 64;
  body.header.target_fpp = 0.5;
  for (const IfExists if_exists : {IfExists::kReplace, IfExists::kRefuse}) {
    RecordingFileSystem files;
    ASSERT_TRUE(save_native_file(files, folder.path(if_exists == IfExists::kReplace ? "old" : "new"), body,
                                 {.if_exists = if_exists}));
    std::erase_if(files.calls, [](const std::string& call) { return call == "reserve"; });
    ASSERT_GE(files.calls.size(), 2u);
    EXPECT_EQ(files.calls[0], "write");
    EXPECT_EQ(files.calls[1], "sync");
    EXPECT_EQ(files.calls.back(), "sync directory");
  }
}

}  // namespace
}  // namespace bloomery
