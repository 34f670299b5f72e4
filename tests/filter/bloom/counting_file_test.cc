// Counting filters as files: damage is never believed, updates in place remove too, and what an interrupted
// one left never leads to a wrong no.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/any_filter.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::size_t kHeaderBytes = 192;

CountingBloomFilter small_counting(std::uint64_t keys = 60) {
  CountingBloomFilter filter = *CountingBloomFilter::for_capacity(60, 0.05);
  insert_numbered(filter, 0, keys);
  EXPECT_TRUE(filter.set_metadata("made by a test"));
  return filter;
}

Result<CountingBloomFilter> copy_of(const std::string& bytes, const OpenOptions& options = {}) {
  OpenOptions copying = options;
  copying.access = Access::kCopy;
  return CountingBloomFilter::view(std::as_bytes(std::span(bytes)), copying);
}

// The same bytes with some changed, and the checksums made right again.
std::string with(std::string bytes, std::size_t offset, std::uint64_t value, std::size_t size) {
  std::memcpy(bytes.data() + offset, &value, size);
  auto* const file = reinterpret_cast<std::byte*>(bytes.data());
  const std::uint64_t payload = std::min(load_little64(file + 88), bytes.size() - kHeaderBytes);
  store_little(file + 112, crc32c({file + kHeaderBytes, payload}));
  store_little(file + 188, crc32c({file, 188}));
  return bytes;
}

TEST(CountingFile, SavedAndOpenedAnswersAlikeAndGoesOn) {
  const TestFolder folder;
  const std::string path = folder.path("a.counting");
  CountingBloomFilter filter = small_counting();
  ASSERT_TRUE(filter.save(path));
  EXPECT_EQ(folder.read("a.counting"), serialized(filter));
  for (const Access access : {Access::kMap, Access::kCopy, Access::kMapLocked}) {
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      Result<CountingBloomFilter> opened =
          CountingBloomFilter::open(path, {.access = access, .verify = verify});
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_TRUE(opened->is_writable());
      EXPECT_EQ(serialized(*opened), serialized(filter));
      EXPECT_EQ(opened->inserted(), 60u);
      EXPECT_EQ(count_maybes(*opened, 0, 60), 60u);
      if (opened->is_writable()) {
        EXPECT_TRUE(opened->remove(std::uint64_t{59}));
        EXPECT_EQ(serialized(*opened), serialized(small_counting(59)));
      }
    }
  }
  const Result<AnyFilter> any = AnyFilter::open(path);
  ASSERT_TRUE(any) << any.error().to_string();
  EXPECT_TRUE(any->can_remove());
  const Result<BloomFilter> bloom = BloomFilter::open(path);
  ASSERT_FALSE(bloom);
  EXPECT_NE(bloom.error().detail().find("expected a filter of type bloom, found counting"),
            std::string::npos);
}

TEST(CountingFile, EverySizeRoundTrips) {
  for (const std::uint64_t counters : {1u, 15u, 16u, 17u, 127u, 128u, 100'000u}) {
    CountingBloomFilter filter = *CountingBloomFilter::for_shape({.bits = counters, .hash_count = 3}, 10);
    insert_numbered(filter, 0, 10);
    const Result<CountingBloomFilter> opened = copy_of(serialized(filter));
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_EQ(serialized(*opened), serialized(filter));
  }
}

TEST(CountingFile, EveryFlippedBitAndEveryCutIsRefused) {
  const std::string whole = serialized(small_counting());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const Result<CountingBloomFilter> opened = copy_of(damaged);
      ASSERT_FALSE(opened) << "byte " << i << " bit " << bit;
      ASSERT_TRUE(opened.error().offset().has_value()) << opened.error().to_string();
      ASSERT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
    }
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<CountingBloomFilter> opened = copy_of(whole.substr(0, size));
    ASSERT_FALSE(opened) << size;
    ASSERT_EQ(opened.error().code(), ErrorCode::kCorruption);
    ASSERT_TRUE(opened.error().offset().has_value());
  }
  EXPECT_FALSE(copy_of(whole + "x"));
}

