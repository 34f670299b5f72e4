// The windowed filter keeps its guarantee: at least W, at most (G + 1) g, by count and by age, whatever
// clocks do; its files; what damage and bad input meet.
#include "bloomery/filter/windowed_filter.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/exceptions.h"
#include "bloomery/filter/windowed_sizing.h"
#include "tests/base/sanitized.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"
#include "tests/filter/windowed/test_clock.h"

namespace bloomery {
namespace {

constexpr double kExact = 1e-9;  // so few false positives that none is met here
constexpr std::uint64_t kHour = 3'600'000'000'000;

WindowedFilter counting(std::uint64_t window, std::uint32_t generations, double fpp = kExact) {
  return *WindowedFilter::for_capacity(0, fpp, {.window = Window::keys(window, generations)});
}

WindowedFilter ageing(const TestClock& clock, std::uint64_t window, std::uint32_t generations,
                      std::uint64_t capacity = 1000, double fpp = kExact) {
  return *WindowedFilter::for_capacity(
      capacity, fpp,
      {.window = Window::time(std::chrono::nanoseconds(window), generations), .clock = &clock.clock()});
}

WindowedFilter copied(const WindowedFilter& filter, const WindowClock& clock = read_machine_clock) {
  const FileBytes bytes(serialized(filter));
  auto copy = WindowedFilter::view(bytes.span(), {.access = Access::kCopy, .clock = &clock});
  EXPECT_TRUE(copy) << copy.error().to_string();
  return std::move(*copy);
}

// What a file opened read-only now answers about a key.
bool answers_mapped(const WindowedFilter& filter, std::uint64_t key, const WindowClock& clock) {
  const FileBytes bytes(serialized(filter));
  const auto view = WindowedFilter::view(bytes.span(), {.clock = &clock});
  EXPECT_TRUE(view) << view.error().to_string();
  return view->may_contain(key);
}

// ---- the guarantee

TEST(WindowedFilter, ByCountRemembersWAndForgetsByWAndAGeneration) {
  for (std::uint64_t window = 1; window <= 20; ++window) {
    for (std::uint32_t generations = 1; generations <= std::min<std::uint64_t>(window, 6); ++generations) {
      SCOPED_TRACE(std::to_string(window) + " in " + std::to_string(generations));
      WindowedFilter filter = counting(window, generations);
      const std::uint64_t most = filter.window().remembered_at_most();
      EXPECT_TRUE(window % generations != 0 || most == window + window / generations);
      std::uint64_t longest = 0;
      for (std::uint64_t inserted = 0; inserted < 5 * most; ++inserted) {
        filter.insert(inserted);
        for (std::uint64_t key = 0; key <= inserted; ++key) {
          const std::uint64_t later = inserted - key;
          const bool is_in = filter.may_contain(key);
          ASSERT_TRUE(is_in || later > window) << later;
          ASSERT_TRUE(!is_in || later < most) << later;
          longest = is_in ? std::max(longest, later) : longest;
        }
      }
      EXPECT_EQ(longest, most - 1);
    }
  }
}

TEST(WindowedFilter, ByAgeRemembersWAndForgetsByWAndAGeneration) {
  for (const std::uint64_t window : {1u, 2u, 5u, 12u, 13u, 64u}) {
    for (std::uint32_t generations = 1; generations <= std::min<std::uint64_t>(window, 7); ++generations) {
      for (const std::uint64_t step : {1u, 3u, 40u}) {
        SCOPED_TRACE(std::to_string(window) + " in " + std::to_string(generations));
        TestClock clock;
        WindowedFilter filter = ageing(clock, window, generations);
        const std::uint64_t most = filter.window().remembered_at_most();
        for (std::uint64_t now = 0; now < 4 * most; now += step) {
          filter.insert(now);
          for (std::uint64_t key = 0; key <= now; key += step) {
            const bool is_in = filter.may_contain(key);
            ASSERT_TRUE(is_in || now - key > window) << now - key;
            ASSERT_TRUE(!is_in || now - key < most) << now - key;
          }
          clock.pass(step);
        }
      }
    }
  }
}

// Queries alone forget: nothing is written, and what is asked read-only is answered alike.
TEST(WindowedFilter, ForgetsByAgeWithoutAnInsert) {
  TestClock clock;
  WindowedFilter filter = ageing(clock, 4 * kHour, 4);
  filter.insert(std::uint64_t{1});
  clock.pass(kHour);
  filter.insert(std::uint64_t{2});
  const std::string before = serialized(filter);
  for (int hours = 1; hours < 8; ++hours) {
    EXPECT_EQ(filter.may_contain(std::uint64_t{1}), hours < 5) << hours;
    EXPECT_EQ(filter.may_contain(std::uint64_t{2}), hours < 6) << hours;
    EXPECT_EQ(answers_mapped(filter, 1, clock.clock()), hours < 5) << hours;
    EXPECT_EQ(answers_mapped(filter, 2, clock.clock()), hours < 6) << hours;
    EXPECT_EQ(copied(filter, clock.clock()).may_contain(std::uint64_t{2}), hours < 6) << hours;
    EXPECT_EQ(filter.estimated_count() > 0.5, hours < 6);
    EXPECT_EQ(filter.current_fpp() > 0, hours < 6);
    EXPECT_EQ(filter.fill_ratio() > 0, hours < 6);
    clock.pass(kHour);
  }
  EXPECT_EQ(serialized(filter), before);
  filter.advance();
  EXPECT_EQ(filter.set_bit_count(), 0u);
  EXPECT_EQ(filter.inserted(), 2u);
}

// A pause of any length, and the first insert after it: only that one is in, and it stays.
TEST(WindowedFilter, ALongPauseForgetsAllAndNothingThatComesAfter) {
  for (const std::uint64_t pause : {kHour, 5 * kHour, 6 * kHour, 1000 * kHour, 1'000'003 * kHour}) {
    TestClock clock;
    WindowedFilter filter = ageing(clock, 4 * kHour, 4);
    filter.insert(std::uint64_t{1});
    clock.pass(pause);
    filter.insert(std::uint64_t{2});
    EXPECT_EQ(filter.may_contain(std::uint64_t{1}), pause < 5 * kHour);
    for (int i = 0; i < 4; ++i) {
      clock.pass(kHour);
      filter.insert(std::uint64_t{100});
      EXPECT_TRUE(filter.may_contain(std::uint64_t{2}));
    }
    clock.pass(kHour);
    EXPECT_FALSE(filter.may_contain(std::uint64_t{2}));
  }
}

TEST(WindowedFilter, AnInsertRenews) {
  WindowedFilter filter = counting(8, 4);
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(filter.test_and_insert(std::uint64_t{7'000}).is_new, i == 0);
    for (std::uint64_t other = 0; other < 7; ++other) {
      EXPECT_TRUE(filter.test_and_insert(i * 7 + other));
    }
  }
  EXPECT_EQ(filter.inserted(), 1600u);
}

TEST(WindowedFilter, AReplayWithinTheWindowIsNeverNew) {
  WindowedFilter filter = counting(10, 3);
  for (std::uint64_t key = 0; key < 500; ++key) {
    for (const std::uint64_t back : {0u, 9u, 10u}) {
      WindowedFilter other = copied(filter);
      if (key >= back && back != 0) {
        EXPECT_FALSE(other.test_and_insert(key - back)) << key;
      }
    }
    EXPECT_TRUE(filter.test_and_insert(key));
  }
}

// ---- clocks

TEST(WindowedFilter, AWallClockThatJumpsChangesNothing) {
  TestClock steady;
  TestClock jumping;
  WindowedFilter expected = ageing(steady, 4 * kHour, 4);
  WindowedFilter filter = ageing(jumping, 4 * kHour, 4);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto jump = static_cast<std::int64_t>((i * 7919 % 1000) * kHour);
    jumping.jump_wall(i % 2 == 0 ? jump : -jump);
    steady.pass(kHour / 7);
    jumping.pass(kHour / 7);
    expected.insert(i);
    filter.insert(i);
    if (i % 5 == 0) {  // another process of the same boot
      filter = copied(filter, jumping.clock());
    }
    for (std::uint64_t key = 0; key <= i; ++key) {
      ASSERT_EQ(filter.may_contain(key), expected.may_contain(key)) << key << " at " << i;
    }
    ASSERT_EQ(answers_mapped(filter, i - i % 30, jumping.clock()), expected.may_contain(i - i % 30));
  }
}

TEST(WindowedFilter, AcrossBootsTheWallClockCountsAndOneSetBackLetsNoTimePass) {
  for (const int id : {2, 0}) {
    TestClock clock;
    WindowedFilter filter = ageing(clock, 4 * kHour, 4);
    filter.insert(std::uint64_t{1});
    clock.pass(2 * kHour);
    clock.reboot(id);
    filter = copied(filter, clock.clock());
    EXPECT_EQ(filter.generations()[2].keys, 1u);
    EXPECT_TRUE(filter.may_contain(std::uint64_t{1}));
    clock.jump_wall(-100 * static_cast<std::int64_t>(kHour));
    clock.reboot(id == 0 ? 0 : 3);
    filter = copied(filter, clock.clock());
    EXPECT_EQ(filter.generations()[2].keys, 1u);
    clock.pass(2 * kHour);  // goes on, within the boot
    EXPECT_TRUE(filter.may_contain(std::uint64_t{1}));
    clock.pass(kHour);
    EXPECT_FALSE(filter.may_contain(std::uint64_t{1}));
    filter.insert(std::uint64_t{2});
    clock.jump_wall(101 * static_cast<std::int64_t>(kHour));  // set right, and the machine started again
    clock.reboot(id == 0 ? 0 : 4);
    EXPECT_TRUE(copied(filter, clock.clock()).may_contain(std::uint64_t{2}));
  }
}

// A file that is only read in a later boot keeps the time of its opening, whatever the wall clock does then.
TEST(WindowedFilter, AMappedFileOfAnEarlierBootForgetsByTheBootClock) {
  TestClock clock;
  WindowedFilter filter = ageing(clock, 4 * kHour, 4);
  filter.insert(std::uint64_t{1});
  clock.pass(3 * kHour);
  clock.reboot(2);
  const FileBytes bytes(serialized(filter));
  const auto view = WindowedFilter::view(bytes.span(), {.clock = &clock.clock()});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->generations()[3].keys, 1u);
  for (const std::int64_t jump : {-1000, 1000, 1000, -1000}) {
    clock.jump_wall(jump * static_cast<std::int64_t>(kHour));
    EXPECT_TRUE(view->may_contain(std::uint64_t{1}));
  }
  clock.pass(2 * kHour);
  EXPECT_FALSE(view->may_contain(std::uint64_t{1}));
  EXPECT_EQ(serialized(*view), serialized(filter));
}

// ---- plans and numbers

TEST(WindowedFilter, BadWindowsAreErrors) {
  const auto error = [](const Window& window, std::uint64_t capacity = 0, double fpp = 0.01) {
    const auto filter = WindowedFilter::for_capacity(capacity, fpp, {.window = window});
    EXPECT_FALSE(filter);
    EXPECT_EQ(filter ? ErrorCode::kIo : filter.error().code(), ErrorCode::kInvalidArgument);
    return filter ? std::string() : filter.error().to_string();
  };
  EXPECT_NE(error(Window::keys(0)).find("window: expected 4 to 2^62 keys in 4 generations, found 0"),
            std::string::npos);
  EXPECT_NE(error(Window::time(std::chrono::seconds(0))).find("found 0"), std::string::npos);
  EXPECT_NE(error(Window::time(std::chrono::seconds(-5))).find("found 0"), std::string::npos);
  EXPECT_NE(error(Window::keys(3)).find("found 3"), std::string::npos);
  EXPECT_NE(error(Window::keys(kMaxWindow + 1)).find("window"), std::string::npos);
  EXPECT_NE(error(Window::keys(100, 0)).find("generations: expected 1 to 64, found 0"), std::string::npos);
  EXPECT_NE(error(Window::keys(100, 65)).find("found 65"), std::string::npos);
  EXPECT_NE(error(Window::keys(100), 99).find("capacity: expected the window, 100 keys, found 99"),
            std::string::npos);
  EXPECT_NE(error({.kind = static_cast<WindowKind>(3), .length = 100}).find("window kind"),
            std::string::npos);
  for (const double fpp : {0.0, 1.0, -1.0, std::nan(""), 1e-11}) {
    EXPECT_FALSE(WindowedFilter::for_capacity(100, fpp, {.window = Window::keys(100)})) << fpp;
  }
  EXPECT_FALSE(WindowedFilter::for_capacity(0, 0.01, {.window = Window::keys(kMaxWindow)}));
}

TEST(WindowedFilter, MeasuredFppIsThePredictedOneWhenEveryGenerationIsFull) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  constexpr std::uint64_t kKeys = 300'000;  // so many that their spread over cache lines is the expected one
  constexpr std::uint64_t kTrials = 1'500'000;
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    for (const std::uint32_t generations : {1u, 4u, 16u}) {
      for (const bool by_age : {false, true}) {
        TestClock clock;
        const Window window = by_age ? Window::time(std::chrono::hours(generations), generations)
                                     : Window::keys(kKeys, generations);
        WindowedFilter filter = *WindowedFilter::for_capacity(
            kKeys, 0.02, {.setting = setting, .window = window, .clock = &clock.clock()});
        const std::uint64_t share = filter.generation_capacity();
        double all_deny = 1;
        for (std::uint32_t i = 0; i <= generations; ++i) {
          EXPECT_LE(filter.current_fpp(), 0.02);
          insert_numbered(filter, i * share, share);
          all_deny *= 1 - predicted_fpp(filter.shape(), share);
          clock.pass(i < generations && by_age ? kHour : 0);
        }
        const double predicted = 1 - all_deny;
        EXPECT_LE(predicted, 0.02);
        EXPECT_GT(predicted, 0.0185);
        EXPECT_NEAR(filter.current_fpp() / predicted, 1, 0.03);
        const double measured =
            static_cast<double>(count_maybes(filter, kAbsentKeys, kTrials)) / static_cast<double>(kTrials);
        EXPECT_NEAR(measured / predicted, 1, 0.05) << generations;
        EXPECT_EQ(count_maybes(filter, 0, share * (generations + 1)), share * (generations + 1));
        EXPECT_NEAR(filter.estimated_count() / static_cast<double>(share * (generations + 1)), 1, 0.03);
        EXPECT_FALSE(filter.over_capacity());
        EXPECT_EQ(filter.byte_size(), windowed_bytes(filter.shape(), window));
      }
    }
  }
}

