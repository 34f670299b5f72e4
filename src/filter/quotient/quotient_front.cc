#include "filter/quotient/quotient_front.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/endian.h"
#include "filter/quotient/segment_directory.h"

namespace bloomery {
namespace {

constexpr std::size_t kGrowthAt = 6;
constexpr std::size_t kReservedAt = 7;
constexpr std::size_t kSegmentCountAt = 8;

Error bad_depth(const SegmentDirectory::BadLevel& bad, const SegmentShape& shape,
                std::span<const std::byte> depths) {
  using enum SegmentDirectory::BadLevel::Why;
  if (bad.why == kGap) {
    return bad_payload(kDepthsAt, "depths: expected segments of all hashes, found a gap at the end");
  }
  const std::string expected = bad.why == kMisplaced
                                   ? "a segment that begins where the one before it ends"
                                   : std::to_string(shape.first) + " to " +
                                         std::to_string(shape.remainder_bits - 1) + ", at most 64 times " +
                                         std::to_string(depths.size()) + " segments deep";
  return bad_payload(kDepthsAt + bad.segment,
                     "depth: expected " + expected + ", found " +
                         std::to_string(std::to_integer<std::uint32_t>(depths[bad.segment])));
}

// Checks that the tables of segments of these depths fill the payload after its front.
Status check_tables_fill(const SegmentShape& shape, std::span<const std::byte> depths,
                         std::uint64_t payload_bytes) {
  std::uint64_t offset = quotient_front_bytes(depths.size());
  for (const std::byte depth : depths) {
    const std::uint64_t bytes = shape.table_bytes(std::to_integer<std::uint32_t>(depth));
    if (bytes > payload_bytes - offset) {
      return bad_payload(offset, "expected a segment of " + std::to_string(bytes / 8) + " words, found " +
                                     std::to_string((payload_bytes - offset) / 8));
    }
    offset += bytes;
  }
  if (offset != payload_bytes) {
    return bad_payload(offset, "expected nothing behind the last segment, found " +
                                   std::to_string((payload_bytes - offset) / 8) + " words");
  }
  return {};
}

// Reads the shape and the number of segments from the first 16 bytes.
Result<QuotientShape> read_shape(std::span<const std::byte> begin, std::uint64_t payload_bytes) {
  if (payload_bytes < kDepthsAt || payload_bytes % 8 != 0) {
    return bad_payload(0,
                       "expected a multiple of 8 bytes, at least 16, found " + std::to_string(payload_bytes));
  }
  const QuotientShape shape{.quotients = load_little32(begin.data()),
                            .depth = std::to_integer<std::uint32_t>(begin[4]),
                            .remainder_bits = std::to_integer<std::uint32_t>(begin[5]),
                            .growth_doublings = std::to_integer<std::uint32_t>(begin[kGrowthAt])};
  if (const Status checked = check_quotient_shape(shape); !checked) {
    return bad_payload(0, checked.error().subject() + ": " + checked.error().detail());
  }
  if (begin[kReservedAt] != std::byte{0}) {
    return bad_payload(kReservedAt, "reserved: expected 0, found " +
                                        std::to_string(std::to_integer<int>(begin[kReservedAt])));
  }
  const std::uint64_t count = load_little64(begin.data() + kSegmentCountAt);
  if (count == 0 || count > payload_bytes || count >> 32 != 0 ||
      quotient_front_bytes(count) > payload_bytes) {
    return bad_payload(kSegmentCountAt, "segments: expected 1 or more that the payload has room for, found " +
                                            std::to_string(count));
  }
  return shape;
}

}  // namespace

SegmentShape segments_of(const QuotientShape& shape) {
  return {.quotients = shape.quotients,
          .remainder_bits = shape.depth + shape.remainder_bits,
          .first = shape.depth,
          .joined = 0};
}

std::optional<std::uint64_t> quotient_front_bytes_in(std::span<const std::byte> payload) {
  if (payload.size() < kDepthsAt) {
    return std::nullopt;
  }
  const std::uint64_t count = load_little64(payload.data() + kSegmentCountAt);
  // read_quotient_front() refuses a count of 2^32 or more.
  return count >> 32 != 0 ? kDepthsAt : quotient_front_bytes(count);
}

Result<QuotientFront> read_quotient_front(std::span<const std::byte> begin, std::uint64_t payload_bytes) {
  QuotientFront front;
  BLOOMERY_ASSIGN_OR_RETURN(front.shape, read_shape(begin, payload_bytes));
  const std::uint64_t count = load_little64(begin.data() + kSegmentCountAt);
  const std::span<const std::byte> depths = begin.subspan(kDepthsAt, quotient_front_bytes(count) - kDepthsAt);
  if (std::ranges::any_of(depths.subspan(count), [](std::byte b) { return b != std::byte{0}; })) {
    return bad_payload(kDepthsAt + count, "expected zeroes behind the last depth");
  }
  front.depths.assign(depths.begin(), depths.begin() + static_cast<std::ptrdiff_t>(count));
  const SegmentShape segments = segments_of(front.shape);
  if (const auto bad = SegmentDirectory::bad_level(segments, front.depths); bad) {
    return bad_depth(*bad, segments, front.depths);
  }
  BLOOMERY_RETURN_IF_ERROR(check_tables_fill(segments, front.depths, payload_bytes));
  return front;
}

std::vector<std::byte> write_quotient_front(const QuotientShape& shape, std::span<const std::byte> depths) {
  std::vector<std::byte> front(quotient_front_bytes(depths.size()));
  store_little(front.data(), static_cast<std::uint32_t>(shape.quotients));
  front[4] = static_cast<std::byte>(shape.depth);
  front[5] = static_cast<std::byte>(shape.remainder_bits);
  front[kGrowthAt] = static_cast<std::byte>(shape.growth_doublings);
  store_little(front.data() + kSegmentCountAt, std::uint64_t{depths.size()});
  std::ranges::copy(depths, front.begin() + kDepthsAt);
  return front;
}

Status check_quotient_header(const NativeHeader& header, const QuotientShape& shape, std::uint64_t keys) {
  const auto check = [](std::uint64_t at, const char* field, std::uint64_t expected,
                        std::uint64_t found) -> Status {
    return expected == found
               ? Status()
               : bad_header_field(at, field, std::to_string(expected) + " as in the payload", found);
  };
  BLOOMERY_RETURN_IF_ERROR(
      check(native_header::kHashCountAt, "remainder bits", shape.remainder_bits, header.hash_count));
  BLOOMERY_RETURN_IF_ERROR(
      check(native_header::kBitsAt, "quotients", shape.quotients << shape.depth, header.bits));
  return check(native_header::kInsertedAt, "inserted", keys, header.inserted);
}

}  // namespace bloomery
