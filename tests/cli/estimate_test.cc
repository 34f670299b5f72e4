// bloomery estimate: the recommendation, what --size leaves to find, what a build takes, and the same as JSON. What the
// table says is tested in build_test.cc.
#include <array>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "cli/build_costs.h"
#include "cli/numbers.h"
#include "run_command.h"

namespace bloomery {
namespace {

using cli::measured_build;

TEST(EstimateAdvice, AsksNothingAndSaysWhatItAssumed) {
  const Shell shell;
  const Ran ran = shell.run("bloomery estimate");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("recommended: blocked:fast, because it is the fastest")) << ran.out;
  EXPECT_TRUE(says(ran.out, "assumed: -n 1,000,000, -p 0.001\n")) << ran.out;
  EXPECT_FALSE(says(shell.run("bloomery estimate -n 5 -p 0.1").out, "assumed"));
  EXPECT_TRUE(says(shell.run("bloomery estimate -n 5").out, "assumed: -p 0.001\n"));
}

TEST(EstimateAdvice, TheNeedsChooseTheType) {
  const Shell shell;
  const auto first = [&shell](const std::string& options) {
    const Ran ran = shell.run("bloomery estimate -n 1e4 -p 0.01 " + options);
    EXPECT_EQ(ran.status, 0) << options << ran.err;
    return ran.out.substr(0, ran.out.find("\n\n"));
  };
  EXPECT_TRUE(says(first("--removes"), "recommended: quotient, because keys can be removed"));
  EXPECT_TRUE(says(first("--removes --grows"), "quotient, because keys can be removed, in about a quarter"));
  EXPECT_TRUE(says(first("--grows"), "recommended: scalable, because"));
  EXPECT_TRUE(says(first("--static"), "recommended: ribbon, because"));
  EXPECT_TRUE(says(first("--forgets 1h"), "recommended: windowed, because"));
  EXPECT_TRUE(says(first("--from-strangers"), "bloomery build --keyed -n 10000 -p 0.01 -o FILTER FILE"));
  EXPECT_TRUE(says(shell.run("bloomery estimate -p 0.01 --forgets 1e6").out,
                   "bloomery build -t windowed --window 1e6 -p 0.01 -o FILTER FILE"));
  EXPECT_TRUE(says(first("--static"), "bloomery build -t ribbon -p 0.01 -o FILTER FILE"));
  EXPECT_FALSE(says(first("-t bloom"), "recommended"));
}

TEST(EstimateAdvice, NeedsThatNoTypeHasAreRefused) {
  const Shell shell;
  for (const std::string options :
       {"--static --removes", "-n 5 --forgets 1e4", "--forgets 1e4 -p 0.1 --size 1M", "--static --grows",
        "--static --forgets 1h", "--forgets 1h --removes", "--forgets 1h --grows", "-t bloom --removes",
        "-n 5 -p 0.1 --size 1M", "--size 1M --bits-per-key 9", "--size 1", "-n 1e9 --size 1k", "--size ''",
        "-n ''", "--forgets ''", "--forgets 5x", "-p 2"}) {
    const Ran ran = shell.run("bloomery estimate " + options);
    EXPECT_EQ(ran.status, 2) << options << ran.out;
    EXPECT_EQ(ran.out, "") << options;
    EXPECT_TRUE(says(ran.err, "bloomery estimate: ")) << options << ran.err;
  }
}

// The command that is recommended runs, and makes a filter that fits.
TEST(EstimateAdvice, TheRecommendedCommandBuildsIt) {
  const Shell shell;
  for (const std::string needs : {"-n 1e4", "-n 1e4 --removes", "-n 1e4 --grows", "-n 1e4 --static",
                                  "-n 1e4 --forgets 1h", "--forgets 1e4", "-n 1e4 --from-strangers"}) {
    const Ran ran =
        shell.run("seq 10000 > FILE; rm -f FILTER FILTER.key; line=$(bloomery estimate -p 0.01 " + needs +
                  " | grep '^  bloomery build'); eval \"$line\" && bloomery query -c FILTER FILE");
    EXPECT_EQ(ran.out, "10000\n") << needs << ran.err;
  }
}

// What --size finds is the most that fits: a filter of it is not larger, and there is little room left.
TEST(EstimateAdvice, ASizeIsFilled) {
  const Shell shell;
  for (const std::string needs : {"", "--removes", "--static"}) {
    for (const std::string given : {"-n 5e5", "-p 0.01"}) {
      const Ran ran = shell.run("bloomery estimate --json --size 1MB " + given + " " + needs +
                                " | jq '.recommended.bits / 8 | . <= 1e6 and . > 0.9e6'");
      EXPECT_EQ(ran.out, "true\n") << given << needs << ran.err;
    }
  }
  const Ran built = shell.run(
      "seq 1000 > FILE; eval \"$(bloomery estimate --size 100kB -n 5e4 | grep '^  bloomery')\" && stat -c %s "
      "FILTER");
  EXPECT_TRUE(built.out > "98000\n" && built.out.size() == 6) << "of 100,000 bytes: " << built.out;
  EXPECT_TRUE(says(shell.run("bloomery estimate --size 1MB -n 1e5").out, "into 1MB: 100,000 keys at fpp "));
  EXPECT_TRUE(says(shell.run("bloomery estimate --size 1MB").out, "(the number of keys was found)"));
}

TEST(EstimateAdvice, SaysWhatABuildOfABillionKeysTakes) {
  const Shell shell;
  const std::string fast = shell.run("bloomery estimate -n 1e6").out;
  EXPECT_TRUE(says(fast, "1,000,000,000      1.97 GB         15.99 GB     15.3 s + reading and hashing\n"))
      << fast;
  EXPECT_TRUE(says(fast, "15.3 ns a key, as measured at 100,000,000 keys (docs/data/ribbon-speed.csv)"))
      << fast;
  const std::string ribbon = shell.run("bloomery estimate -n 1e9 --static").out;
  EXPECT_TRUE(says(ribbon, "1,000,000,000      1.2")) << ribbon;
  EXPECT_TRUE(says(ribbon, "71.1 s + reading and hashing\n")) << ribbon;
}

// The figures in the code are those of the files.
TEST(EstimateAdvice, MeasuredFiguresAreThoseOfTheFiles) {
  for (const FilterType type :
       {FilterType::kBlocked, FilterType::kRibbon, FilterType::kBloom, FilterType::kCounting,
        FilterType::kQuotient, FilterType::kScalable, FilterType::kWindowed, FilterType::kFuse}) {
    for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
      const cli::MeasuredBuild& measured = measured_build({.type = type, .options = {.setting = setting}});
      std::ifstream file(std::string(BLOOMERY_SOURCE "/") + std::string(measured.file));
      std::string found;
      for (std::string line; std::getline(file, line);) {
        if (line.starts_with(measured.row)) {
          found = line.substr(measured.row.size());
        }
      }
      EXPECT_EQ(cli::parse_real("", found.substr(0, found.find(','))).value_or(0), measured.ns_per_key)
          << measured.row;
      EXPECT_TRUE(says(std::string(measured.row), std::to_string(measured.keys))) << measured.row;
    }
  }
}