// Nothing is forgotten for it: fpp rises, and is told.
TEST(WindowedFilter, AnOverfullGenerationForgetsNothing) {
  TestClock clock;
  WindowedFilter filter = ageing(clock, 4 * kHour, 4, 4000, 0.01);
  insert_numbered(filter, 0, 4000);
  EXPECT_TRUE(filter.over_capacity());
  EXPECT_GT(filter.current_fpp(), 0.01);
  clock.pass(4 * kHour);
  EXPECT_EQ(count_maybes(filter, 0, 4000), 4000u);
  EXPECT_TRUE(filter.over_capacity());
  clock.pass(kHour);
  EXPECT_FALSE(filter.over_capacity());
  EXPECT_EQ(count_maybes(filter, 0, 4000), 0u);
}

TEST(WindowedFilter, GenerationsTellTheirKeysAndAges) {
  WindowedFilter filter = counting(8, 2);
  insert_numbered(filter, 0, 10);
  const auto generations = filter.generations();
  ASSERT_EQ(generations.size(), 3u);
  EXPECT_EQ(generations[0].keys, 2u);
  EXPECT_EQ(generations[0].newest_age, 0u);
  EXPECT_EQ(generations[0].oldest_age, 2u);
  EXPECT_EQ(generations[1].keys, 4u);
  EXPECT_EQ(generations[1].newest_age, 2u);
  EXPECT_EQ(generations[2].oldest_age, 10u);
  TestClock clock;
  WindowedFilter aged = ageing(clock, 2 * kHour, 2);
  aged.insert(std::uint64_t{1});
  clock.pass(kHour + 5);
  const auto later = aged.generations();
  EXPECT_EQ(later[0].keys, 0u);
  EXPECT_EQ(later[0].oldest_age, 5u);
  EXPECT_EQ(later[1].keys, 1u);
  EXPECT_EQ(later[1].oldest_age, kHour + 5);
}

