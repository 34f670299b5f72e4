#include "filter/quotient/touched_words.h"

#include <algorithm>

#include "base/crc32c_change.h"
#include "filter/quotient/quotient_kernel.h"

namespace bloomery {

TouchedWords::TouchedWords(const QuotientSlots& slots, const QuotientFingerprint& fingerprint,
                           std::uint64_t new_slots)
    : slots_(slots), first_(fingerprint.quotient / kSlotsPerBlock) {
  std::uint64_t free = fingerprint.quotient;
  for (std::uint64_t i = 0; i < new_slots && free < slots.slots(); ++i) {
    free = chosen_quotient_kernel().first_free(slots, free + (i == 0 ? 0 : 1));
  }
  last_ = std::min(free, slots.slots() - 1) / kSlotsPerBlock;
  before_.reserve(blocks().size() + offsets().size());
  before_.assign(blocks().begin(), blocks().end());
  before_.insert(before_.end(), offsets().begin(), offsets().end());
}

std::span<std::byte> TouchedWords::blocks() const {
  return std::as_writable_bytes(std::span(slots_.block(first_), (last_ - first_ + 1) * slots_.block_words()));
}

std::span<std::byte> TouchedWords::offsets() const {
  return {reinterpret_cast<std::byte*>(&slots_.offset(first_)), last_ - first_ + 1};
}

std::uint32_t TouchedWords::crc_change() {
  const std::uint64_t table_bytes = *quotient_words(slots_.plan()) * sizeof(std::uint64_t);
  const auto* const begin = reinterpret_cast<const std::byte*>(slots_.words());
  const auto change_of = [&](std::span<const std::byte> now, std::span<std::byte> before) {
    std::ranges::transform(before, now, before.begin(), [](std::byte a, std::byte b) { return a ^ b; });
    const auto end = static_cast<std::uint64_t>(now.data() - begin) + now.size();
    return crc32c_of_change(before, table_bytes - end);
  };
  const std::span<std::byte> before(before_);
  return change_of(blocks(), before.first(blocks().size())) ^
         change_of(offsets(), before.subspan(blocks().size()));
}

}  // namespace bloomery
