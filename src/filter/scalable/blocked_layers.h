// The layers of a scalable filter: blocked Bloom filters, each of which follows when the one before is full.
// A query asks all of them.
//
//    payload   front (layer_front.h) | layer 0 | layer 1 | ...       each a multiple of 64 bytes
//    layer     its words, or the pieces of late bits (late_bits.h)
//
// layer_size.h has the sizes of new layers. Those of a file stay as they are. The last layer accepts the keys
// that no layer knows, up to its capacity; then the next layer follows.
//
// Invariants:
//
//   - Capacities do not fall from layer to layer. Several layers of one capacity come from merges.
//   - No layer counts more keys than its capacity.
//   - The place and the shape of a layer never change while others may query it. Only the last layer changes.
//
// Threads: an insert holds one mutex. Queries hold none in layers that have their bits. A piece of late bits
// of the last layer may be rebuilt by an insert, so inserts and queries of such a piece hold a lock, one of
// 64 that the piece chooses. Slots below count_ never change. An insert raises count_ by a release store once
// the new slot is complete. A call of clear() or merge() must run alone.
//
// Not here: exceptions, the header.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/native/filter_body.h"
#include "filter/native/storage.h"
#include "filter/scalable/late_bits.h"
#include "filter/scalable/layer_front.h"

namespace bloomery {

class BlockedLayers final : public SegmentedPayload {
 public:
  enum class Outcome : std::uint8_t { kRefused, kKnown, kNew };

  struct Layer {
    LayerSize size;
    std::atomic<std::uint64_t> keys{0};  // keys that were new to this layer
    std::uint64_t* words = nullptr;      // null if the bits are late
    AlignedBuffer own;                   // memory of the words, unless they are in an opened payload
    std::optional<LateBits> late;

    // Precondition of these two: the bits are not late.
    BlockedTable table() const { return blocked_table(words, size.shape); }
    std::span<const std::uint64_t> bits() const { return {words, size.shape.words}; }
  };
  // Returns one empty layer.
  static Result<std::unique_ptr<BlockedLayers>> create(const GrowingPlan& plan);
  // Opens the layers in a payload, which begins at a multiple of 8. Reads its front, and the tables of late
  // bits. Errors: kCorruption, with the offset in the file.
  static Result<std::unique_ptr<BlockedLayers>> over(Storage payload, const GrowingPlan& plan);

  bool contains(std::uint64_t hash) const;
  void contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Inserts a key, and calls use(outcome) while it holds the mutex.
  template <typename Use>
  void insert(std::uint64_t hash, Use use) {
    const std::lock_guard lock(inserts_);
    use(insert_alone(hash));
  }
  // Inserts keys in order, and calls use(i, outcome) for each. Takes the mutex once.
  template <typename Use>
  void insert_each(std::span<const Hash128> hashes, Use use);

  // Merges another filter of the same plan. A layer is joined to ours of the same size if that has room,
  // otherwise it is added. Errors: kCapacity; then nothing has changed.
  Status merge(const BlockedLayers& other);

  std::size_t count() const { return count_.load(std::memory_order_acquire); }
  const Layer& operator[](std::size_t i) const { return *slots_[i]; }
  // Inserts may run meanwhile; if the bits are late, they wait.
  LayerContent content(std::size_t i) const;
  // The fpp of layer i, predicted from its number of keys. Threads: the same.
  double predicted_fpp(std::size_t i) const;
  // The bytes of layer i in a file. Threads: the same.
  std::uint64_t layer_bytes(std::size_t i) const;

  bool is_writable() const override { return writable_; }
  std::uint64_t byte_size() const override;
  const MappedFile* mapping() const override { return home_.mapping(); }
  Image image() const override;
  void clear() override;

 private:
  // The hashes that are looked at together. They are so few that they stay in the first-level cache.
  static constexpr std::size_t kPiece = 512;
  using PieceAnswers = std::array<std::uint64_t, kPiece / 64>;
  using Slots = std::array<std::unique_ptr<Layer>, kMostScalableLayers>;

  class Merger;

  BlockedLayers(const GrowingPlan& plan, Storage home)
      : plan_(plan), home_(std::move(home)), writable_(home_.is_writable()) {}

  static Result<std::unique_ptr<Layer>> new_layer(const LayerSize& size);
  Status open_layers();
  LayerFront front() const;
  std::size_t changing_layer() const;
  bool is_in_first(std::size_t layers, std::uint64_t hash) const;
  PieceAnswers ask(std::size_t layers, std::span<const Hash128> hashes) const;
  void ask_changing(const LateBits& late, std::span<const Hash128> hashes, std::uint64_t* answers) const;
  Outcome insert_alone(std::uint64_t hash);
  void insert_piece(std::span<const Hash128> hashes, std::span<Outcome> outcomes);
  std::size_t insert_until_growth(std::span<const Hash128> hashes, std::span<Outcome> outcomes);
  Outcome put_in_last(std::uint64_t hash);
  Outcome put_in_late(Layer& last, std::uint64_t hash);
  bool grow();

  GrowingPlan plan_;
  Storage home_;  // the bytes of layers that have no memory of their own
  bool writable_;
  Slots slots_;
  std::atomic<std::size_t> count_{0};
  mutable std::mutex inserts_;
  mutable StripedLock pieces_;  // of the late bits of the last layer
};

template <typename Use>
void BlockedLayers::insert_each(std::span<const Hash128> hashes, Use use) {
  const std::lock_guard lock(inserts_);
  std::array<Outcome, kPiece> outcomes;
  for (std::size_t first = 0; first < hashes.size(); first += kPiece) {
    const auto piece = hashes.subspan(first, std::min(kPiece, hashes.size() - first));
    insert_piece(piece, outcomes);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      use(first + i, outcomes[i]);
    }
  }
}

}  // namespace bloomery