// ---- calls

TEST(WindowedFilter, BatchesAreTheirKeysOneAtATime) {
  for (const std::uint64_t window : {3u, 50u, 2000u}) {
    WindowedFilter one = counting(window, 3, 0.05);
    WindowedFilter batch = counting(window, 3, 0.05);
    std::uint64_t first = 0;
    for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 1000u, 9000u}) {
      const std::vector<Hash128> hashes = numbered_hashes(first, size);
      first += size / 2;  // half of them come again
      std::vector<std::uint64_t> answers(answer_words(size), ~std::uint64_t{0});
      const auto check = [&](const auto& single) {
        for (std::size_t i = 0; i < answers.size() * 64; ++i) {
          ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, i < size && single(hashes[i]) ? 1u : 0u) << i;
        }
      };
      batch.may_contain_batch(hashes, answers);
      check([&](const Hash128& hash) { return one.may_contain(hash); });
      batch.test_and_insert_batch(hashes, answers);
      check([&](const Hash128& hash) { return one.test_and_insert(hash).is_new; });
      batch.insert_batch(hashes, size % 2 == 0 ? Sharing::kShared : Sharing::kExclusive);
      for (const Hash128& hash : hashes) {
        one.insert(hash);
      }
      ASSERT_EQ(serialized(batch), serialized(one));
    }
  }
}

