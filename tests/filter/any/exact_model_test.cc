// AnyFilter from an exact set on, of every plan, against an exact multiset: inserted, removed where it can,
// merged, saved and opened, below the threshold, at it and past it. Exact answers as long as it is exact, and
// no false negative ever. More operations on demand:
//   BLOOMERY_MODEL_OPERATIONS=10000000 filter_tests --gtest_filter='ExactModel.*'
#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kKeySpace = 3000;

// A filter and what is in it: keys with the times that they were inserted.
class ModelledExact {
 public:
  explicit ModelledExact(const FilterPlan& plan) : plan_(plan), filter_(*make_filter(plan)) {}

  bool is_exact() const { return filter_.type_name() == "exact"; }
  std::uint64_t different() const { return keys_.size(); }

  void insert(std::span<const std::uint64_t> keys) {
    std::vector<Hash128> hashes;
    for (const std::uint64_t key : keys) {
      hashes.push_back(hash_key(key, HashSpec{}));
    }
    ASSERT_EQ(filter_.insert_batch(hashes), 0u);
    for (const std::uint64_t key : keys) {
      ++keys_[key];
      outgrown_ = outgrown_ || keys_.size() > plan_.exact_below;
    }
    calls_ += keys.size();
    check_state();
  }
  // Of keys that are not in only what is certainly refused: to take out others breaks the contract.
  void remove(std::uint64_t key) {
    const auto found = keys_.find(key);
    if (!filter_.can_remove() || (found == keys_.end() && filter_.may_contain(hash_key(key, HashSpec{})))) {
      ASSERT_TRUE(!filter_.can_remove() || !is_exact());
      return;
    }
    const Hash128 hash = hash_key(key, HashSpec{});
    std::uint64_t answer = 0;
    filter_.remove_batch({&hash, 1}, {&answer, 1});
    ASSERT_EQ(answer, found == keys_.end() ? 0u : 1u) << "key " << key;
    if (found != keys_.end()) {
      --calls_;
      if (--found->second == 0) {
        keys_.erase(found);
      }
    }
    check_state();
  }
  void merge(const ModelledExact& other) {
    const Status merged = filter_.merge(other.filter_);
    ASSERT_TRUE(merged) << merged.error().to_string();
    for (const auto& [key, count] : other.keys_) {
      keys_[key] += count;
    }
    calls_ += other.calls_;
    outgrown_ = outgrown_ || other.outgrown_ || keys_.size() > plan_.exact_below;
    check_state();
  }
  void clear() {
    ASSERT_TRUE(filter_.clear());
    keys_.clear();
    calls_ = 0;
    check_state();
  }
  void reopen() {
    const FileBytes bytes(serialized(filter_.native()));
    auto again = AnyFilter::view(bytes.span(), {.access = Access::kCopy});
    ASSERT_TRUE(again) << again.error().to_string();
    filter_ = std::move(*again);
    check_state();
  }

  void check_key(std::uint64_t key) const {
    const auto found = keys_.find(key);
    const bool is_in = found != keys_.end();
    ASSERT_TRUE(filter_.may_contain(hash_key(key, HashSpec{})) || !is_in) << "key " << key;
    if (const auto* const set = std::get_if<ExactSet>(&filter_.variant())) {
      const std::uint64_t once = is_in ? 1 : 0;
      ASSERT_EQ(set->count(hash_key(key, HashSpec{})), is_in && set->can_remove() ? found->second : once);
    }
  }
  void check_all() const {
    std::vector<Hash128> hashes;
    for (const auto& [key, count] : keys_) {
      hashes.push_back(hash_key(key, HashSpec{}));
    }
    ASSERT_EQ(maybes(filter_, hashes), hashes.size());
    const std::uint64_t wrong = maybes(filter_, numbered_hashes(kAbsentKeys, 5000));
    ASSERT_LE(wrong, is_exact() ? 0u : 200u);  // the plan's fpp gives 50
  }

