// One suite for all filter types: the same calls, the same meaning. What a type does beyond them is tested
// beside it.
#include <bit>
#include <concepts>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/key_batches.h"
#include "bloomery/filter/membership_filter.h"
#include "bloomery/filter/ribbon_exceptions.h"
#include "tests/base/test_folder.h"
#include "tests/filter/full_scalable.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSuiteCapacity = 1000;
constexpr double kSuiteFpp = 0.01;

// An empty filter of a type, for kSuiteCapacity keys; what a type needs beyond `options` is added here.
template <typename F>
F empty_filter(FilterOptions options = {}) {
  if constexpr (std::same_as<F, ExactSet>) {
    return *ExactSet::for_plan({.capacity = 10 * kSuiteCapacity,
                                .fpp = kSuiteFpp,
                                .exact_below = kSuiteCapacity,
                                .options = options});
  } else if constexpr (std::same_as<F, AnyFilter>) {
    return *make_filter({.capacity = kSuiteCapacity, .fpp = kSuiteFpp, .options = options});
  } else {
    if constexpr (std::same_as<F, WindowedFilter>) {
      options.window = Window::keys(kSuiteCapacity);
    }
    const std::uint64_t capacity = std::same_as<F, WindowedFilter> ? 0 : kSuiteCapacity;
    return *F::for_capacity(capacity, kSuiteFpp, options);
  }
}

// A filter of these hashes, by whatever way the type has.
template <typename F>
F filter_of(std::span<const Hash128> hashes, const FilterOptions& options = {}) {
  if constexpr (std::same_as<F, RibbonFilter> || std::same_as<F, FuseFilter>) {
    return *F::build_from_hashes(hashes, kSuiteFpp, options);
  } else {
    F filter = empty_filter<F>(options);
    EXPECT_EQ(filter.insert_batch(hashes), 0u);
    return filter;
  }
}

template <typename F>
class EveryFilter : public testing::Test {};
using EveryType =
    testing::Types<BloomFilter, BlockedBloomFilter, RibbonFilter, CountingBloomFilter, QuotientFilter,
                   ScalableFilter, WindowedFilter, ExactSet, FuseFilter, AnyFilter>;
TYPED_TEST_SUITE(EveryFilter, EveryType);

template <typename F>
class EveryDynamicFilter : public testing::Test {};
using EveryDynamicType = testing::Types<BloomFilter, BlockedBloomFilter, CountingBloomFilter, QuotientFilter,
                                        ScalableFilter, WindowedFilter, ExactSet, AnyFilter>;
TYPED_TEST_SUITE(EveryDynamicFilter, EveryDynamicType);

template <typename F>
class EveryRemovingFilter : public testing::Test {};
using EveryRemovingType = testing::Types<CountingBloomFilter, QuotientFilter>;
TYPED_TEST_SUITE(EveryRemovingFilter, EveryRemovingType);

TYPED_TEST(EveryFilter, HasTheCallsOfAMembershipFilter) {
  static_assert(MembershipFilter<TypeParam>);
}

TYPED_TEST(EveryFilter, AnswersMaybeForItsKeysOneByOneAndInBatches) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 500);
  const TypeParam filter = filter_of<TypeParam>(hashes);
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  filter.may_contain_batch(hashes, answers);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_TRUE(filter.may_contain(hashes[i])) << i;
    ASSERT_TRUE(filter.may_contain(std::uint64_t{i})) << i;  // the same key, typed
    ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, 1u) << i;
  }
  EXPECT_EQ(filter.inserted(), 500u);
  EXPECT_LT(filter.current_fpp(), 2 * kSuiteFpp);
  EXPECT_NEAR(filter.estimated_count(), 500, 50);
  EXPECT_FALSE(filter.over_capacity());
  EXPECT_GT(filter.fill_ratio(), 0);
  EXPECT_LE(filter.fill_ratio(), 1);
}