// Every byte flipped under checksums that are right again, as only a wrong writer can leave them: an error,
// or a filter that works.
TEST(CountingFile, EveryFlippedByteUnderRightChecksumsIsAnErrorOrSafe) {
  const std::string whole = serialized(small_counting());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto flipped = static_cast<unsigned char>(~whole[i]);
    Result<CountingBloomFilter> opened =
        copy_of(with(whole, i, flipped, 1), {.verify = Verify::kHeaderOnly, .accept_dirty = true});
    if (opened) {
      const bool known = opened->remove("a key");
      opened->insert("a key");
      EXPECT_TRUE(opened->may_contain("a key")) << "byte " << i << known;
      (void)opened->count_at_most("a key");
      EXPECT_LE(opened->fill_ratio(), 1);
    }
  }
}

TEST(CountingFile, EveryFieldOutOfRangeIsNamed) {
  struct Case {
    const char* name;
    std::size_t offset;
    std::uint64_t value;
    std::size_t size;
    std::uint64_t place;
  };
  const std::string whole = serialized(small_counting());
  const std::uint64_t counters = small_counting().shape().bits;
  const std::uint64_t last_word = kHeaderBytes + small_counting().byte_size() - 8;
  ASSERT_NE(counters % 16, 0u);
  for (const Case& c :
       {Case{"filter type", 16, 0, 2, 16}, Case{"filter type", 16, 999, 2, 16},
        Case{"hash count", 28, 0, 4, 28}, Case{"hash count", 28, 256, 4, 28},
        Case{"hash count", 28, 0xffffffff, 4, 28}, Case{"bits", 64, 0, 8, 64},
        Case{"bits", 64, (std::uint64_t{1} << 56) + 1, 8, 64}, Case{"bits", 64, ~std::uint64_t{0}, 8, 64},
        Case{"payload bytes", 64, counters + 16, 8, 88}, Case{"payload bytes", 64, counters - 16, 8, 88},
        Case{"payload bytes", 64, counters * 4, 8, 88},
        Case{"payload bytes", 64, std::uint64_t{1} << 56, 8, 88}, Case{"stride", 120, 8, 2, 120},
        Case{"reserved", 122, 1, 1, 122}, Case{"reserved", 136, 1, 1, 136}, Case{"reserved", 180, 1, 1, 180},
        Case{"counters behind the last", last_word, ~std::uint64_t{0}, 8, last_word}}) {
    const Result<CountingBloomFilter> opened = copy_of(with(whole, c.offset, c.value, c.size));
    ASSERT_FALSE(opened) << c.name << " " << c.value;
    EXPECT_EQ(opened.error().offset(), c.place) << opened.error().to_string();
    EXPECT_NE(opened.error().detail().find(c.name), std::string::npos) << opened.error().to_string();
    EXPECT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
  }
}

TEST(CountingFile, AnUpdateInPlaceInsertsAndRemoves) {
  const TestFolder folder;
  const std::string path = folder.path("u.counting");
  ASSERT_TRUE(small_counting(40).save(path));
  {
    Result<AnyFilter> update = AnyFilter::open(path, {.access = Access::kUpdateInPlace});
    ASSERT_TRUE(update) << update.error().to_string();
    ASSERT_EQ(update->insert_batch(numbered_hashes(40, 30)), 0u);
    const std::vector<Hash128> gone = numbered_hashes(60, 10);
    std::vector<std::uint64_t> answers(1);
    EXPECT_EQ(update->remove_batch(gone, answers), 0u);
    ASSERT_TRUE(update->native().finish_update());
  }
  EXPECT_EQ(folder.read("u.counting"), serialized(small_counting(60)));
}

// What a crash can leave of an update that inserted `added` and removed `gone`: every byte of the payload as
// it was at some moment, under the header that opening wrote.
std::string torn(std::mt19937_64& random, const std::string& before, std::span<const Hash128> added,
                 std::span<const Hash128> gone) {
  CountingBloomFilter filter = *copy_of(before);
  std::vector<std::string> moments = {before};
  for (const Hash128& hash : added) {
    filter.insert(hash);
    moments.push_back(serialized(filter));
  }
  for (const Hash128& hash : gone) {
    EXPECT_TRUE(filter.remove(hash));
    moments.push_back(serialized(filter));
  }
  std::string left = before;
  left[26] = 1;
  const std::size_t payload_end = kHeaderBytes + filter.byte_size();
  for (std::size_t i = kHeaderBytes; i < payload_end; ++i) {
    left[i] = moments[random() % moments.size()][i];
  }
  auto* const header = reinterpret_cast<std::byte*>(left.data());
  store_little(header + 188, crc32c({header, 188}));
  return left;
}

