// A fingerprint in a quotient filter, as QuotientFilter::for_each() lists it.
#pragma once

#include <cstdint>

namespace bloomery {

// The fingerprint covers the low words of hashes from first_hash to last_hash. It has a count.
struct QuotientRange {
  std::uint64_t first_hash = 0;
  std::uint64_t last_hash = 0;
  std::uint64_t count = 0;

  friend bool operator==(const QuotientRange&, const QuotientRange&) = default;
};

}  // namespace bloomery
