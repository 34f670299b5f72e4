// From lines to hashes: each equals the hash of the key written by hand, whichever way it takes.
#include "keys/key_hasher.h"

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hash/key_writer.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kHasherSeed = 99;
constexpr HashSpec kHash = {.id = HashId::kXxh3, .seed = kHasherSeed};

using Lines = std::vector<std::string_view>;

Result<std::vector<Hash128>> hashed(const Lines& lines, const KeyTreatment& treatment, const KeyPlace& place,
                                    std::uint64_t first_line = 1) {
  KeyHasher hasher(kHash, treatment, place);
  std::vector<Hash128> hashes(3, Hash128{1, 2});  // what was in it before is of no interest
  BLOOMERY_RETURN_IF_ERROR(hasher.hash(lines, first_line, hashes));
  return hashes;
}

// The key of one line, of the given fields, equals `key` as a program would give it.
template <typename T>
void expect_key(std::string_view line, const KeyTreatment& treatment, const KeyPlace& place, const T& key) {
  const Result<std::vector<Hash128>> hashes = hashed({line}, treatment, place);
  ASSERT_TRUE(hashes) << hashes.error().to_string();
  ASSERT_EQ(hashes->size(), 1u);
  EXPECT_EQ(hashes->front(), hash_key(key, HashSpec{.id = HashId::kXxh3, .seed = kHasherSeed}))
      << "of '" << line << "'";
}

KeyPlace fields(FieldList list, char delimiter = '\t') {
  return {.fields = std::move(list), .delimiter = delimiter};
}

TEST(KeyHasher, ALineIsItsKey) {
  const Lines lines = {"one", "", std::string_view("thr\0ee", 6), "a\tb", "cr\r", " Space "};
  const Result<std::vector<Hash128>> hashes = hashed(lines, {}, {});
  ASSERT_TRUE(hashes);
  ASSERT_EQ(hashes->size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ((*hashes)[i], hash_bytes(lines[i], HashSpec{.id = HashId::kXxh3, .seed = kHasherSeed})) << i;
  }
  EXPECT_TRUE(hashed({}, {}, {})->empty());
}

// The shortcut for lines that are their keys gives what the long way gives.
TEST(KeyHasher, BothWaysGiveTheSameHash) {
  const Lines lines = {"one", "", "a\tb", "two"};
  const Result<std::vector<Hash128>> in_place = hashed(lines, {}, {});
  const Result<std::vector<Hash128>> by_writer = hashed(lines, {}, {.fields = {}, .crlf = true});
  ASSERT_TRUE(in_place && by_writer);
  EXPECT_EQ(*in_place, *by_writer);
}

TEST(KeyHasher, TheTreatmentIsApplied) {
  expect_key(" AbC ", {.trim = true, .ignore_case = true}, {}, std::string("abc"));
  expect_key("-5", {.form = KeyForm::kInt64}, {}, std::int64_t{-5});
  expect_key("-5", {.form = KeyForm::kInt32}, {}, std::int32_t{-5});
  expect_key("ff00", {.form = KeyForm::kHex}, {}, std::string("\xff\0", 2));
  expect_key("ab", {.form = KeyForm::kUtf16}, {}, std::string("a\0b\0", 4));
}

TEST(KeyHasher, ACrBeforeTheLinesEndIsNoPartOfTheKey) {
  const KeyPlace crlf = {.fields = {}, .crlf = true};
  expect_key("one\r", {}, crlf, std::string("one"));
  expect_key("one", {}, crlf, std::string("one"));
  expect_key("one\r\r", {}, crlf, std::string("one\r"));
  expect_key("\r", {}, crlf, std::string());
  expect_key("o\rne", {}, crlf, std::string("o\rne"));
  expect_key("one\r", {}, {}, std::string("one\r"));  // not asked for
  expect_key("a\tb\r", {}, {.fields = {{2, 2}}, .crlf = true}, std::string("b"));
}

// One field is the key itself, so that it finds what was inserted as a line.
TEST(KeyHasher, OneFieldIsTheKeyItself) {
  expect_key("a\tb\tc", {}, fields({{2, 2}}), std::string("b"));
  expect_key("a;b;c", {}, fields({{3, 3}}, ';'), std::string("c"));
  expect_key("a;7", {.form = KeyForm::kInt64}, fields({{2, 2}}, ';'), std::int64_t{7});
  expect_key("a", {}, fields({{2, 2}}), std::string());
}

// Several are a tuple, so that a program finds what the command inserted.
TEST(KeyHasher, SeveralFieldsAreATuple) {
  using Text = std::string;
  expect_key("ab\tc", {.parts = 2}, fields({{1, 2}}), std::pair(Text("ab"), Text("c")));
  expect_key("a\tbc", {.parts = 2}, fields({{1, 2}}), std::pair(Text("a"), Text("bc")));
  expect_key("a\tb\tc", {.parts = 2}, fields({{3, 3}, {1, 1}}), std::pair(Text("c"), Text("a")));
  expect_key("a", {.parts = 3}, fields({{1, 3}}), std::tuple(Text("a"), Text(), Text()));
  expect_key(" A ,b", {.trim = true, .ignore_case = true, .parts = 2}, fields({{1, 2}}, ','),
             std::pair(Text("a"), Text("b")));
  expect_key("1,-2", {.form = KeyForm::kInt32, .parts = 2}, fields({{1, 2}}, ','), std::pair(1, -2));
}

TEST(KeyHasher, AnOpenRangeHasAsManyPartsAsTheLine) {
  const KeyTreatment any = {.parts = kVariableParts};
  const KeyPlace from_second = fields({{2, kToTheEnd}}, ',');
  using Text = std::string;
  expect_key("a,b,c", any, from_second, std::pair(Text("b"), Text("c")));
  expect_key("a,b", any, from_second, std::tuple(Text("b")));  // behind its length, unlike the field alone
  expect_key("a", any, from_second, Text());
}

TEST(KeyHasher, ABadKeyIsNamedByItsLine) {
  const Lines lines = {"1", "2", "three", "4"};
  const Result<std::vector<Hash128>> hashes = hashed(lines, {.form = KeyForm::kInt32}, {}, 1001);
  ASSERT_FALSE(hashes);
  EXPECT_EQ(hashes.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      hashes.error().to_string(),
      "line 1003: key form int32: expected a decimal integer of 32 bits, found 'three' (invalid argument)");
}

TEST(KeyHasher, ABadPartOfACompositeIsNamedToo) {
  const KeyTreatment two_numbers = {.form = KeyForm::kInt32, .parts = 2};
  const Result<std::vector<Hash128>> hashes = hashed({"1,2", "1"}, two_numbers, fields({{1, 2}}, ','));
  ASSERT_FALSE(hashes) << "a missing field is empty, and empty is no number";
  EXPECT_TRUE(hashes.error().subject().starts_with("line 2: ")) << hashes.error().to_string();
}

// An error leaves nothing behind in the hasher that the next batch would be hashed with.
TEST(KeyHasher, GoesOnAfterAnError) {
  KeyHasher hasher(kHash, {.form = KeyForm::kHex, .parts = 2}, fields({{1, 2}}, ','));
  std::vector<Hash128> hashes;
  EXPECT_FALSE(hasher.hash(Lines{"aa,bx"}, 1, hashes));
  ASSERT_TRUE(hasher.hash(Lines{"aa,bb"}, 2, hashes));
  EXPECT_EQ(hashes.front(), hash_key(std::pair(std::string("\xaa"), std::string("\xbb")),
                                     HashSpec{.id = HashId::kXxh3, .seed = kHasherSeed}));
}

}  // namespace
}  // namespace bloomery
