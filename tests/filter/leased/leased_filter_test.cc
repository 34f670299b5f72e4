// A leased file says no only while its lease runs and only by the filter that the lease is for. Everything else is maybe.
#include "bloomery/filter/leased_filter.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "bloomery/base/cut_files.h"
#include "filter/leased/lease_page.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kBound = 60'000'000'000;

// A page and the filter of its first generation, which has the key "in".
class Leased : public testing::Test {
 protected:
  void SetUp() override {
    page.emplace(std::move(*LeasePage::open_for_feeder(path)));
    page->set_bound(kBound);
    put_filter(1, "in");
    ASSERT_TRUE(page->write_record({.generation = 1, .position = 77, .keys = 1}));
    page->set_generation(1);
  }
  void put_filter(std::uint64_t generation, const std::string& key, const FilterOptions& options = {}) const {
    auto filter = BlockedBloomFilter::for_capacity(1000, 1e-6, options);
    filter->insert(key);
    ASSERT_TRUE(filter->save(page->filter_path(generation), {.replace = true}));
  }
  void renew() const { const_cast<LeasePage&>(*page).renew(boot_clock_ns() + kBound); }

  TestFolder folder;
  std::string path = folder.path("keys.leased");
  std::optional<LeasePage> page;
};

TEST_F(Leased, SaysNoWhileTheLeaseRuns) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->may_contain("out")) << "no lease yet";
  EXPECT_FALSE(filter->state().holds);
  renew();
  EXPECT_TRUE(filter->may_contain("in"));
  EXPECT_FALSE(filter->may_contain("out"));
  EXPECT_TRUE(filter->state().holds);
  EXPECT_EQ(filter->state().generation, 1u);
  page->make_void();
  EXPECT_TRUE(filter->may_contain("out"));
}

TEST_F(Leased, BatchesAnswerLikeSingleQuestions) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  const std::array<Hash128, 2> hashes{hash_bytes("in", {}), hash_bytes("out", {})};
  std::array<std::uint64_t, 1> answers{};
  filter->may_contain_batch(hashes, answers);
  EXPECT_EQ(answers[0] & 3, 3u);
  renew();
  answers = {};
  filter->may_contain_batch(hashes, answers);
  EXPECT_EQ(answers[0] & 3, 1u);
}

TEST_F(Leased, AnAnswerSaysWhyItIsMaybe) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  const std::string_view in = "in";
  const std::string_view out = "out";
  EXPECT_EQ(filter->answer(std::span(&in, 1)).value(), LeaseAnswer::kNoLease);
  renew();
  EXPECT_EQ(filter->answer(std::span(&in, 1)).value(), LeaseAnswer::kMaybe);
  EXPECT_EQ(filter->answer(std::span(&out, 1)).value(), LeaseAnswer::kNo);
  const std::array<std::string_view, 2> parts{in, out};
  EXPECT_FALSE(filter->answer(parts)) << "the keys have one part";
  page->make_void();
  EXPECT_EQ(filter->answer(hash_bytes("out", {})), LeaseAnswer::kNoLease);
}

TEST_F(Leased, BeforeTheFirstFilterATextHasNoLease) {
  page->set_generation(0);
  const auto filter = LeasedFilter::open(path);
  const std::string_view out = "out";
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->answer(std::span(&out, 1)).value(), LeaseAnswer::kNoLease);
}

TEST_F(Leased, TheLeaseEndsByTheClock) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  page->renew(boot_clock_ns() + 50'000'000);
  EXPECT_FALSE(filter->may_contain("out"));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(filter->may_contain("out"));
}

TEST_F(Leased, ADeadlineBeyondTheBoundIsDamageAndMaybe) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  page->renew(boot_clock_ns() + 2 * kBound);
  EXPECT_TRUE(filter->may_contain("out"));
}

TEST_F(Leased, AnotherGenerationIsOpenedByTheNextQuestion) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  renew();
  EXPECT_FALSE(filter->may_contain("new"));
  put_filter(2, "new");
  page->set_generation(2);
  EXPECT_TRUE(filter->may_contain("out")) << "the lease is void until it is given for the new one";
  renew();
  EXPECT_TRUE(filter->may_contain("new"));
  EXPECT_FALSE(filter->may_contain("in"));
}

TEST_F(Leased, AGenerationThatCannotBeOpenedIsMaybe) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  page->set_generation(3);
  renew();
  EXPECT_TRUE(filter->may_contain("out"));
  folder.write("keys.leased.3", "no filter");
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(filter->may_contain("out"));
}

TEST_F(Leased, AFilterWithOtherKeysIsNotAdopted) {
  const auto filter = LeasedFilter::open(path, {.recorded_keys = RecordedKeys::kKnown});
  ASSERT_TRUE(filter);
  put_filter(2, "new", {.keys = {.ignore_case = true}});
  page->set_generation(2);
  renew();
  EXPECT_TRUE(filter->may_contain("out"));
}

TEST_F(Leased, WhoeverAskedForTheKeysBeforeTheFirstFilterGetsNoAnswerOfOneWithOthers) {
  page->set_generation(0);
  const auto asked = LeasedFilter::open(path, {.recorded_keys = RecordedKeys::kKnown});
  const auto not_asked = LeasedFilter::open(path, {.recorded_keys = RecordedKeys::kKnown});
  ASSERT_TRUE(asked && not_asked);
  EXPECT_EQ(asked->key_treatment(), KeyTreatment());
  EXPECT_FALSE(not_asked->key_of("out"));
  put_filter(1, "new", {.keys = {.ignore_case = true}});
  page->set_generation(1);
  renew();
  EXPECT_TRUE(asked->may_contain(hash_bytes("out", {})));
  const auto key = not_asked->key_of("OUT");
  ASSERT_TRUE(key);
  EXPECT_FALSE(not_asked->may_contain(*key));
  EXPECT_TRUE(not_asked->may_contain(*not_asked->key_of("New")));
  EXPECT_TRUE(not_asked->key_treatment().ignore_case);
}

