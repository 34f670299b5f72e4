#include "cli/batch_keys.h"

#include <algorithm>

namespace bloomery::cli {

std::size_t BatchKeys::want_hashes(const HashSpec& hash, const KeyTreatment& treatment) {
  for (std::size_t slot = 0; slot < hash_slots_.size(); ++slot) {
    if (hash_slots_[slot].hash == hash && hash_slots_[slot].treatment == treatment) {
      return slot;
    }
  }
  hash_slots_.push_back({.hash = hash, .treatment = treatment, .hasher = KeyHasher(hash, treatment, place_)});
  return hash_slots_.size() - 1;
}

std::size_t BatchKeys::want_bytes(const KeyTreatment& treatment) {
  for (std::size_t slot = 0; slot < byte_slots_.size(); ++slot) {
    if (byte_slots_[slot].treatment == treatment) {
      return slot;
    }
  }
  byte_slots_.push_back({.treatment = treatment, .maker = KeyMaker(treatment, place_)});
  return byte_slots_.size() - 1;
}

void BatchKeys::begin(std::span<const std::string_view> lines, std::uint64_t first_line) {
  lines_ = lines;
  first_line_ = first_line;
  for (HashSlot& slot : hash_slots_) {
    slot.filled = false;
  }
  for (ByteSlot& slot : byte_slots_) {
    slot.filled = false;
  }
}

Result<std::span<const Hash128>> BatchKeys::hashes(std::size_t slot) {
  HashSlot& wanted = hash_slots_[slot];
  if (!wanted.filled) {
    BLOOMERY_RETURN_IF_ERROR(wanted.hasher.hash(lines_, first_line_, wanted.hashes));
    wanted.filled = true;
  }
  return std::span<const Hash128>(wanted.hashes);
}

Result<std::span<const std::string_view>> BatchKeys::bytes(std::size_t slot) {
  ByteSlot& wanted = byte_slots_[slot];
  if (!wanted.filled) {
    BLOOMERY_RETURN_IF_ERROR(wanted.maker.make(lines_, first_line_, wanted.keys));
    wanted.filled = true;
  }
  return std::span<const std::string_view>(wanted.keys);
}

// Returns the largest count, not the sum, because every slot sees the same lines.
std::uint64_t BatchKeys::lines_without_url() const {
  std::uint64_t most = 0;
  for (const HashSlot& slot : hash_slots_) {
    most = std::max(most, slot.hasher.lines_without_url() - slot.counted_before);
  }
  for (const ByteSlot& slot : byte_slots_) {
    most = std::max(most, slot.maker.lines_without_url() - slot.counted_before);
  }
  return most;
}

void BatchKeys::count_from_here() {
  for (HashSlot& slot : hash_slots_) {
    slot.counted_before = slot.hasher.lines_without_url();
  }
  for (ByteSlot& slot : byte_slots_) {
    slot.counted_before = slot.maker.lines_without_url();
  }
}

}  // namespace bloomery::cli
