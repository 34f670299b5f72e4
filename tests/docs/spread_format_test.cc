// The worked examples of docs/formats/spread-build.md are the files that its text describes.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/any/static_part.h"
#include "filter/spool/range_files.h"
#include "page_example.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

constexpr const char* kPage = "spread-build.md";

class SpreadFormatPage : public testing::Test {
 protected:
  SpreadFormatPage() {
    const HashSpec hash{.id = HashId::kXxh3};
    auto writer = RangeFilesWriter::create(
        FileSystem::real(),
        {.directory = folder_.path("."),
         .ranges = 2,
         .hash = hash,
         .note = "fruit",
         .spool = {.directory = folder_.path("."), .buffer_bytes = std::uint64_t{4} << 20}});
    const std::array<Hash128, 3> hashes = {hash_bytes("apple", hash), hash_bytes("banana", hash),
                                           hash_bytes("cherry", hash)};
    EXPECT_TRUE(writer && writer->add(hashes) && writer->finish());
  }

  TestFolder folder_;
};

TEST_F(SpreadFormatPage, ItsRangeFileIsTheOneItDescribes) {
  EXPECT_EQ(page_example(kPage, "```hex range"), folder_.read("range-1-of-2.hashes"));
}

TEST_F(SpreadFormatPage, ItsPartIsTheOneItDescribes) {
  std::vector<std::unique_ptr<RangeFile>> files;
  files.push_back(*RangeFile::open(FileSystem::real(), folder_.path("range-2-of-2.hashes")));
  const auto written = write_static_part(FileSystem::real(), files,
                                         {.part = 2, .parts = 2, .fpp = 0.1, .capacity = 3, .note = "fruit"},
                                         folder_.path("part"), {}, {});
  ASSERT_TRUE(written) << written.error().to_string();
  EXPECT_EQ(page_example(kPage, "```hex part"), folder_.read("part"));
}

}  // namespace
}  // namespace bloomery
