// The keys of the golden files of LevelDB and RocksDB, and the bytes of those that lie compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/endian.h"
#include "compress/block_decompress.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/golden.h"

namespace bloomery {

// Of tests/golden/, where it lies with ".zst" behind its name.
inline std::string unpacked_golden(const std::string& name) {
  const std::string packed = golden_file(name + ".zst");
  const auto size = stated_size(BlockCodec::kZstd, bytes_of(packed));
  EXPECT_TRUE(size) << name;
  const auto bytes = decompress_block(BlockCodec::kZstd, bytes_of(packed), size ? *size : 0);
  EXPECT_TRUE(bytes) << name;
  return bytes ? text_of(*bytes) : "";
}

// `size` bytes of the READMEs' generator, started with x.
inline std::string lcg_bytes(std::uint32_t x, std::uint64_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    x = x * 1664525U + 1013904223U;
    bytes += static_cast<char>(x >> 24);
  }
  return bytes;
}

// Three bytes of i, the lowest first, and up to 22 more.
inline std::string leveldb_binary_key(std::uint64_t i) {
  std::string key = {static_cast<char>(i), static_cast<char>(i >> 8), static_cast<char>(i >> 16)};
  return key + lcg_bytes(static_cast<std::uint32_t>(i * 2246822519U), i % 23);
}

// The same with the highest byte first.
inline std::string rocksdb_binary_key(std::uint64_t i) {
  std::string key = {static_cast<char>(i >> 16), static_cast<char>(i >> 8), static_cast<char>(i)};
  return key + lcg_bytes(static_cast<std::uint32_t>(i * 2246822519U), i % 23);
}

// Four bytes of i, the highest first, and up to 299 more.
inline std::string rocksdb_long_key(std::uint64_t i) {
  std::string key(4, '\0');
  store_big(reinterpret_cast<std::byte*>(key.data()), static_cast<std::uint32_t>(i));
  return key + lcg_bytes(static_cast<std::uint32_t>(i * 2654435769U) + 1, i % 300);
}

inline DialectPlan plan_with_bits(double bits_per_key) {
  return {.capacity = 0, .fpp = {}, .bits_per_key = bits_per_key};
}

// The absent keys that the systems were asked: of every present one but the last, with "/0" to "/19" behind.
inline std::vector<std::string> slashed(std::span<const std::string_view> present) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i + 1 < present.size(); ++i) {
    for (int j = 0; j < 20; ++j) {
      keys.push_back(std::string(present[i]) + "/" + std::to_string(j));
    }
  }
  return keys;
}

}  // namespace bloomery
