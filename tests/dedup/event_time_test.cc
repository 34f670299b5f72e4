// The times of lines: what each format takes, and what it does not.
#include "dedup/event_time.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::optional<std::int64_t> time_of(TimeFormat format, std::string_view text) {
  const Result<std::int64_t> time = event_time(text, {.field = 1, .delimiter = ' ', .format = format});
  return time ? std::optional(*time) : std::nullopt;
}

TEST(EventTime, EveryFormatSaysTheSameMoment) {
  constexpr std::int64_t kMoment = 1'700'000'000 * kSecond;
  for (const char* const text : {"1700000000", "1700000000 x", "1700000000.0"}) {
    EXPECT_EQ(time_of(TimeFormat::kEpoch, text), kMoment) << text;
  }
  EXPECT_EQ(time_of(TimeFormat::kEpochMs, "1700000000000"), kMoment);
  for (const char* const text :
       {"2023-11-14T22:13:20Z", "2023-11-14 22:13:20", "2023-11-14T22:13:20", "2023-11-14T23:13:20+01:00",
        "2023-11-14 23:13:20 +0100", "2023-11-14T21:43:20-00:30", "2023-11-14T22:13:20Z rest",
        "2023-11-14t22:13:20+00"}) {
    EXPECT_EQ(time_of(TimeFormat::kIso8601, text), kMoment) << text;
  }
  for (const char* const text : {"[14/Nov/2023:22:13:20 +0000]", "[14/Nov/2023:23:13:20 +0100] \"GET",
                                 "14/Nov/2023:14:13:20 -0800", "[14/Nov/2023:22:13:20]"}) {
    EXPECT_EQ(time_of(TimeFormat::kClf, text), kMoment) << text;
  }
}

TEST(EventTime, FractionsCount) {
  EXPECT_EQ(time_of(TimeFormat::kEpoch, "1.25"), kSecond + kSecond / 4);
  EXPECT_EQ(time_of(TimeFormat::kEpochMs, "1250"), kSecond + kSecond / 4);
  EXPECT_EQ(time_of(TimeFormat::kIso8601, "1970-01-01T00:00:01,25Z"), kSecond + kSecond / 4);
  EXPECT_EQ(time_of(TimeFormat::kEpoch, "0.0000000019"), 1) << "digits behind the ninth are ignored";
}

TEST(EventTime, DaysAreThoseOfTheCalendar) {
  EXPECT_EQ(time_of(TimeFormat::kIso8601, "2024-02-29T00:00:00Z"), 1'709'164'800 * kSecond);
  EXPECT_EQ(time_of(TimeFormat::kIso8601, "2023-02-29T00:00:00Z"), std::nullopt);
  EXPECT_EQ(time_of(TimeFormat::kIso8601, "2016-12-31T23:59:60Z"), 1'483'228'800 * kSecond)
      << "a leap second";
}

TEST(EventTime, AnythingElseIsAnErrorThatShowsIt) {
  for (const char* const text :
       {"", "x", "-1", "1700000000x", "1.", "99999999999999999999", "1e9", ".5", "+5"}) {
    EXPECT_EQ(time_of(TimeFormat::kEpoch, text), std::nullopt) << text;
  }
  for (const char* const text : {"", "1.5", "99999999999999999999", "12345x"}) {
    EXPECT_EQ(time_of(TimeFormat::kEpochMs, text), std::nullopt) << text;
  }
  for (const char* const text :
       {"", "2023-11-14", "2023-13-14T22:13:20Z", "2023-11-31T22:13:20Z", "2023-11-14T24:00:00Z",
        "2023-11-14T22:60:00Z", "2023-11-14T22:13:61Z", "2023-11-14T22:13", "2023-11-14T22:13:20Zx",
        "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:20+01:60", "2023-11-14T22:13:20+01:",
        "1969-12-31T23:59:59Z", "2300-01-01T00:00:00Z", "23-11-14T22:13:20Z", "2023/11/14T22:13:20Z"}) {
    EXPECT_EQ(time_of(TimeFormat::kIso8601, text), std::nullopt) << text;
  }
  for (const char* const text : {"", "[", "[14/nov/2023:22:13:20 +0000]", "[14/11/2023:22:13:20 +0000]",
                                 "[32/Nov/2023:22:13:20 +0000]", "[14/Nov/2023 22:13:20 +0000]"}) {
    EXPECT_EQ(time_of(TimeFormat::kClf, text), std::nullopt) << text;
  }
  const Result<std::int64_t> shown =
      event_time("a,b\n", {.field = 2, .delimiter = ',', .format = TimeFormat::kEpoch});
  ASSERT_FALSE(shown);
  EXPECT_NE(shown.error().to_string().find("field 2: expected a time such as 1700000000.25, found 'b\\x0a'"),
            std::string::npos)
      << shown.error().to_string();
}

TEST(EventTime, TheFieldIsFoundByItsDelimiter) {
  const auto field = [](std::uint32_t number, char delimiter, std::string_view line) {
    const Result<std::int64_t> time =
        event_time(line, {.field = number, .delimiter = delimiter, .format = TimeFormat::kEpoch});
    return time ? *time / kSecond : -1;
  };
  EXPECT_EQ(field(1, '\t', "5\t6"), 5);
  EXPECT_EQ(field(2, '\t', "5\t6"), 6);
  EXPECT_EQ(field(3, '\t', "5\t6"), -1) << "no such field";
  EXPECT_EQ(field(2, ',', ",7\r"), 7);
  EXPECT_EQ(field(1, ',', "7 ,8"), -1);
}

// However a time is cut, or a byte of it changed, the answer is a number or an error.
TEST(EventTime, CutAndChangedTimesAreHandled) {
  for (const auto& [format, text] :
       std::vector<std::pair<TimeFormat, std::string>>{{TimeFormat::kEpoch, "1700000000.25"},
                                                       {TimeFormat::kEpochMs, "1700000000250"},
                                                       {TimeFormat::kIso8601, "2023-11-14T23:13:20.5+01:00"},
                                                       {TimeFormat::kClf, "[14/Nov/2023:22:13:20 +0100]"}}) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      (void)time_of(format, text.substr(0, i));
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = text;
        changed[i] = static_cast<char>(byte);
        EXPECT_GE(time_of(format, changed).value_or(0), 0) << changed;
      }
    }
  }
}

TEST(EventTime, FormatsHaveNames) {
  EXPECT_EQ(time_format_from_name("epoch"), TimeFormat::kEpoch);
  EXPECT_EQ(time_format_from_name("epoch-ms"), TimeFormat::kEpochMs);
  EXPECT_EQ(time_format_from_name("iso8601"), TimeFormat::kIso8601);
  EXPECT_EQ(time_format_from_name("clf"), TimeFormat::kClf);
  EXPECT_EQ(time_format_from_name("EPOCH"), std::nullopt);
}

}  // namespace
}  // namespace bloomery
