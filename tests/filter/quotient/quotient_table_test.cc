// The quotient table against a map of counts and a slow writer of its bytes, on every kernel, over tables
// small enough for every state and full enough for every overflow; and against damage.
#include "filter/quotient/quotient_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using QuotientModel = std::map<QuotientFingerprint, std::uint64_t>;
using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kQuotientSeed = 60321;

Words words_of(const QuotientTable& table) {
  return {table.words().begin(), table.words().end()};
}

// ---- the bytes, written down slowly from what quotient_slots.h says

std::vector<std::uint64_t> group_of(std::uint64_t remainder, std::uint64_t count, std::uint32_t r) {
  std::vector<std::uint64_t> group(std::min<std::uint64_t>(count, 3), remainder);
  if (count < 3) {
    return group;
  }
  const std::uint64_t base = r == 1 ? 2 : std::uint64_t{1} << (r - 1);
  for (std::uint64_t left = count - 3;;) {
    const bool more = left >= base;
    if (r == 1) {
      group.push_back(more ? 1 : 0);
      group.push_back(left % base);
    } else {
      group.push_back(left % base + (more ? base : 0));
    }
    if (!more) {
      return group;
    }
    left /= base;
  }
}

struct Slots {
  std::vector<std::uint64_t> remainders;
  std::vector<bool> runends;
  std::vector<bool> occupieds;
  std::vector<std::uint64_t> owners;  // of a slot that is taken, its quotient + 1
};

// Nothing if they do not fit.
std::optional<Slots> laid_out(const QuotientPlan& plan, const QuotientModel& model) {
  const std::size_t count = quotient_slots(plan);
  Slots slots = {Words(count), std::vector<bool>(count), std::vector<bool>(count), Words(count)};
  std::size_t free = 0;
  for (auto entry = model.begin(); entry != model.end(); ++entry) {
    const auto& [quotient, remainder] = entry->first;
    free = std::max<std::size_t>(free, quotient);
    for (const std::uint64_t value : group_of(remainder, entry->second, plan.remainder_bits)) {
      if (free == count) {
        return std::nullopt;
      }
      slots.remainders[free] = value;
      slots.owners[free++] = quotient + 1;
    }
    slots.occupieds[quotient] = true;
    const auto next = std::next(entry);
    slots.runends[free - 1] = next == model.end() || next->first.quotient != quotient;
  }
  return slots;
}

std::optional<Words> reference_words(const QuotientPlan& plan, const QuotientModel& model) {
  const auto slots = laid_out(plan, model);
  if (!slots) {
    return std::nullopt;
  }
  const std::uint32_t r = plan.remainder_bits;
  const std::uint64_t blocks = slots->remainders.size() / 64;
  Words words(*quotient_words(plan));
  for (std::uint64_t block = 0; block < blocks; ++block) {
    std::uint64_t* const at = words.data() + block * (2 + r);
    std::uint64_t taken = 0;
    for (std::uint64_t slot = block * 64;
         slot < slots->owners.size() && slots->owners[slot] != 0 && slots->owners[slot] - 1 < block * 64;
         ++slot) {
      ++taken;
    }
    words[blocks * (2 + r) + block / 8] |= std::min<std::uint64_t>(taken, 255) << (block % 8 * 8);
    for (std::uint64_t i = 0; i < 64; ++i) {
      at[0] |= std::uint64_t{slots->occupieds[block * 64 + i]} << i;
      at[1] |= std::uint64_t{slots->runends[block * 64 + i]} << i;
      const std::uint64_t value = slots->remainders[block * 64 + i];
      at[2 + i * r / 64] |= value << (i * r % 64);
      if (i * r % 64 + r > 64) {
        at[2 + i * r / 64 + 1] |= value >> (64 - i * r % 64);
      }
    }
  }
  return words;
}

// ---- the model's operations

bool model_insert(const QuotientPlan& plan, QuotientModel& model, const QuotientFingerprint& fingerprint,
                  std::uint64_t count, bool inserted) {
  QuotientModel more = model;
  more[fingerprint] = std::min(more[fingerprint] + count, kMaxQuotientCount);
  if (!inserted) {
    return !laid_out(plan, more).has_value();
  }
  model = std::move(more);
  return true;
}

// Returns what the table's erase() has to.
bool model_erase(QuotientModel& model, const QuotientFingerprint& fingerprint) {
  const auto found = model.find(fingerprint);
  if (found == model.end()) {
    return false;
  }
  if (found->second != kMaxQuotientCount && --found->second == 0) {
    model.erase(found);
  }
  return true;
}

QuotientTally tally_of(const QuotientPlan& plan, const QuotientModel& model) {
  QuotientTally tally;
  for (const auto& [fingerprint, count] : model) {
    tally.slots += group_of(fingerprint.remainder, count, plan.remainder_bits).size();
    tally.fingerprints += 1;
    tally.keys += count;
  }
  return tally;
}

