// The scalable filter of a file over a payload in pieces.
//
//   payload of the file     front | words of layer 0 | words of layer 1 | ...
//   here                    front, made when it is read | pieces 0: layers of the file | pieces 1: the next layer | ...
//
// A layer that the filter grows by has pieces of its own, so none that exists moves. A key goes into the last layer unless
// some layer knows it; when that has taken its capacity, a layer of the next step follows (docs/formats/native.md). Its shape
// is that of scalable_sizing.h, unless agree() has named it: logarithms differ in their last bit from machine to machine, so
// a replica is told the shapes of its primary.
//
// Not here: exceptions, counts, the file (pieced_file.h). Threads: as PagedWords.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/hash/hash128.h"
#include "filter/blocked/pieced_windows.h"
#include "filter/scalable/layer_front.h"

namespace bloomery {

class PiecedLayers {
 public:
  // Errors: kCorruption for a header or a front that no filter of the type has.
  static Result<PiecedLayers> open(const NativeHeader& header, const PagedWords& payload);

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  void prefetch_places(const Hash128& hash) const;
  void prefetch(const Hash128& hash) const;
  // The outcome is kNew or kKnown; kOverLimit if the payload would exceed `most_payload_bytes`, or no layer can follow;
  // kNoMemory.
  Added insert(const Hash128& hash, std::uint64_t most_payload_bytes);

  void begin_step();
  std::size_t layer_count() const { return layers_.size(); }
  const LayerEntry& layer(std::size_t i) const { return layers_[i].entry; }
  // Names the shape of a layer to come. Errors: kInvalidArgument for a shape that no layer has.
  Status agree(std::uint32_t step, const BlockedShape& shape);
  std::uint64_t payload_bytes() const;
  std::uint32_t payload_crc() const;
  std::uint64_t memory_bytes() const;
  // Copies bytes of the payload. Precondition: offset + out.size() <= payload_bytes().
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  struct Layer {
    LayerEntry entry;
    std::size_t piece = 0;  // which pieces have its words
    PiecedTable table;
  };

  explicit PiecedLayers(const ScalablePlan& plan) : plan_(plan) {}
  std::uint64_t capacity_of(const Layer& layer) const;
  bool is_in_first(std::size_t layers, const Hash128& hash) const;
  Added put_in_last(const Hash128& hash);
  Added grow(std::uint64_t most_payload_bytes);
  std::optional<BlockedShape> shape_of(std::uint32_t step);
  std::vector<std::byte> front() const;

  ScalablePlan plan_;
  std::vector<Layer> layers_;
  std::vector<CheckedPages> pieces_;
  std::map<std::uint32_t, BlockedShape> planned_;  // shapes of steps to come, so far as they are known
};

}  // namespace bloomery
