// The probes of RocksDB's two Bloom filters. All bits of a key are in one cache line, which RocksDB calls a
// line.
//
//   legacy      h = leveldb_hash(key), signed tail; line = h mod lines; step = rotr(h, 17)
//               k times: bit h mod (bits of a line), h += step (32 bits)
//
//   fastlocal   H = rocksdb_hash64(key); line = low 32 bits of H * lines / 2^32; x = high 32 bits of H
//               k times: bit x / 2^23, x *= 9e3779b9 (32 bits); lines of 512 bits
//
// Both are ProbeSchemes (codec/probes.h). Source: docs/formats/rocksdb.md.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "codec/modulo.h"
#include "hash/leveldb_hash.h"
#include "hash/rocksdb_hash64.h"

namespace bloomery {

class RocksDbLegacyProbes {
 public:
  struct Probe {
    std::uint64_t line;  // position of its first bit
    std::uint32_t h;
    std::uint32_t step;
  };

  // Precondition: lines > 0, and blocked_bits, the bits of a line, is a power of two.
  RocksDbLegacyProbes(std::uint32_t lines, std::uint64_t blocked_bits, std::uint32_t hash_count)
      : lines_(lines), line_bits_(blocked_bits), hash_count_(hash_count) {}

  Probe begin(std::string_view key) const { return begin(leveldb_hash(key, TailBytes::kSigned)); }
  Probe begin(std::uint32_t hash) const { return {lines_.of(hash) * line_bits_, hash, std::rotr(hash, 17)}; }
  std::uint64_t next(Probe& probe) const {
    const std::uint64_t position = probe.line + (probe.h & (line_bits_ - 1));
    probe.h += probe.step;
    return position;
  }
  std::uint32_t hash_count() const { return hash_count_; }
  std::uint64_t blocked_bits() const { return line_bits_; }
  std::uint64_t lines() const { return lines_.divisor(); }

 private:
  Modulo lines_;
  std::uint64_t line_bits_;
  std::uint32_t hash_count_;
};

class RocksDbFastLocalProbes {
 public:
  struct Probe {
    std::uint64_t line;  // position of its first bit
    std::uint32_t x;
  };

  // Precondition: lines > 0.
  RocksDbFastLocalProbes(std::uint32_t lines, std::uint32_t hash_count)
      : lines_(lines), hash_count_(hash_count) {}

  Probe begin(std::string_view key) const { return begin(rocksdb_hash64(key)); }
  Probe begin(std::uint64_t hash) const {
    return {((hash & 0xffffffff) * lines_ >> 32) * blocked_bits(), static_cast<std::uint32_t>(hash >> 32)};
  }
  std::uint64_t next(Probe& probe) const {
    const std::uint64_t position = probe.line + (probe.x >> 23);
    probe.x *= 0x9e3779b9;
    return position;
  }
  std::uint32_t hash_count() const { return hash_count_; }
  static constexpr std::uint64_t blocked_bits() { return 512; }

 private:
  std::uint64_t lines_;
  std::uint32_t hash_count_;
};

}  // namespace bloomery