QuotientModel entries_of(const QuotientTable& table) {
  QuotientModel model;
  QuotientCursor cursor = table.cursor();
  QuotientFingerprint last;
  for (QuotientEntry entry; cursor.next(entry); last = entry.fingerprint) {
    EXPECT_TRUE(model.empty() || last < entry.fingerprint);
    model[entry.fingerprint] = entry.count;
  }
  return model;
}

void expect_modelled(const QuotientTable& table, const QuotientModel& model) {
  const Status status = table.check();
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  ASSERT_EQ(table.tally(), tally_of(table.plan(), model));
  ASSERT_EQ(words_of(table), *reference_words(table.plan(), model));
  ASSERT_EQ(entries_of(table), model);
  for (const auto& [fingerprint, count] : model) {
    ASSERT_EQ(table.count(fingerprint), count);
    ASSERT_TRUE(table.contains(fingerprint));
  }
}

QuotientTable table_of(const QuotientPlan& plan, const QuotientModel& model) {
  QuotientTable table = std::move(*QuotientTable::create(plan));
  for (const auto& [fingerprint, count] : model) {
    EXPECT_TRUE(table.insert(fingerprint, count));
  }
  return table;
}

std::vector<QuotientFingerprint> fingerprints_of(std::uint64_t first, std::uint64_t quotients,
                                                 std::uint32_t r) {
  std::vector<QuotientFingerprint> all;
  for (std::uint64_t quotient = first; quotient < first + quotients; ++quotient) {
    for (std::uint64_t remainder = 0; remainder >> r == 0; ++remainder) {
      all.push_back({quotient, remainder});
    }
  }
  return all;
}

std::vector<const QuotientKernel*> kernels_here() {
  std::vector<const QuotientKernel*> kernels;
  for (const QuotientKernel& kernel : quotient_kernels()) {
    if (kernel.available()) {
      kernels.push_back(&kernel);
    }
  }
  return kernels;
}

// ---- plans and fingerprints

static_assert(!quotient_words({0, 8}) && !quotient_words({kMaxQuotients + 1, 8}));
static_assert(!quotient_words({1, 0}) && !quotient_words({1, kMaxRemainderBits + 1}));
static_assert(quotient_slots({1, 8}) == 320 && quotient_words({1, 8}) == 5 * 10 + 1);
static_assert(quotient_slots({64, 8}) == 320 && quotient_slots({65, 8}) == 384);
static_assert(quotient_words({10'000'000, 13}) == 156'254 * 15 + 19'532);