TYPED_TEST(EveryFilter, IsTheSameAfterItsFileByOpenAndByView) {
  const TestFolder folder;
  const std::vector<Hash128> hashes = numbered_hashes(0, 500);
  TypeParam filter = filter_of<TypeParam>(hashes);
  ASSERT_TRUE(filter.set_metadata("a note"));
  ASSERT_TRUE(filter.save(folder.path("f")));
  std::string bytes;
  filter.serialize(bytes);
  EXPECT_EQ(bytes, folder.read("f"));
  EXPECT_EQ(filter.file_bytes(), bytes.size());

  const Result<TypeParam> opened = TypeParam::open(folder.path("f"));
  ASSERT_TRUE(opened) << opened.error().to_string();
  const FileBytes whole(bytes);
  const Result<TypeParam> viewed = TypeParam::view(whole.span());
  ASSERT_TRUE(viewed) << viewed.error().to_string();
  for (const TypeParam* const again : {&*opened, &*viewed}) {
    EXPECT_EQ(again->type(), filter.type());
    EXPECT_EQ(again->metadata(), "a note");
    EXPECT_EQ(again->inserted(), 500u);
    std::string saved;
    again->serialize(saved);
    EXPECT_EQ(saved, bytes);
    for (std::uint64_t key = 0; key < 600; ++key) {
      ASSERT_EQ(again->may_contain(key), filter.may_contain(key)) << key;
    }
  }
}

// The form of keys that the command records (`--key-form hex`, `-i`, `-k 1,2`) is never passed over in
// silence.
TYPED_TEST(EveryFilter, IsAskedForTextByTheRecordedForm) {
  const std::vector<Hash128> hex = {hash_key(std::string("\xde\xad\xbe\xef"), HashSpec{})};
  const TypeParam filter = filter_of<TypeParam>(hex, {.keys = {.form = KeyForm::kHex}});
  const Result<Hash128> key = filter.key_of("DEADBEEF");
  ASSERT_TRUE(key) << key.error().to_string();
  EXPECT_TRUE(filter.may_contain(*key));
  EXPECT_EQ(filter.key_of("no hex").error().code(), ErrorCode::kInvalidArgument);

  std::string bytes;
  filter.serialize(bytes);
  const FileBytes whole(bytes);
  const Result<TypeParam> refused = TypeParam::view(whole.span());
  ASSERT_FALSE(refused) << "plain asking of it would be a wrong no";
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().to_string().find("hex"), std::string::npos);
  EXPECT_NE(refused.error().to_string().find("key_of()"), std::string::npos);
  const Result<TypeParam> known = TypeParam::view(whole.span(), {.recorded_keys = RecordedKeys::kKnown});
  ASSERT_TRUE(known) << known.error().to_string();
  EXPECT_TRUE(known->may_contain(*known->key_of("deadbeef")));
}

TYPED_TEST(EveryFilter, TakesCompositeKeysPartByPart) {
  KeyWriter writer;
  writer.append_part(std::string_view("ab"));
  writer.append_part(std::string_view("c"));
  const std::vector<Hash128> hashes = {hash_bytes(writer.bytes(), HashSpec{})};
  const TypeParam filter = filter_of<TypeParam>(hashes, {.keys = {.ignore_case = true, .parts = 2}});
  EXPECT_TRUE(filter.may_contain(*filter.key_of(std::vector<std::string_view>{"AB", "C"})));
  EXPECT_TRUE(filter.may_contain(*filter.key_of({"AB", "C"})));
  EXPECT_NE(*filter.key_of(std::vector<std::string_view>{"a", "bc"}), hashes.front());
  EXPECT_FALSE(filter.key_of("abc"));
  EXPECT_FALSE(filter.key_of(std::vector<std::string_view>{"ab", "c", "d"}));
}

TYPED_TEST(EveryFilter, ATypedViewFixesTheWidthOfIntegers) {
  std::vector<Hash128> hashes;
  for (std::int64_t key = -50; key < 50; ++key) {
    hashes.push_back(hash_key(key, HashSpec{}));
  }
  const TypeParam filter = filter_of<TypeParam>(hashes);
  const auto ids = filter.template of<std::int64_t>();
  for (int key = -50; key < 50; ++key) {
    ASSERT_TRUE(ids.may_contain(key)) << key;
    ASSERT_TRUE(ids.may_contain(long{key})) << key;
    ASSERT_TRUE(ids.may_contain(static_cast<std::int8_t>(key))) << key;
  }
  using View = decltype(ids);
  static_assert(!requires(const View& view) { view.may_contain(std::uint64_t{1}); });
  static_assert(!requires(const View& view) { view.may_contain(1.0); });
}

