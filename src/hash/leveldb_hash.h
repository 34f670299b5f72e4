// The 32-bit hash of LevelDB's filters, and of RocksDB's legacy ones.
//
//   m = 0xc6a4a793
//   h = seed ^ (size * m)
//   every 4 bytes, a little-endian word w:    h += w;  h *= m;  h ^= h >> 16
//   a tail of 1 to 3 bytes:                   h += byte j << 8 j, for each j;  h *= m;  h ^= h >> 24
//
// LevelDB adds the bytes of the tail as unsigned numbers, RocksDB as signed ones. So the two differ for keys
// with a byte of 0x80 to 0xff in the tail. Source: LevelDB 1.23 and RocksDB 7.8.3, by their outputs.
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

enum class TailBytes {
  kUnsigned,  // LevelDB
  kSigned,    // RocksDB
};

inline constexpr std::uint32_t kLevelDbFilterSeed = 0xbc9f1d34;

std::uint32_t leveldb_hash(std::string_view key, TailBytes tail, std::uint32_t seed = kLevelDbFilterSeed);

}  // namespace bloomery
