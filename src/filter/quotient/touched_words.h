// The words of a quotient table that one insert or erase may change, copied before the change. So the CRC of
// the table follows from these words, without reading the others.
//
//   table      block 0 | ... | touched blocks | ... | offsets of all blocks: ... | touched | ...
//
// They are the block of the fingerprint's home to that of the last free slot which the change needs
// (QuotientKernel::first_free). At a load of 95 % these are about ten blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/quotient/quotient_slots.h"

namespace bloomery {

// The most slots that one more copy of a fingerprint needs: two with one remainder bit are followed by a
// third and a digit of two slots.
inline constexpr std::uint64_t kMostNewSlots = 3;

class TouchedWords {
 public:
  // Copies them for an insert that needs up to `new_slots` slots, or for an erase, which needs 1.
  TouchedWords(const QuotientSlots& slots, const QuotientFingerprint& fingerprint, std::uint64_t new_slots);
  // Returns the value to XOR to the CRC of the table's bytes after the change. May be called once.
  std::uint32_t crc_change();

 private:
  std::span<std::byte> blocks() const;
  std::span<std::byte> offsets() const;

  QuotientSlots slots_;
  std::uint64_t first_;  // block
  std::uint64_t last_;
  std::vector<std::byte> before_;  // the blocks, and then their offsets
};

}  // namespace bloomery
