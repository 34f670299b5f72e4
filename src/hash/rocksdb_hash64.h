// Hash64, the 64-bit hash under RocksDB's newer Bloom filter and its Ribbon.
//
// It is a preview of XXH3 (xxHash 0.7.2), frozen when filters on disk came to depend on it: the same secret
// and the same idea as the released XXH3, but other constants and another order, so that no length gives the
// value of the library's. Unseeded. Source: RocksDB 7.8.3, by its outputs (tests/golden/rocksdb).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint64_t rocksdb_hash64(std::string_view key);

}  // namespace bloomery
