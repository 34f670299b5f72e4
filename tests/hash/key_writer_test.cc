// Typed keys: their bytes, which are the same on every machine, and what is no key at all.
#include "bloomery/hash/key_writer.h"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

// A user's own type, in the user's namespace, with the one function that makes it a key.
namespace geography {

struct Place {
  std::string country;
  std::int32_t number = 0;
};

void append_key(bloomery::KeyWriter& writer, const Place& place) {
  writer.append_part(place.country);
  writer.append_part(place.number);
}

struct NoKey {};

}  // namespace geography

namespace bloomery {
namespace {

// No pointer becomes a bool on its way, and nothing whose equality and bytes disagree is a key.
static_assert(Key<const char*> && Key<char[4]> && Key<std::string> && Key<std::string_view>);
static_assert(Key<bool> && Key<char> && Key<std::int8_t> && Key<std::uint64_t>);
static_assert(Key<std::vector<std::byte>> && Key<std::array<std::byte, 4>> &&
              Key<std::span<const std::byte>>);
static_assert(Key<std::pair<std::string, int>> && Key<std::tuple<int, std::string, bool>>);
static_assert(Key<geography::Place>);
static_assert(!Key<int*> && !Key<const void*> && !Key<geography::Place*>);
static_assert(!Key<float> && !Key<double>);
static_assert(!Key<geography::NoKey> && !Key<std::vector<int>>);

template <typename T>
Bytes written(const T& value) {
  KeyWriter writer;
  append_key(writer, value);
  return Bytes(writer.bytes().begin(), writer.bytes().end());
}

TEST(KeyWriter, IntegersAreTheirWidthInLittleEndianTwosComplement) {
  EXPECT_EQ(written(std::uint8_t{0xfe}), make_bytes({0xfe}));
  EXPECT_EQ(written(std::uint16_t{0x0102}), make_bytes({2, 1}));
  EXPECT_EQ(written(std::uint32_t{0x01020304}), make_bytes({4, 3, 2, 1}));
  EXPECT_EQ(written(std::uint64_t{0x0102030405060708}), make_bytes({8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(written(std::int8_t{-2}), make_bytes({0xfe}));
  EXPECT_EQ(written(std::int16_t{-2}), make_bytes({0xfe, 0xff}));
  EXPECT_EQ(written(std::int32_t{-2}), make_bytes({0xfe, 0xff, 0xff, 0xff}));
  EXPECT_EQ(written(std::int64_t{-2}), make_bytes({0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), make_bytes({0, 0, 0, 0, 0, 0, 0, 0x80}));
  EXPECT_EQ(written(std::numeric_limits<std::int32_t>::max()), make_bytes({0xff, 0xff, 0xff, 0x7f}));
}

TEST(KeyWriter, ABoolIsOneByte) {
  EXPECT_EQ(written(false), make_bytes({0}));
  EXPECT_EQ(written(true), make_bytes({1}));
}

enum class Small : std::uint8_t { kTwo = 2 };
enum class Wide : std::int64_t { kMinusOne = -1 };
enum Plain : std::uint16_t { kPlain = 0x0102 };

TEST(KeyWriter, AnEnumIsItsUnderlyingInteger) {
  EXPECT_EQ(written(Small::kTwo), make_bytes({2}));
  EXPECT_EQ(written(Wide::kMinusOne), written(std::int64_t{-1}));
  EXPECT_EQ(written(kPlain), make_bytes({2, 1}));
  EXPECT_EQ(written(std::byte{7}), make_bytes({7}));
}

TEST(KeyWriter, StringsAndBytesAreThemselves) {
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(written(with_nul), make_bytes({'a', 0, 'b'}));
  EXPECT_EQ(written(std::string_view(with_nul)), make_bytes({'a', 0, 'b'}));
  EXPECT_EQ(written(make_bytes({1, 0, 2})), make_bytes({1, 0, 2}));
  EXPECT_EQ(written(std::string()), Bytes());
  EXPECT_EQ(written("ab"), make_bytes({'a', 'b'}));  // without the NUL behind a literal
}

// The trap that append_key(bool) is a template for: a pointer to text is the text, not "true".
TEST(KeyWriter, APointerToTextIsTheText) {
  const char* const text = "ab";
  EXPECT_EQ(written(text), make_bytes({'a', 'b'}));
  EXPECT_EQ(written(std::pair(text, true)), make_bytes({2, 'a', 'b', 1, 1}));
}

TEST(KeyWriter, APartStandsBehindItsLength) {
  EXPECT_EQ(written(std::pair(std::string("ab"), std::string("c"))), make_bytes({2, 'a', 'b', 1, 'c'}));
  EXPECT_EQ(written(std::pair(std::string("a"), std::string("bc"))), make_bytes({1, 'a', 2, 'b', 'c'}));
  EXPECT_EQ(written(std::pair(std::string(), std::string("abc"))), make_bytes({0, 3, 'a', 'b', 'c'}));
  EXPECT_EQ(written(std::tuple(std::int16_t{-2}, true)), make_bytes({2, 0xfe, 0xff, 1, 1}));
}

TEST(KeyWriter, NestedPartsAreCountedWithTheirOwnLengths) {
  const auto nested = std::tuple(std::pair(std::string("a"), std::uint8_t{7}), std::string("b"));
  EXPECT_EQ(written(nested), make_bytes({4, 1, 'a', 1, 7, 1, 'b'}));
  EXPECT_NE(written(nested), written(std::tuple(std::string("a"), std::uint8_t{7}, std::string("b"))));
}

// Lengths beyond 127 take two bytes: the part moves back for its length.
TEST(KeyWriter, ALongPartHasALongLength) {
  const std::string text(300, 'x');
  const Bytes part = written(std::tuple(text));
  EXPECT_EQ(part.size(), 302u);
  EXPECT_EQ(part[0], std::byte{0xac});
  EXPECT_EQ(part[1], std::byte{0x02});
  EXPECT_EQ(text_of(std::span(part).subspan(2)), text);
}

TEST(KeyWriter, APartInPiecesIsThePartAtOnce) {
  KeyWriter writer;
  writer.append_part(std::string("before"));
  const std::size_t start = writer.begin_part();
  writer.append_raw(bytes_of("he"));
  writer.append_raw(bytes_of("llo"));
  writer.end_part(start);
  const Bytes at_once = written(std::pair(std::string("before"), std::string("hello")));
  EXPECT_EQ(text_of(writer.bytes()), text_of(at_once));
  writer.clear();
  EXPECT_TRUE(writer.bytes().empty());
}

TEST(KeyWriter, AUsersTypeIsFoundByItsOwnFunction) {
  const geography::Place place{"de", 7};
  const Bytes expected = make_bytes({2, 'd', 'e', 4, 7, 0, 0, 0});
  EXPECT_EQ(written(place), expected);
  EXPECT_EQ(hash_key(place, HashSpec{}), hash_bytes(expected, HashSpec{}));
  EXPECT_EQ(written(std::tuple(place)).size(), expected.size() + 1);  // also as a part
}

constexpr std::uint64_t kKeySeed = 42;

template <typename T>
void expect_hash_of_written_bytes(const T& key) {
  EXPECT_EQ(hash_key(key, HashSpec{.id = HashId::kXxh3, .seed = kKeySeed}),
            hash_bytes(written(key), HashSpec{.id = HashId::kXxh3, .seed = kKeySeed}));
  EXPECT_EQ(hash_key(key, HashSpec{}), hash_bytes(written(key), HashSpec{}));
}

TEST(HashKey, IsTheHashOfTheWrittenBytes) {
  expect_hash_of_written_bytes(std::string("text\0more", 9));
  expect_hash_of_written_bytes(std::string_view("text"));
  expect_hash_of_written_bytes("text");
  expect_hash_of_written_bytes(make_bytes({1, 2, 3}));
  expect_hash_of_written_bytes(std::int64_t{-5});
  expect_hash_of_written_bytes(true);
  expect_hash_of_written_bytes(Wide::kMinusOne);
  expect_hash_of_written_bytes(std::tuple(1, std::string("b"), std::pair(true, Small::kTwo)));
}

TEST(HashKey, EverySpellingOfAStringIsOneKey) {
  const char* const pointer = "ab";
  const Hash128 expected = hash_bytes("ab", HashSpec{.id = HashId::kXxh3, .seed = kKeySeed});
  EXPECT_EQ(hash_key("ab", HashSpec{.id = HashId::kXxh3, .seed = kKeySeed}), expected);
  EXPECT_EQ(hash_key(pointer, HashSpec{.id = HashId::kXxh3, .seed = kKeySeed}), expected);
  EXPECT_EQ(hash_key(std::string("ab"), HashSpec{.id = HashId::kXxh3, .seed = kKeySeed}), expected);
  EXPECT_EQ(hash_key(std::string_view("ab"), HashSpec{.id = HashId::kXxh3, .seed = kKeySeed}), expected);
  EXPECT_EQ(hash_key(make_bytes({'a', 'b'}), HashSpec{.id = HashId::kXxh3, .seed = kKeySeed}), expected);
}

TEST(HashKey, TheCutBetweenPartsMatters) {
  using Two = std::pair<std::string, std::string>;
  EXPECT_NE(hash_key(Two("ab", "c"), HashSpec{}), hash_key(Two("a", "bc"), HashSpec{}));
  EXPECT_NE(hash_key(Two("abc", ""), HashSpec{}), hash_key(Two("", "abc"), HashSpec{}));
  EXPECT_NE(hash_key(std::int32_t{1}, HashSpec{}), hash_key(std::int64_t{1}, HashSpec{}));
}

}  // namespace
}  // namespace bloomery
