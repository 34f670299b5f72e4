// The base of KeyFilters of other systems, which are queried with the bytes of keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_type.h"
#include "query/batch_keys.h"
#include "query/key_filter.h"

namespace bloomery {

// How the keys of a filter of another system are made of text.
struct DialectKeyMaking {
  KeyTreatment treatment;
  std::shared_ptr<const KeyType> type = nullptr;  // null: `treatment` alone makes the keys
};

// Returns the up to 64 keys from `first` on whose answers share one word.
template <typename Key>
std::span<const Key> group_of(std::span<const Key> keys, std::size_t first) {
  return keys.subspan(first, std::min<std::size_t>(64, keys.size() - first));
}

class ByteKeys : public KeyFilter {
 public:
  ByteKeys(const DialectKeyMaking& making, BatchKeys& batch)
      : bytes_(batch.want_bytes(making.treatment, making.type)),
        hashes_(batch.want_hashes({}, making.treatment, making.type)) {}

  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, batch.bytes(bytes_));
    return ask_filters(keys, answers);
  }
  Status force(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, batch.bytes(bytes_));
    force_keys(keys, answers);
    return {};
  }
  Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, batch.bytes(bytes_));
    return ask_each_part(group_of(keys, first), words);
  }
  Result<std::span<const Hash128>> identities(BatchKeys& batch) const override {
    return batch.hashes(hashes_);
  }

 private:
  // These do the work of say(), force() and ask_parts().
  virtual Status ask_filters(std::span<const std::string_view> keys,
                             std::span<std::uint64_t> answers) const = 0;
  virtual void force_keys(std::span<const std::string_view>, std::span<std::uint64_t>) const {}
  virtual Status ask_each_part(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const {
    BLOOMERY_RETURN_IF_ERROR(ask_filters(keys, words));
    force_keys(keys, words);
    return {};
  }

  std::size_t bytes_;
  std::size_t hashes_;
};

}  // namespace bloomery
