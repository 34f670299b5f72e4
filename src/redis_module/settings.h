// The module's settings (CONFIG SET bloomery.NAME), and the parameters of new keys by default.
//
//   bloomery.layout         bloomery or redisbloom: the layout of new BF keys           bloomery
//   bloomery.error-rate     fpp of a key that BF.ADD or a similar command creates       0.01
//   bloomery.capacity       capacity of such a key                                      100
//   bloomery.expansion      if a command has no EXPANSION; 0: no growth; -1: by layout  -1
//   bloomery.keyed          hash new keys of the layout bloomery under a random secret  no
//   bloomery.memory-limit   the most bytes of one key                                   1 GiB
//   bloomery.verbatim       replicate BF.ADD, CF.DEL and the like as the client sent them    no
//
// The line with loadmodule may have the arguments NAME and a word: the name of the module in MODULE LIST, and
// of its settings in place of "bloomery". Other arguments are refused. For those of RedisBloom and
// valkey-bloom the log says which setting is meant.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/default_fpp.h"
#include "redis_module/filter_value.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Default expansions by layout. Larger growth steps mean fewer layers. In our layout a layer starts as
// fingerprints and becomes bits late, so a large step needs no more memory than a small one.
inline constexpr std::uint32_t kUsualExpansion = 4;
inline constexpr std::uint32_t kUsualExpansionOfOthers = 2;  // that of RedisBloom

// Capacity and expansion of a CF key that CF.ADD or a similar command creates.
inline constexpr std::uint64_t kDeletableCapacity = 1024;
inline constexpr std::uint32_t kDeletableExpansion = 1;

struct Settings {
  Layout layout = Layout::kBloomery;
  double error_rate = kRedisBloomDefaultFpp;
  std::uint64_t capacity = 100;
  std::int32_t expansion = -1;
  bool keyed = false;
  std::uint64_t memory_limit = std::uint64_t{1} << 30;
  bool verbatim = false;
};

const Settings& settings();
// Returns the expansion of a new key whose command has no EXPANSION.
std::uint32_t usual_expansion(Layout layout);
// Returns false if the server refuses a setting.
bool register_settings(Context* context);

// Returns the module's name from the arguments of loadmodule, or null after it has logged what is wrong.
const char* name_by_arguments(Context* context, std::span<String* const> words);
// Returns what the log says about an argument or setting of another module, in any case of its letters: the
// setting that is meant, or why there is none. Returns null for other words.
const char* meant_by(std::string_view other);

// The parameters of a new key. All of them are replicated, so that a replica makes the same key.
struct NewKey {
  Layout layout = Layout::kBloomery;
  GrowingPlan plan;
  CuckooNumbers cuckoo = {};  // only for the layout quotient
};

// Returns the parameters that the settings determine, with a new secret if keys are to be hashed under one.
// Errors: kIo.
Result<NewKey> new_key_by_settings(Family family);
// Makes an empty value. Errors: kCapacity if the key would need more than `most_bytes`, or if no filter has
// such an fpp.
Result<std::unique_ptr<FilterValue>> make_value(const NewKey& key, std::uint64_t most_bytes);

}  // namespace bloomery::redis_module