TEST(WindowedFilter, ClearIsAsNew) {
  WindowedFilter filter = counting(8, 2);
  const std::string empty = serialized(filter);
  insert_numbered(filter, 0, 13);
  filter.clear();
  EXPECT_EQ(serialized(filter), empty);
  TestClock clock;
  AnyFilter any = ageing(clock, kHour, 2);
  clock.pass(kHour + 3);
  EXPECT_TRUE(any.insert(hash_key("a key", HashSpec{})));
  clock.pass(kHour / 4);
  ASSERT_TRUE(any.clear());
  EXPECT_FALSE(any.may_contain(hash_key("a key", HashSpec{})));
  EXPECT_TRUE(any.insert(hash_key("a key", HashSpec{})));
  clock.pass(kHour);
  EXPECT_TRUE(any.may_contain(hash_key("a key", HashSpec{})));
  clock.pass(kHour / 2);
  EXPECT_FALSE(any.may_contain(hash_key("a key", HashSpec{})));
}

TEST(WindowedFilter, ExceptionsAreHonouredAndWithdrawn) {
  WindowedFilter filter = counting(2000, 4, 0.05);
  insert_numbered(filter, 0, 2500);
  const std::vector<Hash128> white = numbered_hashes(kAbsentKeys, 2000);
  ASSERT_GT(*add_exceptions(filter, white), 20u);
  EXPECT_EQ(maybes(filter, white), 0u);
  const Hash128 one = filter.exceptions().front();
  EXPECT_TRUE(filter.test_and_insert(one));
  EXPECT_TRUE(filter.may_contain(one));
  EXPECT_EQ(filter.withdrawn_exceptions(), 1u);
}