TEST(QuotientPlanTest, RefusesWhatIsNoPlan) {
  for (const QuotientPlan plan :
       {QuotientPlan{0, 8}, {kMaxQuotients + 1, 8}, {~std::uint64_t{0}, 8}, {8, 0}, {8, 49}}) {
    EXPECT_EQ(QuotientTable::create(plan).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(QuotientTable::over(plan, {}).error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(QuotientTable::create({kMaxQuotients, kMaxRemainderBits}).error().code(), ErrorCode::kCapacity);
  Words words(*quotient_words({100, 8}) + 1);
  EXPECT_EQ(QuotientTable::over({100, 8}, words).error().code(), ErrorCode::kInvalidArgument);
}

std::vector<std::uint64_t> edge_and_random_hashes(std::mt19937_64& random, std::size_t count) {
  std::vector<std::uint64_t> hashes = {
      0, 1, ~std::uint64_t{0}, ~std::uint64_t{0} - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1};
  while (hashes.size() < count) {
    hashes.push_back(random());
  }
  return hashes;
}

TEST(QuotientFingerprintTest, AscendsWithTheHashAndIsInRange) {
  std::mt19937_64 random(kQuotientSeed);
  std::vector<std::uint64_t> hashes = edge_and_random_hashes(random, 2000);
  std::sort(hashes.begin(), hashes.end());
  for (const std::uint64_t m : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{5000}, kMaxQuotients}) {
    for (const std::uint32_t r : {1U, 2U, 13U, 48U}) {
      QuotientFingerprint last;
      for (const std::uint64_t hash : hashes) {
        const QuotientFingerprint fingerprint = quotient_fingerprint(m, r, hash);
        ASSERT_LE(last, fingerprint);
        ASSERT_LT(fingerprint.quotient, m);
        ASSERT_EQ(fingerprint.remainder >> r, 0U);
        last = fingerprint;
      }
    }
  }
}

TEST(QuotientFingerprintTest, DoublingTakesOneBitFromTheRemainder) {
  std::mt19937_64 random(kQuotientSeed);
  for (const std::uint64_t hash : edge_and_random_hashes(random, 20000)) {
    const std::uint64_t m = 1 + random() % (kMaxQuotients / 2);
    const auto r = static_cast<std::uint32_t>(2 + random() % 47);
    const QuotientFingerprint before = quotient_fingerprint(m, r, hash);
    const QuotientFingerprint after = quotient_fingerprint(2 * m, r - 1, hash);
    ASSERT_EQ(after.quotient, 2 * before.quotient + (before.remainder >> (r - 1)));
    ASSERT_EQ(after.remainder, before.remainder & low_bits(r - 1));
  }
}

// ---- every state of tiny tables

// From `base`, all that insert and erase of `fingerprints` can reach in `depth` steps; every step out of
// every state there is taken and its bytes compared, so that all sequences are covered that stay in reach.
void explore(const QuotientPlan& plan, const QuotientModel& base,
             const std::vector<QuotientFingerprint>& fingerprints, std::size_t depth,
             std::size_t least_states) {
  std::set<QuotientModel> seen = {base};
  std::deque<std::pair<QuotientModel, std::size_t>> queue = {{base, 0}};
  const std::vector<const QuotientKernel*> kernels = kernels_here();
  Words words;
  for (; !queue.empty(); queue.pop_front()) {
    const auto& [model, steps] = queue.front();
    const Words before = *reference_words(plan, model);
    const QuotientTally tally = tally_of(plan, model);
    words = before;
    const auto whole = QuotientTable::over(plan, words);
    ASSERT_TRUE(whole.has_value()) << whole.error().to_string();
    ASSERT_EQ(whole->tally(), tally);
    for (std::size_t i = 0; i < 2 * fingerprints.size(); ++i) {
      const QuotientFingerprint& fingerprint = fingerprints[i / 2];
      words = before;
      QuotientTable table = std::move(*QuotientTable::over_checked(plan, words, tally));
      table.use_kernel(*kernels[i / 2 % kernels.size()]);
      const auto had = model.find(fingerprint);
      ASSERT_EQ(table.count(fingerprint), had == model.end() ? 0 : had->second);
      ASSERT_EQ(table.contains(fingerprint), had != model.end());
      QuotientModel next = model;
      if (i % 2 == 0) {
        ASSERT_TRUE(model_insert(plan, next, fingerprint, 1, table.insert(fingerprint)));
      } else {
        ASSERT_EQ(table.erase(fingerprint), model_erase(next, fingerprint));
      }
      ASSERT_EQ(words, *reference_words(plan, next)) << fingerprint.quotient << " " << fingerprint.remainder;
      ASSERT_EQ(table.tally(), tally_of(plan, next));
      if (steps < depth && seen.insert(next).second) {
        queue.emplace_back(std::move(next), steps + 1);
      }
    }
  }
  EXPECT_GE(seen.size(), least_states);
}

TEST(QuotientTableTest, EveryStateOfTinyTables) {
  explore({1, 1}, {}, fingerprints_of(0, 1, 1), 60, 1800);
  explore({1, 2}, {}, fingerprints_of(0, 1, 2), 10, 1000);
  explore({2, 1}, {}, fingerprints_of(0, 2, 1), 10, 1000);
  explore({2, 2}, {}, fingerprints_of(0, 2, 2), 6, 3000);
  explore({3, 1}, {}, fingerprints_of(0, 3, 1), 7, 1700);
  explore({4, 1}, {}, fingerprints_of(0, 4, 1), 6, 3000);
  explore({4, 2}, {}, fingerprints_of(0, 4, 2), 4, 4800);
}

TEST(QuotientTableTest, EveryStateAcrossTwoBlocks) {
  explore({66, 1}, {}, fingerprints_of(62, 4, 1), 5, 1200);
  explore({66, 2}, {}, fingerprints_of(62, 3, 2), 4, 1800);
  // A run that comes in from further left and fills up to the last slot of its block.
  const QuotientModel left = {{{30, 0}, 1}, {{31, 1}, kMaxQuotientCount - 1}, {{40, 0}, 4}};
  explore({66, 2}, left, fingerprints_of(61, 3, 2), 3, 400);
  explore({66, 1}, {{{12, 1}, kMaxQuotientCount - 1}}, fingerprints_of(62, 3, 1), 5, 400);
}

// The first `groups` fingerprints of quotient 0 on, 27 slots each; the largest count but two.
QuotientModel filled_groups(std::uint64_t groups, std::uint32_t r) {
  QuotientModel model;
  for (std::uint64_t i = 0; i < groups; ++i) {
    model[{i >> r, i & low_bits(r)}] = kMaxQuotientCount - 2;
  }
  return model;
}

TEST(QuotientTableTest, EveryStateWhereTheTableIsFull) {
  // 11 groups of 27 slots of 320 leave 23; depth 3 on all sixteen fingerprints does not fill them, so one
  // more group of 19 does most of it.
  QuotientModel base = filled_groups(11, 2);
  base[{2, 3}] = 3 + (std::uint64_t{1} << 15);  // 3 copies and 16 digits
  explore({4, 2}, base, fingerprints_of(2, 2, 2), 5, 600);
  base[{3, 0}] = 2;
  explore({4, 2}, base, fingerprints_of(0, 4, 2), 3, 200);
}

// ---- random operations

enum class Skew { kEven, kFewFingerprints, kOneQuotient, kLastQuotients, kBothEnds };

QuotientFingerprint random_fingerprint(std::mt19937_64& random, const QuotientPlan& plan, Skew skew) {
  const std::uint64_t remainder = random() & low_bits(plan.remainder_bits);
  const std::uint64_t last = plan.quotients - 1;
  switch (skew) {
    case Skew::kEven:
      break;
    case Skew::kFewFingerprints:
      return {random() % std::min<std::uint64_t>(plan.quotients, 40) * 7 % plan.quotients, remainder % 3};
    case Skew::kOneQuotient:
      return {random() % 4 == 0 ? random() % plan.quotients : plan.quotients / 3, remainder};
    case Skew::kLastQuotients:
      return {last - std::min(random() % 8, last), remainder};
    case Skew::kBothEnds:
      return {random() % 2 == 0 ? std::min(random() % 8, last) : last - std::min(random() % 8, last),
              remainder};
  }
  return quotient_fingerprint(plan.quotients, plan.remainder_bits, random());
}

QuotientFingerprint any_of(std::mt19937_64& random, const QuotientModel& model, const QuotientPlan& plan) {
  const auto found = model.lower_bound(random_fingerprint(random, plan, Skew::kEven));
  return found == model.end() ? model.begin()->first : found->first;
}

// Inserts and erases around loads that go up and down between empty and `top`; 1 is until it refuses.
void run_randomly(std::mt19937_64& random, const QuotientPlan& plan, Skew skew, double top,
                  std::size_t operations, const QuotientKernel& kernel) {
  QuotientTable table = std::move(*QuotientTable::create(plan));
  table.use_kernel(kernel);
  QuotientModel model;
  bool grows = true;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < operations; ++i) {
    grows = model.empty() || (grows && table.load() < top && refused < 50);
    const bool inserts = random() % 8 < (grows ? 7U : 2U);
    const bool of_model = !model.empty() && random() % 8 < (inserts ? 1U : 7U);
    const QuotientFingerprint fingerprint =
        of_model ? any_of(random, model, plan) : random_fingerprint(random, plan, skew);
    if (inserts) {
      const std::uint64_t count = random() % 16 != 0 ? 1 : 1 + (random() >> (random() % 24 + 40));
      const bool inserted = table.insert(fingerprint, count);
      if (inserted) {
        std::uint64_t& held = model[fingerprint];
        held = std::min(held + count, kMaxQuotientCount);
      } else {
        ASSERT_TRUE(model_insert(plan, model, fingerprint, count, false));
        refused += 1;
      }
    } else {
      ASSERT_EQ(table.erase(fingerprint), model_erase(model, fingerprint));
    }
    const auto held = model.find(fingerprint);
    ASSERT_EQ(table.count(fingerprint), held == model.end() ? 0 : held->second);
    const QuotientFingerprint asked = random_fingerprint(random, plan, skew);
    ASSERT_EQ(table.contains(asked), model.contains(asked));
    if (i % (operations / 8) == 0 || i + 1 == operations) {
      expect_modelled(table, model);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
      refused = 0;
    }
    grows = grows || random() % 2000 == 0;
  }
}

TEST(QuotientTableTest, RandomOperationsEqualTheModel) {
  constexpr std::array<double, 4> kTops = {0.5, 0.9, 0.95, 2};
  constexpr std::array<Skew, 5> kSkews = {Skew::kEven, Skew::kFewFingerprints, Skew::kOneQuotient,
                                          Skew::kLastQuotients, Skew::kBothEnds};
  const auto kernels = kernels_here();
  for (std::uint64_t i = 0; i < 400; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kQuotientSeed + i));
    std::mt19937_64 random(kQuotientSeed + i);
    const QuotientPlan plan = {.quotients = 1 + random() % (i % 4 == 0   ? 5000
                                                            : i % 4 == 1 ? 20
                                                                         : 700),
                               .remainder_bits = static_cast<std::uint32_t>(1 + random() % 20)};
    const Skew skew = i % 2 == 0 ? Skew::kEven : kSkews[random() % kSkews.size()];
    SCOPED_TRACE(std::to_string(plan.quotients) + " quotients, " + std::to_string(plan.remainder_bits) +
                 " bits, skew " + std::to_string(static_cast<int>(skew)));
    const std::size_t operations = i % 4 == 0 ? 12000 : 1500;
    ASSERT_NO_FATAL_FAILURE(run_randomly(random, plan, skew, kTops[random() % kTops.size()], operations,
                                         *kernels[i % kernels.size()]));
  }
}

