// Reads the hybrid of run lengths and packed bits that Parquet uses for levels and for indices of a
// dictionary.
//
//   run      varint header, then
//     even   header / 2 times the same value, which follows in the fewest bytes for the width, little-endian
//     odd    header / 2 groups of 8 values, packed (packed_bits.h)
//
// The reader stops after `count` values. The last packed run may lack the bytes of values past these. A run
// of equal values costs one call, whatever length it claims; so the work is linear in the bytes and in the
// packed values. Source: Apache Parquet format, Encodings.md, "RLE/bit-packing hybrid".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/message.h"
#include "base/varint.h"
#include "bloomery/base/result.h"
#include "codec/parquet/packed_bits.h"

namespace bloomery::parquet {

inline constexpr const char* kRunsSubject = "parquet runs";

// Reads runs one after the other. Use read_hybrid_runs().
class HybridRuns {
 public:
  HybridRuns(std::span<const std::byte> bytes, std::uint64_t offset, unsigned width, std::uint64_t count)
      : left_(bytes), offset_(offset), width_(width), count_(count) {}

  bool at_end() const { return count_ == 0; }
  template <typename Use>
  Status read_run(const Use& use) {
    const VarintGroups header = join_varint(left_);
    if (header.end != VarintEnd::kWhole) {
      return damaged(message("expected a run for ", count_, " more values, found the end"));
    }
    skip(header.size_bytes);
    return (header.value & 1) == 0 ? read_equal(header.value >> 1, use) : read_packed(header.value >> 1, use);
  }

 private:
  template <typename Use>
  Status read_equal(std::uint64_t claimed, const Use& use) {
    const std::size_t size = (width_ + 7) / 8;
    if (left_.size() < size) {
      return damaged("expected a value, found the end");
    }
    const std::uint64_t times = std::min(claimed, count_);
    const std::uint64_t value = packed_at(left_.first(size), 0, static_cast<unsigned>(8 * size));
    skip(size);
    count_ -= times;
    return times == 0 || use(value, times) ? Status() : Status(out_of_range(value));
  }

  template <typename Use>
  Status read_packed(std::uint64_t claimed, const Use& use) {
    const std::uint64_t groups = std::min(claimed, count_ / 8 + 1);  // so that * 8 does not overflow
    const std::uint64_t values = std::min(groups * 8, count_);
    if (left_.size() < packed_bytes(values, width_)) {
      return damaged(message("expected ", values, " packed values, found the end"));
    }
    if (width_ == 0) {  // no bytes, however many values
      return read_equal(values, use);
    }
    for (std::uint64_t i = 0; i < values; ++i) {
      const std::uint64_t value = packed_at(left_, i * width_, width_);
      if (!use(value, std::uint64_t{1})) {
        return out_of_range(value);
      }
    }
    skip(std::min<std::uint64_t>(left_.size(), groups * width_));
    count_ -= values;
    return {};
  }

  void skip(std::size_t bytes) {
    left_ = left_.subspan(bytes);
    offset_ += bytes;
  }
  Error damaged(const std::string& detail) const { return Error::corruption(kRunsSubject, offset_, detail); }
  Error out_of_range(std::uint64_t value) const {
    return damaged(message("a value of ", value, " is out of range"));
  }

  std::span<const std::byte> left_;
  std::uint64_t offset_;  // of left_, for errors
  unsigned width_;
  std::uint64_t count_;  // values that were not read
};

// Calls use(value, times) for the runs, and for each packed value with `times` 1. It returns false to refuse
// a value, which is kCorruption. `offset` is that of `bytes` for errors. Precondition: width <= 32.
template <typename Use>
Status read_hybrid_runs(std::span<const std::byte> bytes, std::uint64_t offset, unsigned width,
                        std::uint64_t count, const Use& use) {
  for (HybridRuns runs(bytes, offset, width, count); !runs.at_end();) {
    BLOOMERY_RETURN_IF_ERROR(runs.read_run(use));
  }
  return {};
}

}  // namespace bloomery::parquet
