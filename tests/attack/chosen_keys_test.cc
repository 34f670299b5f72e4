// Keys chosen by somebody who knows the hash: every attack works against a filter without a secret, in the
// same test, and fails against one that has one.
//
// The attacker knows the code, the plan, every key that is in, and the file; not the secret. So he keeps a
// copy of the filter under the hash that he can compute, and tries keys on it, at no cost to anyone but
// himself. Not here: keys that are found to match by asking the filter itself, from which no hash protects.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "tests/attack/known_keys.h"

namespace bloomery {
namespace {

constexpr double kChosenFpp = 0.001;

std::vector<std::string> members() {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < kMembers; ++i) {
    keys.push_back("member " + std::to_string(i));
  }
  return keys;
}

// The first `count` keys, none a member, that the attacker's copy takes for one.
template <typename Filter>
std::vector<std::string> forged_keys(const Filter& copy, std::size_t count) {
  std::vector<std::string> forged;
  for (std::uint64_t i = 0; forged.size() < count; ++i) {
    std::string key = "forged " + std::to_string(i);
    if (copy.may_contain(key)) {
      forged.push_back(std::move(key));
    }
  }
  return forged;
}

template <typename Filter>
std::size_t hits(const Filter& filter, const std::vector<std::string>& keys) {
  std::size_t count = 0;
  for (const std::string& key : keys) {
    count += filter.may_contain(key) ? 1U : 0U;
  }
  return count;
}

// Second preimages: keys that are found, offline, to match.
TEST(ChosenKeys, ForgedPositivesMatchOnlyWithoutASecret) {
  const BloomFilter copy = *BloomFilter::build(members(), kChosenFpp, options_for(false));
  const std::vector<std::string> forged = forged_keys(copy, 300);
  EXPECT_EQ(hits(*BloomFilter::build(members(), kChosenFpp, options_for(false)), forged), forged.size());
  EXPECT_LT(hits(*BloomFilter::build(members(), kChosenFpp, options_for(true)), forged), 6u);  // 0.3 expected
}

TEST(ChosenKeys, ForgedPositivesOfARibbonToo) {
  const RibbonFilter copy = *RibbonFilter::build(members(), kChosenFpp, options_for(false));
  const std::vector<std::string> forged = forged_keys(copy, 300);
  EXPECT_EQ(hits(*RibbonFilter::build(members(), kChosenFpp, options_for(false)), forged), forged.size());
  EXPECT_LT(hits(*RibbonFilter::build(members(), kChosenFpp, options_for(true)), forged), 6u);
}

// What the attacker knows of an unkeyed textbook filter: its bits, and which of them a key sets (as
// docs/formats/native.md says).
class Copy {
 public:
  explicit Copy(const BloomShape& shape) : shape_(shape), bits_(shape.bits) {}

  // How many bits a key would set that are clear.
  std::uint32_t fresh_bits(const std::string& key) const {
    std::uint32_t fresh = 0;
    for_each_bit(key, [&](std::uint64_t bit) { fresh += bits_[bit] ? 0U : 1U; });
    return fresh;
  }
  void insert(const std::string& key) {
    for_each_bit(key, [&](std::uint64_t bit) { bits_[bit] = true; });
  }

 private:
  template <typename Use>
  void for_each_bit(const std::string& key, Use use) const {
    std::uint64_t x = hash_key(key, HashSpec{}).low;
    for (std::uint32_t i = 0; i < shape_.hash_count; ++i) {
      use(static_cast<std::uint64_t>((Uint128{x} * shape_.bits) >> 64));
      x *= 0xf1357aea2e62a9c5;
    }
  }

  BloomShape shape_;
  std::vector<bool> bits_;
};

// Pollution: of the keys he may insert the attacker takes those that set the most clear bits of his copy.
// Returns the fpp of the filter after as many inserts as it was made for.
double polluted_fpp(bool keyed) {
  BloomFilter victim = *BloomFilter::for_capacity(kMembers, kChosenFpp, options_for(keyed));
  Copy copy(victim.shape());
  std::uint64_t next = 0;
  for (std::uint64_t chosen = 0; chosen < kMembers; ++chosen) {
    std::string best;
    std::uint32_t most = 0;
    for (int tries = 0; tries < 100 && most < victim.shape().hash_count; ++tries) {
      const std::string key = "polluter " + std::to_string(next++);
      if (const std::uint32_t fresh = copy.fresh_bits(key); fresh >= most) {
        most = fresh;
        best = key;
      }
    }
    copy.insert(best);
    victim.insert(best);
  }
  return victim.current_fpp();
}

TEST(ChosenKeys, PollutionFillsOnlyAFilterWithoutASecret) {
  EXPECT_GT(polluted_fpp(false), 8 * kChosenFpp);
  EXPECT_LT(polluted_fpp(true), 1.1 * kChosenFpp);
}

// A seed is no secret: who reads it in the file computes the same hash.
TEST(ChosenKeys, ASeedIsNoDefence) {
  const FilterOptions seeded{.hash = {.id = HashId::kXxh3, .seed = 0x5eed}, .keys = {}};
  const BloomFilter filter = *BloomFilter::build(members(), kChosenFpp, seeded);
  std::string file;
  filter.serialize(file);
  const BloomFilter stolen = *BloomFilter::view(std::as_bytes(std::span(file)), {.access = Access::kCopy});
  EXPECT_EQ(hits(filter, forged_keys(stolen, 100)), 100u);
}

// Who steals the file of a keyed filter cannot even open it, nor try the hash without a secret on its bits.
TEST(ChosenKeys, AStolenFileForgesNothingWithoutTheSecret) {
  const BloomFilter filter = *BloomFilter::build(members(), kChosenFpp, options_for(true));
  std::string file;
  filter.serialize(file);
  EXPECT_FALSE(BloomFilter::view(std::as_bytes(std::span(file)), {.access = Access::kCopy}));
  const BloomFilter stolen =
      *BloomFilter::view(std::as_bytes(std::span(file)), {.access = Access::kCopy, .without_secret = true});
  std::vector<std::string> guessed;
  for (std::uint64_t i = 0; guessed.size() < 300; ++i) {
    std::string key = "guessed " + std::to_string(i);
    if (stolen.may_contain(hash_key(key, HashSpec{}))) {  // under the hash that he can compute
      guessed.push_back(std::move(key));
    }
  }
  EXPECT_LT(hits(filter, guessed), 6u);
}

}  // namespace
}  // namespace bloomery
