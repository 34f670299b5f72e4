#include "bench/instructions/inline_paths.h"

namespace bloomery::instructions {

Counted query_integers_inline(const BlockedBloomFilter& filter, std::span<const std::uint64_t> keys) {
  return counted(keys.size(), [&] {
    std::uint64_t matches = 0;
    for (const std::uint64_t key : keys) {
      matches += filter.may_contain(key) ? 1U : 0U;
    }
    return matches;
  });
}

Counted query_hashes_inline(const BlockedBloomFilter& filter, std::span<const Hash128> hashes) {
  return counted(hashes.size(), [&] {
    std::uint64_t matches = 0;
    for (const Hash128& hash : hashes) {
      matches += filter.may_contain(hash) ? 1U : 0U;
    }
    return matches;
  });
}

Counted insert_integers_inline(BlockedBloomFilter& filter, std::span<const std::uint64_t> keys) {
  return counted(keys.size(), [&] {
    std::uint64_t inserted = 0;
    for (const std::uint64_t key : keys) {
      inserted += filter.insert(key) ? 1U : 0U;
    }
    return inserted;
  });
}

}  // namespace bloomery::instructions
