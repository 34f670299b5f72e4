// The filters that the blocked policy writes: a blocked Bloom filter (fast) without a header, for some tens
// of keys.
//
//   64 B bytes, blocks of eight little-endian words | u8 k
//
// B is the least number of blocks with the bits that were asked for, at least 1. Whole blocks, since at the
// same number of bits they err as little as bits placed freely (0.8 % for 100 keys in 1,024 bits), and half
// as often as windows that begin at any word: in a small table those leave the words at both ends half empty.
//
// A filter lies at any address in LevelDB's block, so a block is copied before the kernel looks at it.
// Not here: which hash keys have, and LevelDB's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/hash/hash128.h"

namespace bloomery {

// Appends the filter of these keys; `bits_per_key` below 0 counts as 0.
void append_blocked_filter(std::span<const Hash128> hashes, int bits_per_key, std::string& out);

// Whether the filter may have been given this key. What append_blocked_filter() cannot have written matches
// every key: a size that is not 64 B + 1, a k outside 8..16.
bool blocked_filter_may_match(std::span<const std::byte> filter, const Hash128& hash);

}  // namespace bloomery
