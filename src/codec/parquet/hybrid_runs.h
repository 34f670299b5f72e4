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

// Calls use(value, times) for the runs, and for each packed value with `times` 1. It returns false to refuse
// a value, which is kCorruption. `offset` is that of `bytes` for errors. Precondition: width <= 32.
template <typename Use>
Status read_hybrid_runs(std::span<const std::byte> bytes, std::uint64_t offset, unsigned width,
                        std::uint64_t count, const Use& use) {
  std::size_t at = 0;
  const auto damaged = [&](const std::string& detail) {
    return Error::corruption(kRunsSubject, offset + at, detail);
  };
  while (count > 0) {
    const VarintGroups header = join_varint(bytes.subspan(at));
    if (header.end != VarintEnd::kWhole) {
      return damaged(message("expected a run for ", count, " more values, found the end"));
    }
    at += header.size_bytes;
    const auto left = bytes.subspan(at);
    if ((header.value & 1) == 0) {
      const std::size_t size = (width + 7) / 8;
      const std::uint64_t times = std::min(header.value >> 1, count);
      if (left.size() < size) {
        return damaged("expected a value, found the end");
      }
      const std::uint64_t value = packed_at(left.first(size), 0, static_cast<unsigned>(8 * size));
      if (times > 0 && !use(value, times)) {
        return damaged(message("a value of ", value, " is out of range"));
      }
      at += size;
      count -= times;
      continue;
    }
    // A group has eight values, so the multiplication by 8 is exact for all that `count` allows.
    const std::uint64_t groups = std::min(header.value >> 1, count / 8 + 1);
    const std::uint64_t values = std::min(groups * 8, count);
    if (left.size() < packed_bytes(values, width)) {
      return damaged(message("expected ", values, " packed values, found the end"));
    }
    const auto packed = left.first(std::min<std::uint64_t>(left.size(), groups * width));
    if (width == 0) {
      if (values > 0 && !use(0, values)) {
        return damaged("a value of 0 is out of range");
      }
    } else {
      for (std::uint64_t i = 0; i < values; ++i) {
        const std::uint64_t value = packed_at(left, i * width, width);
        if (!use(value, std::uint64_t{1})) {
          return damaged(message("a value of ", value, " is out of range"));
        }
      }
    }
    at += packed.size();
    count -= values;
  }
  return {};
}

}  // namespace bloomery::parquet
