// Range files: what is written depends on the keys alone, comes back whole, and no damage is believed.
#include "filter/spool/range_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"
#include "tests/base/unsynced_file_system.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kLeastPool = HashSpool::min_buffer_bytes(16);

RangeFilesOptions options_in(const TestFolder& folder, std::uint32_t ranges) {
  return {.directory = folder.path("."),
          .ranges = ranges,
          .if_exists = IfExists::kReplace,
          .spool = {.directory = folder.path("."), .buffer_bytes = kLeastPool, .chunk_hashes = 16}};
}

RangeFilesWriter::Written write(const RangeFilesOptions& options, std::span<const Hash128> hashes) {
  UnsyncedFileSystem files;
  auto writer = RangeFilesWriter::create(files, options);
  EXPECT_TRUE(writer);
  for (std::size_t at = 0; at < hashes.size(); at += 1000) {
    EXPECT_TRUE(writer->add(hashes.subspan(at, std::min<std::size_t>(1000, hashes.size() - at))));
  }
  const auto written = writer->finish();
  EXPECT_TRUE(written) << written.error().to_string();
  return *written;
}

// Reads a file in steps of `step`. Returns the hashes, or the first error.
Result<std::vector<std::uint64_t>> read_all(const std::string& path, std::uint64_t step) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto file, RangeFile::open(FileSystem::real(), path));
  const HashRange range = file->front().range();
  std::vector<std::uint64_t> hashes;
  std::uint64_t last = range.lowest;
  for (;;) {
    last = range.highest - last > step ? last + step : range.highest;
    BLOOMERY_RETURN_IF_ERROR(file->read_through(last, hashes));
    if (!hashes.empty() && hashes.back() > last) {
      return Error::invalid_argument(path, "a hash was given too early");
    }
    if (last == range.highest) {
      break;
    }
  }
  BLOOMERY_RETURN_IF_ERROR(file->check_end());
  return hashes;
}

