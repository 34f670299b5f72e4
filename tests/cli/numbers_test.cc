// Numbers as people write them: what is one, where each form ends, and how sizes round.
#include "cli/numbers.h"

#include <optional>

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

std::optional<std::uint64_t> parsed_count(const std::string& text) {
  const auto count = parse_count("-n", text);
  return count ? std::optional(*count) : std::nullopt;
}

TEST(Numbers, CountsAreWholeAndAtMostTenToTheEighteenth) {
  EXPECT_EQ(parsed_count("0"), 0u);
  EXPECT_EQ(parsed_count("1_000"), 1000u);
  EXPECT_EQ(parsed_count("2.5e9"), 2'500'000'000u);
  EXPECT_EQ(parsed_count("0.0"), 0u);
  EXPECT_EQ(parsed_count("1000000000000000000"), 1'000'000'000'000'000'000u);
  EXPECT_EQ(parsed_count("1e18"), 1'000'000'000'000'000'000u);
  EXPECT_EQ(parsed_count("10k"), 10'000u);
  EXPECT_EQ(parsed_count("10K"), 10'000u);
  EXPECT_EQ(parsed_count("1.5M"), 1'500'000u);
  EXPECT_EQ(parsed_count("2G"), 2'000'000'000u);
  EXPECT_EQ(parsed_count("1000000T"), 1'000'000'000'000'000'000u);
  EXPECT_EQ(parsed_count("1,000,000"), 1'000'000u);
  EXPECT_EQ(parsed_count("12,345"), 12'345u);
  for (const char* const text : {"1,5",
                                 "1,00,000",
                                 ",100",
                                 "1000,000",
                                 "1,000,",
                                 "1,000.5",
                                 "1m",
                                 "1g",
                                 "k",
                                 "1kk",
                                 "1000001T",
                                 "1.0005k",
                                 "1KB",
                                 "1000000000000000001",
                                 "1.0000000000000002e18",
                                 "1e19",
                                 "1e300",
                                 "1e400",
                                 "-1",
                                 "-0.5",
                                 "-1e9",
                                 "0.5",
                                 "1.5",
                                 "2.5e-1",
                                 "nan",
                                 "inf",
                                 "",
                                 "x",
                                 "5x",
                                 "5 ",
                                 " 5",
                                 "0x10"}) {
    EXPECT_EQ(parsed_count(text), std::nullopt) << text;
  }
}

TEST(Numbers, SizesAreWholeBytesOfPowersOfTwo) {
  const auto size_of = [](const std::string& text) {
    const auto size = parse_size("--mem", text);
    return size ? std::optional(*size) : std::nullopt;
  };
  EXPECT_EQ(size_of("0"), 0u);
  EXPECT_EQ(size_of("1K"), 1024u);
  EXPECT_EQ(size_of("1.5k"), 1536u);
  EXPECT_EQ(size_of("2M"), 2097152u);
  EXPECT_EQ(size_of("1g"), 1073741824u);
  EXPECT_EQ(size_of("1T"), 1099511627776u);
  EXPECT_EQ(size_of("1048576T"), std::uint64_t{1} << 60);
  EXPECT_EQ(size_of("1KiB"), 1024u);
  EXPECT_EQ(size_of("1gib"), 1073741824u);
  EXPECT_EQ(size_of("1KB"), 1000u);
  EXPECT_EQ(size_of("512MB"), 512'000'000u);
  EXPECT_EQ(size_of("1.5GB"), 1'500'000'000u);
  for (const char* const text :
       {"1Mi", "MB", "1MiBB", "1XB", "1 MB ", "1048577T", "-1", "-1K", "K", "", "1KK", "1P", "1B", "nan"}) {
    EXPECT_EQ(size_of(text), std::nullopt) << text;
  }
}

TEST(Numbers, ProbabilitiesMayBePercent) {
  EXPECT_DOUBLE_EQ(*parse_probability("-p", "1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_probability("-p", "0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(*parse_probability("-p", "1e-3"), 0.001);
  for (const char* const text : {"%", "1%%", "x%", "", "nan%"}) {
    EXPECT_FALSE(parse_probability("-p", text)) << text;
  }
}

TEST(Numbers, TimesAddUp) {
  const auto time_of = [](const std::string& text) {
    const auto time = parse_duration("--window", text);
    return time ? std::optional(*time) : std::nullopt;
  };
  EXPECT_EQ(time_of("90s"), 90'000'000'000u);
  EXPECT_EQ(time_of("1h30m"), 5'400'000'000'000u);
  EXPECT_EQ(time_of("7d"), 604'800'000'000'000u);
  EXPECT_EQ(time_of("250ms1us2ns"), 250'001'002u);
  EXPECT_EQ(time_of("36525d"), 3'155'760'000'000'000'000u);
  for (const char* const text : {"36526d", "", "5", "s", "5x", "1h30", "-5s", "5s ", "1..5s"}) {
    EXPECT_EQ(time_of(text), std::nullopt) << text;
  }
  EXPECT_EQ(show_seconds(5'400'000'000'000), "5400 s");
  EXPECT_EQ(show_seconds(250'000'000), "0.25 s");
}

// A number that would be printed as 1000.00 is one of the next unit.
TEST(Numbers, SizesRoundAtTheEdgeOfAUnit) {
  EXPECT_EQ(show_bytes(0.0), "0 bytes");
  EXPECT_EQ(show_bytes(999.0), "999 bytes");
  EXPECT_EQ(show_bytes(1000.0), "1.00 kB");
  EXPECT_EQ(show_bytes(999'990.0), "999.99 kB");
  EXPECT_EQ(show_bytes(999'996.0), "1.00 MB");
  EXPECT_EQ(show_bytes(999'999'999.0), "1.00 GB");
  EXPECT_EQ(show_bytes(1e18), "1000.00 PB");
  EXPECT_EQ(show_binary_bytes(1023.0), "1023 bytes");
  EXPECT_EQ(show_binary_bytes(1024.0), "1.00 KiB");
  EXPECT_EQ(show_binary_bytes(1024.0 * 1023.998), "1.00 MiB");
  EXPECT_EQ(show_binary_bytes(1024.0 * 1023.99), "1023.99 KiB");
}

TEST(Numbers, CountsAreGroupedByThousands) {
  EXPECT_EQ(show_count(0), "0");
  EXPECT_EQ(show_count(999), "999");
  EXPECT_EQ(show_count(1000), "1,000");
  EXPECT_EQ(show_count(999'999), "999,999");
  EXPECT_EQ(show_count(191'701'167'548), "191,701,167,548");
}

TEST(Numbers, ProbabilitiesHaveFourDigits) {
  EXPECT_EQ(show_probability(0), "0");
  EXPECT_EQ(show_probability(0.0101), "0.0101");
  EXPECT_EQ(show_probability(0.001), "0.001");
  EXPECT_EQ(show_probability(0.0009999), "9.9990e-04");
  EXPECT_EQ(show_probability(1.0013e-4), "1.0013e-04");
}

}  // namespace
}  // namespace bloomery::cli
