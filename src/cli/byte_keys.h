// The base of KeyFilters of other systems, which are queried with the bytes of keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cli/batch_keys.h"
#include "cli/dialect_keys.h"
#include "cli/key_filter.h"

namespace bloomery::cli {

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

  Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, batch.bytes(bytes_));
    ask(keys, answers);
    return {};
  }
  Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, batch.bytes(bytes_));
    ask_each_part(group_of(keys, first), words);
    return {};
  }
  Result<std::span<const Hash128>> identities(BatchKeys& batch) const override {
    return batch.hashes(hashes_);
  }

 protected:
  Result<std::span<const std::string_view>> keys_of(BatchKeys& batch) const { return batch.bytes(bytes_); }

 private:
  virtual void ask(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const = 0;
  virtual void ask_each_part(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const {
    ask(keys, words);
  }

  std::size_t bytes_;
  std::size_t hashes_;
};

}  // namespace bloomery::cli