TEST(WindowedFilter, BehindAnyFilter) {
  AnyFilter any = counting(100, 4);
  EXPECT_EQ(any.type_name(), "windowed");
  EXPECT_FALSE(any.is_static());
  EXPECT_FALSE(any.can_remove());
  EXPECT_EQ(any.bits(), any.native().byte_size() * 8);
  EXPECT_GE(any.hash_count(), 8u);
  EXPECT_EQ(any.insert_batch(numbered_hashes(0, 10)), 0u);
  EXPECT_TRUE(any.merge(counting(100, 4)));
  EXPECT_EQ(maybes(any, numbered_hashes(0, 10)), 10u);
  EXPECT_GT(any.fill_ratio(), 0);
  EXPECT_FALSE(any.over_capacity());
}

// ---- merge

// Every phase of both: keys of ours as without it; keys of theirs at least W, less than (G + 2) g.
TEST(WindowedFilter, AMergeForgetsNothingEarlyAndHoldsNothingBack) {
  constexpr std::uint64_t kWindow = 12;
  constexpr std::uint64_t kGeneration = 3;
  for (std::uint64_t ours = 0; ours < 20; ++ours) {
    for (std::uint64_t theirs = 0; theirs < 20; ++theirs) {
      WindowedFilter filter = counting(kWindow, 4);
      insert_numbered(filter, 0, ours);
      WindowedFilter alone = copied(filter);
      WindowedFilter other = counting(kWindow, 4);
      insert_numbered(other, 1000, theirs);
      ASSERT_TRUE(filter.merge(other));
      EXPECT_EQ(filter.inserted(), ours + theirs);
      for (std::uint64_t later = 0; later < 25; ++later) {
        for (std::uint64_t key = 0; key < ours; ++key) {
          ASSERT_EQ(filter.may_contain(key), alone.may_contain(key));
        }
        for (std::uint64_t key = 0; key < theirs; ++key) {
          const std::uint64_t since = theirs - 1 - key + later;
          const bool is_in = filter.may_contain(1000 + key);
          ASSERT_TRUE(is_in || since > kWindow) << ours << " " << theirs << " " << since;
          ASSERT_TRUE(!is_in || since < kWindow + 2 * kGeneration) << ours << " " << theirs << " " << since;
        }
        filter.insert(2000 + later);
        alone.insert(2000 + later);
      }
    }
  }
}

TEST(WindowedFilter, MergingByAgeBringsWhatIsNotForgotten) {
  TestClock clock;
  WindowedFilter filter = ageing(clock, 4 * kHour, 4);
  WindowedFilter other = ageing(clock, 4 * kHour, 4);
  other.insert(std::uint64_t{1});
  clock.pass(2 * kHour);
  other.insert(std::uint64_t{2});
  clock.pass(3 * kHour);  // the first is due, and was not cleared
  ASSERT_TRUE(filter.merge(other));
  EXPECT_FALSE(filter.may_contain(std::uint64_t{1}));
  EXPECT_TRUE(filter.may_contain(std::uint64_t{2}));
  for (int i = 0; i < 20; ++i) {  // again and again keeps nothing
    clock.pass(kHour / 3);
    ASSERT_TRUE(filter.merge(ageing(clock, 4 * kHour, 4)));
  }
  EXPECT_FALSE(filter.may_contain(std::uint64_t{2}));
}

