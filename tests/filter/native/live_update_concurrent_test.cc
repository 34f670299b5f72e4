// Two writers take turns at updating one file in place, while ten readers open it and ask. Runs under the thread sanitizer
// too, with less to do.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "tests/base/sanitized.h"
#include "tests/base/test_folder.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kKeysAnUpdate = 50;

// BLOOMERY_TOGETHER_MS is the time for each of the four types; 15000 makes a minute in all.
std::chrono::milliseconds time_for_a_type() {
  const char* const given = std::getenv("BLOOMERY_TOGETHER_MS");
  return std::chrono::milliseconds(given != nullptr ? std::atoi(given) : 400);
}

struct Game {
  std::string path;
  bool removes = false;
  std::uint64_t window = std::uint64_t{1} << 62;  // keys that are remembered
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> acknowledged{0};  // keys 0 to acknowledged - 1 are in
  std::atomic<std::uint64_t> updates{0};
  std::atomic<std::uint64_t> denied{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> met_updates{0};
  std::mutex turns;  // so that key numbers are acknowledged in their order
};

void note_failure(Game& game, const Error& error) {
  if (game.failed++ == 0) {
    ADD_FAILURE() << error.to_string();
  }
}

// Inserts keys, some one by one. Where keys can be removed, inserts others too and removes them again.
void write(Game& game) {
  while (!game.done) {
    const auto lock = FileLock::take(game.path, [] { return true; });
    const std::lock_guard turn(game.turns);
    Result<AnyFilter> filter = AnyFilter::open(game.path, {.access = Access::kUpdateInPlace, .lock = &*lock});
    if (!filter) {
      return note_failure(game, filter.error());
    }
    const std::uint64_t first = game.acknowledged;
    const auto passing = numbered_hashes(kAbsentKeys / 2 + first, kKeysAnUpdate);
    if (game.removes) {
      (void)filter->insert_batch(passing);
    }
    for (std::uint64_t i = 0; i < kKeysAnUpdate; ++i) {
      (void)filter->insert(numbered_hashes(first + i, 1).front());
    }
    if (game.removes) {
      std::vector<std::uint64_t> answers(answer_words(passing.size()));
      (void)filter->remove_batch(passing, answers);
    }
    if (const Status finished = filter->native().finish_update(); !finished) {
      return note_failure(game, finished.error());
    }
    game.acknowledged = first + kKeysAnUpdate;
    ++game.updates;
  }
}

// Opens the filter again and again. Asks each time several times for keys that had been acknowledged before.
void read(Game& game, Access access) {
  while (!game.done) {
    const std::uint64_t promised = game.acknowledged;
    const std::uint64_t first = promised < 500 ? 0 : promised - 500;
    const Result<AnyFilter> filter = AnyFilter::open(game.path, {.access = access});
    if (!filter) {
      return note_failure(game, filter.error());
    }
    game.met_updates += filter->native().opened_during_update() ? 1 : 0;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t found = count_maybes(*filter, first, promised - first);
      const bool are_remembered = game.acknowledged + kKeysAnUpdate - first <= game.window;
      game.denied += are_remembered ? promised - first - found : 0;
    }
  }
}

void play(AnyFilter made, bool removes, std::uint64_t window = std::uint64_t{1} << 62) {
  const TestFolder folder;
  Game game;
  game.path = folder.path("f");
  game.removes = removes;
  game.window = window;
  ASSERT_TRUE(made.native().save(game.path));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] { write(game); });
  }
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&game, i] { read(game, i % 2 == 0 ? Access::kMap : Access::kCopy); });
  }
  const auto end = std::chrono::steady_clock::now() + time_for_a_type();
  while (std::chrono::steady_clock::now() < end || (game.updates < 3 && game.failed == 0)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  game.done = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(game.denied, 0u);
  EXPECT_EQ(game.failed, 0u);
  const Result<AnyFilter> whole = AnyFilter::open(game.path);
  ASSERT_TRUE(whole) << whole.error().to_string();
  const std::uint64_t last = std::min<std::uint64_t>(game.acknowledged, 500);
  EXPECT_EQ(count_maybes(*whole, game.acknowledged - last, last), last);
  testing::Test::RecordProperty("updates", std::to_string(game.updates));
  testing::Test::RecordProperty("openings_during_updates", std::to_string(game.met_updates));
}

TEST(Together, TwoWritersAndTenReadersOfBloom) {
  play(AnyFilter(*BloomFilter::for_capacity(100'000, 1e-4)), false);
}
TEST(Together, TwoWritersAndTenReadersOfBlocked) {
  play(AnyFilter(*BlockedBloomFilter::for_capacity(100'000, 1e-4)), false);
}
TEST(Together, TwoWritersAndTenReadersOfCounting) {
  play(AnyFilter(*CountingBloomFilter::for_capacity(100'000, 1e-9)), true);
}
TEST(Together, TwoWritersAndTenReadersOfAWindow) {
  play(AnyFilter(*WindowedFilter::for_capacity(0, 1e-4, {.window = Window::keys(2000, 4)})), false, 2000);
}

// One writer renews a key just before its window would forget it. Readers who follow the file never deny it, however
// often tables are cleared and filled while they ask.
TEST(Together, AKeyThatIsRenewedIsNeverDenied) {
  const std::uint64_t rounds = kThreadSanitized ? 2'000 : 100'000;
  constexpr std::uint64_t kStays = std::uint64_t{1} << 50;
  for (const Window& window : {Window::keys(1, 1), Window::keys(4, 2), Window::keys(64, 8)}) {
    const TestFolder folder;
    ASSERT_TRUE(WindowedFilter::for_capacity(0, 1e-8, {.window = window})->save(folder.path("f")));
    const auto before = *WindowedFilter::open(folder.path("f"));
    auto writer = *WindowedFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace});
    writer.insert(kStays);
    const auto meanwhile = *WindowedFilter::open(folder.path("f"));
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> denied{0};
    std::vector<std::thread> readers;
    for (const WindowedFilter* const reader : {&before, &meanwhile}) {
      readers.emplace_back([&, reader] {
        const std::vector<Hash128> hashes(500, reader->hash(kStays));
        while (!done) {
          denied += reader->may_contain(kStays) ? 0 : 1;
          denied += hashes.size() - maybes(*reader, hashes);
        }
      });
    }
    for (std::uint64_t round = 0; round < rounds / window.length; ++round) {
      for (std::uint64_t i = 1; i < window.length; ++i) {
        writer.insert(round * 100 + i);
      }
      writer.insert(kStays);
    }
    done = true;
    for (std::thread& reader : readers) {
      reader.join();
    }
    EXPECT_EQ(denied, 0u) << window.length;
    ASSERT_TRUE(writer.finish_update());
  }
}

}  // namespace
}  // namespace bloomery