TYPED_TEST(EveryDynamicFilter, HasTheCallsOfADynamicFilter) {
  static_assert(DynamicFilter<TypeParam>);
}

TYPED_TEST(EveryDynamicFilter, SaysOfEachKeyWhetherItIsIn) {
  TypeParam filter = empty_filter<TypeParam>();
  EXPECT_TRUE(filter.insert("a key"));
  EXPECT_TRUE(filter.may_contain("a key"));
  const TestedInsert again = filter.test_and_insert("a key");
  EXPECT_FALSE(again.is_new);
  EXPECT_FALSE(again.refused);
  EXPECT_TRUE(filter.test_and_insert("another"));
  auto ids = filter.template of<std::int64_t>();
  EXPECT_TRUE(ids.insert(42));
  EXPECT_TRUE(ids.may_contain(42L));
  EXPECT_FALSE(ids.test_and_insert(42).is_new);
  const std::vector<Hash128> hashes = numbered_hashes(0, 100);
  std::vector<std::uint64_t> is_new(answer_words(hashes.size()));
  EXPECT_EQ(filter.insert_batch(std::span(hashes).first(50), Sharing::kExclusive), 0u);
  EXPECT_EQ(filter.test_and_insert_batch(hashes, is_new, Sharing::kExclusive), 0u);
  EXPECT_EQ(is_new[0] & ((std::uint64_t{1} << 50) - 1), 0u);
  EXPECT_GT(is_new[1], 0u);
}

TYPED_TEST(EveryDynamicFilter, MergesOneOfTheSamePlan) {
  TypeParam filter = filter_of<TypeParam>(numbered_hashes(0, 300));
  const TypeParam other = filter_of<TypeParam>(numbered_hashes(300, 300));
  const Status merged = filter.merge(other);
  ASSERT_TRUE(merged) << merged.error().to_string();
  for (const Hash128& hash : numbered_hashes(0, 600)) {
    ASSERT_TRUE(filter.may_contain(hash));
  }
  const TypeParam unlike = empty_filter<TypeParam>({.hash = {.seed = 7}});
  EXPECT_EQ(filter.merge(unlike).error().code(), ErrorCode::kInvalidArgument);
}

// open() and insert(): the filter takes the key, and the file stays as it is.
TYPED_TEST(EveryDynamicFilter, TakesKeysAfterOpenWithoutChangingItsFile) {
  const TestFolder folder;
  const std::string path = folder.path("f");
  const std::vector<Hash128> hashes = numbered_hashes(0, 400);
  {
    TypeParam filter = filter_of<TypeParam>(hashes);
    ASSERT_TRUE(filter.add_as_exceptions(numbered_hashes(kAbsentKeys, 3)));
    ASSERT_TRUE(filter.save(path));
  }
  const std::string before = folder.read("f");
  Result<TypeParam> filter = TypeParam::open(path);
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_TRUE(filter->is_writable());
  const std::vector<Hash128> more = numbered_hashes(400, 400);
  EXPECT_TRUE(filter->insert(more.front()));
  EXPECT_EQ(filter->insert_batch(std::span(more).subspan(1)), 0u);
  EXPECT_TRUE(filter->insert(numbered_hashes(kAbsentKeys, 1).front())) << "an exception is taken back";
  for (const Hash128& hash : numbered_hashes(0, 800)) {
    ASSERT_TRUE(filter->may_contain(hash));
  }
  EXPECT_TRUE(filter->may_contain(numbered_hashes(kAbsentKeys, 1).front()));
  EXPECT_EQ(folder.read("f"), before);
  ASSERT_TRUE(filter->save(path, {.replace = true}));
  const Result<TypeParam> saved = TypeParam::open(path);
  ASSERT_TRUE(saved) << saved.error().to_string();
  EXPECT_EQ(saved->inserted(), 801u);
  EXPECT_TRUE(saved->may_contain(more.back()));
}

