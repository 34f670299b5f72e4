// Filters of different kinds are asked about the same lines, as one.
#include "query/any_of.h"

#include <gtest/gtest.h>

#include "bloomery/dialects/dialects.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "keys/input_files.h"
#include "query/key_filters.h"

namespace bloomery {
namespace {

std::unique_ptr<DialectFilter> guava_filter_of(std::string_view key) {
  auto builder = build_dialect("guava", {.capacity = 10, .fpp = 1e-9, .bits_per_key = {}});
  EXPECT_TRUE((*builder)->add({&key, 1}));
  return std::move(*(*builder)->finish());
}

// A filter of ours with the key "ours", and one of Guava with the key "theirs".
AnyOf both() {
  AnyOf filters{KeyPlace()};
  auto ours = BlockedBloomFilter::build(std::vector<std::string>{"ours"}, 1e-9);
  EXPECT_TRUE(ours);
  filters.add("ours.bloom", make_key_filter(AnyFilter(std::move(*ours)), filters.keys()));
  filters.add("theirs.bf", make_key_filter(guava_filter_of("theirs"), DialectKeyMaking{}, filters.keys()));
  return filters;
}

LineBatch batch_of(const std::vector<std::string>& lines) {
  LineBatch batch;
  EXPECT_TRUE(fill_with_lines(lines, '\n', batch));
  return batch;
}

TEST(AnyOf, AKeyOfAnyFilterMayBeIn) {
  AnyOf filters = both();
  LineBatch batch = batch_of({"ours", "none", "theirs"});
  std::vector<std::uint64_t> answers;
  ASSERT_TRUE(filters.answer(batch, 1, answers));
  EXPECT_EQ(answers, std::vector<std::uint64_t>{0b101});
  EXPECT_FALSE(filters.forces_maybes());
  EXPECT_TRUE(filters.are_plain_text());
  EXPECT_LT(filters.current_fpp(), 1e-4);
  EXPECT_TRUE(filters.status() && filters.file_status());
}

TEST(AnyOf, AnAllowedKeyIsNotIn) {
  AnyOf filters = both();
  std::vector<Hash128> hashes;
  LineBatch allowed = batch_of({"theirs"});
  ASSERT_TRUE(filters.append_identities(allowed, 1, hashes));
  filters.allow(std::move(hashes));
  EXPECT_TRUE(filters.have_exceptions());
  LineBatch batch = batch_of({"ours", "theirs"});
  std::vector<std::uint64_t> answers;
  ASSERT_TRUE(filters.answer(batch, 1, answers));
  EXPECT_EQ(answers, std::vector<std::uint64_t>{0b01});
}

TEST(AnyOf, TheLinesBeforeABadOneAreAnswered) {
  AnyOf filters{KeyPlace()};
  const DialectKeyMaking hex{.treatment = {.form = KeyForm::kHex}};
  filters.add("theirs.bf", make_key_filter(guava_filter_of("A"), hex, filters.keys()));
  LineBatch batch = batch_of({"41", "no digits", "41"});
  std::vector<std::uint64_t> answers;
  const auto bad = filters.answer_up_to_bad_line(batch, 7, answers);
  ASSERT_TRUE(bad && *bad);
  EXPECT_NE((*bad)->to_string().find("line 8"), std::string::npos) << (*bad)->to_string();
  EXPECT_EQ(batch.lines.size(), 1u);
  EXPECT_EQ(answers, std::vector<std::uint64_t>{1});
}

}  // namespace
}  // namespace bloomery
