#include "redis_module/word_chunks.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "base/zero_bytes.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint64_t kChunk = kWordsInChunk * kWordBytes;
constexpr std::uint64_t kMostPayloadBytes = std::uint64_t{1} << 36;
constexpr std::uint32_t kLeastSlots = 8;
constexpr std::uint32_t kMostLate = 1024;  // then the chunk is copied, whatever the step has done

// The parts of a table of late words. `Byte` is const for readers. A place is looked for from its home on, one slot after the
// other, until it is found or a slot is free. At most three quarters of the slots are taken.
template <typename Byte>
class LateWords {
 public:
  explicit LateWords(Byte* bytes) : bytes_(bytes) {}

  static std::uint64_t bytes_for(std::uint32_t slots) {
    return sizeof(Head) + slots * (kWordBytes + sizeof(std::uint16_t));
  }
  static std::uint32_t room_of(std::uint32_t slots) { return slots - slots / 4; }
  std::uint32_t count() const { return head()->count; }
  std::uint32_t slots() const { return head()->slots; }
  // Slots that are taken have a place and a value.
  bool is_taken(std::uint32_t slot) const { return places()[slot] != kFree; }
  std::uint16_t place(std::uint32_t slot) const { return places()[slot]; }
  auto* value(std::uint32_t slot) const { return as<std::uint64_t>(sizeof(Head)) + slot; }
  // Returns the slot of a place, or the free one where it belongs.
  std::uint32_t find(std::uint16_t place) const {
    std::uint32_t slot = place * kMix >> 16 & (slots() - 1);
    while (is_taken(slot) && places()[slot] != place) {
      slot = (slot + 1) & (slots() - 1);
    }
    return slot;
  }
  // Makes an empty table. Precondition: a power of two of slots, and bytes_for() them.
  void begin(std::uint32_t slots) const {
    *head() = {.count = 0, .slots = slots};
    std::fill_n(places(), slots, kFree);
  }
  template <typename Other>
  void take_all(const LateWords<Other>& other) const {
    for (std::uint32_t slot = 0; slot < other.slots(); ++slot) {
      if (other.is_taken(slot)) {
        put(other.place(slot), *other.value(slot));
      }
    }
  }
  void put(std::uint16_t place, std::uint64_t value_of_place) const {
    const std::uint32_t slot = find(place);
    head()->count += is_taken(slot) ? 0U : 1U;
    places()[slot] = place;
    *value(slot) = value_of_place;
  }

 private:
  static constexpr std::uint16_t kFree = 0xFFFF;
  static constexpr std::uint32_t kMix = 0x9E3779B1;
  static_assert(kFree >= kWordsInChunk);
  struct Head {
    std::uint32_t count;
    std::uint32_t slots;
  };
  template <typename T>
  auto* as(std::uint64_t offset) const {
    using Wanted = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    return reinterpret_cast<Wanted*>(bytes_ + offset);
  }
  auto* head() const { return as<Head>(0); }
  auto* places() const { return as<std::uint16_t>(sizeof(Head) + slots() * kWordBytes); }

  Byte* bytes_;
};

LateWords<const std::byte> late_in(const SharedChunk& late) {
  return LateWords<const std::byte>(late.read());
}

std::uint16_t place_of(std::uint64_t index) {
  return static_cast<std::uint16_t>(index % kWordsInChunk);
}

}  // namespace

Result<WordChunks> WordChunks::zeroed(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kMostPayloadBytes) {
    return Error::capacity("payload", "expected 1 to 2^36 bytes, found " + std::to_string(bytes));
  }
  WordChunks made;
  made.size_bytes_ = bytes;
  made.slots_.resize((bytes + kChunk - 1) / kChunk);
  return made;
}

std::uint64_t WordChunks::chunk_bytes(std::uint64_t chunk) const {
  return std::min(kChunk, size_bytes_ - chunk * kChunk);
}

std::uint64_t WordChunks::memory_bytes() const {
  std::uint64_t total = slots_.size() * sizeof(Slot);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    total += slots_[i].chunk.read() == nullptr ? 0 : chunk_bytes(i);
    total += slots_[i].late.read() == nullptr
                 ? 0
                 : LateWords<const std::byte>::bytes_for(late_in(slots_[i].late).slots());
  }
  return total;
}

// ---- reading

const std::uint64_t* WordChunks::late_or_in_chunk(const Slot& slot, std::uint64_t index) {
  const auto late = late_in(slot.late);
  const std::uint32_t at = late.find(place_of(index));
  return late.is_taken(at) ? late.value(at) : in_chunk(slot, index);
}

