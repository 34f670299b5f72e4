// The key form utf16: UTF-8 that is well-formed becomes UTF-16 units, everything else is refused.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "bloomery/hash/key_form.h"
#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

constexpr KeyTreatment kUtf16 = {.form = KeyForm::kUtf16};

Result<Bytes> utf16_of(std::string_view text) {
  KeyWriter writer;
  BLOOMERY_RETURN_IF_ERROR(append_formed(writer, text, kUtf16));
  return Bytes(writer.bytes().begin(), writer.bytes().end());
}

void expect_units(std::string_view text, std::initializer_list<unsigned> units) {
  Bytes expected;
  for (const unsigned unit : units) {
    expected.push_back(static_cast<std::byte>(unit & 0xff));
    expected.push_back(static_cast<std::byte>(unit >> 8));
  }
  const Result<Bytes> key = utf16_of(text);
  ASSERT_TRUE(key) << key.error().to_string();
  EXPECT_EQ(*key, expected) << "of " << testing::PrintToString(text);
}

void expect_no_utf8(std::string_view text, const std::string& shown) {
  const Result<Bytes> key = utf16_of(text);
  ASSERT_FALSE(key) << shown << " was taken for UTF-8";
  EXPECT_EQ(key.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(key.error().to_string(),
            "key form utf16: expected valid UTF-8, found '" + shown + "' (invalid argument)");
}

TEST(KeyFormUtf16, OneUnitUpToTheSurrogates) {
  expect_units("", {});
  expect_units("Az", {0x41, 0x7a});
  expect_units(std::string_view("\0", 1), {0});
  expect_units("\x7f\xc2\x80", {0x7f, 0x80});                  // where two bytes begin
  expect_units("\xdf\xbf\xe0\xa0\x80", {0x7ff, 0x800});        // where three begin
  expect_units("\xed\x9f\xbf\xee\x80\x80", {0xd7ff, 0xe000});  // both sides of the surrogates
  expect_units("Gr\xc3\xbc\xc3\x9f", {0x47, 0x72, 0xfc, 0xdf});
}

TEST(KeyFormUtf16, TwoUnitsAboveThem) {
  expect_units("\xf0\x90\x80\x80", {0xd800, 0xdc00});  // U+10000, the first pair
  expect_units("\xf0\x9f\x98\x80", {0xd83d, 0xde00});  // U+1F600
  expect_units("\xf4\x8f\xbf\xbf", {0xdbff, 0xdfff});  // U+10FFFF, the last
  expect_units(
      "a\xf0\x9f\x98\x80"
      "b",
      {0x61, 0xd83d, 0xde00, 0x62});
}

// Java holds them, so they are keys. The mark is a character like any other: none is added, none removed.
TEST(KeyFormUtf16, NonCharactersAndTheMarkPass) {
  expect_units("\xef\xbf\xbe\xef\xbf\xbf", {0xfffe, 0xffff});
  expect_units("\xef\xb7\x90", {0xfdd0});
  expect_units(
      "\xef\xbb\xbf"
      "a",
      {0xfeff, 0x61});
}

// Every scalar value there is, against an encoder written the other way round.
TEST(KeyFormUtf16, EveryCharacterIsWhatItsNumberSays) {
  for (std::uint32_t point = 0; point <= 0x10ffff; ++point) {
    if (point >= 0xd800 && point <= 0xdfff) {
      continue;
    }
    std::string text;
    const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (point < 0x80) {
      add(point);
    } else if (point < 0x800) {
      add(0xc0 | point >> 6);
      add(0x80 | (point & 63));
    } else if (point < 0x10000) {
      add(0xe0 | point >> 12);
      add(0x80 | (point >> 6 & 63));
      add(0x80 | (point & 63));
    } else {
      add(0xf0 | point >> 18);
      add(0x80 | (point >> 12 & 63));
      add(0x80 | (point >> 6 & 63));
      add(0x80 | (point & 63));
    }
    const Result<Bytes> key = utf16_of(text);
    ASSERT_TRUE(key) << point;
    const auto unit = [&key](std::size_t i) {
      return std::to_integer<std::uint32_t>((*key)[2 * i]) +
             256 * std::to_integer<std::uint32_t>((*key)[2 * i + 1]);
    };
    ASSERT_EQ(key->size(), point < 0x10000 ? 2u : 4u) << point;
    const std::uint32_t back =
        key->size() == 2 ? unit(0) : 0x10000 + (unit(0) - 0xd800) * 0x400 + (unit(1) - 0xdc00);
    ASSERT_EQ(back, point);
  }
}

TEST(KeyFormUtf16, OverlongFormsAreRefused) {
  expect_no_utf8("\xc0\x80", "\\xc0\\x80");  // NUL as Java's "modified" UTF-8 writes it
  expect_no_utf8("\xc1\xbf", "\\xc1\\xbf");
  expect_no_utf8("\xe0\x80\x80", "\\xe0\\x80\\x80");
  expect_no_utf8("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
  expect_no_utf8("\xf0\x80\x80\x80", "\\xf0\\x80\\x80\\x80");
  expect_no_utf8("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
}

TEST(KeyFormUtf16, SurrogatesAreNoCharacters) {
  expect_no_utf8("\xed\xa0\x80", "\\xed\\xa0\\x80");  // U+D800
  expect_no_utf8("\xed\xbf\xbf", "\\xed\\xbf\\xbf");  // U+DFFF
  expect_no_utf8("\xed\xa0\xbd\xed\xb8\x80",
                 "\\xed\\xa0\\xbd\\xed\\xb8\\x80");  // a pair, as CESU-8 writes it
}

TEST(KeyFormUtf16, NothingLiesBeyond10FFFF) {
  expect_no_utf8("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
  expect_no_utf8("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
  expect_no_utf8("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");  // the five bytes of old UTF-8
  expect_no_utf8("\xf8\x90\x80\x80", "\\xf8\\x90\\x80\\x80");           // not the first of four
  expect_no_utf8("\xfe", "\\xfe");
  expect_no_utf8("\xff", "\\xff");
}

TEST(KeyFormUtf16, ContinuationsWhereNoneBelongAreRefused) {
  expect_no_utf8("\x80", "\\x80");
  expect_no_utf8("a\xbf", "a\\xbf");
  expect_no_utf8("\xc3\xbc\xbc", "\\xc3\\xbc\\xbc");
}

// Every byte in the place of a continuation: only 80 to bf are one.
TEST(KeyFormUtf16, OnlyContinuationsContinue) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string given(1, static_cast<char>(byte));
    const bool continues = byte >= 0x80 && byte <= 0xbf;
    EXPECT_EQ(utf16_of("\xc3" + given).has_value(), continues) << byte;
    EXPECT_EQ(utf16_of("\xe2\x82" + given).has_value(), continues) << byte;
    EXPECT_EQ(utf16_of("\xe2" + given + "\x82").has_value(), continues) << byte;
    EXPECT_EQ(utf16_of("\xf1\x80" + given + "\x80").has_value(), continues) << byte;
  }
}

// Every well-formed sequence cut short, at the end and before another character. The text lies at the very
// end of its memory, so that the sanitizer sees a read beyond it.
TEST(KeyFormUtf16, CutSequencesAreRefused) {
  for (const std::string& whole :
       {std::string("\xc3\xbc"), std::string("\xe2\x82\xac"), std::string("\xf0\x9f\x98\x80")}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(utf16_of(std::string_view(cut.data(), cut.size()))) << testing::PrintToString(cut);
      EXPECT_FALSE(utf16_of(whole.substr(0, size) + "aaa"));
      EXPECT_FALSE(utf16_of(whole.substr(0, size) + whole));
    }
  }
}

TEST(KeyFormUtf16, LatinOneIsNotUtf8) {
  expect_no_utf8(
      "Gr\xfc\xdf"
      "e",
      "Gr\\xfc\\xdfe");
}

// Folding comes first and only touches ASCII, so it cannot make UTF-8 ill-formed.
TEST(KeyFormUtf16, IgnoreCaseAndTrimGoWithIt) {
  KeyWriter writer;
  const KeyTreatment treatment = {.form = KeyForm::kUtf16, .trim = true, .ignore_case = true};
  ASSERT_TRUE(append_formed(writer, " A\xc3\x84 ", treatment));
  EXPECT_EQ(text_of(writer.bytes()), std::string("a\0\xc4\0", 4));
}

}  // namespace
}  // namespace bloomery
