// Parts of a static filter: joined, they are the bytes of one build, whatever the numbers of parts and shards are.
#include "filter/any/static_part.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/fuse_builder.h"
#include "bloomery/filter/fuse_sizing.h"
#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "tests/base/test_folder.h"
#include "tests/base/unsynced_file_system.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

struct Kind {
  FilterType type = FilterType::kRibbon;
  BlockedSetting setting = BlockedSetting::kFast;
};
constexpr Kind kFuse = {.type = FilterType::kFuse};
constexpr Kind kDenseFuse = {.type = FilterType::kFuse, .setting = BlockedSetting::kDense};

// The machines' range files lie in folders of their own, and the parts in another.
class Spread {
 public:
  Spread(std::uint32_t parts, double fpp, std::uint64_t capacity, std::string note = {}, Kind kind = {})
      : parts_(parts), fpp_(fpp), capacity_(capacity), note_(std::move(note)), kind_(kind) {}

  void add_machine(std::span<const Hash128> hashes, const std::string& label = {}, const HashSpec& hash = {},
                   const KeyTreatment& keys = {}) {
    machines_.push_back(std::make_unique<TestFolder>());
    auto writer = RangeFilesWriter::create(files_, {.directory = machines_.back()->path("."),
                                                    .ranges = parts_,
                                                    .hash = hash,
                                                    .keys = keys,
                                                    .note = label,
                                                    .spool = {.directory = machines_.back()->path("."),
                                                              .buffer_bytes = std::uint64_t{4} << 20}});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->add(hashes));
    const auto written = writer->finish();
    ASSERT_TRUE(written) << written.error().to_string();
  }

  std::string range_path(std::size_t machine, std::uint32_t part) const {
    return machines_[machine]->path(range_file_name(part, parts_));
  }

  Result<StaticPartWritten> build_of(std::span<const std::string> names, std::uint32_t part,
                                     const std::string& to) const {
    std::vector<std::unique_ptr<RangeFile>> files;
    for (const std::string& name : names) {
      BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<RangeFile> file, RangeFile::open(FileSystem::real(), name));
      files.push_back(std::move(file));
    }
    return write_static_part(files_, files,
                             {.part = part,
                              .parts = parts_,
                              .fpp = fpp_,
                              .type = kind_.type,
                              .setting = kind_.setting,
                              .capacity = capacity_,
                              .note = note_,
                              .threads = 2},
                             folder_.path(to), {.replace = true}, {});
  }

  Result<StaticPartWritten> build(std::uint32_t part) const {
    std::vector<std::string> names;
    for (std::size_t machine = 0; machine < machines_.size(); ++machine) {
      names.push_back(range_path(machine, part));
    }
    return build_of(names, part, part_name(part));
  }

  void build_all() const {
    for (std::uint32_t part = 1; part <= parts_; ++part) {
      const auto written = build(part);
      ASSERT_TRUE(written) << written.error().to_string();
    }
  }

  static std::string part_name(std::uint32_t part) { return "part." + std::to_string(part); }

  Status join_of(std::span<const std::string> names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) {
      paths.push_back(folder_.path(name));
    }
    return join_static_parts(FileSystem::real(), paths, folder_.path("whole"), {.replace = true});
  }

  std::vector<std::string> part_names() const {
    std::vector<std::string> names;
    for (std::uint32_t part = parts_; part >= 1; --part) {  // any order will do
      names.push_back(part_name(part));
    }
    return names;
  }

  std::string joined() const {
    const Status status = join_of(part_names());
    EXPECT_TRUE(status) << status.error().to_string();
    return folder_.read("whole");
  }

  // Returns the bytes of one build.
  std::string single(std::span<const Hash128> hashes, const HashSpec& hash = {},
                     const KeyTreatment& keys = {}) const {
    const StaticBuildOptions options{.filter = {.hash = hash, .keys = keys, .setting = kind_.setting},
                                     .capacity = capacity_,
                                     .metadata = note_};
    return kind_.type == FilterType::kFuse ? written(FuseBuilder::create(fpp_, options), hashes)
                                           : written(RibbonBuilder::create(fpp_, options), hashes);
  }

  const TestFolder& folder() const { return folder_; }

 private:
  template <typename Builder>
  std::string written(Result<Builder> builder, std::span<const Hash128> hashes) const {
    EXPECT_TRUE(builder && builder->add(hashes));
    EXPECT_TRUE(builder->finish(folder_.path("single"), {.replace = true}));
    return folder_.read("single");
  }

  std::uint32_t parts_;
  double fpp_;
  std::uint64_t capacity_;
  std::string note_;
  Kind kind_;
  std::vector<std::unique_ptr<TestFolder>> machines_;
  TestFolder folder_;
  mutable UnsyncedFileSystem files_;
};

