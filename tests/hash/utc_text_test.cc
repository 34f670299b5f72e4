// The text of a moment in UTC: what is read, what PostgreSQL prints, and what is refused.
#include "hash/utc_text.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

void expect_all(const Texts& texts) {
  for (const auto& [text, utc] : texts) {
    EXPECT_EQ(utc_text(text), utc) << text;
    EXPECT_EQ(utc_text(utc), utc) << "what stands in UTC is itself: " << utc;
  }
}

// psql's answers to SELECT 'text'::timestamptz in a session with TimeZone UTC (PostgreSQL 15).
TEST(UtcText, IsWhatPostgresPrints) {
  expect_all({{"2026-02-03 04:05:06+00", "2026-02-03 04:05:06+00"},
              {"2026-02-03 06:05:06.25+02", "2026-02-03 04:05:06.25+00"},
              {"2026-02-03 04:05:06.000001+00", "2026-02-03 04:05:06.000001+00"},
              {"2026-02-03 04:05:06.100000-00", "2026-02-03 04:05:06.1+00"},
              {"2026-01-01 00:30:00+05:45", "2025-12-31 18:45:00+00"},
              {"2025-12-31 23:30:00-01", "2026-01-01 00:30:00+00"},
              {"2024-03-01 00:00:00+01", "2024-02-29 23:00:00+00"},
              {"2023-03-01 00:00:00+01", "2023-02-28 23:00:00+00"},
              {"1900-03-01 00:00:00+00:00:01", "1900-02-28 23:59:59+00"},
              {"2000-02-29 23:59:59.999999-00:30", "2000-03-01 00:29:59.999999+00"},
              {"1890-01-01 00:00:00+05:53:28", "1889-12-31 18:06:32+00"},
              {"10000-01-01 00:00:00+01", "9999-12-31 23:00:00+00"},
              {"294276-12-31 23:59:59.999999+00", "294276-12-31 23:59:59.999999+00"},
              {"0001-01-01 00:00:00+00", "0001-01-01 00:00:00+00"},
              {"0001-01-01 00:30:00+01", "0001-12-31 23:30:00+00 BC"},
              {"0001-12-31 23:30:00-01 BC", "0001-01-01 00:30:00+00"},
              {"0001-02-29 12:00:00+00 BC", "0001-02-29 12:00:00+00 BC"},
              {"0005-03-01 00:00:00+01 BC", "0005-02-29 23:00:00+00 BC"},
              {"4714-11-24 00:00:00+00 BC", "4714-11-24 00:00:00+00 BC"},
              {"infinity", "infinity"},
              {"-infinity", "-infinity"}});
}

TEST(UtcText, ReadsWhatOtherProgramsWrite) {
  const std::string utc = "2026-02-03 04:05:06+00";
  for (const std::string text :
       {"2026-02-03T04:05:06Z", "2026-02-03T04:05:06.000Z", "2026-02-03t04:05:06z",
        "2026-02-03T05:05:06+01:00", "2026-02-03T05:05:06.000000+01:00", "2026-02-03 05:05:06+0100",
        "2026-02-03 05:05:06 +0100", "2026-02-03 04:05:06 UTC", "2026-02-03 04:05:06.000000000+00",
        "2026-02-03 03:35:06-00:30", "2026-02-02 20:05:06-08", "2026-02-03 04:05:07+00:00:01"}) {
    EXPECT_EQ(utc_text(text), utc) << text;
  }
  EXPECT_EQ(utc_text("2026-02-03T04:05Z"), "2026-02-03 04:05:00+00");
  EXPECT_EQ(utc_text("INFINITY"), "infinity");
}

