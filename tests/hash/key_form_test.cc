// Key forms: the bytes of every form, and how text that is not of it is refused. UTF-16 is in
// key_form_utf16_test.cc.
#include "bloomery/hash/key_form.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

Result<Bytes> formed(std::string_view text, const KeyTreatment& treatment) {
  KeyWriter writer;
  BLOOMERY_RETURN_IF_ERROR(append_formed(writer, text, treatment));
  return Bytes(writer.bytes().begin(), writer.bytes().end());
}

void expect_bytes(std::string_view text, const KeyTreatment& treatment, const Bytes& expected) {
  const Result<Bytes> key = formed(text, treatment);
  ASSERT_TRUE(key) << key.error().to_string();
  EXPECT_EQ(text_of(*key), text_of(expected)) << "of '" << text << "'";
}

void expect_text(std::string_view text, const KeyTreatment& treatment, std::string_view expected) {
  const Result<Bytes> key = formed(text, treatment);
  ASSERT_TRUE(key) << key.error().to_string();
  EXPECT_EQ(text_of(*key), expected);
}

// The message names the form and shows the text as `shown`.
void expect_refused(std::string_view text, const KeyTreatment& treatment, const std::string& shown) {
  const Result<Bytes> key = formed(text, treatment);
  ASSERT_FALSE(key) << "'" << text << "' was taken for " << key_form_name(treatment.form);
  EXPECT_EQ(key.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(key.error().subject(), std::string("key form ") + key_form_name(treatment.form));
  EXPECT_TRUE(key.error().detail().starts_with("expected ")) << key.error().detail();
  EXPECT_TRUE(key.error().detail().ends_with(", found " + shown)) << key.error().detail();
}

std::string in_quotes(std::string_view text, const char* end = "'") {
  return std::string("'").append(text).append(end);
}

void expect_refused(std::string_view text, const KeyTreatment& treatment) {
  expect_refused(text, treatment, in_quotes(text));
}

constexpr KeyTreatment kText = {.form = KeyForm::kText};
constexpr KeyTreatment kHex = {.form = KeyForm::kHex};
constexpr KeyTreatment kInt32 = {.form = KeyForm::kInt32};
constexpr KeyTreatment kInt64 = {.form = KeyForm::kInt64};

TEST(KeyForm, TextIsItself) {
  for (const std::string& text : {std::string(), std::string(" A b "), std::string("a\0\r\xff", 4)}) {
    expect_text(text, kText, text);
  }
}

TEST(KeyForm, HexIsTwoDigitsAByteInEitherCase) {
  expect_bytes("00", kHex, make_bytes({0x00}));
  expect_bytes("0123456789abcdef", kHex, make_bytes({0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}));
  expect_bytes("ABCDEF", kHex, make_bytes({0xab, 0xcd, 0xef}));
  expect_bytes("aBfF", kHex, make_bytes({0xab, 0xff}));
}

TEST(KeyForm, HexRefusesWhatIsNoWholeByte) {
  for (const char* const text :
       {"0", "012", "0x5", "0x05", "0g", "g0", "@0", "0`", " 01", "01 ", "0 1 ", "-1"}) {
    expect_refused(text, kHex);
  }
}

// LevelDB, RocksDB and Spark have it.
TEST(KeyForm, HexWithoutDigitsIsTheEmptyKey) {
  expect_bytes("", kHex, make_bytes({}));
  expect_bytes(" \t", {.form = KeyForm::kHex, .trim = true}, make_bytes({}));
}

// A filter of digests of 20 bytes refuses those of another width, and takes the empty key.
TEST(KeyForm, HexOfDigestsHasOneWidth) {
  const KeyTreatment sha1 = {.form = KeyForm::kHex, .digest_bytes = 20};
  const std::string digits(40, 'a');
  const Result<Bytes> key = formed(digits, sha1);
  ASSERT_TRUE(key) << key.error().to_string();
  EXPECT_EQ(text_of(*key), text_of(*formed(digits, kHex))) << "the width makes no other bytes";
  expect_bytes("", sha1, make_bytes({}));
  for (const std::size_t other : {2U, 32U, 38U, 42U, 64U}) {
    const Result<Bytes> refused = formed(digits.substr(0, 2) + std::string(other - 2, 'b'), sha1);
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_TRUE(refused.error().detail().starts_with(
        "expected 40 hexadecimal digits, as all keys of the filter have, found 'aa"))
        << refused.error().detail();
  }
  expect_refused(std::string(39, 'a') + "z", sha1, in_quotes(std::string(39, 'a') + "z"));
  EXPECT_EQ(describe(sha1), "hex,bytes=20");
  EXPECT_EQ(of_any_width(sha1), kHex);
}

TEST(KeyForm, WidthsOfDigestsAreThoseInUse) {
  for (std::size_t bytes = 0; bytes <= 100; ++bytes) {
    EXPECT_EQ(is_digest_width(bytes),
              bytes == 16 || bytes == 20 || bytes == 28 || bytes == 32 || bytes == 48 || bytes == 64)
        << bytes;
  }
}

// Each of the 256 characters in either place: only the 22 digits are digits.
TEST(KeyForm, HexKnowsItsDigits) {
  const std::string digits = "0123456789abcdefABCDEF";
  for (int character = 0; character < 256; ++character) {
    const char given = static_cast<char>(character);
    const bool digit = digits.find(given) != std::string::npos;
    EXPECT_EQ(formed(std::string{'0', given}, kHex).has_value(), digit) << character;
    EXPECT_EQ(formed(std::string{given, '0'}, kHex).has_value(), digit) << character;
  }
}

TEST(KeyForm, IntegersAreLittleEndianTwosComplement) {
  expect_bytes("0", kInt32, make_bytes({0, 0, 0, 0}));
  expect_bytes("258", kInt32, make_bytes({2, 1, 0, 0}));
  expect_bytes("-1", kInt32, make_bytes({0xff, 0xff, 0xff, 0xff}));
  expect_bytes("2147483647", kInt32, make_bytes({0xff, 0xff, 0xff, 0x7f}));
  expect_bytes("-2147483648", kInt32, make_bytes({0, 0, 0, 0x80}));
  expect_bytes("-2", kInt64, make_bytes({0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
  expect_bytes("9223372036854775807", kInt64, make_bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}));
  expect_bytes("-9223372036854775808", kInt64, make_bytes({0, 0, 0, 0, 0, 0, 0, 0x80}));
}

// What the header promises: the text finds the key that a program inserted as a number.
TEST(KeyForm, Int64EqualsTheIntegerGivenToAppendKey) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-123456789012345}, std::int64_t{77}}) {
    const Result<Bytes> key = formed(std::to_string(value), kInt64);
    ASSERT_TRUE(key);
    EXPECT_EQ(hash_bytes(*key, HashSpec{}), hash_key(value, HashSpec{}));
  }
}

