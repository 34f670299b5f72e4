// The number of set bits in words, with the processor's instruction where it has one.
#pragma once

#include <cstdint>
#include <span>

namespace bloomery {

// Reads as relaxed atomics: the words may be changing.
std::uint64_t count_set_bits(std::span<const std::uint64_t> words);

}  // namespace bloomery