// Each would be another moment for another reader, or none.
TEST(UtcText, RefusesWhatIsNoMoment) {
  for (const std::string text : {"",
                                 " ",
                                 "2026-02-03 04:05:06",
                                 "2026-02-03T04:05:06",
                                 "2026-02-03",
                                 "2026-02-03+00",
                                 "04:05:06+00",
                                 "2026-02-03  04:05:06+00",
                                 "2026-02-03 04:05:06+00 ",
                                 " 2026-02-03 04:05:06+00",
                                 "2026-02-03 04:05:06+",
                                 "2026-02-03 04:05:06+1",
                                 "2026-02-03 04:05:06+001",
                                 "2026-02-03 04:05:06+01:",
                                 "2026-02-03 04:05:06+01:6",
                                 "2026-02-03 04:05:06+01:60",
                                 "2026-02-03 04:05:06+24",
                                 "2026-02-03 04:05:06+01:00:60",
                                 "2026-02-03 04:05:06+0100:00",
                                 "2026-02-03 04:05:06 CET",
                                 "2026-02-03 04:05:06 Europe/Berlin",
                                 "2026-02-03 04:05:06Z+01",
                                 "2026-02-03 24:00:00+00",
                                 "2026-02-03 04:60:00+00",
                                 "2026-02-03 04:05:60+00",
                                 "2026-02-03 4:05:06+00",
                                 "2026-02-03 04:05:6+00",
                                 "2026-2-03 04:05:06+00",
                                 "2026-02-3 04:05:06+00",
                                 "226-02-03 04:05:06+00",
                                 "0000-02-03 04:05:06+00",
                                 "2026-00-03 04:05:06+00",
                                 "2026-13-03 04:05:06+00",
                                 "2026-02-00 04:05:06+00",
                                 "2026-02-29 04:05:06+00",
                                 "2024-02-30 04:05:06+00",
                                 "1900-02-29 04:05:06+00",
                                 "2026-04-31 04:05:06+00",
                                 "2026-01-32 04:05:06+00",
                                 "0002-02-29 12:00:00+00 BC",
                                 "2026-02-03 04:05:06.+00",
                                 "2026-02-03 04:05:06,5+00",
                                 "2026-02-03 04:05:06.1234567+00",
                                 "2026-02-03 04:05:06+00 AD",
                                 "2026-02-03 04:05:06 BC+00",
                                 "2026-02-03 04:05:06+00BC",
                                 "294277-01-01 00:00:00+00",
                                 "294276-12-31 23:00:00-01",
                                 "4714-11-23 23:59:59+00 BC",
                                 "4714-11-24 00:00:00+01 BC",
                                 "1000000-01-01 00:00:00+00",
                                 "20260203T040506Z",
                                 "+infinity",
                                 "inf",
                                 "now",
                                 "epoch",
                                 "1770091506"}) {
    EXPECT_EQ(utc_text(text), std::nullopt) << text;
  }
  EXPECT_EQ(utc_text(std::string_view("2026-02-03 04:05:06+00\0", 23)), std::nullopt);
  EXPECT_EQ(utc_text(std::string(100'000, '9')), std::nullopt);
}

// All days of five years around each turn of a century, each moved over midnight both ways.
TEST(UtcText, CountsDaysAsTheCalendarDoes) {
  for (const std::string first : {"0001", "0398", "1598", "1898", "1998", "2098"}) {
    const std::string last = std::to_string(10'005 + std::stoi(first)).substr(1) + "-01-01";
    std::string day = first + "-01-01";
    int count = 0;
    for (; day < last; ++count) {
      const auto before = utc_text(day + " 23:59:59-00:00:01");
      ASSERT_TRUE(before) << day;
      const std::string next = before->substr(0, 10);
      ASSERT_EQ(*before, next + " 00:00:00+00");
      ASSERT_EQ(utc_text(next + " 00:00:00+00:00:01"), day + " 23:59:59+00");
      ASSERT_LT(day, next);
      day = next;
    }
    EXPECT_EQ(day, last);
    const bool has_leap_year = first != "1898" && first != "2098";
    EXPECT_EQ(count, 5 * 365 + (has_leap_year ? 1 : 0)) << first;
  }
}

}  // namespace
}  // namespace bloomery