// A number is its value, not its spelling.
TEST(KeyForm, SpellingsOfOneNumberAreOneKey) {
  expect_bytes("007", kInt32, make_bytes({7, 0, 0, 0}));
  expect_bytes("-0", kInt32, make_bytes({0, 0, 0, 0}));
}

TEST(KeyForm, IntegersBeyondTheirWidthAreRefused) {
  expect_refused("2147483648", kInt32);
  expect_refused("-2147483649", kInt32);
  expect_refused("9223372036854775808", kInt64);
  expect_refused("-9223372036854775809", kInt64);
  expect_refused("99999999999999999999999999", kInt64);
}

TEST(KeyForm, WhatIsNoDecimalIntegerIsRefused) {
  for (const char* const text :
       {"", "-", "+5", " 5", "5 ", "5x", "x5", "0x5", "1e3", "5.0", "--5", "1,000"}) {
    expect_refused(text, kInt32);
    expect_refused(text, kInt64);
  }
  expect_refused("\xd9\xa3", kInt64, "'\\xd9\\xa3'");  // ARABIC-INDIC DIGIT THREE
}

TEST(KeyForm, MessagesShowStrangeBytesEscapedAndLongTextCut) {
  expect_refused(std::string_view("5\0\x1f\n\x7f\xff~", 7), kInt32, "'5\\x00\\x1f\\x0a\\x7f\\xff~'");
  expect_refused(std::string(40, 'x'), kInt32, in_quotes(std::string(40, 'x')));
  expect_refused(std::string(41, 'x'), kInt32, in_quotes(std::string(40, 'x'), "...'"));
}

TEST(KeyTreatment, TrimTakesAsciiWhiteSpaceFromBothEnds) {
  const KeyTreatment trim = {.form = KeyForm::kText, .trim = true};
  expect_text(" \t\n\v\f\ra b\r\f\v\n\t ", trim, "a b");
  expect_text(" \t ", trim, "");
  expect_text("", trim, "");
  expect_text("\xc2\xa0x\xc2\xa0", trim, "\xc2\xa0x\xc2\xa0");  // NO-BREAK SPACE is none of ours
  expect_text(std::string("\0x\0", 3), trim, std::string("\0x\0", 3));
  expect_bytes(" 258\t", {.form = KeyForm::kInt32, .trim = true}, make_bytes({2, 1, 0, 0}));
  expect_bytes(" ff ", {.form = KeyForm::kHex, .trim = true}, make_bytes({0xff}));
  expect_refused("  ", {.form = KeyForm::kInt32, .trim = true}, "''");
}