TEST(QuotientTableTest, WidestRemainders) {
  for (std::uint32_t r = 21; r <= kMaxRemainderBits; ++r) {
    SCOPED_TRACE(std::to_string(r) + " bits");
    std::mt19937_64 random(kQuotientSeed + r);
    const auto kernels = kernels_here();
    ASSERT_NO_FATAL_FAILURE(run_randomly(random, {.quotients = 300, .remainder_bits = r}, Skew::kEven, 0.95,
                                         1000, *kernels[r % kernels.size()]));
  }
}

// Offsets far beyond what a byte says, and every fill of the last slots.
TEST(QuotientTableTest, OneRunOverManyBlocks) {
  for (const QuotientKernel* kernel : kernels_here()) {
    for (const std::uint64_t home :
         {std::uint64_t{0}, std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{1999}}) {
      const QuotientPlan plan = {.quotients = 2000, .remainder_bits = 12};
      std::mt19937_64 random(kQuotientSeed + home);
      QuotientTable table = std::move(*QuotientTable::create(plan));
      table.use_kernel(*kernel);
      QuotientModel model;
      for (std::uint64_t i = 0; i < 300; ++i) {  // others around it
        const QuotientFingerprint other = quotient_fingerprint(plan.quotients, 12, random());
        ASSERT_TRUE(table.insert(other));
        model[other] += 1;
      }
      std::vector<QuotientFingerprint> inserted;
      for (QuotientFingerprint next = {home, random() % 4096};;
           next.remainder = (next.remainder + 1367) % 4096) {
        if (!table.insert(next)) {
          ASSERT_TRUE(model_insert(plan, model, next, 1, false));
          break;
        }
        model[next] += 1;
        inserted.push_back(next);
        if (inserted.size() % 128 == 0) {
          ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
        }
      }
      EXPECT_GE(inserted.size(), home == 1999 ? 256U : 1500U);
      ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
      std::shuffle(inserted.begin(), inserted.end(), random);
      for (std::size_t i = 0; i < inserted.size(); ++i) {
        ASSERT_TRUE(table.erase(inserted[i]));
        ASSERT_TRUE(model_erase(model, inserted[i]));
        if (i % 64 == 0) {
          ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
        }
      }
      ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
    }
  }
}