// Whoever has the hash of a key made it under the hash of before. The bits of another one say nothing of it.
TEST_F(Leased, AFilterUnderAnotherHashIsNotAdopted) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  const Hash128 hash = hash_bytes("new", filter->hash_spec());
  put_filter(2, "new", {.hash = {.seed = 7}});
  page->set_generation(2);
  renew();
  EXPECT_TRUE(filter->may_contain(hash));
  std::array<std::uint64_t, 1> answers{};
  filter->may_contain_batch(std::span(&hash, 1), answers);
  EXPECT_EQ(answers[0] & 1, 1U);
}

// What was cut off reads as zeros, and so as a no for every key.
TEST_F(Leased, AFilterThatIsCutWhileItIsReadIsMaybe) {
  survive_cut_files();
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  renew();
  EXPECT_FALSE(filter->may_contain("out"));
  std::filesystem::resize_file(path + ".1", 0);
  EXPECT_TRUE(filter->may_contain("in"));
  EXPECT_TRUE(filter->may_contain("out"));
  std::array<std::uint64_t, 1> answers{};
  const Hash128 hash = hash_bytes("in", {});
  filter->may_contain_batch(std::span(&hash, 1), answers);
  EXPECT_EQ(answers[0] & 1, 1U);
}

TEST_F(Leased, TheStateIsThatOfThePage) {
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  page->set_position(123);
  const std::uint64_t asked = boot_clock_ns();
  page->renew(asked + kBound);
  const LeaseState state = filter->state();
  EXPECT_TRUE(state.holds);
  EXPECT_EQ(state.position, 123U);
  EXPECT_LE(state.remaining_ns, kBound);
  EXPECT_EQ(state.complete_at_ns, asked) << "the moment for which the lease was given";
  EXPECT_EQ(filter->capacity(), 1000U);
  EXPECT_LE(filter->target_fpp(), 1e-6);
  page->set_generation(0);
  renew();
  EXPECT_FALSE(filter->state().holds) << "no filter is complete";
}

TEST_F(Leased, KeysThatNeedTheRecordAreRefusedLikeThoseOfANativeFilter) {
  put_filter(2, "new", {.keys = {.trim = true}});
  page->set_generation(2);
  const auto filter = LeasedFilter::open(path);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(Leased, TheSecretBesideTheFileIsTaken) {
  const auto secret = HashSecret::generate();
  ASSERT_TRUE(secret);
  put_filter(2, "new", {.hash = keyed_hash(*secret)});
  page->set_generation(2);
  const auto without = LeasedFilter::open(path);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code(), ErrorCode::kInvalidArgument);
  folder.write("keys.leased.key", "no secret");
  EXPECT_FALSE(LeasedFilter::open(path));
  std::filesystem::remove(path + ".key");
  ASSERT_TRUE(secret->save_new(path + ".key"));
  const auto filter = LeasedFilter::open(path);
  ASSERT_TRUE(filter);
  renew();
  EXPECT_TRUE(filter->may_contain("new"));
  EXPECT_FALSE(filter->may_contain("out"));
  page->set_generation(0);
  EXPECT_EQ(LeasedFilter::open(path)->hash_spec(), keyed_hash(*secret)) << "before there is a filter";
}

TEST_F(Leased, AnotherBootIsMaybe) {
  renew();
  std::filesystem::copy_file(path, folder.path("copy"));
  std::filesystem::copy_file(path + ".1", folder.path("copy.1"));
  EXPECT_FALSE(LeasedFilter::open(folder.path("copy"))->may_contain("out"));
  std::fstream file(folder.path("copy"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(16);
  file.put('\0').put('\1');
  file.close();
  EXPECT_TRUE(LeasedFilter::open(folder.path("copy"))->may_contain("out"));
}

TEST_F(Leased, OneFeederAtATime) {
  const auto second = LeasePage::open_for_feeder(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kIo);
}

TEST_F(Leased, ARecordSurvivesATornWriteOfTheNext) {
  const LeaseRecord first = page->read_record();
  ASSERT_TRUE(page->write_record({.generation = 1, .position = 99, .keys = 5}));
  EXPECT_EQ(page->read_record().position, 99u);
  const std::size_t newest_at = page->read_record().sequence % 2 == 0 ? 512 : 1024;
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, std::size_t{24}, std::size_t{255}}) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(newest_at + at));
    const char before = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(newest_at + at));
    file.put(static_cast<char>(before ^ 1)).flush();
    EXPECT_EQ(page->read_record(), first) << at;
    file.seekp(static_cast<std::streamoff>(newest_at + at));
    file.put(before).flush();
  }
  EXPECT_EQ(page->read_record().position, 99u);
}

TEST_F(Leased, OtherFilesAreErrors) {
  folder.write("short", "BLMYLEAS");
  folder.write("other", std::string(4096, 'x'));
  EXPECT_EQ(LeasedFilter::open(folder.path("none")).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(LeasedFilter::open(folder.path("short")).error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(LeasedFilter::open(folder.path("other")).error().code(), ErrorCode::kCorruption);
  EXPECT_FALSE(LeasedFilter::is_one(folder.path("other")));
  EXPECT_FALSE(LeasedFilter::is_one(folder.path("none")));
  EXPECT_TRUE(LeasedFilter::is_one(path));
  EXPECT_FALSE(LeasePage::open_for_feeder(folder.path("other"))) << "a file of somebody else is left alone";
}

}  // namespace
}  // namespace bloomery