void WordChunks::load(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const std::uint64_t chunk = offset / kChunk;
    const std::uint64_t within = offset % kChunk;
    const auto part = out.first(std::min<std::uint64_t>(out.size(), chunk_bytes(chunk) - within));
    const Slot& slot = slots_[chunk];
    if (slot.chunk.read() == nullptr) {
      std::ranges::fill(part, std::byte{0});
    } else {
      std::copy_n(slot.chunk.read() + within, part.size(), part.begin());
    }
    for (std::uint32_t i = 0; slot.late.read() != nullptr && i < late_in(slot.late).slots(); ++i) {
      const auto late = late_in(slot.late);
      if (!late.is_taken(i)) {
        continue;
      }
      // A word may begin before the part, or end behind it.
      const auto* const value = reinterpret_cast<const std::byte*>(late.value(i));
      const std::uint64_t at = late.place(i) * kWordBytes;
      for (std::uint64_t byte = std::max(at, within); byte < std::min(at + kWordBytes, within + part.size());
           ++byte) {
        part[byte - within] = value[byte - at];
      }
    }
    offset += part.size();
    out = out.subspan(part.size());
  }
}

// ---- writing

bool WordChunks::store(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t chunk = offset / kChunk;
    const std::uint64_t within = offset % kChunk;
    const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), chunk_bytes(chunk) - within));
    if (!all_zeros(part) || slots_[chunk].chunk.read() != nullptr) {
      std::byte* const to = slots_[chunk].chunk.write(chunk_bytes(chunk));
      if (to == nullptr) {
        return false;
      }
      std::ranges::copy(part, to + within);
    }
    offset += part.size();
    bytes = bytes.subspan(part.size());
  }
  return true;
}

// Makes a chunk ours alone, with its late words in it.
bool WordChunks::own(std::uint64_t chunk) {
  Slot& slot = slots_[chunk];
  std::byte* const bytes = slot.chunk.write(chunk_bytes(chunk));
  if (bytes == nullptr) {
    return false;
  }
  if (slot.late.read() != nullptr) {
    const auto late = late_in(slot.late);
    for (std::uint32_t i = 0; i < late.slots(); ++i) {
      if (late.is_taken(i)) {
        std::memcpy(bytes + late.place(i) * kWordBytes, late.value(i), kWordBytes);
      }
    }
    slot.late = SharedChunk();
  }
  return true;
}

bool WordChunks::make_room(Slot& slot, unsigned more) {
  const bool has_list = slot.late.read() != nullptr;
  const std::uint32_t count = has_list ? late_in(slot.late).count() : 0;
  const std::uint32_t slots = has_list ? late_in(slot.late).slots() : 0;
  if (has_list && count + more <= LateWords<std::byte>::room_of(slots)) {  // ours alone, or a copy
    return slot.late.write(LateWords<std::byte>::bytes_for(slots)) != nullptr;
  }
  std::uint32_t wanted = std::max(kLeastSlots, 2 * slots);
  while (count + more > LateWords<std::byte>::room_of(wanted)) {
    wanted *= 2;
  }
  SharedChunk larger;
  std::byte* const bytes = larger.write(LateWords<std::byte>::bytes_for(wanted));
  if (bytes == nullptr) {
    return false;
  }
  const LateWords<std::byte> list(bytes);
  list.begin(wanted);
  if (has_list) {
    list.take_all(late_in(slot.late));
  }
  slot.late = std::move(larger);
  return true;
}

bool WordChunks::ready(std::uint64_t index, unsigned more) {
  const std::uint64_t chunk = index / kWordsInChunk;
  Slot& slot = slots_[chunk];
  const bool has_list = slot.late.read() != nullptr;
  if (!has_list && slot.chunk.is_ours()) {
    return true;
  }
  const std::uint32_t late = has_list ? late_in(slot.late).count() : 0;
  if (late <= late_left_ && slot.chunk.is_ours()) {
    late_left_ -= late;
    return own(chunk);
  }
  if (chunks_left_ == 0 && late < kMostLate) {
    return make_room(slot, more);
  }
  chunks_left_ -= chunks_left_ > 0 ? 1 : 0;
  return own(chunk);
}

void WordChunks::write(std::uint64_t index, std::uint64_t value) {
  const std::uint64_t chunk = index / kWordsInChunk;
  Slot& slot = slots_[chunk];
  if (slot.late.read() == nullptr) {
    std::memcpy(slot.chunk.write(chunk_bytes(chunk)) + index % kWordsInChunk * kWordBytes, &value,
                kWordBytes);
    return;
  }
  const LateWords<std::byte> late(
      slot.late.write(LateWords<std::byte>::bytes_for(late_in(slot.late).slots())));
  late.put(place_of(index), value);
}

}  // namespace bloomery::redis_module
