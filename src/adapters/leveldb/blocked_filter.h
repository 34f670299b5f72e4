// The filters that the blocked policy writes: each is a blocked Bloom filter (setting fast) without a header,
// for a few dozen keys.
//
//   B blocks of 64 bytes, each of eight little-endian words | u8 k
//
// B is the smallest number of blocks that has the requested bits, at least 1. Keys use aligned blocks because
// of their false positive rate at the same number of bits:
//
//   the same as with freely placed bits        0.8 % for 100 keys in 1,024 bits
//   half of that with unaligned windows        in a small table, such windows leave the words at both ends
//                                              half empty
//
// LevelDB may store a filter at any alignment, so a block is copied before the kernel reads it.
// Not here: the choice of the hash, and LevelDB's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/hash/hash128.h"

namespace bloomery {

// Appends a filter of the keys to `out`. A `bits_per_key` below 0 counts as 0.
void append_blocked_filter(std::span<const Hash128> hashes, int bits_per_key, std::string& out);

// Returns true if the filter may contain the key. Filters that append_blocked_filter() cannot have written
// (their size is not 64 B + 1, or k is not in 8..16) match every key.
bool blocked_filter_may_match(std::span<const std::byte> filter, const Hash128& hash);

}  // namespace bloomery
