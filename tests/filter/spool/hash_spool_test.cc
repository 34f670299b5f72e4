// The spool against sort and unique, in memory and on disk, and on disks that fail, fill up and lie.
#include "filter/spool/hash_spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSpoolSeed = 75011;
constexpr std::size_t kSmallChunk = 4;  // the least pool is then 2048 hashes

LowHashes uniform_low_hashes(std::size_t count) {
  std::mt19937_64 random(kSpoolSeed);
  LowHashes hashes(count);
  std::generate(hashes.begin(), hashes.end(), random);
  return hashes;
}

// In 8 of the 256 partitions, so that not all time goes into creating files.
LowHashes in_few_partitions(LowHashes hashes) {
  for (std::uint64_t& hash : hashes) {
    hash >>= 5;
  }
  return hashes;
}

// A pool of 2048 hashes on disk at `directory`.
HashSpoolOptions small_spool(const std::string& directory) {
  return {.directory = directory,
          .buffer_bytes = HashSpool::min_buffer_bytes(kSmallChunk),
          .chunk_hashes = kSmallChunk};
}

bool in_range(std::uint64_t hash, const HashSpoolOptions& options) {
  return hash >= options.lowest && hash <= options.highest;
}

LowHashes masked(LowHashes hashes, unsigned kept_bits) {
  for (std::uint64_t& hash : hashes) {
    hash = hash >> (64 - kept_bits) << (64 - kept_bits);
  }
  return hashes;
}

// The definition of a spool: mask, choose, sort, unique.
LowHashes model(const LowHashes& hashes, const HashSpoolOptions& options) {
  LowHashes kept = masked(hashes, options.kept_bits);
  std::erase_if(kept, [&](std::uint64_t hash) { return !in_range(hash, options); });
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

// In batches of uneven size; the high words are noise that must not matter.
Status add_all(HashSpool& spool, const LowHashes& hashes) {
  std::vector<Hash128> batch;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    batch.push_back({.low = hashes[i], .high = i * 77});
    if (batch.size() == 1 + i % 1000 || i + 1 == hashes.size()) {
      BLOOMERY_RETURN_IF_ERROR(spool.add(batch));
      batch.clear();
    }
  }
  return spool.finish();
}

Result<LowHashes> spooled(FileSystem& files, const HashSpoolOptions& options, const LowHashes& hashes,
                          const LowHashes& cuts = {}) {
  BLOOMERY_ASSIGN_OR_RETURN(HashSpool spool, HashSpool::create(files, options));
  BLOOMERY_RETURN_IF_ERROR(add_all(spool, hashes));
  LowHashes out;
  for (const std::uint64_t cut : cuts) {
    BLOOMERY_RETURN_IF_ERROR(spool.read_through(cut, out));
    EXPECT_TRUE(out.empty() || out.back() <= cut);
  }
  BLOOMERY_RETURN_IF_ERROR(spool.read_through(kGreatest, out));
  return out;
}

// Inputs, and what is hard about them.
struct SpoolInput {
  std::string name;
  LowHashes hashes;
};

std::vector<SpoolInput> spool_inputs() {
  constexpr std::size_t kCount = 20000;  // ten times the least pool of the smallest chunks
  std::mt19937_64 random(kSpoolSeed);
  const LowHashes uniform = uniform_low_hashes(kCount);
  LowHashes sorted = uniform;
  std::sort(sorted.begin(), sorted.end());
  LowHashes repeats(kCount);
  std::generate(repeats.begin(), repeats.end(), [&] { return uniform[random() % 500]; });
  LowHashes cluster(kCount);
  std::generate(cluster.begin(), cluster.end(),
                [&] { return (std::uint64_t{77} << 56) + random() % kCount; });
  LowHashes skewed(kCount);
  std::generate(skewed.begin(), skewed.end(), [&] { return random() >> random() % 64; });
  LowHashes ends(kCount);
  std::generate(ends.begin(), ends.end(), [&] { return random() % 2 == 0 ? random() % 3 : ~(random() % 3); });
  return {{"empty", {}},          {"one", {5}},         {"uniform", uniform},
          {"sorted", sorted},     {"repeats", repeats}, {"one value", LowHashes(kCount, 42)},
          {"a cluster", cluster}, {"skewed", skewed},   {"both ends", ends}};
}

