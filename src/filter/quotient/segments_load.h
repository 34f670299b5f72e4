// The load of a quotient filter's payload into the memory of a server, chunk by chunk. Each table is verified
// when its last byte has arrived, so the time of a step does not grow with the payload: a file of 1 GB has
// about 3,000 tables.
//
// Threads: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/native/native_header.h"
#include "filter/quotient/pieced_segments.h"

namespace bloomery {

class SegmentsLoad {
 public:
  explicit SegmentsLoad(const NativeHeader& header) : header_(header) {}
  // Appends the next bytes of the payload. An error ends the load, and every later call returns it again.
  // Errors: kCorruption for bytes that no filter of the type has; kUnsupported beyond the bounds of files;
  // kCapacity if memory is lacking.
  Status append(std::span<const std::byte> bytes);
  // Ends the load. Errors: kCorruption if bytes are missing, or the header has other values.
  Result<PiecedSegments> finish() &&;

  std::uint64_t memory_bytes() const;
  // Copies bytes that were appended. Precondition: offset + out.size() is at most their number.
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  Status append_front(std::span<const std::byte>& bytes);
  Status open_front();
  Status append_to_segment(std::span<const std::byte>& bytes);

  Status state_;  // the error that ended the load, if one did
  NativeHeader header_;
  std::optional<PiecedSegments> segments_;  // once the front has arrived
  std::size_t segment_ = 0;                 // that the next bytes belong to
  std::vector<std::byte> unfinished_;       // the first bytes of the front, or of that segment
};

}  // namespace bloomery
