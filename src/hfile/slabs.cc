#include "hfile/slabs.h"

#include <bit>
#include <new>
#include <utility>

namespace bloomery::hfile {
namespace {

#if defined(__has_feature)  // Clang
#define BLOOMERY_HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define BLOOMERY_HAS_ADDRESS_SANITIZER 1
#else
#define BLOOMERY_HAS_ADDRESS_SANITIZER 0
#endif
constexpr bool kHasSlabs = !BLOOMERY_HAS_ADDRESS_SANITIZER;
#undef BLOOMERY_HAS_ADDRESS_SANITIZER

}  // namespace

struct Slabs::Slab {
  // The header of a free piece.
  struct FreePiece {
    FreePiece* next;
  };

  AlignedBuffer memory;
  Size size = {};
  std::size_t used = 0;       // pieces in use
  std::size_t untouched = 0;  // offset of the bytes that were never in a piece
  FreePiece* free = nullptr;
  Slab* before = nullptr;  // its neighbours in open_
  Slab* behind = nullptr;

  bool has_room() const { return free != nullptr || untouched + size.bytes <= kSlabBytes; }
  std::byte* take() {
    ++used;
    if (free != nullptr) {
      return reinterpret_cast<std::byte*>(std::exchange(free, free->next));
    }
    return memory.bytes().data() + std::exchange(untouched, untouched + size.bytes);
  }
  void give_back(std::byte* piece) {
    --used;
    free = new (piece) FreePiece{free};
  }
};

// Never destroyed: blocks may outlive all other objects at process exit.
Slabs& Slabs::of_process() {
  static Slabs* const slabs = new Slabs;
  return *slabs;
}

Slabs::Slabs() = default;
Slabs::~Slabs() = default;

std::optional<Slabs::Size> Slabs::size_for(std::size_t bytes) {
  if (bytes <= kLeastPiece || bytes > kMostPiece) {
    return std::nullopt;
  }
  const auto doubling = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;
  const std::size_t eighths = (bytes - 1) >> (doubling - 3);  // 8 to 15
  return Size{.number = (doubling - std::countr_zero(kLeastPiece)) * kSizesOfDoubling + eighths - 8,
              .bytes = (eighths + 1) << (doubling - 3)};
}

void Slabs::link(Slab& slab) {
  Slab*& first = open_[slab.size.number];
  slab.before = nullptr;
  slab.behind = first;
  if (first != nullptr) {
    first->before = &slab;
  }
  first = &slab;
}

void Slabs::unlink(Slab& slab) {
  (slab.before != nullptr ? slab.before->behind : open_[slab.size.number]) = slab.behind;
  if (slab.behind != nullptr) {
    slab.behind->before = slab.before;
  }
}

// Returns an empty slab. Returns null if the limit in slabs.h is reached, or the system has no memory.
Slabs::Slab* Slabs::new_slab() {
  if (spare_ != nullptr) {
    return spare_.release();
  }
  const std::size_t idle = (slabs_ + 1) * kSlabBytes - in_slabs_;
  if (in_use_ < kBegin || idle > kSlabBytes + in_use_ / 8) {
    return nullptr;
  }
  auto memory = AlignedBuffer::zeroed_on_huge_pages(kSlabBytes);
  if (!memory) {
    return nullptr;
  }
  ++slabs_;
  return new Slab{.memory = std::move(*memory)};
}

Slabs::Slab* Slabs::slab_with_room(const Size& size) {
  if (Slab* const slab = open_[size.number]) {
    return slab;
  }
  Slab* const slab = new_slab();
  if (slab != nullptr) {
    slab->size = size;
    slab->untouched = 0;
    slab->free = nullptr;
    link(*slab);
  }
  return slab;
}

Slabs::Piece Slabs::take(std::size_t bytes) {
  if (const auto size = kHasSlabs ? size_for(bytes) : std::nullopt) {
    const std::lock_guard lock(mutex_);
    if (Slab* const slab = slab_with_room(*size)) {
      std::byte* const start = slab->take();
      if (!slab->has_room()) {
        unlink(*slab);
      }
      in_use_ += size->bytes;
      in_slabs_ += size->bytes;
      return {.start = start, .bytes = size->bytes, .slab = slab};
    }
  }
  const Piece piece{.start = static_cast<std::byte*>(::operator new(bytes)), .bytes = bytes};
  const std::lock_guard lock(mutex_);
  in_use_ += bytes;
  return piece;
}

void Slabs::give_back(const Piece& piece) {
  if (piece.slab == nullptr) {
    ::operator delete(piece.start);
  }
  const std::lock_guard lock(mutex_);
  in_use_ -= piece.bytes;
  if (piece.slab != nullptr) {
    in_slabs_ -= piece.bytes;
    give_back(piece.start, *piece.slab);
  }
}

void Slabs::give_back(std::byte* piece, Slab& slab) {
  const bool was_full = !slab.has_room();
  slab.give_back(piece);
  if (was_full) {
    link(slab);
  }
  if (slab.used == 0) {
    unlink(slab);
    slabs_ -= static_cast<std::size_t>(spare_ != nullptr);
    spare_.reset(&slab);
  }
}

std::size_t Slabs::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

std::size_t Slabs::bytes_of_slabs() const {
  const std::lock_guard lock(mutex_);
  return slabs_ * kSlabBytes;
}

}  // namespace bloomery::hfile
