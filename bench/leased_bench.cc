// What does the lease cost? A key that is rejected, asked of a leased file, beside the same filter without a lease.
//
//   leased_bench FOLDER [KEYS]
//
// It makes a leased file of KEYS keys (default 5,000,000) at an fpp of 0.01 in FOLDER and asks for texts that are not in it.
// The rounds of both take turns; the medians are printed.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/timing.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/leased_filter.h"
#include "filter/leased/lease_page.h"

namespace {

using namespace bloomery;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kQuestions = 200'000;
constexpr int kRounds = 11;
constexpr std::uint64_t kBound = 3600ull * 1'000'000'000;

// Returns nanoseconds a question, and adds the number of maybes to `maybes`.
template <typename Filter>
double round_of(const Filter& filter, const std::vector<std::string>& keys, std::uint64_t& maybes) {
  const Clock::time_point begin = Clock::now();
  for (const std::string& key : keys) {
    maybes += std::uint64_t{filter.may_contain(key)};
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
         static_cast<double>(keys.size());
}

int run(const std::string& folder, std::uint64_t count) {
  auto page = LeasePage::open_for_feeder(folder + "/bench.leased");
  auto filter = BlockedBloomFilter::for_capacity(count, 0.01);
  if (!page || !filter) {
    fmt::print(stderr, "cannot make the file in {}\n", folder);
    return 2;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    filter->insert("user" + std::to_string(i) + "@example.org");
  }
  page->set_bound(kBound);
  if (!filter->save(page->filter_path(1), {.replace = true})) {
    return 2;
  }
  page->set_generation(1);
  page->renew(boot_clock_ns() + kBound);
  const auto leased = LeasedFilter::open(folder + "/bench.leased");
  const auto plain = BlockedBloomFilter::open(page->filter_path(1));
  if (!leased || !plain) {
    return 2;
  }
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    keys.push_back("stranger" + std::to_string(i * 7919) + "@example.org");
  }
  std::array<std::vector<double>, 2> times;
  std::array<std::uint64_t, 2> maybes{};
  for (int i = 0; i < kRounds; ++i) {
    times[0].push_back(round_of(*leased, keys, maybes[0]));
    times[1].push_back(round_of(*plain, keys, maybes[1]));
  }
  fmt::print("{} keys, {} questions for absent texts, {} rounds, medians\n", count, kQuestions, kRounds);
  fmt::print("leased file      {:6.1f} ns a question, {:.4f} maybe\n", median(times[0]),
             static_cast<double>(maybes[0]) / kRounds / kQuestions);
  fmt::print("without a lease  {:6.1f} ns a question, {:.4f} maybe\n", median(times[1]),
             static_cast<double>(maybes[1]) / kRounds / kQuestions);
  return maybes[0] == maybes[1] ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "leased_bench FOLDER [KEYS]\n");
    return 2;
  }
  return run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5'000'000);
}