void expect_joined_as_single(std::uint32_t parts, std::size_t keys, double fpp, std::uint64_t capacity,
                             Kind kind = {}) {
  Spread spread(parts, fpp, capacity, "a note", kind);
  const std::vector<Hash128> hashes = numbered_hashes(0, keys);
  const auto some = [&](std::size_t from, std::size_t to) {
    return std::span(hashes).subspan(from, to - from);
  };
  spread.add_machine(some(0, keys / 2));
  spread.add_machine(some(keys / 4, keys));  // a quarter is on two machines
  spread.add_machine({});
  spread.build_all();
  EXPECT_TRUE(spread.joined() == spread.single(hashes))
      << parts << " parts of " << keys << " keys for " << capacity << " at " << fpp;
}

TEST(StaticPart, JoinedPartsAreTheBytesOfOneBuild) {
  for (const std::uint32_t parts : {1U, 2U, 3U, 5U, 16U, 64U}) {
    expect_joined_as_single(parts, 300'000, 1e-3, 300'000);
  }
}

TEST(StaticPart, OfAnySize) {
  for (const std::size_t keys : {0U, 1U, 10U, 1'000U, 70'000U, 131'072U}) {
    for (const std::uint32_t parts : {1U, 3U, 7U, 64U}) {
      expect_joined_as_single(parts, keys, 0.01, std::max<std::size_t>(keys, 1));
    }
  }
}

TEST(StaticPart, OfAnyPlan) {
  expect_joined_as_single(7, 150'000, 0.9, 150'000);
  expect_joined_as_single(7, 150'000, 1e-9, 150'000);    // 64 hash bits count
  expect_joined_as_single(5, 150'000, 1e-3, 1);          // far too many keys: one shard
  expect_joined_as_single(5, 15'000, 1e-3, 10'000'000);  // far too few: 152 shards
  expect_joined_as_single(256, 20'000, 1e-3,
                          20'000'000);  // as many parts as there may be, of one shard and more
  expect_joined_as_single(3, 150'000, 1.0 / 1024, 196'607);  // two shards
}

TEST(StaticPart, OfFuseFilters) {
  for (const Kind kind : {kFuse, kDenseFuse}) {
    for (const std::size_t keys : {0U, 1U, 10U, 20'000U}) {
      for (const std::uint32_t parts : {1U, 3U, 7U, 64U}) {
        for (const std::uint64_t shards : {1U, 2U, 5U, 150U}) {
          expect_joined_as_single(parts, keys, 1.0 / 256, shards * kFuseShardKeys, kind);
        }
      }
    }
    expect_joined_as_single(3, 20'000, 1e-9, 8 * kFuseShardKeys, kind);
    expect_joined_as_single(5, 150'000, 0.01, 1, kind);  // far too many keys
  }
  expect_joined_as_single(3, 2'500'000, 1.0 / 256, 2'500'000, kFuse);  // shards of the usual size
}

TEST(StaticPart, OfSkewedMachines) {
  Spread spread(8, 1e-3, 200'000);
  const std::vector<Hash128> hashes = numbered_hashes(0, 200'000);
  std::vector<Hash128> high;
  std::vector<Hash128> low;
  for (const Hash128& hash : hashes) {
    (hash.low >> 63 != 0 ? high : low).push_back(hash);
  }
  spread.add_machine(high);
  spread.add_machine(low);
  spread.add_machine(std::span(hashes).first(3));
  spread.build_all();
  EXPECT_TRUE(spread.joined() == spread.single(hashes));
}

TEST(StaticPart, OfHashesAtTheEdges) {
  // Hashes at every edge of a range and of a shard, and those that differ in bits that do not count.
  std::vector<Hash128> hashes;
  const auto put_around = [&hashes](std::uint64_t edge) {
    for (const std::uint64_t step : {0ULL, 1ULL, 127ULL, 128ULL, 255ULL, 256ULL, 257ULL}) {
      hashes.push_back({.low = edge + step});
      hashes.push_back({.low = edge - step});
    }
  };
  for (std::uint32_t part = 1; part <= 7; ++part) {
    put_around(range_of_hashes(part, 7).lowest);
  }
  for (std::uint64_t shard = 0; shard < 5; ++shard) {
    put_around(static_cast<std::uint64_t>((Uint128{shard} << 64) / 5));
  }
  for (const std::uint64_t capacity : {1ULL, 5ULL * 65536, 7ULL * 65536, 21ULL * 65536}) {
    Spread spread(7, 0.01, capacity);
    spread.add_machine(hashes);
    spread.build_all();
    EXPECT_TRUE(spread.joined() == spread.single(hashes)) << capacity;
  }
}

TEST(StaticPart, KeepsHashSeedAndKeyOptions) {
  const HashSpec hash{.id = HashId::kXxh3, .seed = 77};
  const KeyTreatment keys{.form = KeyForm::kInt64, .trim = true};
  Spread spread(3, 1e-3, 100'000);
  const std::vector<Hash128> hashes = numbered_hashes(0, 100'000, hash);
  spread.add_machine(hashes, "", hash, keys);
  spread.build_all();
  EXPECT_TRUE(spread.joined() == spread.single(hashes, hash, keys));
}

TEST(StaticPart, WithoutACapacityTheKeysOfAllMachinesAreThePlan) {
  Spread spread(4, 1e-3, 0);
  const std::vector<Hash128> hashes = numbered_hashes(0, 200'000);
  spread.add_machine(std::span(hashes).first(120'000));
  spread.add_machine(std::span(hashes).subspan(100'000));
  for (std::uint32_t part = 1; part <= 4; ++part) {
    EXPECT_EQ(spread.build(part)->capacity, 220'000u);
  }
  const std::string whole = spread.joined();
  Spread planned(4, 1e-3, 220'000);
  EXPECT_TRUE(whole == planned.single(hashes));
}

// Says that it was refused, and with which words.
void expect_refused(const Status& status, ErrorCode code, const std::string& words) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), code) << status.error().to_string();
  EXPECT_NE(status.error().to_string().find(words), std::string::npos) << status.error().to_string();
}

Status outcome(const Result<StaticPartWritten>& written) {
  return written ? Status() : Status(written.error());
}

TEST(StaticPart, RefusesRangeFilesThatDoNotBelongTogether) {
  Spread spread(2, 1e-3, 1000);
  Spread others(3, 1e-3, 1000);
  const std::vector<Hash128> hashes = numbered_hashes(0, 1000);
  spread.add_machine(hashes);
  spread.add_machine(hashes, "", {.seed = 5});
  spread.add_machine(hashes, "", {}, {.trim = true});
  spread.add_machine(hashes);                 // a copy of the first
  spread.add_machine(hashes, "another one");  // not a copy, by its note
  others.add_machine(hashes);
  const auto refused = [&](const std::vector<std::string>& names, const std::string& words) {
    expect_refused(outcome(spread.build_of(names, 1, "x")), ErrorCode::kInvalidArgument, words);
  };
  const std::string first = spread.range_path(0, 1);
  refused({first, spread.range_path(0, 2)}, "expected range 1 of 2, found range 2 of 2");
  refused({others.range_path(0, 1)}, "expected range 1 of 2, found range 1 of 3");
  refused({first, spread.range_path(1, 1)}, "found different seed (0 and 5)");
  refused({first, spread.range_path(2, 1)}, "found different key form (text and text,trim)");
  refused({first, first}, "found it twice");
  refused({first, spread.range_path(3, 1)}, "found the same keys");
  EXPECT_TRUE(spread.build_of(std::vector<std::string>{first, spread.range_path(4, 1)}, 1, "x"));
  spread.folder().write("text", "a\nb\n");
  refused({spread.folder().path("text")}, "expected a range file, found another file");
  refused({spread.folder().path("x")}, "expected a range file, found a part of a static filter");
  EXPECT_EQ(spread.folder().names(), (std::vector<std::string>{"text", "x"}));
}

TEST(StaticPart, RefusesPartsThatAreNotAllOfOneFilter) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 200'000);
  Spread spread(3, 1e-3, 200'000);
  spread.add_machine(std::span(hashes).first(100'000));
  spread.add_machine(std::span(hashes).subspan(100'000));
  spread.build_all();
  const auto refused = [&](const std::vector<std::string>& names, const std::string& words) {
    expect_refused(spread.join_of(names), ErrorCode::kInvalidArgument, words);
  };
  refused({"part.1"}, "expected all of 1 to 3, found all but 2, 3");
  refused({"part.3", "part.1"}, "expected all of 1 to 3, found all but 2");
  refused({"part.1", "part.2", "part.3", "part.2"}, "found part 2 of 3 twice");
  // Made from the files of one machine only.
  ASSERT_TRUE(spread.build_of(std::vector<std::string>{spread.range_path(0, 2)}, 2, "lacks"));
  refused({"part.1", "lacks", "part.3"}, "range files of the same machines, found different ones");
  // Planned for another number of keys.
  Spread other(3, 1e-3, 1000);
  other.add_machine(hashes);
  ASSERT_TRUE(
      other.build_of(std::vector<std::string>{spread.range_path(0, 2), spread.range_path(1, 2)}, 2, "p"));
  spread.folder().write("planned", other.folder().read("p"));
  refused({"part.1", "planned", "part.3"}, "found different capacity (200000 and 1000)");
  spread.folder().write("filter", spread.single(hashes));
  refused({"part.1", "filter", "part.3"}, "expected a part of a static filter, found another file");
  // Of other types.
  const std::vector<std::string> of_two = {spread.range_path(0, 2), spread.range_path(1, 2)};
  for (const Kind kind : {kFuse, kDenseFuse}) {
    Spread fuse(3, 1e-3, 200'000, "", kind);
    fuse.add_machine(hashes);
    ASSERT_TRUE(fuse.build_of(of_two, 2, "p"));
    ASSERT_TRUE(fuse.build_of(std::vector<std::string>{spread.range_path(0, 1), spread.range_path(1, 1)}, 1,
                              "fuse.1"));
    spread.folder().write("fuse.1", fuse.folder().read("fuse.1"));
    spread.folder().write("typed", fuse.folder().read("p"));
    refused({"part.1", "typed", "part.3"}, "found different type (ribbon and fuse");
    refused({"fuse.1", "part.2", "part.3"}, "found different type (fuse");
  }
  Spread fast(3, 1e-3, 200'000, "", kFuse);
  fast.add_machine(hashes);
  ASSERT_TRUE(fast.build_of(of_two, 2, "p"));
  spread.folder().write("fast", fast.folder().read("p"));
  refused({"fuse.1", "fast", "part.3"}, "found different stride (8 and 64)");
  EXPECT_TRUE(spread.join_of(spread.part_names()));
}

// Every byte and every length of small parts: with hashes only, and with a shard and edges.
void expect_damage_is_found(std::uint32_t parts, std::size_t keys, std::uint64_t capacity, std::size_t step,
                            Kind kind = {}) {
  Spread spread(parts, 0.5, capacity, "n", kind);
  spread.add_machine(numbered_hashes(0, keys));
  spread.build_all();
  const std::string whole = spread.folder().read("part.2");
  const std::vector<std::string> names = spread.part_names();
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    std::filesystem::remove(spread.folder().path("part.2"));  // a file system may sync what is overwritten
    spread.folder().write("part.2", bytes);
    const Status status = spread.join_of(names);
    ASSERT_FALSE(status) << what;
    EXPECT_NE(status.error().to_string().find("part.2"), std::string::npos) << status.error().to_string();
    EXPECT_NE(status.error().code(), ErrorCode::kIo) << status.error().to_string();
  };
  for (std::size_t at = 0; at < whole.size(); at += at < 300 ? 1 : step) {
    for (const char flip : {'\x01', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      refused(bytes, "byte " + std::to_string(at));
    }
    refused(whole.substr(0, at), "cut at " + std::to_string(at));
  }
  refused(whole + '\0', "longer");
  EXPECT_FALSE(std::ranges::count(spread.folder().names(), "whole"));
}

TEST(StaticPart, NoDamagedPartIsJoined) {
  expect_damage_is_found(3, 200, 200, 1);
  expect_damage_is_found(3, 1'000, 8 * kRibbonShardKeys, 1);
  expect_damage_is_found(3, 300, 8 * kFuseShardKeys, 1, kFuse);
}

TEST(StaticPart, IsNotTakenForAFilter) {
  Spread spread(2, 1e-3, 1000);
  spread.add_machine(numbered_hashes(0, 1000));
  spread.build_all();
  const auto part = AnyFilter::open(spread.folder().path("part.1"));
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().to_string().find("bloomery merge joins all parts"), std::string::npos);
  const auto range = AnyFilter::open(spread.range_path(0, 1));
  ASSERT_FALSE(range);
  EXPECT_NE(range.error().to_string().find("--shards I/N"), std::string::npos);
}

}  // namespace
}  // namespace bloomery