TEST(EstimateAdvice, JsonHasWhatTheTextHas) {
  const Shell shell;
  const Ran ran = shell.run(
      "bloomery estimate --json -n 1e9 -p 0.01 --miss-rate 0.9 --read-cost 100 --skip-cost 0.1 > e; jq -r "
      "'.recommended.type, .recommended.keys, .recommended.command, .assumed, (.types | length), "
      "(.types[] | select(.type == \"ribbon\") | .fpp_double), (.build | length), .build[0].source, "
      ".build[0].not_in_seconds, "
      "(.look_up.least_useful_fpp * 1e6 | round)' e");
  EXPECT_EQ(ran.out,
            "blocked:fast\n1000000000\nbloomery build -n 1000000000 -p 0.01 -o FILTER FILE\n\n9\nnull\n1\n"
            "docs/data/ribbon-speed.csv\nreading and hashing\n1112\n")
      << ran.err;
}

TEST(Fpp, JsonHasWhatTheTextHas) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000 > k; seq 2001 12000 > absent; bloomery build --no-summary -o f -p 0.01 k; "
      "bloomery fpp --json f --absent absent | jq -r '.absent_keys, .capacity, .target_fpp, "
      "(.measured_fpp == .false_positives / 10000), (.interval_999[0] < .predicted_fpp and "
      ".predicted_fpp < .interval_999[1])'");
  EXPECT_EQ(ran.out, "10000\n1000\n0.01\ntrue\ntrue\n") << ran.err;
}

TEST(Fpp, TheIntervalBeginsAtZeroWithoutAFalsePositive) {
  const Shell shell;
  shell.run("seq 1000 > k; bloomery build --no-summary -o f -p 1e-9 k");
  for (const char* const count : {"7", "100", "3000", "50001"}) {
    const Ran ran = shell.run(std::string("seq 1000001 $((1000000 + ") + count +
                              ")) > absent; bloomery fpp f --absent absent; "
                              "bloomery fpp --json f --absent absent | jq -c '.interval_999[0]'");
    EXPECT_TRUE(says(ran.out, "99.9 % interval  0 to ")) << ran.out << ran.err;
    EXPECT_TRUE(says(ran.out, "\n0") && !says(ran.out, "e-2")) << ran.out;
  }
  EXPECT_TRUE(says(shell.run("bloomery fpp f --absent k").out, " to 1\n"));
}

}  // namespace
}  // namespace bloomery