TEST(WindowedFilter, MergingUnlikeFiltersNamesWhatDiffersAndChangesNothing) {
  TestClock clock;
  WindowedFilter filter = ageing(clock, kHour, 4);
  filter.insert(std::uint64_t{1});
  const std::string before = serialized(filter);
  const auto difference = [&](const WindowedFilter& other) {
    const Status status = filter.merge(other);
    return status ? std::string("none") : status.error().detail();
  };
  EXPECT_NE(difference(ageing(clock, 2 * kHour, 4)).find("different window (3600000000000 ns in 4 "),
            std::string::npos);
  EXPECT_NE(difference(ageing(clock, kHour, 5)).find("in 5 generations"), std::string::npos);
  EXPECT_NE(difference(counting(100, 4)).find("100 keys"), std::string::npos);
  EXPECT_NE(difference(ageing(clock, kHour, 4, 2000)).find("capacity (1000 and 2000)"), std::string::npos);
  EXPECT_EQ(serialized(filter), before);
}

// ---- files

TEST(WindowedFilter, SavedAndOpenedGoesOnWhereItWas) {
  const TestFolder folder;
  const std::string path = folder.path("a.windowed");
  WindowedFilter made = counting(100, 4);
  insert_numbered(made, 0, 260);
  ASSERT_TRUE(made.set_metadata("note"));
  ASSERT_TRUE(made.save(path));
  EXPECT_EQ(folder.read("a.windowed"), serialized(made));
  EXPECT_EQ(made.file_bytes(), serialized(made).size());
  for (const Access access : {Access::kMap, Access::kCopy, Access::kMapLocked, Access::kCopyLocked}) {
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      auto opened = WindowedFilter::open(path, {.access = access, .verify = verify});
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_TRUE(opened->is_writable());
      EXPECT_EQ(opened->window(), made.window());
      EXPECT_EQ(serialized(*opened), serialized(made));
      for (std::uint64_t key = 0; key < 260; ++key) {
        ASSERT_EQ(opened->may_contain(key), made.may_contain(key));
      }
      if (opened->is_writable()) {
        WindowedFilter goes_on = copied(made);
        insert_numbered(goes_on, 260, 77);
        insert_numbered(*opened, 260, 77);
        EXPECT_EQ(serialized(*opened), serialized(goes_on));
      }
    }
  }
  EXPECT_EQ(AnyFilter::open(path)->type_name(), "windowed");
  const auto as_blocked = BlockedBloomFilter::open(path);
  ASSERT_FALSE(as_blocked);
  EXPECT_NE(as_blocked.error().detail().find("expected a filter of type blocked, found windowed"),
            std::string::npos);
}

TEST(WindowedFilter, AnUpdateInPlaceRotatesInTheFile) {
  const TestFolder folder;
  TestClock clock;
  for (const bool by_age : {false, true}) {
    const std::string path = folder.path(by_age ? "age" : "count");
    WindowedFilter expected = by_age ? ageing(clock, 4 * kHour, 4) : counting(40, 4);
    insert_numbered(expected, 0, 35);
    ASSERT_TRUE(expected.save(path));
    clock.pass(3 * kHour);
    {
      auto update = WindowedFilter::open(path, {.access = Access::kUpdateInPlace, .clock = &clock.clock()});
      ASSERT_TRUE(update) << update.error().to_string();
      for (std::uint64_t i = 0; i < 5; ++i) {
        insert_numbered(*update, 100 * i, 9);
        insert_numbered(expected, 100 * i, 9);
        clock.pass(kHour / 2);
      }
      ASSERT_TRUE(update->finish_update());
    }
    EXPECT_EQ(folder.read(by_age ? "age" : "count"), serialized(expected));
    ASSERT_TRUE(WindowedFilter::open(path, {.clock = &clock.clock()}));
  }
}

// The second of two that would rotate one file is refused, in this process and in another.
TEST(WindowedFilter, AFileIsRotatedByOneAtATime) {
  const TestFolder folder;
  const std::string path = folder.path("f");
  ASSERT_TRUE(counting(40, 4).save(path));
  const auto in_a_child = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      auto other = WindowedFilter::open(path, {.access = Access::kUpdateInPlace, .accept_dirty = true});
      if (!other) {
        ::_exit(other.error().errno_value() == EWOULDBLOCK ? 1 : 2);
      }
      insert_numbered(*other, 1000, 60);
      ::_exit(other->finish_update() ? 0 : 3);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  {
    auto first = WindowedFilter::open(path, {.access = Access::kUpdateInPlace});
    ASSERT_TRUE(first);
    insert_numbered(*first, 0, 60);
    const auto second = WindowedFilter::open(path, {.access = Access::kUpdateInPlace, .accept_dirty = true});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), ErrorCode::kIo);
    EXPECT_EQ(in_a_child(), 1);
    insert_numbered(*first, 60, 60);
    ASSERT_TRUE(first->finish_update());
  }
  EXPECT_EQ(in_a_child(), 0);
  WindowedFilter expected = counting(40, 4);
  insert_numbered(expected, 0, 120);
  insert_numbered(expected, 1000, 60);
  EXPECT_EQ(folder.read("f"), serialized(expected));
}

