// A disk that fails at the n-th call, for every n: there is a whole file or none, and the error names it.
#include <cerrno>
#include <set>

#include <gtest/gtest.h>

#include "hfile/write_state.h"
#include "hfile/writer_access.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

std::vector<OwnedCell> some_cells() {
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 4000; ++i) {
    cells.push_back({.row = "row" + std::to_string(10000 + i),
                     .family = "f",
                     .qualifier = "q",
                     .timestamp = i,
                     .value = std::string(400, static_cast<char>('a' + i % 26))});
  }
  return cells;
}

Status write_in(FileSystem& files, const std::string& path, const std::vector<OwnedCell>& cells) {
  const HFileWriteOptions options{.block_bytes = 40000,
                                  .index_block_bytes = 300,
                                  .index_min_entries = 4,
                                  .bloom = {.type = hfile::BloomType::kRow, .chunk_bytes = 1024}};
  BLOOMERY_ASSIGN_OR_RETURN(auto state, hfile::WriteState::create(path, options, files));
  return finish_with(hfile::WriterAccess::writer_of(std::move(state)), cells);
}

void expect_whole(const std::string& path, const std::vector<OwnedCell>& cells) {
  const auto reader = HFileReader::open(path);
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_TRUE(cells_of(*reader) == cells);
}

void walk(FailurePlan plan) {
  const std::vector<OwnedCell> cells = some_cells();
  std::set<std::string> fatal;
  bool met = true;
  for (plan.call = 1; met && plan.call < 1000; ++plan.call) {
    const TestFolder folder;
    FailingFileSystem files(plan);
    const Status written = write_in(files, folder.path("a"), cells);
    SCOPED_TRACE("call " + std::to_string(plan.call) + ", " + files.failed());
    met = !files.failed().empty();
    if (written) {
      expect_whole(folder.path("a"), cells);
      EXPECT_EQ(folder.names(), Names{"a"});
      continue;
    }
    fatal.insert(files.failed());
    EXPECT_NE(written.error().to_string().find(folder.path("a")), std::string::npos)
        << written.error().to_string();
    if (folder.names() == Names{"a"}) {
      EXPECT_EQ(files.failed(), "sync_directory_of") << "the name was given before all was safe";
      expect_whole(folder.path("a"), cells);
    } else if (plan.lasts == FailureLasts::kOneCall) {
      EXPECT_EQ(folder.names(), Names{});
    } else {
      EXPECT_NE(folder.names(), Names{"a"});  // a temporary file that cannot be removed
    }
  }
  EXPECT_FALSE(met) << "the walk did not come to its end";
  for (const char* const call : {"create", "write", "sync", "rename_to_new"}) {
    EXPECT_TRUE(fatal.contains(call)) << call << " has not failed";
  }
}

TEST(HFileWriteFaults, AnyCallCanFail) {
  walk({.errno_value = EIO});
}

TEST(HFileWriteFaults, TheDiskIsFullFromThenOn) {
  walk({.errno_value = ENOSPC, .lasts = FailureLasts::kForEver});
}

TEST(HFileWriteFaults, ShortWritesAreGoneOnWith) {
  const std::vector<OwnedCell> cells = some_cells();
  const TestFolder folder;
  FailingFileSystem files({.bytes_per_write_max = 1000});
  ASSERT_TRUE(write_in(files, folder.path("a"), cells));
  expect_whole(folder.path("a"), cells);
}

}  // namespace
}  // namespace bloomery
