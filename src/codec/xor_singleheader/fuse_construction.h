// Constructs the array of a filter of distinct keys, byte for byte as the library does.
//
// Keys are peeled: a cell that only one key has is given to this key, and the key is removed from its other
// cells. The library keeps the cells with one key on a stack. The order in which it pops them decides which
// cell a key gets, and so the bytes. (filter/fuse peels in another order, and sets keys aside instead of
// failing.) The order of the keys has no effect.
//
// A set that does not peel, or that has 64 keys in one cell, is tried again with the next seed. After
// kMostTries seeds the library gives up, and so does this.
//
// Memory: 21 bytes a key, and 14 a cell.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "codec/xor_singleheader/fuse_shape.h"

namespace bloomery::xor_singleheader {

template <typename Cell>  // std::uint8_t or std::uint16_t
struct FuseArray {
  std::uint64_t seed = 0;
  std::vector<Cell> cells = {};
};

// Precondition: the keys are distinct, and at most kMostKeys. Fewer tries are for tests. Errors: kCapacity
// if no seed peels the set.
template <typename Cell>
Result<FuseArray<Cell>> construct_fuse(std::span<const std::uint64_t> keys, std::uint32_t tries = kMostTries);

}  // namespace bloomery::xor_singleheader