// The keys 0 to 19 are in throughout: whatever of the update is done again or undone afterwards, they answer
// maybe; and the keys that are inserted again are in.
TEST(CountingFile, WhatAnInterruptedUpdateLeftNeverLeadsToAWrongNo) {
  constexpr std::uint64_t kSeed = 5;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const std::string before = serialized(small_counting(40));
  const std::vector<Hash128> gone = numbered_hashes(20, 20);
  const std::vector<Hash128> added = numbered_hashes(40, 20);
  std::vector<std::uint64_t> answers(1);
  for (int round = 0; round < 200; ++round) {
    const std::string left = torn(random, before, added, gone);
    ASSERT_FALSE(copy_of(left));
    Result<CountingBloomFilter> opened = copy_of(left, {.accept_dirty = true});
    ASSERT_TRUE(opened) << opened.error().to_string();
    ASSERT_EQ(count_maybes(*opened, 0, 20), 20u);
    opened->remove_batch(gone, answers);
    ASSERT_EQ(count_maybes(*opened, 0, 20), 20u);
    if (round % 2 == 0) {
      opened->insert_batch(added);
      ASSERT_EQ(count_maybes(*opened, 40, 20), 20u);
    }
    opened->remove_batch(added, answers);
    ASSERT_EQ(count_maybes(*opened, 0, 20), 20u);
  }
}

// Only what is inserted after the interruption is forgotten again.
TEST(CountingFile, ADirtyFileIsRefusedOrPinned) {
  const TestFolder folder;
  const std::string path = folder.path("dirty.counting");
  ASSERT_TRUE(small_counting(40).save(path));
  {
    Result<CountingBloomFilter> update = CountingBloomFilter::open(path, {.access = Access::kUpdateInPlace});
    ASSERT_TRUE(update);
    EXPECT_TRUE(update->remove(std::uint64_t{39}));
  }
  const Result<CountingBloomFilter> refused = CountingBloomFilter::open(path);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_string().find("dirty"), std::string::npos);

  const std::string as_left = folder.read("dirty.counting");
  for (const Access access : {Access::kMap, Access::kMapLocked, Access::kCopy}) {
    const auto looked_at = CountingBloomFilter::open(path, {.access = access, .accept_dirty = true});
    ASSERT_TRUE(looked_at) << looked_at.error().to_string();
    EXPECT_EQ(count_maybes(*looked_at, 0, 39), 39u);
    EXPECT_GT(looked_at->saturated_count(), 0u);
    EXPECT_EQ(looked_at->metadata(), "made by a test");
  }
  EXPECT_EQ(folder.read("dirty.counting"), as_left);
  {
    auto again = CountingBloomFilter::open(path, {.access = Access::kUpdateInPlace, .accept_dirty = true});
    ASSERT_TRUE(again) << again.error().to_string();
    again->remove(std::uint64_t{39});
    again->insert(std::uint64_t{1000});
    ASSERT_TRUE(again->finish_update());
  }
  Result<CountingBloomFilter> mended = CountingBloomFilter::open(path, {.access = Access::kCopy});
  ASSERT_TRUE(mended) << mended.error().to_string();
  const double fill = mended->fill_ratio();
  EXPECT_EQ(count_maybes(*mended, 0, 39), 39u);
  EXPECT_TRUE(mended->remove(std::uint64_t{3}));
  EXPECT_TRUE(mended->may_contain(std::uint64_t{3}));
  EXPECT_EQ(mended->fill_ratio(), fill);
  EXPECT_TRUE(mended->remove(std::uint64_t{1000}));
  EXPECT_FALSE(mended->may_contain(std::uint64_t{1000}));
}

// A dirty file with exceptions, opened as a map: they are copied with the payload.
TEST(CountingFile, APinnedCopyKeepsItsExceptions) {
  const TestFolder folder;
  CountingBloomFilter filter = small_counting();
  const std::vector<Hash128> strangers = numbered_hashes(kAbsentKeys, 1000);
  ASSERT_TRUE(filter.add_as_exceptions(strangers));
  ASSERT_TRUE(filter.save(folder.path("e.counting")));
  { ASSERT_TRUE(AnyFilter::open(folder.path("e.counting"), {.access = Access::kUpdateInPlace})); }
  const auto opened = CountingBloomFilter::open(folder.path("e.counting"), {.accept_dirty = true});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->exception_count(), 1000u);
  EXPECT_EQ(count_maybes(*opened, kAbsentKeys, 1000), 0u);
  EXPECT_EQ(count_maybes(*opened, 0, 60), 60u);
}

}  // namespace
}  // namespace bloomery
