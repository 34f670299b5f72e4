// A file in a key that takes items has, after every command, the bytes that `bloomery add` makes of the file and the items.
#include "filter/any/pieced_file.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "bloomery/filter/any_filter.h"
#include "filter/pages/page_memory.h"
#include "redis_module/file_value.h"
#include "tests/base/test_bytes.h"
#include "tests/base/test_folder.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

constexpr int kBatches = 12;
constexpr std::uint64_t kMostHashes = 16;  // that one item of these filters has

// Loads a file in chunks.
std::unique_ptr<FileValue> loaded_file(const std::string& file) {
  auto value = FileValue::begin(bytes_of(file).first(kNativeHeaderBytes), crc32c(bytes_of(file)),
                                std::nullopt, kAnySize);
  EXPECT_TRUE(value) << value.error().to_string();
  constexpr std::size_t kChunk = 100'001;  // not a multiple of anything
  for (std::size_t at = 0; at < file.size(); at += kChunk) {
    const auto chunk = bytes_of(file).subspan(at, std::min(kChunk, file.size() - at));
    EXPECT_TRUE((*value)->take(at, crc32c(chunk), chunk));
  }
  const Status finished = (*value)->finish();
  EXPECT_TRUE(finished) << finished.error().to_string();
  return std::move(value).value();
}

std::string bytes_in(const FileValue& value) {
  return text_of(value.read(0, value.size()));
}

// What `bloomery add` and `bloomery remove` do to a file.
class FileModel {
 public:
  FileModel(const TestFolder& folder, const std::string& file)
      : folder_(folder), path_(folder.path("model")) {
    folder_.write("model", file);
  }
  std::string bytes() const { return folder_.read("model"); }
  // Runs `change` on the filter, and brings the file up to date.
  void change(const std::function<void(AnyFilter&)>& change) {
    const bool in_place = AnyFilter::open(path_)->updates_in_place();
    AnyFilter filter =
        *AnyFilter::open(path_, {.access = in_place ? Access::kUpdateInPlace : Access::kCopyLocked});
    change(filter);
    ASSERT_TRUE(in_place ? filter.native().finish_update() : filter.save(path_, {.replace = true}));
  }
  void add(std::span<const Hash128> hashes) {
    change([&](AnyFilter& filter) { EXPECT_EQ(filter.insert_batch(hashes), 0U); });
  }

 private:
  const TestFolder& folder_;
  std::string path_;
};

struct FileKind {
  const char* name;
  std::function<AnyFilter(std::uint64_t capacity)> make;
};

AnyFilter scalable(std::uint64_t capacity, BlockedSetting setting) {
  return *ScalableFilter::for_capacity(std::max<std::uint64_t>(capacity / 16, 1), 0.01, {.setting = setting});
}

const std::vector<FileKind>& kinds() {
  static const std::vector<FileKind> all = {
      {"bloom", [](std::uint64_t n) { return AnyFilter(*BloomFilter::for_capacity(n, 0.01)); }},
      {"fast", [](std::uint64_t n) { return AnyFilter(*BlockedBloomFilter::for_capacity(n, 0.01)); }},
      {"dense",
       [](std::uint64_t n) {
         return AnyFilter(*BlockedBloomFilter::for_capacity(n, 1e-4, {.setting = BlockedSetting::kDense}));
       }},
      {"counting", [](std::uint64_t n) { return AnyFilter(*CountingBloomFilter::for_capacity(n, 0.01)); }},
      {"quotient", [](std::uint64_t n) { return AnyFilter(*QuotientFilter::for_capacity(n, 0.01)); }},
      {"scalable", [](std::uint64_t n) { return scalable(n, BlockedSetting::kFast); }},
      {"scalabledense", [](std::uint64_t n) { return scalable(n, BlockedSetting::kDense); }}};
  return all;
}

class PiecedFileOf : public ::testing::Test {
 protected:
  void SetUp() override { RecordProperty("seed", std::to_string(kModuleSeed)); }
  // Some hashes that were given before, and new ones.
  std::vector<Hash128> batch(std::size_t size) {
    std::vector<Hash128> hashes;
    for (std::size_t i = 0; i < size; ++i) {
      if (!given_.empty() && random_() % 4 == 0) {
        hashes.push_back(given_[random_() % given_.size()]);
      } else {
        hashes.push_back({.low = random_(), .high = random_()});
      }
    }
    given_.insert(given_.end(), hashes.begin(), hashes.end());
    return hashes;
  }
  // Removes keys from a file of the filter, and from its value.
  void expect_removals(AnyFilter filter);
  std::string file_of(const AnyFilter& filter) {
    std::string bytes;
    filter.serialize(bytes);
    return bytes;
  }

  TestFolder folder_;
  std::mt19937_64 random_{kModuleSeed};
  std::vector<Hash128> given_;
};

class PiecedFiles : public PiecedFileOf, public ::testing::WithParamInterface<std::size_t> {
 protected:
  const FileKind& kind() const { return kinds()[GetParam()]; }
};

