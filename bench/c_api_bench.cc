// How much more does a call of the C interface cost than the same call in C++, and how much more does a batch? The program
// prints nanoseconds of processor time a key: the median of 45 rounds, in which both take turns. Usage: c_api_bench [KEYS]
//
// The C++ side is BlockedBloomFilter, whose query of an integer is inline, for one key; and the batches of key_batches.h.
// Both filters have the same keys and fit in the cache (1.97 MB for the million keys that are the default).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/key_batches.h"

namespace bloomery {
namespace {

constexpr std::size_t kRounds = 45;

// Returns the processor time of this thread. Other programs on the machine do not count in it.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <typename Work>
double nanoseconds(std::size_t keys, const Work& work) {
  const double start = now();
  work();
  return (now() - start) / static_cast<double>(keys);
}

template <typename Cpp, typename C>
void compare(const char* name, std::size_t keys, const Cpp& cpp, const C& c) {
  std::array<double, kRounds> by_cpp{};
  std::array<double, kRounds> by_c{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    by_cpp[round] = nanoseconds(keys, cpp);
    by_c[round] = nanoseconds(keys, c);
  }
  std::ranges::sort(by_cpp);
  std::ranges::sort(by_c);
  std::printf("%-28s %8.2f %8.2f %8.2f\n", name, by_cpp[kRounds / 2], by_c[kRounds / 2],
              by_c[kRounds / 2] - by_cpp[kRounds / 2]);
}

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "c_api_bench: %s\n", what);
    std::exit(1);
  }
}

int run(std::size_t count) {
  auto filter = BlockedBloomFilter::for_capacity(count, 0.001);
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  options.capacity = count;
  options.fpp = 0.001;
  bloomery_filter* handle = nullptr;
  expect(filter && bloomery_filter_make(&options, &handle) == BLOOMERY_OK, "no filter");

  std::vector<std::int64_t> numbers(count);
  std::vector<std::string> texts(count);
  std::vector<std::string_view> views(count);
  std::vector<std::uint64_t> offsets(count + 1);
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<std::int64_t>(i * 0x9e3779b97f4a7c15u);
    texts[i] = "https://example.com/" + std::to_string(i);
    views[i] = texts[i];
    all += texts[i];
    offsets[i + 1] = all.size();
  }
  std::uint64_t found_cpp = 0;
  std::uint64_t found_c = 0;
  std::printf("%-28s %8s %8s %8s   ns a key, %zu keys\n", "", "C++", "C", "more", count);
  compare(
      "insert an integer", count,
      [&] {
        for (const auto key : numbers) {
          filter->insert(key);
        }
      },
      [&] {
        for (const auto key : numbers) {
          bloomery_filter_insert_int64(handle, key);
        }
      });
  compare(
      "query an integer", count,
      [&] {
        for (const auto key : numbers) {
          found_cpp += filter->may_contain(key) ? 1U : 0U;
        }
      },
      [&] {
        for (const auto key : numbers) {
          found_c += bloomery_filter_may_contain_int64(handle, key) == 1 ? 1U : 0U;
        }
      });
  compare(
      "insert a text of 26 bytes", count,
      [&] {
        for (const auto key : views) {
          filter->insert(key);
        }
      },
      [&] {
        for (const auto key : views) {
          bloomery_filter_insert(handle, key.data(), key.size());
        }
      });
  compare(
      "query a text of 26 bytes", count,
      [&] {
        for (const auto key : views) {
          found_cpp += filter->may_contain(key) ? 1U : 0U;
        }
      },
      [&] {
        for (const auto key : views) {
          found_c += bloomery_filter_may_contain(handle, key.data(), key.size()) == 1 ? 1U : 0U;
        }
      });
  expect(found_cpp == found_c && found_c == 2 * count * kRounds, "a key is lost");

  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.data = all.data();
  keys.offsets = offsets.data();
  keys.count = count;
  std::vector<std::uint64_t> by_cpp(answer_words(count));
  std::vector<std::uint64_t> by_c(answer_words(count));
  compare(
      "insert a batch of texts", count, [&] { insert_keys(*filter, views); },
      [&] { bloomery_filter_insert_batch(handle, &keys, nullptr); });
  compare(
      "query a batch of texts", count, [&] { may_contain_keys(*filter, views, by_cpp); },
      [&] { bloomery_filter_may_contain_batch(handle, &keys, by_c.data(), by_c.size()); });
  expect(by_cpp == by_c, "the answers differ");
  return bloomery_filter_close(handle);
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  return bloomery::run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000);
}
