// Hash64, the 64-bit hash of RocksDB's newer Bloom filter and its Ribbon.
//
// It is a preview of XXH3 (xxHash 0.7.2), frozen when filters on disk came to depend on it. It shares the
// secret and the structure of the released XXH3, but mixes with other constants and in another order of
// steps, so its values differ at every length. It has no seed. Source: RocksDB 7.8.3, by its outputs
// (tests/golden/rocksdb).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint64_t rocksdb_hash64(std::string_view key);

}  // namespace bloomery
