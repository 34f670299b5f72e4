// The filters that the blocked policy writes. Each is a blocked Bloom filter (setting fast) without a header,
// for a few dozen keys.
//
//   B blocks of 64 bytes, each of eight little-endian words | u8 k
//
// B is the smallest number of blocks that has the requested bits, and at least 1. The filter uses full blocks
// because of their false positives at the same number of bits:
//
//   as many as with bits placed freely         0.8 % for 100 keys in 1,024 bits
//   half as many as with windows at any word   in a small table, such windows leave the words at both ends
//                                              half empty
//
// A filter may have any alignment in LevelDB's block, so a block is copied before the kernel reads it.
// Not here: the choice of the hash, and LevelDB's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/hash/hash128.h"

namespace bloomery {

// Appends the filter of these keys. A `bits_per_key` below 0 counts as 0.
void append_blocked_filter(std::span<const Hash128> hashes, int bits_per_key, std::string& out);

// Returns true if the filter may contain this key. A filter that append_blocked_filter() cannot have written
// matches every key: one whose size is not 64 B + 1, or whose k is not in 8..16.
bool blocked_filter_may_match(std::span<const std::byte> filter, const Hash128& hash);

}  // namespace bloomery
