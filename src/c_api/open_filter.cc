#include "c_api/open_filter.h"

#include <algorithm>
#include <string>

#include "c_api/call.h"

namespace bloomery::c_api {

int give_filter(Result<AnyFilter> filter, bloomery_filter** out) {
  if (!filter) {
    return failed(filter.error());
  }
  void* handle = Filters::open(OpenFilter(std::move(*filter)));
  if (handle == nullptr) {
    return failed(BLOOMERY_CAPACITY, "memory", "expected room for a handle, found none");
  }
  *out = static_cast<bloomery_filter*>(handle);
  return BLOOMERY_OK;
}

Result<KeyTreatment> treatment_of(const bloomery_key_rule& rule) {
  if (rule.size == 0) {
    return KeyTreatment();
  }
  bloomery_key_rule read = {};
  BLOOMERY_RETURN_IF_ERROR(read_struct(read, &rule, "bloomery_key_rule"));
  if (read.form > static_cast<std::uint16_t>(kLastKeyForm)) {
    return Error::invalid_argument("bloomery_key_rule",
                                   "form: expected BLOOMERY_KEYS_..., found " + std::to_string(read.form));
  }
  if (read.parts == 0) {
    return Error::invalid_argument("bloomery_key_rule", "parts: expected at least 1, found 0");
  }
  const KeyTreatment treatment = {
      .form = static_cast<KeyForm>(read.form),
      .trim = read.trim != 0,
      .ignore_case = read.ignore_case != 0,
      .parts = read.parts,
      .url = {.sort_query = read.sort_query != 0, .drop_tracking = read.drop_tracking != 0}};
  if (is_block_list(treatment.form) && treatment.parts != 1) {
    return Error::invalid_argument(
        "bloomery_key_rule",
        "parts: expected 1 for an entry of a block list, found " + std::to_string(read.parts));
  }
  return treatment;
}

bloomery_key_rule rule_of(const KeyTreatment& treatment) {
  bloomery_key_rule rule = {};
  rule.size = sizeof(rule);
  rule.form = static_cast<std::uint16_t>(treatment.form);
  rule.parts = treatment.parts;
  rule.trim = treatment.trim ? 1 : 0;
  rule.ignore_case = treatment.ignore_case ? 1 : 0;
  rule.sort_query = treatment.url.sort_query ? 1 : 0;
  rule.drop_tracking = treatment.url.drop_tracking ? 1 : 0;
  return rule;
}

Result<HashSpec> hash_of(std::uint32_t hash, std::uint64_t seed, const std::uint8_t* secret) {
  if (secret == nullptr) {
    if (hash != 0 && hash != BLOOMERY_HASH_XXH3 && hash != BLOOMERY_HASH_MIX8_XXH3) {
      return Error::invalid_argument(
          "hash", "expected BLOOMERY_HASH_XXH3 or BLOOMERY_HASH_MIX8_XXH3, found " + std::to_string(hash));
    }
    return HashSpec{.id = hash == BLOOMERY_HASH_XXH3 ? HashId::kXxh3 : HashId::kMix8Xxh3, .seed = seed};
  }
  if ((hash != 0 && hash != BLOOMERY_HASH_SIPHASH) || seed != 0) {
    return Error::invalid_argument("hash", "expected no other hash and no seed beside a secret, found one");
  }
  HashSecret kept;
  std::copy_n(secret, kept.bytes.size(), kept.bytes.begin());
  return keyed_hash(kept);
}

}  // namespace bloomery::c_api