// What a crash can leave: every word of the payload as it was at some moment of the update. Keys of before it
// that are due for W more are in, for as long.
TEST(WindowedFilter, WhatAnInterruptedUpdateLeftForgetsNothingEarly) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 100; ++round) {
    TestClock clock;
    const bool by_age = round % 2 == 0;
    WindowedFilter filter = by_age ? ageing(clock, 4 * kHour, 4, 100) : counting(40, 4);
    insert_numbered(filter, 0, 37);
    std::vector<std::string> moments = {serialized(filter)};
    for (std::uint64_t i = 0; i < 25; ++i) {  // the update
      clock.pass(kHour / 10);
      filter.insert(1000 + i);
      moments.push_back(serialized(filter));
    }
    FileParts left = FileParts::of(moments.front());
    left.header.dirty = true;
    for (std::size_t i = 0; i < left.payload.size(); i += 8) {
      left.payload.replace(i, 8, moments[random() % moments.size()], kNativeHeaderBytes + i, 8);
    }
    const FileBytes bytes(left.joined());
    EXPECT_FALSE(WindowedFilter::view(bytes.span(), {.clock = &clock.clock()}));
    clock.pass(50 * kHour);  // the time that such a file lay does not count
    for (const Access access : {Access::kMap, Access::kCopy}) {
      TestClock later = clock;
      auto opened = WindowedFilter::view(bytes.span(),
                                         {.access = access, .accept_dirty = true, .clock = &clock.clock()});
      ASSERT_TRUE(opened) << opened.error().to_string();
      const std::uint64_t first_due = by_age ? 0 : 37 + 25 - 40;  // of the last 40 inserts
      EXPECT_EQ(count_maybes(*opened, first_due, 37 - first_due), 37 - first_due);
      if (access == Access::kCopy) {
        clock.pass(kHour);
        opened->insert(std::uint64_t{5000});
        EXPECT_EQ(count_maybes(*opened, first_due + 1, 36 - first_due), 36 - first_due);
      }
    }
  }
}

// ---- damage

// An error, or a filter that every call can be made on.
void open_and_use_windowed(std::span<const std::byte> bytes, OpenOptions options, const WindowClock& clock) {
  options.clock = &clock;
  auto filter = WindowedFilter::view(bytes, options);
  if (!filter) {
    ASSERT_FALSE(filter.error().to_string().empty());
    return;
  }
  for (std::uint64_t key = 0; key < 20; ++key) {
    filter->insert(key);
    ASSERT_TRUE(filter->may_contain(key));
  }
  (void)filter->generations();
  ASSERT_LE(filter->fill_ratio(), 1);
  ASSERT_LE(filter->current_fpp(), 1);
  (void)filter->over_capacity();
  const FileBytes again(serialized(*filter));
  ASSERT_TRUE(WindowedFilter::view(again.span(), {.clock = &clock}));
}

TEST(WindowedFilter, DamageIsAnErrorOrSafe) {
  TestClock clock;
  for (const bool by_age : {false, true}) {
    WindowedFilter made = by_age ? ageing(clock, kHour, 2, 4, 0.05) : counting(4, 2, 0.05);
    insert_numbered(made, 0, 5);
    const std::string whole = serialized(made);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(WindowedFilter::view(FileBytes(whole.substr(0, size)).span())) << size;
    }
    const FileParts parts = FileParts::of(whole);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
        const FileBytes bytes(damaged);
        EXPECT_FALSE(WindowedFilter::view(bytes.span(), {.access = Access::kCopy, .clock = &clock.clock()}))
            << at;
        open_and_use_windowed(bytes.span(), {.access = Access::kCopy, .verify = Verify::kHeaderOnly},
                              clock.clock());
        if (at >= kNativeHeaderBytes) {
          FileParts changed = parts;
          changed.payload = damaged.substr(kNativeHeaderBytes, changed.payload.size());
          changed.header.dirty = bit % 2 == 0;
          open_and_use_windowed(FileBytes(changed.joined()).span(),
                                {.access = Access::kCopy, .accept_dirty = true}, clock.clock());
        }
      }
    }
    for (std::size_t size = 0; size < parts.payload.size(); ++size) {
      FileParts changed = parts;
      changed.payload.resize(size);
      EXPECT_FALSE(WindowedFilter::view(FileBytes(changed.joined()).span(), {.access = Access::kCopy}))
          << size;
    }
  }
}

