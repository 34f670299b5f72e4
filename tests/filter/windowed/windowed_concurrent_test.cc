// What the windowed filter's header promises to threads, while generations are rotated under them. Runs under
// the thread sanitizer too, with fewer keys.
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/windowed_filter.h"
#include "tests/base/sanitized.h"
#include "tests/filter/test_keys.h"
#include "tests/filter/windowed/test_clock.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kWindowKeys = kThreadSanitized ? 4'000 : 40'000;
constexpr std::uint64_t kWindowRounds = kThreadSanitized ? 300 : 10'000;
constexpr std::uint64_t kLastingKeys = std::uint64_t{1} << 50;

// Asks for one key in every way until told to stop; counts the wrong noes. Batches so long that many
// rotations overtake them.
std::uint64_t ask_for(const WindowedFilter& filter, std::uint64_t key, const std::atomic<bool>& done) {
  const std::vector<Hash128> hashes(4000, filter.hash(key));
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  std::uint64_t denied = 0;
  do {
    denied += filter.may_contain(key) ? 0U : 1U;
    denied += maybes(filter, hashes) == hashes.size() ? 0U : 1U;
    denied += filter.generations().size() == filter.window().generations + 1 ? 0U : 1U;
    (void)filter.current_fpp();
  } while (!done.load());
  return denied;
}

// A key that is renewed just before it can be forgotten is in at every moment, also for a query that meets
// its new generation before the key and its old one after it.
TEST(WindowedConcurrent, AKeyThatIsRenewedIsNeverDenied) {
  for (const Window& window : {Window::keys(1, 1), Window::keys(4, 2), Window::keys(64, 64)}) {
    WindowedFilter filter = *WindowedFilter::for_capacity(0, 1e-8, {.window = window});
    filter.insert(kLastingKeys);
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> denied{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
      readers.emplace_back([&] { denied += ask_for(filter, kLastingKeys, done); });
    }
    for (std::uint64_t round = 0; round < 100 * kWindowRounds / window.length; ++round) {
      const std::uint64_t others = window.length - 1;
      if (round % 3 == 2) {
        insert_numbered(filter, round * 100, others);
      } else {
        for (std::uint64_t i = 0; i < others; ++i) {
          filter.insert(round * 100 + i);
        }
      }
      filter.insert(kLastingKeys);
    }
    done = true;
    for (std::thread& reader : readers) {
      reader.join();
    }
    EXPECT_EQ(denied.load(), 0u);
  }
}

// By age: time passes, one thread rotates, others insert; what is due is left out or cleared, nothing else.
TEST(WindowedConcurrent, ByAgeToo) {
  TestClock clock;
  WindowedFilter filter = *WindowedFilter::for_capacity(
      1000, 1e-6, {.window = Window::time(std::chrono::nanoseconds(400), 4), .clock = &clock.clock()});
  filter.insert(kLastingKeys);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> denied{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] { denied += ask_for(filter, kLastingKeys, done); });
  threads.emplace_back([&] {
    while (!done.load()) {
      filter.advance();
    }
  });
  for (std::uint64_t round = 0; round < kWindowRounds; ++round) {
    clock.pass(150);
    filter.insert(kLastingKeys);
    filter.insert(round);
    clock.pass(200);
  }
  done = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(denied.load(), 0u);
  clock.pass(500);
  EXPECT_FALSE(filter.may_contain(kLastingKeys));
}

// A no that rotations overtook is asked again, without chance: a reader takes the number of rotations, then
// the time, and the clock itself is the writer that comes between. It renews a key that is in, through more
// generations than there are, so that by the two together no table is live and the key is in none.
TEST(WindowedConcurrent, ANoThatRotationsOvertookIsAskedAgain) {
  constexpr std::uint64_t kGeneration = 100;
  TestClock time;
  WindowedFilter* filter = nullptr;
  int overtakes = 0;  // of the looks that come
  const WindowClock clock = [&, now = time.clock()] {
    if (overtakes > 0) {
      const int left = std::exchange(overtakes, 0);  // the writer looks at the clock too
      for (int i = 0; i < 6; ++i) {
        time.pass(kGeneration);
        filter->insert(kLastingKeys);
      }
      overtakes = left - 1;
    }
    return now();
  };
  WindowedFilter made = *WindowedFilter::for_capacity(
      1000, 1e-9, {.window = Window::time(std::chrono::nanoseconds(4 * kGeneration), 4), .clock = &clock});
  filter = &made;
  made.insert(kLastingKeys);
  const std::vector<Hash128> hashes(100, made.hash(kLastingKeys));
  for (int times = 0; times <= 8; ++times) {  // the eighth no makes the reader keep writers away
    overtakes = times;
    EXPECT_TRUE(made.may_contain(kLastingKeys)) << times;
    EXPECT_EQ(overtakes, 0);
    overtakes = times;
    EXPECT_EQ(maybes(made, hashes), hashes.size()) << times;
    EXPECT_EQ(overtakes, 0);
  }
}

// Of many that offer one key, exactly one hears "new", while generations are rotated.
TEST(WindowedConcurrent, ExactlyOneCallerHearsNew) {
  constexpr std::uint64_t kThreads = 3;
  WindowedFilter filter =
      *WindowedFilter::for_capacity(0, 2e-9, {.window = Window::keys(kWindowKeys * kThreads, 16)});
  const std::vector<Hash128> hashes = numbered_hashes(0, kWindowKeys);
  std::vector<std::atomic<int>> heard(kWindowKeys);
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<std::uint64_t> answers(1);
      for (std::uint64_t i = 0; i < kWindowKeys; i += 50) {
        const auto some = std::span(hashes).subspan(i, 50);
        if (thread == 0) {
          filter.test_and_insert_batch(some, answers);
        }
        for (std::uint64_t j = 0; j < 50; ++j) {
          const bool is_new =
              thread == 0 ? (answers[0] >> j & 1) != 0 : filter.test_and_insert(some[j]).is_new;
          heard[i + j] += is_new ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::uint64_t i = 0; i < kWindowKeys; ++i) {
    ASSERT_EQ(heard[i].load(), 1) << "key " << i;
  }
  EXPECT_EQ(filter.inserted(), kWindowKeys * kThreads);
}

}  // namespace
}  // namespace bloomery
