// Makes a filter of all keys of a range. BloomFilter::build() and the build() of other types call it.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

// Makes a filter for as many keys as the range has, and inserts them in order. Repeats count for the
// capacity, too. A range of unknown length is hashed first, which needs 16 bytes a key meanwhile. For a
// windowed filter by count, the window is the capacity. Errors: kInvalidArgument and kCapacity of
// Filter::for_capacity(); kCapacity if the filter refuses a key.
template <typename Filter, std::ranges::input_range Range>
Result<Filter> build_filter(Range&& keys, double fpp, const FilterOptions& options) {
  const auto filled = [&](std::uint64_t count, auto&& all) -> Result<Filter> {
    const bool by_count = options.window.length != 0 && options.window.kind == WindowKind::kCount;
    BLOOMERY_ASSIGN_OR_RETURN(Filter filter, Filter::for_capacity(by_count ? 0 : count, fpp, options));
    for (const auto& key : all) {
      if (!filter.insert(key)) {
        return Error::capacity(
            filter_type_name(filter.type()),
            "expected room for every key, found none after " + std::to_string(filter.inserted()) + " keys");
      }
    }
    return filter;
  };
  if constexpr (std::ranges::sized_range<Range>) {
    return filled(std::ranges::size(keys), keys);
  } else {
    std::vector<Hash128> hashes;
    for (const auto& key : keys) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(key)>, Hash128>) {
        hashes.push_back(key);
      } else {
        hashes.push_back(hash_key(key, options.hash));
      }
    }
    return filled(hashes.size(), hashes);
  }
}

}  // namespace bloomery