std::vector<std::uint64_t> low_words(std::span<const Hash128> hashes) {
  std::vector<std::uint64_t> words;
  std::ranges::transform(hashes, std::back_inserter(words), &Hash128::low);
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

TEST(RangeFiles, GiveBackTheSetOfHashesRangeByRange) {
  for (const std::uint32_t ranges : {1U, 2U, 3U, 7U, 64U, 256U}) {
    for (const std::size_t keys : {0U, 1U, 5U, 1000U, 200'000U}) {
      const TestFolder folder;
      std::vector<Hash128> hashes = numbered_hashes(0, keys);
      hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(keys / 2));
      const auto written = write(options_in(folder, ranges), hashes);
      EXPECT_EQ(written.keys, keys);
      std::vector<std::uint64_t> read;
      std::uint64_t bytes = 0;
      for (std::uint32_t index = 1; index <= ranges; ++index) {
        const std::string path = folder.path(range_file_name(index, ranges));
        const auto some = read_all(path, ~std::uint64_t{0} / 1000);
        ASSERT_TRUE(some) << some.error().to_string();
        const HashRange range = range_of_hashes(index, ranges);
        for (const std::uint64_t hash : *some) {
          ASSERT_TRUE(hash >= range.lowest && hash <= range.highest);
        }
        read.insert(read.end(), some->begin(), some->end());
        bytes += folder.read(range_file_name(index, ranges)).size();
        EXPECT_EQ((*RangeFile::open(FileSystem::real(), path))->run_keys(), keys);
      }
      EXPECT_EQ(read, low_words(hashes)) << ranges << " ranges, " << keys << " keys";
      EXPECT_EQ(bytes, written.bytes);
      EXPECT_EQ(folder.names().size(), ranges);  // nothing else is left
    }
  }
}

TEST(RangeFiles, RangesHaveNoGapAndFollowTheHash) {
  for (const std::uint32_t count : {1U, 2U, 3U, 5U, 100U, 255U, 256U}) {
    std::uint64_t next = 0;
    for (std::uint32_t index = 1; index <= count; ++index) {
      const HashRange range = range_of_hashes(index, count);
      EXPECT_EQ(range.lowest, next);
      EXPECT_EQ(static_cast<std::uint32_t>((Uint128{range.lowest} * count) >> 64), index - 1);
      EXPECT_EQ(static_cast<std::uint32_t>((Uint128{range.highest} * count) >> 64), index - 1);
      next = range.highest + 1;
    }
    EXPECT_EQ(next, 0u);
  }
}

TEST(RangeFiles, OrderRepeatsAndMemoryDoNotShow) {
  const TestFolder small;
  const TestFolder large;
  std::vector<Hash128> hashes = numbered_hashes(0, 200'000);
  write(options_in(small, 3), hashes);
  std::ranges::reverse(hashes);
  hashes.resize(hashes.size() + 5, hashes.front());
  RangeFilesOptions roomy = options_in(large, 3);
  roomy.spool = {.directory = large.path("."), .buffer_bytes = std::uint64_t{16} << 20};
  write(roomy, hashes);
  for (std::uint32_t index = 1; index <= 3; ++index) {
    EXPECT_TRUE(small.read(range_file_name(index, 3)) == large.read(range_file_name(index, 3))) << index;
  }
}

Hash128 id_of(const TestFolder& folder) {
  return (*RangeFile::open(FileSystem::real(), folder.path(range_file_name(1, 2))))->front().envelope.id;
}

TEST(RangeFiles, TheIdTellsKeysHashOptionsAndNoteApart) {
  const TestFolder folder;
  const std::vector<Hash128> hashes = numbered_hashes(0, 100);
  const RangeFilesOptions plain = options_in(folder, 2);
  write(plain, hashes);
  std::vector<Hash128> ids = {id_of(folder)};
  const auto another = [&](const RangeFilesOptions& options, std::span<const Hash128> keys) {
    write(options, keys);
    ids.push_back(id_of(folder));
  };
  another(plain, std::span(hashes).first(99));
  RangeFilesOptions changed = plain;
  changed.note = "b";
  another(changed, hashes);
  changed = plain;
  changed.hash.seed = 1;
  another(changed, hashes);
  changed = plain;
  changed.keys.trim = true;
  another(changed, hashes);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_NE(ids[i], Hash128{});
    EXPECT_EQ(std::ranges::count(ids, ids[i]), 1) << i;
  }
  write(plain, {});
  EXPECT_EQ(id_of(folder), Hash128{});
}

// Every byte of a small file, and every length: an error that says where, never other hashes.
TEST(RangeFiles, NoDamagedFileIsBelieved) {
  const TestFolder folder;
  RangeFilesOptions options = options_in(folder, 2);
  options.note = "from here";
  write(options, numbered_hashes(0, 300));
  const std::string whole = folder.read(range_file_name(1, 2));
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    std::filesystem::remove(folder.path("damaged"));  // a file system may sync what is overwritten
    folder.write("damaged", bytes);
    const auto read = read_all(folder.path("damaged"), ~std::uint64_t{0});
    EXPECT_FALSE(read) << what;
    if (!read) {
      EXPECT_NE(read.error().to_string().find("damaged"), std::string::npos) << read.error().to_string();
      EXPECT_NE(read.error().code(), ErrorCode::kIo) << read.error().to_string();
    }
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      refused(bytes, "byte " + std::to_string(at));
    }
    refused(whole.substr(0, at), "cut at " + std::to_string(at));
  }
  refused(whole + "x", "longer");
  refused(folder.read(range_file_name(2, 2)).substr(0, 64) + whole.substr(64), "of two files");
}

Status write_through(FileSystem& files, const TestFolder& folder, std::span<const Hash128> hashes) {
  BLOOMERY_ASSIGN_OR_RETURN(RangeFilesWriter writer, RangeFilesWriter::create(files, options_in(folder, 2)));
  BLOOMERY_RETURN_IF_ERROR(writer.add(hashes));
  const auto written = writer.finish();
  return written ? Status() : Status(written.error());
}

TEST(RangeFiles, AFailingDiskIsReportedAndLeavesNoHalfFile) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 20'000);
  FailingFileSystem sound({.call = 0});
  EXPECT_TRUE(write_through(sound, TestFolder(), hashes));
  const int last = sound.calls();
  EXPECT_GT(last, 40);
  for (int call = 1; call <= last; call += 1 + last / 40) {
    const TestFolder folder;
    FailingFileSystem files({.call = call});
    const Status status = write_through(files, folder, hashes);
    EXPECT_FALSE(status && files.failed() != "" && files.failed() != "close" && files.failed() != "remove" &&
                 files.failed() != "open_nameless" && files.failed() != "facts of path")
        << "call " << call << ", " << files.failed();
    for (const std::string& name : folder.names()) {
      if (name.starts_with("range-")) {
        EXPECT_TRUE(read_all(folder.path(name), ~std::uint64_t{0}))
            << "call " << call << " left half of " << name;
      }
    }
  }
}

TEST(RangeFiles, ImpossibleOptionsAreRefused) {
  const TestFolder folder;
  for (const std::uint32_t ranges : {0U, kMaxRanges + 1}) {
    const auto writer = RangeFilesWriter::create(FileSystem::real(), options_in(folder, ranges));
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().code(), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace bloomery
