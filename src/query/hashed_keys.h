// The base of KeyFilters that query one filter by the hash of each line.
//
// `Filter` has hash_spec(), key_treatment() and may_contain_batch() of hashes. Derived classes add the
// facts of the filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "query/byte_keys.h"

namespace bloomery {

template <typename Filter>
class HashedKeys : public KeyFilter {
 public:
  HashedKeys(Filter filter, BatchKeys& batch)
      : filter_(std::move(filter)), slot_(batch.want_hashes(filter_.hash_spec(), filter_.key_treatment())) {}

  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const Hash128> hashes, batch.hashes(slot_));
    filter_.may_contain_batch(hashes, answers);
    return {};
  }
  Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const Hash128> hashes, batch.hashes(slot_));
    filter_.may_contain_batch(group_of(hashes, first), words);
    return {};
  }
  Result<std::span<const Hash128>> identities(BatchKeys& batch) const override { return batch.hashes(slot_); }

 protected:
  const Filter& filter() const { return filter_; }

 private:
  Filter filter_;
  std::size_t slot_;
};

}  // namespace bloomery
