// One layer of a growing filter: a blocked Bloom filter in the setting fast (filter/blocked_window.h).
//
//   bits at once    its bits are in pages from the beginning; the hash chooses window and bits
//   bits late       it holds fingerprints at first (late_bits.h)
//
// Threads: as SharedPage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/growing_plan.h"
#include "filter/pages/paged_words.h"
#include "filter/scalable/late_bits.h"
#include "filter/scalable/layer_size.h"

namespace bloomery {

// An optional value that is allocated apart: without one, it costs a pointer. Copies copy the value.
template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  // Precondition of these: there is a value.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

struct FilterLayer {
  static constexpr std::size_t kGroup = 64;

  LayerSize size;
  std::uint64_t keys = 0;
  PagedWords bits;       // empty if the bits are late
  Boxed<LateBits> late;  // nothing if the bits are there at once

  // Answers at most kGroup hashes. Bits of `asked` say which ones are asked.
  std::uint64_t ask(std::span<const Hash128> hashes, std::uint64_t asked) const;
  void prefetch(const Hash128& hash) const;
  // Adds a key unless it is known. The outcome is kFull if the layer is full and does not know the key.
  Added add(const Hash128& hash);
  // The fpp of a key that is not in, predicted from the keys that are.
  double current_fpp() const;

  // ---- as bytes

  std::uint64_t payload_bytes() const { return late ? late->size_bytes() : bits.size_bytes(); }
  std::uint64_t memory_bytes() const;
  // Returns how many bytes from `offset` on are saved as one: at most `most`, unless one piece has more.
  // Precondition of these three: offset < payload_bytes().
  std::uint64_t step(std::uint64_t offset, std::uint64_t most) const;
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  // Errors: kCapacity if memory is lacking; those of LateBits::write().
  Status write(std::uint64_t offset, std::span<const std::byte> bytes);

  // The pieces of memory that are moved at once.
  std::uint64_t memory_pieces() const { return late ? late->piece_count() : bits.page_count(); }
  // Moves what nobody shares of a piece. Precondition: piece < memory_pieces().
  template <typename Move>
  void move_piece(std::size_t piece, Move move) {
    if (late) {
      late->move_piece(piece, move);
    } else {
      bits.move_page(piece, move);
    }
  }
};

// Answers at most 64 hashes from layers, the newest and largest first.
template <typename Layer>
std::uint64_t ask_layers(std::span<const Layer> layers, std::span<const Hash128> hashes) {
  if (hashes.empty()) {
    return 0;
  }
  const std::uint64_t all = ~std::uint64_t{0} >> (FilterLayer::kGroup - hashes.size());
  std::uint64_t absent = all;
  for (std::size_t i = layers.size(); i-- > 0 && absent != 0;) {
    absent &= ~layers[i].ask(hashes, absent);
  }
  return all & ~absent;
}

// Answers any number of hashes: bit i % 64 of word i / 64.
template <typename Layer>
void ask_layers_in_groups(std::span<const Layer> layers, std::span<const Hash128> hashes,
                          std::span<std::uint64_t> answers) {
  for (std::size_t first = 0; first < hashes.size(); first += FilterLayer::kGroup) {
    answers[first / FilterLayer::kGroup] =
        ask_layers(layers, hashes.subspan(first, std::min(FilterLayer::kGroup, hashes.size() - first)));
  }
}

}  // namespace bloomery