// Growth moves everything that was mapped, and clear() all the rest; the exceptions lie in the same mapping.
TYPED_TEST(EveryDynamicFilter, GrowsAndIsClearedOverAMappedFile) {
  const TestFolder folder;
  const std::string path = folder.path("f");
  const std::vector<Hash128> white = numbered_hashes(kAbsentKeys, 3);
  for (const std::uint64_t keys : {100u, 20'000u}) {
    TypeParam made = filter_of<TypeParam>(numbered_hashes(0, 400));
    ASSERT_TRUE(made.add_as_exceptions(white));
    ASSERT_TRUE(made.save(path, {.replace = true}));
    Result<TypeParam> filter = TypeParam::open(path);
    ASSERT_TRUE(filter) << filter.error().to_string();
    const std::vector<Hash128> more = numbered_hashes(1000, keys);
    std::vector<std::uint64_t> answers(answer_words(more.size()));
    const std::uint64_t refused = filter->insert_batch(more);  // of an exact set, what passes its threshold
    if constexpr (!std::same_as<TypeParam, WindowedFilter>) {  // which forgets
      filter->may_contain_batch(more, answers);
      std::uint64_t maybes = 0;
      for (const std::uint64_t word : answers) {
        maybes += static_cast<std::uint64_t>(std::popcount(word));
      }
      EXPECT_GE(maybes + refused, more.size());
    }
    EXPECT_FALSE(filter->may_contain(white[0]));
    if constexpr (std::same_as<TypeParam, AnyFilter>) {
      ASSERT_TRUE(filter->clear());
    } else {
      filter->clear();
    }
    EXPECT_FALSE(filter->may_contain(more.front()));
    EXPECT_TRUE(filter->insert(white[1]));
    EXPECT_TRUE(filter->may_contain(white[1]));
    EXPECT_FALSE(filter->may_contain(white[2]));
  }
}

TYPED_TEST(EveryDynamicFilter, TakesBatchesOfText) {
  std::vector<std::string> text;
  for (int i = 0; i < 700; ++i) {
    text.push_back("key " + std::to_string(i));
  }
  const std::vector<std::string_view> keys(text.begin(), text.end());
  TypeParam filter = empty_filter<TypeParam>();
  EXPECT_EQ(insert_keys(filter, keys), 0u);
  std::vector<std::uint64_t> answers(answer_words(keys.size()));
  may_contain_keys(filter, keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, 1u) << i;
  }
  EXPECT_EQ(test_and_insert_keys(filter, keys, answers), 0u);
  EXPECT_EQ(std::accumulate(answers.begin(), answers.end(), std::uint64_t{0}), 0u) << "none is new";
}

TYPED_TEST(EveryRemovingFilter, TakesKeysOutAndCountsThem) {
  static_assert(RemovingFilter<TypeParam>);
  TypeParam filter = empty_filter<TypeParam>();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(filter.insert("a key"));
  }
  EXPECT_GE(filter.count_at_most("a key"), 3u);
  EXPECT_TRUE(filter.remove("a key"));
  EXPECT_FALSE(filter.remove("another"));
  EXPECT_EQ(filter.count_at_most("another"), 0u);
}