TEST(QuotientTableTest, EvenHashesFillNearlyAllSlots) {
  std::mt19937_64 random(kQuotientSeed);
  QuotientTable table = std::move(*QuotientTable::create({.quotients = 20000, .remainder_bits = 9}));
  std::size_t at_95 = 0;
  for (std::size_t keys = 0; table.insert(random()); ++keys) {
    at_95 = table.load() <= 0.95 ? keys : at_95;
  }
  EXPECT_GT(table.load(), 0.98);
  EXPECT_GT(at_95, 18000U);
  EXPECT_TRUE(table.check().has_value());
}

// ---- counts

TEST(QuotientTableTest, CountsUpToThePinAndStaysThere) {
  for (std::uint32_t r = 1; r <= kMaxRemainderBits; ++r) {
    const QuotientPlan plan = {.quotients = 3, .remainder_bits = r};
    QuotientTable table = std::move(*QuotientTable::create(plan));
    const QuotientFingerprint counted = {1, r % 2};
    const QuotientFingerprint behind = {2, 1};
    ASSERT_TRUE(table.insert(behind));
    QuotientModel model = {{behind, 1}};
    // Every length of the digits, from one below to one above.
    for (std::uint64_t power = 1; power <= (kMaxQuotientCount >> 1) + 1; power *= 2) {
      const std::uint64_t target = power + 2;
      ASSERT_TRUE(table.insert(counted, target - table.count(counted)));
      for (std::uint64_t count = target - 1; count <= target + 2; ++count) {
        table.erase(counted);
        model[counted] = target - 1;
        ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
        ASSERT_TRUE(table.insert(counted));
        model[counted] = target;
        ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
      }
    }
    ASSERT_TRUE(table.insert(counted, kMaxQuotientCount - 1 - table.count(counted)));
    ASSERT_TRUE(table.erase(counted));
    ASSERT_EQ(table.count(counted), kMaxQuotientCount - 2);
    ASSERT_TRUE(table.insert(counted, ~std::uint64_t{0}));
    ASSERT_TRUE(table.insert(counted));
    ASSERT_TRUE(table.erase(counted));
    model[counted] = kMaxQuotientCount;
    ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
    EXPECT_LE(table.tally().slots, 1U + (r == 1 ? 51 : 27));
  }
}

TEST(QuotientTableTest, ErasingWhatIsNotThereChangesNothing) {
  std::mt19937_64 random(kQuotientSeed);
  QuotientTable table = std::move(*QuotientTable::create({.quotients = 700, .remainder_bits = 6}));
  for (int i = 0; i < 650; ++i) {
    ASSERT_TRUE(table.insert(random()));
  }
  const Words before = words_of(table);
  const QuotientTally tally = table.tally();
  std::size_t absent = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t hash = random();
    if (!table.contains(hash)) {
      absent += 1;
      ASSERT_FALSE(table.erase(hash));
    }
  }
  EXPECT_GT(absent, 15000U);
  EXPECT_EQ(words_of(table), before);
  EXPECT_EQ(table.tally(), tally);
}

// ---- batches

std::vector<Hash128> batch_hashes(std::mt19937_64& random, std::size_t count) {
  std::vector<Hash128> hashes(count);
  for (Hash128& hash : hashes) {
    hash = {.low = random(), .high = random()};
  }
  return hashes;
}

