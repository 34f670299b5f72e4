#include "redis_module/word_chunks.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace bloomery::redis_module {
namespace {

constexpr std::uint64_t kChunk = kWordsInChunk * kWordBytes;
constexpr std::uint64_t kMostPayloadBytes = std::uint64_t{1} << 36;
constexpr std::uint32_t kLeastRoom = 5;    // 64 bytes, a cache line
constexpr std::uint32_t kMostLate = 1024;  // then the chunk is copied, whatever the step has done

// The parts of a list of late words. `Byte` is const for readers. Places are looked through eight at a time, which is one
// vector: a search by halves would mispredict its branches.
template <typename Byte>
class LateWords {
 public:
  explicit LateWords(Byte* bytes) : bytes_(bytes) {}

  static std::uint64_t bytes_for(std::uint32_t room) {
    const std::uint64_t places = (std::uint64_t{room} + kTogether - 1) / kTogether * kTogether;
    return sizeof(Head) + room * kWordBytes + places * sizeof(std::uint16_t);
  }
  std::uint32_t count() const { return head()->count; }
  std::uint32_t room() const { return head()->room; }
  auto* values() const { return as<std::uint64_t>(sizeof(Head)); }
  auto* places() const { return as<std::uint16_t>(sizeof(Head) + room() * kWordBytes); }
  // Returns where a place stands; count() if it does not.
  std::uint32_t position(std::uint16_t place) const {
    const std::uint16_t* const all = places();
    for (std::uint32_t first = 0; first < count(); first += kTogether) {
      std::uint16_t is_here = 0;
      for (std::uint32_t i = 0; i < kTogether; ++i) {
        is_here = static_cast<std::uint16_t>(is_here | (all[first + i] == place ? 1U : 0U));
      }
      if (is_here != 0) {
        const auto at =
            static_cast<std::uint32_t>(std::find(all + first, all + first + kTogether, place) - all);
        return std::min(at, count());  // behind the last there are old ones
      }
    }
    return count();
  }
  void begin(std::uint32_t room) const { *head() = {.count = 0, .room = room}; }
  template <typename Other>
  void take_all(const LateWords<Other>& other) const {
    std::copy_n(other.values(), other.count(), values());
    std::copy_n(other.places(), other.count(), places());
    head()->count = other.count();
  }
  void put(std::uint16_t place, std::uint64_t value) const {
    const std::uint32_t at = position(place);
    places()[at] = place;
    values()[at] = value;
    head()->count += at == count() ? 1U : 0U;
  }

 private:
  static constexpr std::uint32_t kTogether = 8;
  struct Head {
    std::uint32_t count;
    std::uint32_t room;
  };
  template <typename T>
  auto* as(std::uint64_t offset) const {
    using Wanted = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    return reinterpret_cast<Wanted*>(bytes_ + offset);
  }
  auto* head() const { return as<Head>(0); }

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
                 : LateWords<const std::byte>::bytes_for(late_in(slots_[i].late).room());
  }
  return total;
}

// ---- reading

const std::uint64_t* WordChunks::late_or_in_chunk(const Slot& slot, std::uint64_t index) {
  const auto late = late_in(slot.late);
  const std::uint32_t at = late.position(place_of(index));
  return at < late.count() ? late.values() + at : in_chunk(slot, index);
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
    for (std::uint32_t i = 0; slot.late.read() != nullptr && i < late_in(slot.late).count(); ++i) {
      // A word may begin before the part, or end behind it.
      const auto* const value = reinterpret_cast<const std::byte*>(late_in(slot.late).values() + i);
      const std::uint64_t at = late_in(slot.late).places()[i] * kWordBytes;
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
    const bool is_zero = std::ranges::all_of(part, [](std::byte byte) { return byte == std::byte{0}; });
    if (!is_zero || slots_[chunk].chunk.read() != nullptr) {
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
    for (std::uint32_t i = 0; i < late.count(); ++i) {
      std::memcpy(bytes + late.places()[i] * kWordBytes, late.values() + i, kWordBytes);
    }
    slot.late = SharedChunk();
  }
  return true;
}

bool WordChunks::make_room(Slot& slot, unsigned more) {
  const bool has_list = slot.late.read() != nullptr;
  const std::uint32_t count = has_list ? late_in(slot.late).count() : 0;
  const std::uint32_t room = has_list ? late_in(slot.late).room() : 0;
  if (count + more <= room) {  // ours alone, or a copy
    return slot.late.write(LateWords<std::byte>::bytes_for(room)) != nullptr;
  }
  const std::uint32_t wanted = std::max({kLeastRoom, 2 * room, count + more});
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
      slot.late.write(LateWords<std::byte>::bytes_for(late_in(slot.late).room())));
  late.put(place_of(index), value);
}

}  // namespace bloomery::redis_module