// In the middle of a batch the set becomes a filter, which hashes the rest under the same secret.
TEST(InsertKeys, OfAKeyedExactSetThatOutgrowsItsThresholdAreAllIn) {
  const HashSecret secret = {.bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
  AnyFilter filter = *make_filter({.type = FilterType::kBloom,
                                   .capacity = 10'000,
                                   .fpp = kSuiteFpp,
                                   .exact_below = 600,
                                   .options = {.hash = keyed_hash(secret)}});
  std::vector<std::string> text;
  for (int i = 0; i < 2000; ++i) {
    text.push_back("key " + std::to_string(i));
  }
  const std::vector<std::string_view> keys(text.begin(), text.end());
  EXPECT_EQ(insert_keys(filter, keys), 0u);
  EXPECT_EQ(filter.type(), FilterType::kBloom);
  for (const std::string_view key : keys) {
    ASSERT_TRUE(filter.may_contain(key)) << key;
  }
}

// A batch of text into a filter that is full: every refused key is counted, since it is answered no.
TEST(InsertKeys, CountsWhatAFullFilterRefuses) {
  ScalableFilter filter = full_scalable();
  std::vector<std::string> text;
  for (int i = 0; i < 1500; ++i) {
    text.push_back("key " + std::to_string(i));
  }
  const std::vector<std::string_view> keys(text.begin(), text.end());
  const std::uint64_t refused = insert_keys(filter, keys);
  EXPECT_GT(refused, 1400u);
  std::uint64_t absent = 0;
  for (const std::string_view key : keys) {
    absent += filter.may_contain(key) ? 0u : 1u;
  }
  EXPECT_EQ(absent, refused) << "what is not in was refused, and was said to be";
  std::vector<std::uint64_t> is_new(answer_words(keys.size()));
  EXPECT_EQ(test_and_insert_keys(filter, keys, is_new), refused);
}

TEST(FilterOptions, OnesThatATypeDoesNotHaveAreRefusedByName) {
  const auto subject = [](const auto& filter) { return filter ? std::string() : filter.error().to_string(); };
  EXPECT_NE(
      subject(BloomFilter::for_capacity(10, kSuiteFpp, {.setting = BlockedSetting::kDense})).find("setting"),
      std::string::npos);
  EXPECT_NE(subject(BlockedBloomFilter::for_capacity(10, kSuiteFpp, {.growth_doublings = 1})).find("growth"),
            std::string::npos);
  EXPECT_NE(subject(ScalableFilter::for_capacity(10, kSuiteFpp, {.window = Window::keys(10)})).find("window"),
            std::string::npos);
  EXPECT_NE(subject(RibbonFilter::build(std::vector<int>{1}, kSuiteFpp, {.window = Window::keys(10)}))
                .find("window"),
            std::string::npos);
  EXPECT_TRUE(QuotientFilter::for_capacity(10, kSuiteFpp, {.growth_doublings = 1}));
  EXPECT_FALSE(WindowedFilter::for_capacity(10, kSuiteFpp, {})) << "a windowed filter needs a window";
}

TEST(FilterOptions, AnExactSetHasThoseOfWhatItBecomes) {
  FilterPlan plan{.type = FilterType::kBloom,
                  .capacity = 10'000,
                  .fpp = kSuiteFpp,
                  .exact_below = 100,
                  .options = {.setting = BlockedSetting::kDense}};
  EXPECT_FALSE(make_filter(plan)) << "it could never become its filter";
  EXPECT_FALSE(planned_size(plan));
  plan.type = FilterType::kBlocked;
  AnyFilter filter = *make_filter(plan);
  EXPECT_EQ(filter.insert_batch(numbered_hashes(0, 200)), 0u);
  EXPECT_EQ(filter.type_name(), "blocked:dense");
}

TEST(KeyOf, AKeyedFilterWithoutItsSecretHasNone) {
  const HashSecret secret = {.bytes = {9, 8, 7}};
  const BloomFilter filter = *BloomFilter::for_capacity(100, kSuiteFpp, {.hash = keyed_hash(secret)});
  EXPECT_TRUE(filter.key_of("a key"));
  std::string bytes;
  filter.serialize(bytes);
  const FileBytes whole(bytes);
  const BloomFilter unasked = *BloomFilter::view(whole.span(), {.without_secret = true});
  EXPECT_EQ(unasked.key_of("a key").error().code(), ErrorCode::kInvalidArgument);
}

// The exception column is a filter of its own inside the file, with the same form of keys.
TEST(RecordedForm, OfARibbonWithAnExceptionColumnIsThatOfTheColumnToo) {
  for (const KeyTreatment& keys : {KeyTreatment{.ignore_case = true}, KeyTreatment{.parts = 2}}) {
    const RibbonFilter filter = *build_from_hashes_with_exceptions(
        numbered_hashes(0, 2000), numbered_hashes(kAbsentKeys, 2000), kSuiteFpp, {.keys = keys});
    ASSERT_GT(filter.column_bytes(), 0u);
    std::string bytes;
    filter.serialize(bytes);
    const FileBytes whole(bytes);
    EXPECT_FALSE(RibbonFilter::view(whole.span()));
    const Result<RibbonFilter> again =
        RibbonFilter::view(whole.span(), {.recorded_keys = RecordedKeys::kKnown});
    ASSERT_TRUE(again) << again.error().to_string();
    for (const Hash128& hash : numbered_hashes(kAbsentKeys, 2000)) {
      ASSERT_FALSE(again->may_contain(hash));
    }
  }
}

TEST(AnyFilter, ARibbonRefusesKeysAndIsNotCleared) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 100);
  AnyFilter filter = *RibbonFilter::build_from_hashes(hashes, kSuiteFpp);
  EXPECT_FALSE(filter.insert("a key"));
  EXPECT_EQ(filter.insert_batch(hashes), hashes.size());
  const TestedInsert tested = filter.test_and_insert(hashes.front());
  EXPECT_TRUE(tested.refused);
  EXPECT_FALSE(tested.is_new);
  EXPECT_EQ(filter.clear().error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(filter.may_contain(hashes.front()));
}