// Every input with every combination of chunk, pool, kept bits and range gives what the model gives.
TEST(HashSpool, GivesWhatSortAndUniqueGive) {
  const TestFolder folder;
  constexpr std::uint64_t kQuarter = std::uint64_t{1} << 62;
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges = {
      {0, kGreatest},
      {kQuarter, 3 * kQuarter - 1},
      {0, 10},
      {kGreatest, kGreatest},
      {kQuarter, kQuarter + (std::uint64_t{1} << 50)}};
  for (const SpoolInput& input : spool_inputs()) {
    for (const std::size_t chunk : {1u, 4u, 16u, 1024u}) {
      for (const unsigned kept_bits : {32u, 56u, 64u}) {
        for (const auto& [lowest, highest] : ranges) {
          const HashSpoolOptions options = {
              .directory = folder.path(""),
              .buffer_bytes = HashSpool::min_buffer_bytes(chunk) + 8 * chunk + 1,
              .kept_bits = kept_bits,
              .lowest = lowest,
              .highest = highest,
              .chunk_hashes = chunk};
          const Result<LowHashes> out = spooled(FileSystem::real(), options, input.hashes);
          ASSERT_TRUE(out.has_value()) << out.error().to_string();
          ASSERT_TRUE(*out == model(input.hashes, options))
              << input.name << ", chunk " << chunk << ", kept_bits " << kept_bits << ", from " << lowest
              << " to " << highest << ", seed " << kSpoolSeed;
        }
      }
    }
  }
  EXPECT_TRUE(folder.names().empty());
}

// The counts: what was in range, a bound of the distinct, and the bytes on disk.
TEST(HashSpool, CountsWhatItHolds) {
  const TestFolder folder;
  const LowHashes hashes = uniform_low_hashes(30000);
  HashSpoolOptions options = small_spool(folder.path(""));
  options.highest = kGreatest / 2;
  HashSpool spool = HashSpool::create(FileSystem::real(), options).value();
  EXPECT_EQ(spool.distinct_at_most(), 0u);
  ASSERT_TRUE(add_all(spool, hashes).has_value());
  const std::size_t distinct = model(hashes, options).size();
  EXPECT_EQ(spool.added(), distinct);
  EXPECT_EQ(spool.distinct_at_most(), distinct);  // no repeats in, none counted
  // All but the pool is on disk, in runs of about 16 hashes of a 256th of 2^63: gaps of 2^51, 53 bits each.
  EXPECT_GT(spool.disk_bytes(), (distinct - 2048) * 6);
  EXPECT_LT(spool.disk_bytes(), distinct * 7);

  HashSpool repeated = HashSpool::create(FileSystem::real(), small_spool(folder.path(""))).value();
  ASSERT_TRUE(add_all(repeated, LowHashes(30000, 7)).has_value());
  EXPECT_EQ(repeated.added(), 30000u);
  EXPECT_GE(repeated.distinct_at_most(), 1u);
  EXPECT_LE(repeated.distinct_at_most(), 2048u + 30000 / 2048);
}

// Cuts anywhere, repeated, on hashes and between them, below and above the range: the same hashes.
TEST(HashSpool, CutsDoNotMatter) {
  const TestFolder folder;
  std::mt19937_64 random(kSpoolSeed);
  for (const SpoolInput& input : spool_inputs()) {
    for (int round = 0; round < 8; ++round) {
      HashSpoolOptions options = small_spool(folder.path(""));
      options.lowest = round % 2 == 0 ? 0 : std::uint64_t{1} << 60;
      options.highest = round % 4 < 2 ? kGreatest : std::uint64_t{3} << 62;
      LowHashes cuts;
      for (std::uint64_t i = random() % 200; i > 0; --i) {
        const bool on_hash = !input.hashes.empty() && random() % 2 == 0;
        cuts.push_back(on_hash ? input.hashes[random() % input.hashes.size()] : random() >> random() % 64);
      }
      cuts.push_back(cuts.empty() ? 0 : cuts.front());
      std::sort(cuts.begin(), cuts.end());
      const Result<LowHashes> out = spooled(FileSystem::real(), options, input.hashes, cuts);
      ASSERT_TRUE(out.has_value()) << out.error().to_string();
      ASSERT_TRUE(*out == model(input.hashes, options))
          << input.name << ", round " << round << ", seed " << kSpoolSeed;
    }
  }
}

