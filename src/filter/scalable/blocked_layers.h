// The layers of a scalable filter: blocked Bloom filters, each of which follows when the one before is full.
// A query asks all of them.
//
//    payload   front | words of layer 0 | words of layer 1 | ...       each a multiple of 64 bytes
//
// The front is that of layer_front.h.
//
// A layer of step i is for layer_capacity(i) keys. The last layer takes the keys that no layer knows, up to
// its capacity. Then a layer of the next step follows. A filter that was never merged has one layer of each
// step.
//
// Invariants:
//
//   - Steps begin with 0 and go up by 0 or 1 from layer to layer. Several layers of one step come from
//     merges.
//   - No layer counts more keys than its capacity.
//   - The place and shape of a layer never change while others may ask it.
//
// The shapes are those of the file. A new layer has the shape of plan_layer(), but an opened one need not,
// since logarithms differ in their last bit from machine to machine.
//
// Threads: an insert holds one mutex. Queries hold none. Slots below count_ never change. An insert raises
// count_ by a release store once the new slot is complete. A call of clear() or merge() must run alone.
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
#include "bloomery/filter/scalable_sizing.h"
#include "bloomery/hash/hash128.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/native/filter_body.h"
#include "filter/native/storage.h"
#include "filter/scalable/layer_front.h"

namespace bloomery {

class BlockedLayers final : public SegmentedPayload {
 public:
  enum class Outcome : std::uint8_t { kRefused, kKnown, kNew };

  struct Layer {
    std::uint32_t step = 0;
    BlockedShape shape;
    std::atomic<std::uint64_t> keys{0};  // keys that were new to this layer
    std::uint64_t* words = nullptr;
    AlignedBuffer own;  // memory of the words, unless they are in an opened payload

    BlockedTable table() const { return blocked_table(words, shape); }
    std::span<const std::uint64_t> bits() const { return {words, shape.words}; }
  };

  // Returns one empty layer.
  static Result<std::unique_ptr<BlockedLayers>> create(const ScalablePlan& plan);
  // Opens the layers in a payload, which lies at a multiple of 8. Reads its front. Errors: kCorruption, with
  // the offset in the file.
  static Result<std::unique_ptr<BlockedLayers>> over(Storage payload, const ScalablePlan& plan);

  bool contains(std::uint64_t hash) const { return is_in_first(count(), hash); }
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

  // Merges another filter of the same plan. A layer is joined to ours of the same step if that has room,
  // otherwise it is added. Errors: kCapacity; then nothing has changed.
  Status merge(const BlockedLayers& other);

  std::size_t count() const { return count_.load(std::memory_order_acquire); }
  const Layer& operator[](std::size_t i) const { return *slots_[i]; }
  std::uint64_t capacity_of(const Layer& layer) const {
    return layer_capacity(plan_.first_capacity, layer.step);
  }

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

  BlockedLayers(const ScalablePlan& plan, Storage home)
      : plan_(plan), home_(std::move(home)), writable_(home_.is_writable()) {}

  static Result<std::unique_ptr<Layer>> new_layer(std::uint32_t step, const BlockedShape& shape);
  Status open_layers();
  std::vector<LayerEntry> entries() const;
  bool is_in_first(std::size_t layers, std::uint64_t hash) const;
  PieceAnswers ask(std::size_t layers, std::span<const Hash128> hashes) const;
  Outcome insert_alone(std::uint64_t hash);
  void insert_piece(std::span<const Hash128> hashes, std::span<Outcome> outcomes);
  std::size_t insert_until_growth(std::span<const Hash128> hashes, std::span<Outcome> outcomes);
  Outcome put_in_last(std::uint64_t hash);
  bool grow();

  ScalablePlan plan_;
  Storage home_;  // the words of layers that have no memory of their own
  bool writable_;
  Slots slots_;
  std::atomic<std::size_t> count_{0};
  std::mutex inserts_;
  // The shape that grow() has computed for a layer that it could not add then.
  std::uint32_t planned_step_ = 0;
  std::optional<BlockedShape> planned_;
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