TEST(AnyFilter, AnExactSetOutgrowsItsThresholdInATestedBatch) {
  AnyFilter filter =
      *make_filter({.type = FilterType::kBloom, .capacity = 1000, .fpp = 1e-6, .exact_below = 100});
  const std::vector<Hash128> hashes = numbered_hashes(0, 300);
  std::vector<std::uint64_t> is_new(answer_words(hashes.size()));
  EXPECT_EQ(filter.test_and_insert_batch(hashes, is_new), 0u);
  EXPECT_EQ(filter.type(), FilterType::kBloom);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(is_new[i / 64] >> (i % 64) & 1, 1u) << i;
    ASSERT_TRUE(filter.may_contain(hashes[i])) << i;
  }
}

// An answer beyond the span would be written over other memory of the caller.
TYPED_TEST(EveryDynamicFilter, TooFewWordsOfAnswersEndTheProcessWithAMessage) {
  const TypeParam filter = empty_filter<TypeParam>();
  const std::vector<Hash128> hashes = numbered_hashes(0, 65);
  std::vector<std::uint64_t> answers(1);
  EXPECT_DEATH(filter.may_contain_batch(hashes, answers), "a bit of `answers`");
}

TEST(ReadOnlyView, EndsTheProcessWithAMessageWhenAKeyIsInserted) {
  std::string bytes;
  BlockedBloomFilter::for_capacity(100, kSuiteFpp)->serialize(bytes);
  const FileBytes whole(bytes);
  BlockedBloomFilter view = *BlockedBloomFilter::view(whole.span());
  EXPECT_FALSE(view.is_writable());
  EXPECT_DEATH(view.insert("a key"), "read-only");

  // A set has its keys and exceptions in memory of its own: the caller's bytes stay as they are.
  ExactSet set = empty_filter<ExactSet>();
  ASSERT_TRUE(set.add_as_exceptions(numbered_hashes(0, 3)));
  std::string set_bytes;
  set.serialize(set_bytes);
  const FileBytes of_set(set_bytes);
  ExactSet viewed = *ExactSet::view(of_set.span());
  EXPECT_TRUE(viewed.insert(numbered_hashes(1, 1).front()));
  EXPECT_TRUE(viewed.may_contain(numbered_hashes(1, 1).front()));
  EXPECT_FALSE(viewed.may_contain(numbered_hashes(2, 1).front()));
  EXPECT_TRUE(std::ranges::equal(of_set.span(), std::as_bytes(std::span(set_bytes))));
}

TEST(KeyOf, OnePartIsTheTextAndOfSeveralEachCounts) {
  const BloomFilter one = *BloomFilter::for_capacity(100, kSuiteFpp);
  EXPECT_EQ(*one.key_of({"ab"}), hash_key(std::string_view("ab"), HashSpec{}));
  const BloomFilter two = *BloomFilter::for_capacity(100, kSuiteFpp, {.keys = {.parts = 2}});
  EXPECT_NE(*two.key_of({"ab", "c"}), *two.key_of({"ab", "d"}));
  EXPECT_NE(*two.key_of({"ab", "c"}), *two.key_of({"a", "bc"}));
}

}  // namespace
}  // namespace bloomery
