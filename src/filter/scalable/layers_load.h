// The load of a scalable filter's payload into the memory of a server, chunk by chunk. Each byte goes to its
// layer when it comes, so the time of a step does not grow with the payload.
//
// Threads: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/scalable/pieced_layers.h"

namespace bloomery {

class LayersLoad {
 public:
  explicit LayersLoad(const NativeHeader& header);
  // Appends the next bytes of the payload. An error ends the load, and every later call returns it again.
  // Errors: kCorruption for bytes that no filter of the type has; kCapacity if memory is lacking.
  Status append(std::span<const std::byte> bytes);
  // Ends the load. Errors: kCorruption if bytes are missing.
  Result<PiecedLayers> finish() &&;

  std::uint64_t memory_bytes() const;
  // Copies bytes that were appended. Precondition: offset + out.size() is at most their number.
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  void leave_complete_layers();
  Status append_front(std::span<const std::byte>& bytes);
  Status open_front();
  Status append_to_layer(std::span<const std::byte>& bytes);

  Status state_;  // the error that ended the load, if one did
  GrowingPlan plan_;
  NativeHeader header_;
  std::vector<std::byte> front_;     // what came of it
  std::uint64_t front_bytes_ = 0;    // 0: not known yet
  std::vector<PiecedLayer> layers_;  // all of them, once the front is here
  std::size_t layer_ = 0;            // that the next bytes belong to
  std::uint64_t offset_ = 0;  // of the next byte in it, without those of a late piece that is not complete
  std::size_t piece_ = 0;     // the late piece that the next bytes belong to
  std::vector<std::byte> unfinished_;  // the first bytes of that piece
};

}  // namespace bloomery
