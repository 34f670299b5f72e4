// The hashes of many keys in one piece of memory, by a filter that takes their bytes as they are.
//
// They are made without the GIL. An integer of 8 bytes is hashed inline: a call for each would take twice the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/short_key_mix.h"
#include "python/key_column.h"

namespace bloomery::python {

// Returns what hash_little_endian(value, 8, spec) does.
inline Hash128 hash_of_8_bytes(std::uint64_t value, const HashSpec& spec) {
  if (spec.id != HashId::kMix8Xxh3) {
    return hash_little_endian(value, sizeof(value), spec);
  }
  const std::uint64_t base = short_key_mix::base(spec.seed);
  return {.low = short_key_mix::low_word(value, sizeof(value), base),
          .high = short_key_mix::high_word(value, sizeof(value), base)};
}

// Sets the hashes of the keys from number `first` on, as many as `hashes` has. An integer counts with 8 bytes.
// Precondition: the column has these keys.
void hash_column(const KeyColumn& column, std::size_t first, const HashSpec& spec, std::span<Hash128> hashes);

}  // namespace bloomery::python
