// The sizes of a quotient filter: from capacity and fpp to the shape of its segments, and from the shape to
// bytes.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

// The properties of a filter that never change, and the initial shape of its segments.
struct QuotientShape {
  std::uint64_t quotients = 64;        // quotients of a segment: a multiple of 64, up to 2^20
  std::uint32_t depth = 0;             // there are 2^depth segments
  std::uint32_t remainder_bits = 1;    // 1 to 48; every split of a segment uses up one
  std::uint32_t growth_doublings = 0;  // doublings that keep the fpp; fewer than the remainder bits

  friend bool operator==(const QuotientShape&, const QuotientShape&) = default;
};

// Returns the shape of a filter for `capacity` distinct keys at `fpp` or less. The fpp still holds after
// `growth_doublings` doublings of the number of keys. Pure. Errors: kInvalidArgument for an fpp outside of
// (0, 1), more than 2^50 keys, more than 48 doublings, or fingerprints of more than 63 bits.
Result<QuotientShape> quotient_shape_for_fpp(std::uint64_t capacity, double fpp,
                                             std::uint32_t growth_doublings = 0);

// Errors: kInvalidArgument, naming the field that is out of range.
Status check_quotient_shape(const QuotientShape& shape);

// Returns the bytes of the payload of an empty filter; its size is constant until the filter grows.
// Precondition: check_quotient_shape() accepts the shape.
std::uint64_t quotient_bytes(const QuotientShape& shape);

// Returns the fpp of a filter of a shape with `key_count` different keys.
double predicted_fpp(const QuotientShape& shape, std::uint64_t key_count);

}  // namespace bloomery
