// The windowed filter against an exact model of when each key came last: random inserts, tests, batches,
// merges, pauses, saves and openings, also in a later boot. No false negative ever; what is to be forgotten
// is, but for as many false positives as its fpp says.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/windowed_filter.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"
#include "tests/filter/windowed/test_clock.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kWindowedSeed = 20261122;
constexpr double kWindowedFpp = 1e-3;

// How often forgotten keys were asked for, and were matched by chance.
struct Chances {
  std::uint64_t asked = 0;
  double expected = 0;
  std::uint64_t matched = 0;
};

// Times are keys inserted, or nanoseconds. A key is in until `surely_until`, and forgotten from `gone_at` on.
struct Known {
  std::int64_t surely_until;
  std::int64_t gone_at;
};

class ModelledWindowed {
 public:
  ModelledWindowed(const Window& window, const TestClock& clock)
      : filter_(*WindowedFilter::for_capacity(by_age(window) ? 500 : 0, kWindowedFpp,
                                              {.window = window, .clock = &clock.clock()})),
        clock_(clock) {}

  static bool by_age(const Window& window) { return window.kind == WindowKind::kAge; }

  void insert(std::uint64_t key) {
    filter_.insert(key);
    note(key);
  }
  void insert_batch(std::uint64_t first, std::size_t count) {
    filter_.insert_batch(numbered_hashes(first, count));
    for (std::size_t i = 0; i < count; ++i) {
      note(first + i);
    }
  }
  void test_and_insert(std::uint64_t key) {
    const std::int64_t now = by_age(filter_.window()) ? now_ : now_ + 1;  // by count it counts itself
    const auto found = keys_.find(key);
    const bool is_new = filter_.test_and_insert(key).is_new;
    ASSERT_FALSE(is_new && found != keys_.end() && now <= found->second.surely_until) << "key " << key;
    note(key);
  }
  void pass(std::uint64_t nanoseconds) {  // its clock did
    now_ += static_cast<std::int64_t>(nanoseconds);
  }
  void reopen() { filter_ = opened({.access = Access::kCopy}); }
  void merge(const ModelledWindowed& other) {
    const Status merged = filter_.merge(other.filter_);
    ASSERT_TRUE(merged) << merged.error().to_string();
    const auto more = static_cast<std::int64_t>(filter_.window().generation_length());
    for (const auto& [key, known] : other.keys_) {
      keep(key, {known.surely_until - other.now_ + now_, known.gone_at - other.now_ + now_ + more});
    }
  }
  void clear() {
    filter_.clear();
    keys_.clear();
  }
  void advance() { filter_.advance(); }

  void check_key(std::uint64_t key, Chances& chances) const { check(filter_, key, chances); }
  void check_all(Chances& chances) const {
    const WindowedFilter mapped = opened({});
    for (const auto& entry : keys_) {
      check(filter_, entry.first, chances);
      check(mapped, entry.first, chances);
    }
  }

 private:
  void keep(std::uint64_t key, const Known& known) {
    Known& kept = keys_.try_emplace(key, known).first->second;
    kept.surely_until = std::max(kept.surely_until, known.surely_until);
    kept.gone_at = std::max(kept.gone_at, known.gone_at);
  }
  void note(std::uint64_t key) {
    now_ += by_age(filter_.window()) ? 0 : 1;
    keep(key, {now_ + static_cast<std::int64_t>(filter_.window().length),
               now_ + static_cast<std::int64_t>(filter_.window().remembered_at_most())});
  }
  WindowedFilter opened(OpenOptions options) const {
    bytes_ = FileBytes(serialized(filter_));
    options.clock = &clock_.clock();
    auto again = WindowedFilter::view(bytes_.span(), options);
    EXPECT_TRUE(again) << again.error().to_string();
    return std::move(*again);
  }
  void check(const WindowedFilter& filter, std::uint64_t key, Chances& chances) const {
    const auto found = keys_.find(key);
    const bool is_in = filter.may_contain(key);
    if (found != keys_.end() && now_ <= found->second.surely_until) {
      ASSERT_TRUE(is_in) << "key " << key;
    } else if (found == keys_.end() || now_ >= found->second.gone_at) {
      ++chances.asked;
      chances.expected += kWindowedFpp;
      chances.matched += is_in ? 1 : 0;
    }
  }

  WindowedFilter filter_;
  TestClock clock_;
  std::int64_t now_ = 0;
  std::map<std::uint64_t, Known> keys_;
  mutable FileBytes bytes_{""};  // of what is mapped
};

void run_windowed_model(const Window& window, std::uint64_t seed, std::uint64_t steps,
                        std::uint64_t key_space) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TestClock clock;
  ModelledWindowed modelled(window, clock);
  Chances chances;
  int boot = 1;
  const auto pass = [&](std::uint64_t nanoseconds) {
    clock.pass(nanoseconds);
    if (ModelledWindowed::by_age(window)) {
      modelled.pass(nanoseconds);
    }
  };
  for (std::uint64_t step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) {
    const std::uint64_t key = random() % key_space;
    const std::uint64_t what = random() % 10'000;
    pass(random() % (window.length / 250 + 2));
    if (what < 4000) {
      modelled.insert(key);
    } else if (what < 6000) {
      modelled.test_and_insert(key);
    } else if (what < 9900) {
      modelled.check_key(key, chances);
    } else if (what < 9950) {
      modelled.insert_batch(key, random() % 20);
    } else if (what < 9980) {
      clock.jump_wall(static_cast<std::int64_t>(random() % (4 * window.length)));
      modelled.advance();
    } else if (what < 9990) {
      modelled.reopen();
    } else if (what < 9993) {  // in another boot, some time later
      modelled.advance();
      pass(random() % window.length);
      clock.reboot(++boot % 100 + 1);
      modelled.reopen();
    } else if (what < 9995) {
      pass(random() % (3 * window.length));
    } else if (what == 9995 && random() % 8 == 0) {
      modelled.clear();
    } else if (what > 9996) {
      ModelledWindowed other(window, clock);
      for (std::uint64_t i = random() % 100; i > 0; --i) {
        other.insert(random() % key_space);
        const std::uint64_t some = random() % (window.length / 50 + 2);
        pass(some);
        if (ModelledWindowed::by_age(window)) {
          other.pass(some);
        }
      }
      modelled.merge(other);
    }
    if (step % (steps / 20 + 1) == 0) {
      modelled.check_all(chances);
    }
  }
  modelled.check_all(chances);
  // Merges may have overfilled it: twice what it is made for, and 5 standard deviations.
  EXPECT_LE(static_cast<double>(chances.matched), 2 * chances.expected + 5 * std::sqrt(chances.expected) + 5)
      << chances.asked;
  EXPECT_GT(chances.asked, steps / 50);
}

TEST(WindowedFilter, IsTheWindowOfAModel) {
  const std::uint64_t steps = model_operations(300'000) / 6;
  run_windowed_model(Window::keys(400, 4), kWindowedSeed, steps, 3000);
  run_windowed_model(Window::keys(1003, 7), kWindowedSeed + 1, steps, 10'000);
  run_windowed_model(Window::keys(5, 1), kWindowedSeed + 2, steps, 50);
  run_windowed_model(Window::time(std::chrono::seconds(100), 4), kWindowedSeed + 3, steps, 3000);
  run_windowed_model(Window::time(std::chrono::nanoseconds(1000), 10), kWindowedSeed + 4, steps, 3000);
  run_windowed_model(Window::time(std::chrono::nanoseconds(777), 64), kWindowedSeed + 5, steps, 2000);
}

}  // namespace
}  // namespace bloomery