// What was in `out` before stays, and a moved spool goes on, with runs open in the middle of a partition.
TEST(HashSpool, AppendsAndMoves) {
  const TestFolder folder;
  const LowHashes hashes = uniform_low_hashes(20000);
  HashSpool first = HashSpool::create(FileSystem::real(), small_spool(folder.path(""))).value();
  ASSERT_TRUE(first.add(std::vector<Hash128>{{.low = 9}}).has_value());
  HashSpool second = std::move(first);
  ASSERT_TRUE(add_all(second, hashes).has_value());
  LowHashes out = {kGreatest};
  ASSERT_TRUE(second.read_through(kGreatest / 3, out).has_value());
  HashSpool third = std::move(second);
  ASSERT_TRUE(third.read_through(kGreatest, out).has_value());
  LowHashes expected = hashes;
  expected.push_back(9);
  expected = model(expected, {});
  expected.insert(expected.begin(), kGreatest);
  EXPECT_TRUE(out == expected) << "seed " << kSpoolSeed;
}

// Runs longer than a decoder's buffer and an encoder's piece.
TEST(HashSpool, LongRunsComeBack) {
  const TestFolder folder;
  LowHashes hashes = uniform_low_hashes(600000);
  for (std::uint64_t& hash : hashes) {
    hash >>= 8;  // all in one partition
  }
  const HashSpoolOptions options = {
      .directory = folder.path(""), .buffer_bytes = HashSpool::min_buffer_bytes(256), .chunk_hashes = 256};
  const Result<LowHashes> out =
      spooled(FileSystem::real(), options, hashes, {1u << 20, kGreatest / 600, kGreatest / 500});
  ASSERT_TRUE(out.has_value()) << out.error().to_string();
  EXPECT_TRUE(*out == model(hashes, options)) << "seed " << kSpoolSeed;
}

// At the length where the list of few hashes ends, the first span longer or shorter than it: the same hashes.
TEST(HashSpool, ManyHashesAreGivenBackAsFewAre) {
  constexpr std::size_t kFew = std::size_t{128} << 10;
  const TestFolder folder;
  const HashSpoolOptions options = {.directory = folder.path(""),
                                    .buffer_bytes = HashSpool::min_buffer_bytes()};
  for (const std::size_t count : {kFew - 1, kFew, kFew + 1, 2 * kFew}) {
    const LowHashes hashes = uniform_low_hashes(count);
    std::vector<Hash128> keys(count);
    std::ranges::transform(hashes, keys.begin(),
                           [](std::uint64_t hash) { return Hash128{.low = hash, .high = 0}; });
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, kFew - 1, count}) {
      HashSpool spool = HashSpool::create(FileSystem::real(), options).value();
      ASSERT_TRUE(spool.add(std::span(keys).first(first)).has_value());
      ASSERT_TRUE(spool.add(std::span(keys).subspan(first)).has_value());
      EXPECT_EQ(spool.added(), count);
      EXPECT_EQ(spool.distinct_at_most(), count);
      ASSERT_TRUE(spool.finish().has_value());
      LowHashes out;
      ASSERT_TRUE(spool.read_through(kGreatest / 3, out).has_value());
      ASSERT_TRUE(spool.read_through(kGreatest, out).has_value());
      EXPECT_TRUE(out == model(hashes, options))
          << count << " hashes, first " << first << ", seed " << kSpoolSeed;
    }
  }
}

