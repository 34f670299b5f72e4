// The tutorials' seeded polynomial hashes, computed for all seeds of a key at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bloomery {

class SimpleJavaProbes {
 public:
  static constexpr std::size_t kMaxSeeds = 8;

  struct Probe {
    std::array<std::uint32_t, kMaxSeeds> hashes;
    std::uint32_t next;
  };

  // Precondition: `bits` is a power of two, at most 2^31, and there are at most kMaxSeeds seeds.
  SimpleJavaProbes(std::uint64_t bits, std::span<const std::uint32_t> seeds)
      : mask_(static_cast<std::uint32_t>(bits - 1)), count_(static_cast<std::uint32_t>(seeds.size())) {
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      seeds_[i] = seeds[i];
    }
  }

  std::uint32_t hash_count() const { return count_; }
  // Ignores the last byte of an odd number.
  Probe begin(std::string_view units) const {
    Probe probe{};
    for (std::size_t i = 0; i + 1 < units.size(); i += 2) {
      const auto unit = static_cast<std::uint32_t>(static_cast<unsigned char>(units[i]) |
                                                   static_cast<unsigned char>(units[i + 1]) << 8);
      for (std::size_t j = 0; j < kMaxSeeds; ++j) {
        probe.hashes[j] = probe.hashes[j] * seeds_[j] + unit;
      }
    }
    return probe;
  }
  std::uint64_t next(Probe& probe) const { return probe.hashes[probe.next++] & mask_; }

 private:
  std::array<std::uint32_t, kMaxSeeds> seeds_{};
  std::uint32_t mask_;
  std::uint32_t count_;
};

}  // namespace bloomery