TEST(WindowedFilter, EveryFieldOutOfRangeIsNamed) {
  struct Case {
    const char* name;
    std::size_t at;  // in the file
    std::uint64_t value;
    std::size_t size;
    bool by_age;
  };
  TestClock clock;
  for (const Case& c : {Case{"window kind", 192, 0, 4, false},
                        Case{"window kind", 192, 3, 4, false},
                        Case{"generations", 196, 0, 4, false},
                        Case{"generations", 196, 65, 4, false},
                        Case{"payload bytes", 196, 64, 4, true},
                        Case{"bits", 196, 4, 4, true},
                        Case{"window", 200, 0, 8, false},
                        Case{"window", 200, ~std::uint64_t{0}, 8, false},
                        Case{"capacity", 200, 5, 8, false},
                        Case{"current generation", 208, 3, 8, false},
                        Case{"progress", 216, 3, 8, false},
                        Case{"progress", 216, kHour / 2, 8, true},
                        Case{"clock reading", 224, 1, 8, false},
                        Case{"clock reading", 248, 1, 8, false},
                        Case{"time since boot", 240, std::uint64_t{1} << 63, 8, true},
                        Case{"reserved", 192 + 64 + 24, 1, 8, false},
                        Case{"capacity", 48, 5, 8, false},
                        Case{"bits", 64, 512, 8, false},
                        Case{"payload bytes", 64, 3072, 8, false},
                        Case{"stride", 120, 16, 2, false},
                        Case{"hash count", 28, 7, 4, false}}) {
    WindowedFilter made = c.by_age ? ageing(clock, kHour, 2, 4, 0.05) : counting(4, 2, 0.05);
    std::string bytes = serialized(made);
    std::memcpy(bytes.data() + c.at, &c.value, c.size);
    auto* const file = reinterpret_cast<std::byte*>(bytes.data());
    store_little(file + 112, crc32c({file + kNativeHeaderBytes, made.byte_size()}));
    store_little(file + 188, crc32c({file, 188}));
    const auto opened = WindowedFilter::view(FileBytes(bytes).span(), {.access = Access::kCopy});
    ASSERT_FALSE(opened) << c.name << " " << c.value;
    EXPECT_TRUE(opened.error().offset().has_value());
    EXPECT_NE(opened.error().detail().find(c.name), std::string::npos) << opened.error().to_string();
    EXPECT_NE(opened.error().detail().find("expected"), std::string::npos) << opened.error().to_string();
  }
}

// Keys leave the count of a generation with it.
TEST(WindowedFilter, AGenerationCountsItsOwnKeysOnly) {
  WindowedFilter filter = counting(20, 4);
  for (std::uint64_t key = 0; key < 200; ++key) {
    filter.insert(key);
    std::uint64_t held = 0;
    for (const WindowGeneration& generation : filter.generations()) {
      EXPECT_LE(generation.keys, 5u) << "key " << key;
      held += generation.keys;
    }
    EXPECT_LE(held, 25u);
    EXPECT_GE(held, std::min<std::uint64_t>(key + 1, 20)) << "key " << key;
  }
}

// All tables of a window may be dense, as a single one may.
TEST(WindowedFilter, MayBeOfTheDenseSetting) {
  const FilterOptions options = {.setting = BlockedSetting::kDense, .window = Window::keys(100, 4)};
  Result<WindowedFilter> filter = WindowedFilter::for_capacity(0, 0.001, options);
  ASSERT_TRUE(filter) << filter.error().to_string();
  insert_numbered(*filter, 0, 100);
  EXPECT_EQ(count_maybes(*filter, 0, 100), 100u);
  EXPECT_EQ(count_maybes(copied(*filter), 0, 100), 100u);
}

TEST(WindowedFilter, APayloadWithoutRoomForTheWindowIsNamed) {
  FileParts parts = FileParts::of(serialized(counting(4, 2)));
  parts.payload.resize(8);
  const auto opened = WindowedFilter::view(FileBytes(parts.joined()).span());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().detail().find("payload bytes: expected at least 64, found 8"), std::string::npos)
      << opened.error().to_string();
}

// Whoever goes on where an update was interrupted begins a generation, and knows how far it is.
TEST(WindowedFilter, AWriterThatAcceptsADirtyFileCountsItsOwnKeys) {
  WindowedFilter filter = counting(40, 4);
  insert_numbered(filter, 0, 5);
  FileParts left = FileParts::of(serialized(filter));
  left.header.dirty = true;
  const FileBytes bytes(left.joined());
  auto opened = WindowedFilter::view(bytes.span(), {.access = Access::kCopy, .accept_dirty = true});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->generations().front().oldest_age, 0u);
  insert_numbered(*opened, 100, 3);
  EXPECT_EQ(opened->generations().front().oldest_age, 3u);
  const auto read = WindowedFilter::view(bytes.span(), {.accept_dirty = true});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->generations().front().oldest_age, 0u);
}

}  // namespace
}  // namespace bloomery
