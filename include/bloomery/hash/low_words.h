// The low words of the hashes of many integers (short_key_mix.h), by vectors where the processor has them.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/hash/hash128.h"

namespace bloomery::short_key_mix {

// Sets hashes[i] to low_word() of the 8-byte value values[i]. Costs about 0.6 ns with AVX2. Thread-safe.
// Precondition: hashes.size() >= values.size().
void low_words(std::span<const std::uint64_t> values, std::uint64_t base, std::span<Hash64> hashes);

}  // namespace bloomery::short_key_mix