 private:
  void check_state() const {
    ASSERT_EQ(is_exact(), !outgrown_);
    ASSERT_EQ(filter_.native().inserted(), calls_);
    if (const auto* const set = std::get_if<ExactSet>(&filter_.variant())) {
      ASSERT_EQ(set->size(), keys_.size());
    }
  }

  FilterPlan plan_;
  AnyFilter filter_;
  std::unordered_map<std::uint64_t, std::uint64_t> keys_;
  std::uint64_t calls_ = 0;
  bool outgrown_ = false;
};

// A life: from an empty set, about the threshold for a while, then past it.
template <typename Random>
std::uint64_t live(const FilterPlan& plan, Random& random) {
  ModelledExact modelled(plan);
  const std::uint64_t life = 2000 + random() % 30'000;
  const std::uint64_t space = random() % 3 == 0 ? plan.exact_below : kKeySpace;
  std::uint64_t step = 0;
  for (; step < life && !::testing::Test::HasFatalFailure(); ++step) {
    const std::uint64_t key = random() % space;
    const std::uint64_t what = random() % 10'000;
    // Near the threshold as many go as come, where keys go.
    const std::uint64_t inserts =
        modelled.is_exact() && modelled.different() + 5 > plan.exact_below ? 2'300 : 3'500;
    if (what < inserts) {
      modelled.insert({&key, 1});
    } else if (what < 6'000) {
      modelled.remove(key);
    } else if (what < 9'960) {
      modelled.check_key(key);
    } else if (what < 9'975) {
      std::vector<std::uint64_t> keys(random() % (modelled.is_exact() ? 30 : 300));
      std::ranges::generate(keys, [&] { return random() % space; });
      modelled.insert(keys);
      step += keys.size();
    } else if (what < 9'990) {
      modelled.reopen();
    } else if (what < 9'997) {
      ModelledExact other(plan);
      for (std::uint64_t i = random() % 4 == 0 ? 2 * plan.exact_below : random() % 20; i > 0; --i) {
        const std::uint64_t other_key = random() % space;
        other.insert({&other_key, 1});
      }
      modelled.merge(other);
    } else if (what < 9'999) {
      modelled.check_all();
    } else {
      modelled.clear();
    }
  }
  modelled.check_all();
  return step;
}

void run_exact_model(const FilterPlan& plan, std::uint64_t seed, std::uint64_t usual = 60'000) {
  SCOPED_TRACE(plan.type_name() + ", seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::uint64_t wanted = model_operations(usual);
  for (std::uint64_t done = 0; done < wanted && !::testing::Test::HasFatalFailure();) {
    FilterPlan varied = plan;
    varied.exact_below = 1 + random() % 300;
    done += live(varied, random);
  }
}

FilterPlan model_plan(FilterType type, BlockedSetting setting = BlockedSetting::kFast) {
  return {.type = type, .capacity = kKeySpace, .fpp = 0.01, .options = {.setting = setting}};
}

TEST(ExactModel, Bloom) {
  run_exact_model(model_plan(FilterType::kBloom), kTestSeed);
}
TEST(ExactModel, BlockedFast) {
  run_exact_model(model_plan(FilterType::kBlocked), kTestSeed + 1);
}
TEST(ExactModel, BlockedDense) {
  run_exact_model(model_plan(FilterType::kBlocked, BlockedSetting::kDense), kTestSeed + 2,
                  15'000);  // whose size takes long to find
}
TEST(ExactModel, Counting) {
  run_exact_model(model_plan(FilterType::kCounting), kTestSeed + 3);
}
TEST(ExactModel, Quotient) {
  run_exact_model(model_plan(FilterType::kQuotient), kTestSeed + 4);
}
TEST(ExactModel, Scalable) {
  run_exact_model(model_plan(FilterType::kScalable), kTestSeed + 5);
}

}  // namespace
}  // namespace bloomery
