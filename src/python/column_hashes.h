// Hashes the keys of a column in memory, for a filter that uses their bytes unchanged.
//
// Hashing runs without the GIL. An integer of 8 bytes is hashed inline: a call for each would
// double the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/short_key_mix.h"
#include "python/key_column.h"

namespace bloomery::python {

// Does the same as hash_little_endian(value, 8, spec).
inline Hash128 hash_of_8_bytes(std::uint64_t value, const HashSpec& spec) {
  if (spec.id != HashId::kMix8Xxh3) {
    return hash_little_endian(value, sizeof(value), spec);
  }
  const std::uint64_t base = short_key_mix::base(spec.seed);
  return {.low = short_key_mix::low_word(value, sizeof(value), base),
          .high = short_key_mix::high_word(value, sizeof(value), base)};
}

// Fills `hashes` with the hashes of the keys from number `first` on. An integer counts as 8 bytes.
// Precondition: the column has these keys.
void hash_column(const KeyColumn& column, std::size_t first, const HashSpec& spec, std::span<Hash128> hashes);

}  // namespace bloomery::python
