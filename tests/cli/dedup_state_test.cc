// A state's saves: far enough apart to take a twentieth of the time at most.
#include "cli/dedup_state.h"

#include <chrono>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "cli/dedup_options.h"
#include "tests/base/test_folder.h"

namespace bloomery::cli {
namespace {

using Clock = LinePipeline::Clock;

// What `bloomery dedup --state s.bloom --save-every PAUSE ...` wishes.
class Wished {
 public:
  explicit Wished(const std::string& save_every) {
    wish_.add_to(app_);
    app_.parse("--state " + folder_.path("s.bloom") + " --save-every " + save_every + " -n 1e6 -p 0.001");
    EXPECT_TRUE(wish_.parse());
  }
  const DedupWish& wish() const { return wish_; }

 private:
  TestFolder folder_;
  CLI::App app_;
  DedupWish wish_;
};

TEST(DedupState, TheNextSaveIsAsFarAwayAsAsked) {
  const Wished wished("1h");
  const DedupWish& wish = wished.wish();
  const auto before = Clock::now();
  const auto state = DedupState::create(wish, *wish.new_filter(0, {}));
  ASSERT_TRUE(state) << state.error().to_string();
  EXPECT_GE((*state)->due(), before + std::chrono::hours(1));
  EXPECT_LE((*state)->due(), Clock::now() + std::chrono::hours(2));
}

// Of five saves one at least is not held up by the machine between the readings of the two clocks.
TEST(DedupState, ASlowSavePutsOffTheNextOne) {
  const Wished wished("1ns");
  const DedupWish& wish = wished.wish();
  const auto state = DedupState::create(wish, *wish.new_filter(0, {}));
  ASSERT_TRUE(state) << state.error().to_string();
  bool is_put_off = false;
  for (int i = 0; i < 5; ++i) {
    const auto before = Clock::now();
    ASSERT_TRUE((*state)->save({}));
    const auto after = Clock::now();
    is_put_off = is_put_off || (*state)->due() - after > 5 * (after - before);
  }
  EXPECT_TRUE(is_put_off);
}

}  // namespace
}  // namespace bloomery::cli