// What fits the pool never meets the file system: the first call would fail, and the directory is none.
TEST(HashSpool, NoFileIsMadeWhenAllFits) {
  FailingFileSystem files({.call = 1, .lasts = FailureLasts::kForEver});
  const LowHashes hashes = uniform_low_hashes(1500);
  const HashSpoolOptions options = {.directory = "/there/is/no/such/directory",
                                    .buffer_bytes = HashSpool::min_buffer_bytes(8),
                                    .chunk_hashes = 8};
  const Result<LowHashes> out = spooled(files, options, hashes);
  ASSERT_TRUE(out.has_value()) << out.error().to_string();
  EXPECT_TRUE(*out == model(hashes, options));
  EXPECT_EQ(files.calls(), 0);
}

// While runs are on disk the directory shows nothing: a spool that is killed leaves nothing.
TEST(HashSpool, FilesHaveNoNames) {
  const TestFolder folder;
  HashSpool spool = HashSpool::create(FileSystem::real(), small_spool(folder.path(""))).value();
  ASSERT_TRUE(add_all(spool, uniform_low_hashes(20000)).has_value());
  EXPECT_GT(spool.disk_bytes(), 0u);
  EXPECT_TRUE(folder.names().empty());
}

// Names that exist (a leftover, another spool's) are stepped over and stay; two spools share a directory.
TEST(HashSpool, ExistingNamesAreSteppedOver) {
  const TestFolder folder;
  const std::string name = ".bloomery-spool" + std::to_string(::getpid()) + "-0";
  folder.write(name, "not ours");
  const LowHashes hashes = uniform_low_hashes(5000);
  const HashSpoolOptions options = small_spool(folder.path(""));
  HashSpool other = HashSpool::create(FileSystem::real(), options).value();
  ASSERT_TRUE(add_all(other, hashes).has_value());
  const Result<LowHashes> out = spooled(FileSystem::real(), options, hashes);
  ASSERT_TRUE(out.has_value()) << out.error().to_string();
  EXPECT_TRUE(*out == model(hashes, options));
  EXPECT_EQ(folder.names(), std::vector<std::string>{name});
  EXPECT_EQ(folder.read(name), "not ours");
}

TEST(HashSpool, ADirectoryThatIsNoneIsNamed) {
  const TestFolder folder;
  folder.write("file", "");
  for (const std::string name : {"missing", "file"}) {
    const Result<LowHashes> out =
        spooled(FileSystem::real(), small_spool(folder.path(name)), uniform_low_hashes(5000));
    ASSERT_FALSE(out.has_value());
    EXPECT_EQ(out.error().errno_value(), name == "file" ? ENOTDIR : ENOENT);
    EXPECT_NE(out.error().to_string().find(folder.path(name)), std::string::npos) << out.error().to_string();
  }
}