// Every byte alone: A-Z change, the 230 others stay, those of UTF-8 letters among them.
TEST(KeyTreatment, IgnoreCaseChangesAsciiLettersOnly) {
  const KeyTreatment ignore_case = {.form = KeyForm::kText, .ignore_case = true};
  for (int character = 0; character < 256; ++character) {
    const bool upper = character >= 'A' && character <= 'Z';
    const char given = static_cast<char>(character);
    const char expected = static_cast<char>(upper ? character + 32 : character);
    expect_text({&given, 1}, ignore_case, {&expected, 1});
  }
  expect_text("MiXeD \xc3\x84", ignore_case, "mixed \xc3\x84");  // A WITH DIAERESIS keeps its case
  expect_text(" AB ", {.trim = true, .ignore_case = true}, "ab");
}

// One moment is one key, in whatever zone its text is; utc_text_test.cc has the rest.
TEST(KeyForm, TimesAreBroughtToUtc) {
  const KeyTreatment times = {.form = KeyForm::kTimestamptz};
  for (const char* const text :
       {"2026-02-03 04:05:06+00", "2026-02-03 05:05:06+01", "2026-02-02T23:05:06-05:00"}) {
    expect_text(text, times, "2026-02-03 04:05:06+00");
  }
  expect_text(" 2026-02-03T04:05:06Z\t", {.form = KeyForm::kTimestamptz, .trim = true, .ignore_case = true},
              "2026-02-03 04:05:06+00");
  for (const char* const text : {"", "2026-02-03 04:05:06", "2026-02-03", "now", " 2026-02-03 04:05:06+00"}) {
    expect_refused(text, times);
  }
}

TEST(KeyForm, AnUnknownFormIsUnsupported) {
  const Result<Bytes> key = formed("x", {.form = static_cast<KeyForm>(10)});
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(key.error().detail().find("number 10"), std::string::npos);
}

// A text that is taken as it is although it was meant to be made canonical would be a wrong no.
TEST(KeyForm, UrlsAreNotMadeHere) {
  for (const KeyForm form : {KeyForm::kUrl, KeyForm::kUrlPrefix}) {
    const Result<Bytes> key = formed("http://example.com/", {.form = form});
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().code(), ErrorCode::kUnsupported);
  }
}

TEST(KeyForm, NamesAreReadBack) {
  for (int number = 0; number <= 9; ++number) {
    const auto form = static_cast<KeyForm>(number);
    EXPECT_EQ(key_form_from_name(key_form_name(form)), form);
  }
  EXPECT_STREQ(key_form_name(static_cast<KeyForm>(10)), "unknown");
  for (const char* const name : {"", "unknown", "Text", "int", "int64 ", "URL"}) {
    EXPECT_EQ(key_form_from_name(name), std::nullopt) << name;
  }
}

// On disk since format version 1.
TEST(KeyForm, NumbersAreNeverChanged) {
  EXPECT_EQ(key_form_from_name("text"), static_cast<KeyForm>(0));
  EXPECT_EQ(key_form_from_name("hex"), static_cast<KeyForm>(1));
  EXPECT_EQ(key_form_from_name("int32"), static_cast<KeyForm>(2));
  EXPECT_EQ(key_form_from_name("int64"), static_cast<KeyForm>(3));
  EXPECT_EQ(key_form_from_name("utf16"), static_cast<KeyForm>(4));
  EXPECT_EQ(key_form_from_name("url"), static_cast<KeyForm>(5));
  EXPECT_EQ(key_form_from_name("cidr"), static_cast<KeyForm>(6));
  EXPECT_EQ(key_form_from_name("domain-suffix"), static_cast<KeyForm>(7));
  EXPECT_EQ(key_form_from_name("url-prefix"), static_cast<KeyForm>(8));
  EXPECT_EQ(key_form_from_name("timestamptz"), static_cast<KeyForm>(9));
  EXPECT_EQ(kVariableParts, 0xffff);
}

TEST(KeyTreatment, DescribesWhatDeviates) {
  EXPECT_EQ(describe({}), "text");
  EXPECT_EQ(describe(kHex), "hex");
  EXPECT_EQ(describe({.trim = true, .ignore_case = true}), "text,trim,ignore-case");
  EXPECT_EQ(describe({.form = KeyForm::kInt64, .parts = 2}), "int64,parts=2");
  EXPECT_EQ(describe({.form = KeyForm::kUtf16, .ignore_case = true, .parts = kVariableParts}),
            "utf16,ignore-case,parts=any");
  EXPECT_EQ(describe({.form = KeyForm::kUrl}), "url");
  EXPECT_EQ(
      describe({.form = KeyForm::kUrl, .trim = true, .url = {.sort_query = true, .drop_tracking = true}}),
      "url,sort-query,drop-tracking,trim");
}

}  // namespace
}  // namespace bloomery