// Inserts as a command does.
std::vector<Added> insert_items(FileValue& value, std::span<const Hash128> hashes,
                                std::uint64_t most_bytes = kAnySize) {
  std::vector<Added> outcomes(hashes.size());
  value.taking_items()->begin_step();
  outcomes.resize(value.taking_items()->insert(hashes, most_bytes, outcomes));
  return outcomes;
}

TEST_P(PiecedFiles, HaveTheBytesAndAnswersOfTheCommand) {
  for (const std::uint64_t capacity : {1ULL, 100ULL, 200'000ULL}) {
    AnyFilter filter = kind().make(capacity);
    ASSERT_TRUE(filter.set_metadata("a note of 24 characters."));
    ASSERT_EQ(filter.insert_batch(batch(capacity / 2)), 0U);
    const std::string file = file_of(filter);
    const auto value = loaded_file(file);
    EXPECT_TRUE(bytes_in(*value) == file);
    FileModel model(folder_, file);
    for (int i = 0; i < kBatches; ++i) {
      const std::vector<Hash128> hashes = batch(1 + random_() % (capacity / 8 + 5));
      const std::vector<Added> outcomes = insert_items(*value, hashes);
      // The model says one by one what was new.
      std::vector<Added> expected;
      for (const Hash128& hash : hashes) {
        expected.push_back(filter.test_and_insert(hash).is_new ? Added::kNew : Added::kKnown);
      }
      EXPECT_EQ(outcomes, expected);
      model.add(hashes);
      ASSERT_TRUE(bytes_in(*value) == model.bytes()) << kind().name << " " << capacity << " " << i;
      EXPECT_EQ(value->file_crc(), crc32c(bytes_of(model.bytes())));
    }
    const std::vector<Hash128> asked = batch(5000);
    std::vector<std::uint64_t> answers(answer_words(asked.size()));
    std::vector<std::uint64_t> expected(answers.size());
    value->pieced()->may_contain(asked, answers);
    filter.may_contain_batch(asked, expected);
    EXPECT_EQ(answers, expected);
  }
}

TEST_P(PiecedFiles, AnItemThatWasAnExceptionIsOneNoMore) {
  AnyFilter filter = kind().make(1000);
  const std::vector<Hash128> first = batch(900);
  ASSERT_EQ(filter.insert_batch(first), 0U);
  const std::vector<Hash128> denied = batch(50);
  ASSERT_TRUE(filter.add_as_exceptions(denied));
  const std::string file = file_of(filter);
  const auto value = loaded_file(file);
  const auto copy = value->copy();
  EXPECT_TRUE(bytes_in(*value) == file);
  FileModel model(folder_, file);
  std::vector<Hash128> order = denied;
  std::shuffle(order.begin(), order.end(), random_);
  for (std::size_t i = 0; i < order.size(); i += 10) {
    const auto some = std::span(order).subspan(i, std::min<std::size_t>(10, order.size() - i));
    for (const Hash128& hash : some) {
      EXPECT_TRUE(value->pieced()->is_exception(hash) ||
                  std::find(first.begin(), first.end(), hash) != first.end() || i > 0);
    }
    const auto between = value->copy();  // whose exceptions are shared and may be changed in place
    const std::string bytes_between = bytes_in(*value);
    (void)insert_items(*value, some);
    model.add(some);
    ASSERT_TRUE(bytes_in(*value) == model.bytes()) << i;
    ASSERT_TRUE(bytes_in(*between) == bytes_between) << i;
    for (const Hash128& hash : some) {
      std::uint64_t answer = 0;
      value->pieced()->may_contain({&hash, 1}, {&answer, 1});
      EXPECT_EQ(answer, 1U);
    }
  }
  EXPECT_TRUE(bytes_in(*copy) == file) << "the copy has its exceptions still";
  EXPECT_TRUE(copy->pieced()->is_exception(denied.front()));
}

TEST_P(PiecedFiles, CopiesShareTheirBytesUntilOneOfThemTakesAnItem) {
  AnyFilter filter = kind().make(2'000'000);
  ASSERT_EQ(filter.insert_batch(batch(100'000)), 0U);
  const std::string file = file_of(filter);
  const auto value = loaded_file(file);
  const std::uint64_t before = all_page_bytes();
  const auto copy = value->copy();
  EXPECT_EQ(all_page_bytes(), before);
  (void)insert_items(*value, batch(1));
  EXPECT_LE(all_page_bytes() - before, kMostHashes * kWordsInPage * kWordBytes)
      << "only the chunks of one item";
  EXPECT_TRUE(bytes_in(*copy) == file);
  const std::string changed = bytes_in(*value);
  (void)insert_items(*copy, batch(10));
  EXPECT_TRUE(bytes_in(*value) == changed);
}

TEST_P(PiecedFiles, WithoutMemoryAnItemIsRefusedAndTheFileStaysWhole) {
  static bool is_lacking = false;
  use_page_memory(
      {.try_zeroed = [](std::size_t count,
                        std::size_t size) { return is_lacking ? nullptr : std::calloc(count, size); },
       .release = std::free});
  AnyFilter filter = kind().make(10'000'000);
  const std::string file = file_of(filter);
  const auto value = loaded_file(file);  // whose chunks are null, but for the front of layers
  is_lacking = true;
  const std::vector<Hash128> hashes = batch(100);
  const std::vector<Added> outcomes = insert_items(*value, hashes);
  EXPECT_EQ(outcomes.back(), Added::kNoMemory);
  FileModel model(folder_, file);
  model.add(std::span(hashes).first(outcomes.size() - 1));
  EXPECT_TRUE(bytes_in(*value) == model.bytes()) << "what was refused has left no trace";
  is_lacking = false;
  EXPECT_EQ(insert_items(*value, hashes).size(), hashes.size());
}

TEST_P(PiecedFiles, TheLargestCountStays) {
  if (kind().name == std::string("quotient")) {
    GTEST_SKIP() << "the count is that of its payload";
  }
  AnyFilter filter = kind().make(100);
  std::string file = file_of(filter);
  NativeHeader header = *parse_native_header(bytes_of(file).first(kNativeHeaderBytes), file.size());
  header.inserted = ~std::uint64_t{0} - 1;
  const auto encoded = encode(header);
  std::ranges::copy(encoded, std::as_writable_bytes(std::span(file)).begin());
  const auto value = loaded_file(file);
  (void)insert_items(*value, batch(3));
  EXPECT_EQ(value->header().inserted, ~std::uint64_t{0});
}

INSTANTIATE_TEST_SUITE_P(All, PiecedFiles, ::testing::Range(std::size_t{0}, std::size_t{7}),
                         [](const auto& of) { return kinds()[of.param].name; });

void PiecedFileOf::expect_removals(AnyFilter filter) {
  ASSERT_EQ(filter.insert_batch(batch(20'000)), 0U);
  const std::string file = file_of(filter);
  const auto value = loaded_file(file);
  FileModel model(folder_, file);
  const std::vector<Hash128> hashes = batch(2000);
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  model.change([&](AnyFilter& changed) { changed.remove_batch(hashes, answers); });
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool is_taken = (answers[i / 64] >> (i % 64) & 1) != 0;
    EXPECT_EQ(value->taking_items()->remove(hashes[i]), is_taken ? Removed::kYes : Removed::kAbsent);
  }
  EXPECT_TRUE(bytes_in(*value) == model.bytes());
  const std::string now = model.bytes();
  const auto asked = *AnyFilter::view(bytes_of(now), {.access = Access::kCopy});
  for (const Hash128& hash : batch(1000)) {
    EXPECT_EQ(value->pieced()->count_at_most(hash).value_or(15), asked.count_at_most(hash).value_or(15));
  }
}

TEST_F(PiecedFileOf, ItemsAreTakenOutOfACountingFileAsTheCommandTakesThem) {
  expect_removals(AnyFilter(*CountingBloomFilter::for_capacity(20'000, 0.01)));
}

TEST_F(PiecedFileOf, ItemsAreTakenOutOfAQuotientFileAsTheCommandTakesThem) {
  expect_removals(AnyFilter(*QuotientFilter::for_capacity(20'000, 0.01)));
}

TEST_F(PiecedFileOf, AScalableFileGrowsToItsLimitAndNoFurther) {
  AnyFilter filter = scalable(1600, BlockedSetting::kFast);
  const std::string file = file_of(filter);
  const auto value = loaded_file(file);
  const std::uint64_t limit = 3 * file.size();
  std::vector<Added> outcomes;
  std::vector<Hash128> taken;
  do {
    const std::vector<Hash128> hashes = batch(50);
    outcomes = insert_items(*value, hashes, limit);
    const bool refused = outcomes.back() == Added::kOverLimit;
    taken.insert(taken.end(), hashes.begin(),
                 hashes.begin() + static_cast<std::ptrdiff_t>(outcomes.size() - (refused ? 1 : 0)));
  } while (outcomes.back() != Added::kOverLimit);
  EXPECT_LE(value->size(), limit);
  FileModel model(folder_, file);
  model.add(taken);
  EXPECT_TRUE(bytes_in(*value) == model.bytes()) << "what was refused has not counted";
}

TEST_F(PiecedFileOf, AFileWithVeryManyExceptionsIsReadOnly) {
  AnyFilter filter(*BlockedBloomFilter::for_capacity(100, 0.01));
  ASSERT_TRUE(filter.add_as_exceptions(batch(kMostChangedExceptions)));
  EXPECT_LE(filter.exceptions().size(), kMostChangedExceptions);
  EXPECT_TRUE(loaded_file(file_of(filter))->takes_items());
  ASSERT_TRUE(filter.add_as_exceptions(batch(kMostChangedExceptions)));
  const auto value = loaded_file(file_of(filter));
  EXPECT_FALSE(value->takes_items());
  EXPECT_EQ(value->taking_items(), nullptr);
  EXPECT_TRUE(bytes_in(*value) == file_of(filter));
}

}  // namespace
}  // namespace bloomery::redis_module
