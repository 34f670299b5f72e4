#include "filter/bloom/bloom_header.h"

#include "filter/bloom/counting_cells.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kWordBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kWordBits = 64;

Error behind_last(std::uint64_t payload_bytes, const char* detail) {
  return Error::corruption("payload", kNativeHeaderBytes + payload_bytes - kWordBytes, detail);
}

}  // namespace

std::uint64_t bloom_payload_bytes(std::uint64_t bits) {
  return (bits + kWordBits - 1) / kWordBits * kWordBytes;
}

std::uint64_t counting_payload_bytes(std::uint64_t counters) {
  return (counters + kCountersPerWord - 1) / kCountersPerWord * kWordBytes;
}

Result<BloomShape> bloom_shape_of(const NativeHeader& header) {
  const BloomShape shape{.bits = header.bits, .hash_count = header.hash_count};
  if (const Status status = check_shape(shape); !status) {
    return bad_header_shape(status.error());
  }
  return shape;
}

Status check_bits_behind_last(const BloomShape& shape, std::uint64_t last_word) {
  const std::uint64_t used = shape.bits % kWordBits;
  if (used != 0 && last_word >> used != 0) {
    return behind_last(bloom_payload_bytes(shape.bits),
                       "expected the bits behind the last to be 0, found some set");
  }
  return {};
}

Status check_counters_behind_last(const BloomShape& shape, std::uint64_t last_word) {
  const std::uint64_t used = shape.bits % kCountersPerWord * kCounterBits;
  if (used != 0 && last_word >> used != 0) {
    return behind_last(counting_payload_bytes(shape.bits),
                       "expected the counters behind the last to be 0, found some that are not");
  }
  return {};
}

}  // namespace bloomery