TEST(QuotientTableTest, BatchesAreSingleCalls) {
  for (const QuotientKernel* kernel : kernels_here()) {
    std::mt19937_64 random(kQuotientSeed);
    for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 63U, 64U, 65U, 1000U}) {
      const QuotientPlan plan = {.quotients = 1050, .remainder_bits = 5};
      QuotientTable batched = std::move(*QuotientTable::create(plan));
      QuotientTable single = std::move(*QuotientTable::create(plan));
      batched.use_kernel(*kernel);
      const std::vector<Hash128> hashes = batch_hashes(random, count);
      ASSERT_EQ(batched.insert_batch(hashes), count);
      for (const Hash128& hash : hashes) {
        ASSERT_TRUE(single.insert(hash.low));
      }
      ASSERT_EQ(words_of(batched), words_of(single));
      std::vector<Hash128> asked = batch_hashes(random, count);
      for (std::size_t i = 0; i < count; i += 2) {
        asked[i] = hashes[i];
      }
      Words answers((count + 63) / 64, ~std::uint64_t{0});
      Words expected((count + 63) / 64);
      batched.contains_batch(asked, answers);
      for (std::size_t i = 0; i < count; ++i) {
        expected[i / 64] |= std::uint64_t{single.contains(asked[i].low)} << (i % 64);
      }
      ASSERT_EQ(answers, expected);
      std::fill(expected.begin(), expected.end(), 0);
      batched.erase_batch(asked, answers);
      for (std::size_t i = 0; i < count; ++i) {
        expected[i / 64] |= std::uint64_t{single.erase(asked[i].low)} << (i % 64);
      }
      ASSERT_EQ(answers, expected);
      ASSERT_EQ(words_of(batched), words_of(single));
      ASSERT_EQ(batched.tally(), single.tally());
    }
  }
}

TEST(QuotientTableTest, ABatchStopsWhereTheTableIsFull) {
  std::mt19937_64 random(kQuotientSeed);
  QuotientTable table = std::move(*QuotientTable::create({.quotients = 10, .remainder_bits = 20}));
  const std::vector<Hash128> hashes = batch_hashes(random, 1000);
  const std::size_t inserted = table.insert_batch(hashes);
  EXPECT_GT(inserted, 300U);
  EXPECT_LE(inserted, 320U);
  EXPECT_EQ(table.tally().keys, inserted);
  EXPECT_TRUE(table.check().has_value());
  EXPECT_FALSE(table.insert(hashes[inserted].low));
}

// ---- from plan to plan

struct Filled {
  std::vector<std::uint64_t> hashes;
  QuotientTable table;
};

Filled filled_randomly(std::uint64_t seed, const QuotientPlan& plan, double load) {
  std::mt19937_64 random(seed);
  Filled filled = {{}, std::move(*QuotientTable::create(plan))};
  while (filled.table.load() < load) {
    const bool repeats = !filled.hashes.empty() && random() % 4 == 0;
    filled.hashes.push_back(repeats ? filled.hashes[random() % filled.hashes.size()] : random());
    EXPECT_TRUE(filled.table.insert(filled.hashes.back()));
  }
  return filled;
}

Words words_from(const QuotientPlan& plan, const std::vector<std::uint64_t>& hashes) {
  QuotientTable table = std::move(*QuotientTable::create(plan));
  for (const std::uint64_t hash : hashes) {
    EXPECT_TRUE(table.insert(hash));
  }
  return words_of(table);
}

