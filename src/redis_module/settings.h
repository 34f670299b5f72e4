// The module's settings (CONFIG SET bloomery.NAME), and the parameters of new keys.
//
//   bloomery.layout         bloomery or redisbloom: the layout of new BF keys           bloomery
//   bloomery.error-rate     of a key that BF.ADD and the like create                    0.01
//   bloomery.capacity       of such a key                                               100
//   bloomery.expansion      of keys without EXPANSION; 0: they do not grow; -1: by layout   -1
//   bloomery.keyed          hash new keys of the layout bloomery under a random secret  no
//   bloomery.memory-limit   the most bytes of one key                                   1 GiB
//   bloomery.verbatim       replicate BF.ADD, CF.DEL and the like as the client sent them    no
#pragma once

#include <cstdint>
#include <memory>

#include "bloomery/base/result.h"
#include "redis_module/bloom_value.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Default expansions by layout. Larger growth steps mean fewer layers. In our layout a layer starts as
// fingerprints and becomes bits late, so a large step needs no more memory than a small one.
inline constexpr std::uint32_t kUsualExpansion = 4;
inline constexpr std::uint32_t kUsualExpansionOfOthers = 2;  // RedisBloom's

// The capacity and expansion of a CF key that CF.ADD and the like create.
inline constexpr std::uint64_t kDeletableCapacity = 1024;
inline constexpr std::uint32_t kDeletableExpansion = 1;

struct Settings {
  Layout layout = Layout::kBloomery;
  double error_rate = 0.01;
  std::uint64_t capacity = 100;
  std::int32_t expansion = -1;
  bool keyed = false;
  std::uint64_t memory_limit = std::uint64_t{1} << 30;
  bool verbatim = false;
};

const Settings& settings();
// The expansion of a new key that names none.
std::uint32_t usual_expansion(Layout layout);
// Returns false if the server refuses one.
bool register_settings(Context* context);

// The parameters of a new key. Every field is decided, so that a replica makes the same key.
struct NewKey {
  Layout layout = Layout::kBloomery;
  GrowingPlan plan;
  CuckooNumbers cuckoo = {};  // of the layout quotient alone
};

// Returns the parameters that the settings decide, with a new secret if keys are to be keyed. Errors: kIo.
Result<NewKey> new_key_by_settings(Family family);
// Errors: kCapacity if the key would need more than `most_bytes`, or no filter has such an fpp.
Result<std::unique_ptr<BloomValue>> make_value(const NewKey& key, std::uint64_t most_bytes);

}  // namespace bloomery::redis_module
