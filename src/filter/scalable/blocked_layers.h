// The layers of a scalable filter: blocked Bloom filters that grow from one to the next, asked all.
//
//   payload   front | words of layer 0 | words of layer 1 | ...          each a multiple of 64 bytes
//   front     0  u64 layers | 8 zeros to 32 | 32 for each: u64 keys, u64 words, u32 step, u32 hash count,
//             8 zeros | zeros to a multiple of 64
//
// A layer of step i is for layer_capacity(i) keys. The last layer takes keys that no layer knows, up to its
// capacity; then one of the next step follows. Unmerged filters have one layer of each step.
//
// Invariants: steps begin with 0 and go up by 0 or 1 from layer to layer (several of a step come from
// merges); no layer counts more keys than its capacity; a layer's place and shape never change while others
// may ask. The shapes are the file's: one that is made is plan_layer()'s, but an opened one need not be,
// since logarithms differ in their last bit from machine to machine.
//
// Threads: whoever inserts holds one mutex. Queries hold none: slots below count_ are never changed, and it
// is raised (release) once the slot is whole. clear() and merge() are alone. Not here: exceptions, the
// header.
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

namespace bloomery {

inline constexpr std::size_t kMostLayers = 256;

class BlockedLayers final : public SegmentedPayload {
 public:
  enum class Outcome : std::uint8_t { kRefused, kKnown, kNew };

  struct Layer {
    std::uint32_t step = 0;
    BlockedShape shape;
    std::atomic<std::uint64_t> keys{0};  // that were new to it
    std::uint64_t* words = nullptr;
    AlignedBuffer own;  // unless the words are in a payload that was opened

    BlockedTable table() const { return blocked_table(words, shape); }
    std::span<const std::uint64_t> bits() const { return {words, shape.words}; }
  };

  // One empty layer.
  static Result<std::unique_ptr<BlockedLayers>> create(const ScalablePlan& plan);
  // The layers in a payload, which lies at a multiple of 8. Reads its front. Errors: kCorruption, with the
  // offset in the file.
  static Result<std::unique_ptr<BlockedLayers>> over(Storage payload, const ScalablePlan& plan);

  bool contains(std::uint64_t hash) const { return is_in_first(count(), hash); }
  void contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Inserts, and calls use(outcome) while it holds the mutex.
  template <typename Use>
  void insert(std::uint64_t hash, Use use) {
    const std::lock_guard lock(inserts_);
    use(insert_alone(hash));
  }
  // Inserts in order, and calls use(i, outcome) for each; takes the mutex once.
  template <typename Use>
  void insert_each(std::span<const Hash128> hashes, Use use);

  // All of another of the same plan: layers are joined where one of the step has room, others are added.
  // Errors: kCapacity; nothing has changed then.
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
  // Hashes that are looked at together: so few that they stay in the first-level cache.
  static constexpr std::size_t kPiece = 512;
  using PieceAnswers = std::array<std::uint64_t, kPiece / 64>;
  using Slots = std::array<std::unique_ptr<Layer>, kMostLayers>;

  class Merger;

  BlockedLayers(const ScalablePlan& plan, Storage home)
      : plan_(plan), home_(std::move(home)), writable_(home_.is_writable()) {}

  static Result<std::unique_ptr<Layer>> new_layer(std::uint32_t step, const BlockedShape& shape);
  static bool follows(std::uint64_t last, std::uint64_t next);
  Status open_layers(std::uint64_t count);
  bool is_in_first(std::size_t layers, std::uint64_t hash) const;
  PieceAnswers ask(std::size_t layers, std::span<const Hash128> hashes) const;
  Outcome insert_alone(std::uint64_t hash);
  void insert_piece(std::span<const Hash128> hashes, std::span<Outcome> outcomes);
  std::size_t insert_until_growth(std::span<const Hash128> hashes, std::span<Outcome> outcomes);
  Outcome put_in_last(std::uint64_t hash);
  bool grow();

  ScalablePlan plan_;
  Storage home_;  // where the words of layers are that have no memory of their own
  bool writable_;
  Slots slots_;
  std::atomic<std::size_t> count_{0};
  std::mutex inserts_;
  // What grow() has computed, for a layer that was then not to be had.
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