TEST(QuotientTableTest, DoublingIsInsertingIntoTwiceTheQuotients) {
  for (const std::uint64_t m : {1U, 2U, 3U, 77U, 1000U}) {
    SCOPED_TRACE(m);
    Filled filled = filled_randomly(kQuotientSeed + m, {.quotients = m, .remainder_bits = 12}, 0.95);
    for (std::uint32_t step = 1; step < 12; ++step) {
      Result<QuotientTable> doubled = filled.table.doubled();
      ASSERT_TRUE(doubled.has_value()) << doubled.error().to_string();
      filled.table = std::move(*doubled);
      ASSERT_TRUE(filled.table.check().has_value());
      ASSERT_EQ(filled.table.plan(), (QuotientPlan{m << step, 12 - step}));
      ASSERT_EQ(words_of(filled.table), words_from(filled.table.plan(), filled.hashes));
    }
    EXPECT_EQ(filled.table.doubled().error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(QuotientTableTest, ResizesToWhereTheUniverseDivides) {
  const Filled filled = filled_randomly(kQuotientSeed, {.quotients = 360, .remainder_bits = 14}, 0.6);
  for (const QuotientPlan plan : {QuotientPlan{360, 14},
                                  {360, 13},
                                  {720, 13},
                                  {1440, 9},
                                  {45, 17},
                                  {45, 16},
                                  {360, 1},
                                  {180, 15},
                                  {120, 14},
                                  {72, 14},
                                  {5, 17},
                                  {1, 17},
                                  {360 << 13, 1}}) {
    SCOPED_TRACE(std::to_string(plan.quotients) + ", " + std::to_string(plan.remainder_bits));
    const Result<QuotientTable> resized = filled.table.resized(plan);
    ASSERT_TRUE(resized.has_value()) << resized.error().to_string();
    ASSERT_TRUE(resized->check().has_value());
    ASSERT_EQ(words_of(*resized), words_from(plan, filled.hashes));
  }
  for (const QuotientPlan plan : {QuotientPlan{360, 15}, {361, 14}, {720, 14}, {7, 3}, {0, 3}}) {
    EXPECT_EQ(filled.table.resized(plan).error().code(), ErrorCode::kInvalidArgument);
  }
  const Filled full = filled_randomly(kQuotientSeed, {.quotients = 3200, .remainder_bits = 10}, 0.9);
  EXPECT_EQ(full.table.resized({.quotients = 100, .remainder_bits = 15}).error().code(),
            ErrorCode::kCapacity);
}

TEST(QuotientTableTest, MergingIsInsertingBoth) {
  for (std::uint64_t seed = kQuotientSeed; seed < kQuotientSeed + 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const QuotientPlan plan = {.quotients = 600, .remainder_bits = 7};
    const Filled a = filled_randomly(seed, plan, seed % 2 == 0 ? 0.45 : 0);
    const Filled b = filled_randomly(seed + 1000, {.quotients = 300, .remainder_bits = 8}, 0.8);
    std::vector<std::uint64_t> both = a.hashes;
    both.insert(both.end(), b.hashes.begin(), b.hashes.end());
    const Result<QuotientTable> merged = QuotientTable::merged(a.table, b.table, plan);
    ASSERT_TRUE(merged.has_value()) << merged.error().to_string();
    ASSERT_TRUE(merged->check().has_value());
    ASSERT_EQ(words_of(*merged), words_from(plan, both));
  }
  QuotientTable pinned = std::move(*QuotientTable::create({5, 5}));
  ASSERT_TRUE(pinned.insert(77, kMaxQuotientCount - 1));
  EXPECT_EQ(QuotientTable::merged(pinned, pinned, {5, 5})->count(77), kMaxQuotientCount);
}

TEST(QuotientTableWriterTest, RefusesWhatDoesNotAscendOrFit) {
  const QuotientPlan plan = {.quotients = 4, .remainder_bits = 3};
  const std::vector<std::vector<QuotientEntry>> wrong = {{{{4, 0}, 1}},
                                                         {{{0, 8}, 1}},
                                                         {{{0, 0}, 0}},
                                                         {{{0, 0}, kMaxQuotientCount + 1}},
                                                         {{{1, 1}, 1}, {{1, 1}, 1}},
                                                         {{{1, 1}, 1}, {{1, 0}, 1}},
                                                         {{{1, 1}, 1}, {{0, 7}, 1}}};
  for (const auto& entries : wrong) {
    Words words(*quotient_words(plan));
    QuotientTableWriter writer(plan, words.data());
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
      ASSERT_TRUE(writer.append(entries[i]).has_value());
    }
    EXPECT_EQ(writer.append(entries.back()).error().code(), ErrorCode::kInvalidArgument);
  }
  Words words(*quotient_words(plan));
  QuotientTableWriter writer(plan, words.data());
  Status status;
  for (std::uint64_t i = 0; i < 32 && status; ++i) {
    status = writer.append({{i / 8, i % 8}, kMaxQuotientCount});
  }
  EXPECT_EQ(status.error().code(), ErrorCode::kCapacity);
}

TEST(QuotientTableWriterTest, WritesWhatInsertsWrite) {
  for (std::uint64_t seed = kQuotientSeed; seed < kQuotientSeed + 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const QuotientPlan plan = {.quotients = 1 + random() % 2000,
                               .remainder_bits = static_cast<std::uint32_t>(1 + random() % 20)};
    const Skew skew = random() % 2 == 0 ? Skew::kEven : Skew::kOneQuotient;
    QuotientModel model;
    for (std::uint64_t i = 0; i < plan.quotients / 2; ++i) {
      model[random_fingerprint(random, plan, skew)] += 1 + random() % 3 / 2;
    }
    Words words(*quotient_words(plan));
    QuotientTableWriter writer(plan, words.data());
    for (const auto& [fingerprint, count] : model) {
      ASSERT_TRUE(writer.append({fingerprint, count}).has_value());
    }
    const auto over = QuotientTable::over_checked(plan, words, writer.finish());
    ASSERT_NO_FATAL_FAILURE(expect_modelled(*over, model));
    ASSERT_EQ(words, words_of(table_of(plan, model)));
  }
}

// ---- the rate of false positives

TEST(QuotientTableTest, FppIsLoadOverTwoToTheR) {
  constexpr std::uint64_t kQuotients = 30000;
  constexpr std::uint64_t kProbes = 2'000'000;
  std::mt19937_64 random(kQuotientSeed);
  for (const std::uint32_t r : {4U, 8U}) {
    QuotientTable table = std::move(*QuotientTable::create({.quotients = kQuotients, .remainder_bits = r}));
    double keys = 0;
    for (const double load : {0.5, 0.75, 0.9, 0.95}) {
      for (; table.load() < load; ++keys) {
        ASSERT_TRUE(table.insert(random()));
      }
      const double universe = std::ldexp(static_cast<double>(kQuotients), static_cast<int>(r));
      const double expected = -std::expm1(keys * std::log1p(-1 / universe));
      EXPECT_NEAR(table.fpp() / expected, 1, 0.01);
      std::uint64_t found = 0;
      for (std::uint64_t i = 0; i < kProbes; ++i) {
        found += table.contains(random()) ? 1U : 0U;
      }
      const double deviation = std::sqrt(table.fpp() * static_cast<double>(kProbes));
      EXPECT_NEAR(static_cast<double>(found), table.fpp() * static_cast<double>(kProbes), 4 * deviation)
          << "load " << load << ", r " << r;
      EXPECT_NEAR(table.fpp() / std::ldexp(load, -static_cast<int>(r)), 1, 0.05);
    }
  }
}

// ---- damage

// Every call, on words that passed the check.
void use_everything(const QuotientPlan& plan, Words& words, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  QuotientTable table = std::move(*QuotientTable::over(plan, words));
  table.use_kernel(*kernels_here()[seed % kernels_here().size()]);
  const QuotientModel model = entries_of(table);
  ASSERT_NO_FATAL_FAILURE(expect_modelled(table, model));
  const std::vector<Hash128> hashes = batch_hashes(random, 40);
  Words answers(1);
  table.contains_batch(hashes, answers);
  table.insert_batch(hashes);
  ASSERT_TRUE(table.check().has_value());
  table.erase_batch(hashes, answers);
  for (std::size_t i = 0; i < 10 && !model.empty(); ++i) {
    ASSERT_TRUE(table.erase(any_of(random, model, plan)) || i > 0);
  }
  ASSERT_TRUE(table.check().has_value());
  if (plan.remainder_bits > 1) {
    ASSERT_TRUE(table.doubled().has_value());
  }
}

TEST(QuotientTableDamageTest, EveryBitFlippedIsFoundOrHarmless) {
  for (const std::uint32_t r : {1U, 2U, 5U}) {
    const QuotientPlan plan = {.quotients = 70, .remainder_bits = r};
    const Filled filled = filled_randomly(kQuotientSeed, plan, 2.5);  // with counts, beyond two blocks
    const Words whole = words_of(filled.table);
    std::size_t harmless = 0;
    for (std::size_t bit = 0; bit < whole.size() * 64; ++bit) {
      Words words = whole;
      words[bit / 64] ^= std::uint64_t{1} << (bit % 64);
      const auto opened = QuotientTable::over(plan, words);
      if (!opened) {
        ASSERT_EQ(opened.error().code(), ErrorCode::kCorruption);
        ASSERT_LT(*opened.error().offset(), whole.size() * 8);
        continue;
      }
      harmless += 1;
      ASSERT_NO_FATAL_FAILURE(use_everything(plan, words, bit)) << "bit " << bit;
    }
    EXPECT_LT(harmless, whole.size() * 64 / 2);
    for (std::size_t byte = 0; byte < whole.size() * 8; ++byte) {
      Words words = whole;
      words[byte / 8] ^= std::uint64_t{0xff} << (byte % 8 * 8);
      if (QuotientTable::over(plan, words)) {
        ASSERT_NO_FATAL_FAILURE(use_everything(plan, words, byte)) << "byte " << byte;
      }
    }
  }
}

TEST(QuotientTableDamageTest, AnyWordsAreRefusedOrHarmless) {
  std::mt19937_64 random(kQuotientSeed);
  for (int i = 0; i < 20000; ++i) {
    const QuotientPlan plan = {.quotients = 1 + random() % 100,
                               .remainder_bits = static_cast<std::uint32_t>(1 + random() % 3)};
    Words words(*quotient_words(plan));
    const Filled base = filled_randomly(kQuotientSeed, plan, i % 3 == 0 ? 0 : 0.8);
    words = words_of(base.table);
    for (std::uint64_t changes = random() % 4 + 1; changes > 0; --changes) {
      std::uint64_t& word = words[random() % words.size()];
      word = i % 2 == 0 ? random() & random() & random() : word ^ (random() & 7) << (random() % 62);
    }
    if (QuotientTable::over(plan, words)) {
      ASSERT_NO_FATAL_FAILURE(use_everything(plan, words, random()));
    }
  }
}

TEST(QuotientTableDamageTest, SaysWhereTheDamageIs) {
  const QuotientPlan plan = {.quotients = 100, .remainder_bits = 6};
  const Words whole = words_of(filled_randomly(kQuotientSeed, plan, 0.9).table);
  const auto offset_of = [&](std::size_t word, std::uint64_t flipped) {
    Words words = whole;
    words[word] ^= flipped;
    return *QuotientTable::over(plan, words).error().offset();
  };
  EXPECT_EQ(offset_of(8 * 3, 1), 8U * 8 * 3);            // occupied behind the last quotient
  EXPECT_EQ(offset_of(8 * 5 + 1, 1), (8U * 5 + 1) * 8);  // a runend of nothing
  EXPECT_EQ(offset_of(8 * 5 + 7, std::uint64_t{1} << 60), (8U * 5 + 7) * 8);  // a remainder of nothing
  EXPECT_EQ(offset_of(8 * 6, std::uint64_t{1} << 40), 8U * 6 * 8);            // the offset of block 5
  EXPECT_EQ(offset_of(8 * 6, std::uint64_t{1} << 48), 8U * 6 * 8);            // of none
  EXPECT_TRUE(QuotientTable::create(plan)->check().has_value());
}

}  // namespace
}  // namespace bloomery