TEST(HashSpool, OptionsThatCannotBeServedAreRefused) {
  const auto refused = [](const HashSpoolOptions& options, const std::string& what) {
    const Result<HashSpool> spool = HashSpool::create(FileSystem::real(), options);
    ASSERT_FALSE(spool.has_value()) << what;
    EXPECT_EQ(spool.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(spool.error().to_string().find(what), std::string::npos) << spool.error().to_string();
  };
  const std::uint64_t bytes = HashSpool::min_buffer_bytes();
  refused({.buffer_bytes = bytes - 1}, "buffer_bytes: expected at least 4194304, found 4194303");
  refused({.buffer_bytes = bytes, .kept_bits = 31}, "kept_bits");
  refused({.buffer_bytes = bytes, .kept_bits = 65}, "kept_bits");
  refused({.buffer_bytes = bytes, .lowest = 2, .highest = 1}, "lowest");
  refused({.buffer_bytes = bytes, .chunk_hashes = 0}, "chunk_hashes");
  EXPECT_TRUE(HashSpool::create(FileSystem::real(), {.buffer_bytes = bytes}).has_value());
}

// The n-th call fails, for every n and cause, once and for ever: an error or the right hashes, never fewer.
// The directory is empty afterwards.
class FailingDisk : public testing::TestWithParam<std::tuple<int, FailureLasts>> {};

TEST_P(FailingDisk, IsAnErrorOrDoesNotMatter) {
  const auto [errno_value, lasts] = GetParam();
  const LowHashes hashes = in_few_partitions(uniform_low_hashes(4000));
  std::vector<std::string> fatal;
  bool through = false;
  for (int call = 1; !through; ++call) {
    const TestFolder folder;
    HashSpoolOptions options = small_spool(folder.path(""));
    FailingFileSystem files(
        {.call = call, .errno_value = errno_value, .lasts = lasts, .bytes_per_write_max = 500});
    const Result<LowHashes> out = spooled(files, options, hashes, {kGreatest / 3});
    SCOPED_TRACE("call " + std::to_string(call) + " (" + files.failed() + ")");
    if (out) {
      EXPECT_TRUE(*out == model(hashes, options)) << "seed " << kSpoolSeed;
    } else {
      EXPECT_EQ(out.error().errno_value(), errno_value);
      EXPECT_NE(out.error().subject().find(folder.path(".bloomery-spool")), std::string::npos)
          << out.error().to_string();
      fatal.push_back(files.failed());
    }
    EXPECT_TRUE(folder.names().empty());
    through = files.failed().empty();
    ASSERT_LT(call, 100000);
  }
  for (const std::string operation : {"open_nameless", "write_at", "read_at"}) {
    EXPECT_NE(std::find(fatal.begin(), fatal.end(), operation), fatal.end())
        << operation << " was not reached";
  }
}

INSTANTIATE_TEST_SUITE_P(Causes, FailingDisk,
                         testing::Combine(testing::Values(ENOSPC, EIO),
                                          testing::Values(FailureLasts::kOneCall, FailureLasts::kForEver)));

// After a write that failed once, no later call answers as if nothing had been lost.
TEST(HashSpool, AnErrorStays) {
  const TestFolder folder;
  FailingFileSystem files({.call = 5, .errno_value = ENOSPC});
  HashSpool spool = HashSpool::create(files, small_spool(folder.path(""))).value();
  ASSERT_FALSE(add_all(spool, uniform_low_hashes(20000)).has_value());
  const std::vector<Hash128> more = {{.low = 1}};
  LowHashes out;
  for (const Status& status : {spool.add(more), spool.finish(), spool.read_through(kGreatest, out)}) {
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().errno_value(), ENOSPC);
  }
  EXPECT_TRUE(out.empty());
}

// A disk that gives back one bit otherwise than it was written.
class LyingSpoolDisk final : public FileSystem {
 public:
  explicit LyingSpoolDisk(std::uint64_t bit) : bit_(bit) {}

  Result<std::size_t> read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) override {
    Result<std::size_t> count = FileSystem::read_at(file, offset, bytes);
    const std::uint64_t begin = std::exchange(read_, read_ + count.value());
    if (bit_ / 8 >= begin && bit_ / 8 < read_) {
      bytes[bit_ / 8 - begin] ^= std::byte{1} << (bit_ % 8);
    }
    return count;
  }
  std::uint64_t bytes_read() const { return read_; }

 private:
  std::uint64_t bit_;  // counted over all that is read
  std::uint64_t read_ = 0;
};

// Whichever bit it is: corruption, naming the file, and until then hashes in order.
TEST(HashSpool, EveryLieIsFound) {
  const TestFolder folder;
  const LowHashes hashes = in_few_partitions(uniform_low_hashes(2500));
  const HashSpoolOptions options = small_spool(folder.path(""));
  LyingSpoolDisk honest(kGreatest);
  ASSERT_TRUE(*spooled(honest, options, hashes) == model(hashes, options));
  for (std::uint64_t bit = 0; bit < honest.bytes_read() * 8; bit += 61) {
    SCOPED_TRACE("bit " + std::to_string(bit) + ", seed " + std::to_string(kSpoolSeed));
    LyingSpoolDisk files(bit);
    HashSpool spool = HashSpool::create(files, options).value();
    ASSERT_TRUE(add_all(spool, hashes).has_value());
    LowHashes out;
    const Status status = spool.read_through(kGreatest, out);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(status.error().to_string().find(folder.path(".bloomery-spool")), std::string::npos);
    EXPECT_NE(status.error().to_string().find("spool run: "), std::string::npos)
        << status.error().to_string();
  }
}

}  // namespace
}  // namespace bloomery
