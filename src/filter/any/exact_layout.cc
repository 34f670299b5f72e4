#include "filter/any/exact_layout.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <string>
#include <tuple>

#include "base/endian.h"

namespace bloomery {
namespace {

using namespace exact_layout;

// Returns true if filters of this type consist of blocked ones, which are fast or dense.
bool consists_of_blocked(FilterType type) {
  return type == FilterType::kBlocked || type == FilterType::kScalable;
}

Error damaged(std::size_t at, const char* field, const std::string& expected, std::uint64_t found) {
  return Error::corruption(
      "exact set", at, std::string(field) + ": expected " + expected + ", found " + std::to_string(found));
}

// Reads the fields of the plan that are in the front; the others are in the header.
Status read_plan(std::span<const std::byte> bytes, FilterPlan& plan) {
  const std::uint16_t type = load_little16(bytes.data() + kPlannedTypeAt);
  plan.type = static_cast<FilterType>(type);
  if (!can_become(plan.type)) {
    return damaged(kPlannedTypeAt, "planned type",
                   "1 (bloom), 2 (blocked), 4 (counting), 5 (quotient) or 6 (scalable)", type);
  }
  const std::uint16_t stride = load_little16(bytes.data() + kPlannedStrideAt);
  if (consists_of_blocked(plan.type) ? stride != 8 && stride != 64 : stride != 0) {
    return damaged(kPlannedStrideAt, "stride",
                   consists_of_blocked(plan.type) ? "8 or 64" : "0 for the planned type", stride);
  }
  plan.options.setting = stride == 8 ? BlockedSetting::kDense : BlockedSetting::kFast;
  if (const std::uint32_t found = load_little32(bytes.data() + kFirstReservedAt); found != 0) {
    return damaged(kFirstReservedAt, "reserved", "0", found);
  }
  plan.exact_below = load_little64(bytes.data() + kBelowAt);
  if (plan.exact_below == 0) {
    return damaged(kBelowAt, "threshold", "at least 1", 0);
  }
  if (const std::uint64_t bits_per_key = load_little64(bytes.data() + kBitsPerKeyAt); bits_per_key != 0) {
    const auto value = std::bit_cast<double>(bits_per_key);
    if (!(value > 0 && value <= DBL_MAX) || plan.type == FilterType::kScalable) {
      return damaged(kBitsPerKeyAt, "bits per key",
                     "0, or but for scalable a positive number as IEEE 754 bits", bits_per_key);
    }
    plan.bits_per_key = value;
    plan.fpp.reset();
  }
  for (std::size_t at = kLastReservedAt; at < kFrontBytes; ++at) {
    if (bytes[at] != std::byte{0}) {
      return damaged(at, "reserved", "0", std::to_integer<std::uint64_t>(bytes[at]));
    }
  }
  return {};
}

}  // namespace

bool exact_layout::counts_keys(FilterType type) {
  return type == FilterType::kCounting || type == FilterType::kQuotient;
}

bool exact_layout::can_become(FilterType type) {
  return type == FilterType::kBloom || consists_of_blocked(type) || counts_keys(type);
}

std::uint16_t exact_layout::stride_of(const FilterPlan& plan) {
  return consists_of_blocked(plan.type) ? static_cast<std::uint16_t>(plan.options.setting) : 0;
}

Status check_exact_header(const NativeHeader& header) {
  const auto check = [](bool right, std::uint64_t at, const char* field, const char* expected,
                        std::uint64_t found) -> Status {
    return right ? Status() : bad_header_field(at, field, expected + std::string(" for an exact set"), found);
  };
  using namespace native_header;
  BLOOMERY_RETURN_IF_ERROR(check(header.hash.id != HashId::kReadyDigest, kHashIdAt, "hash id", "1 to 3", 0));
  BLOOMERY_RETURN_IF_ERROR(check(!header.dirty, kStateFlagsAt, "state", "clean", 1));
  BLOOMERY_RETURN_IF_ERROR(check(header.hash_count == 0, kHashCountAt, "hash count", "0", header.hash_count));
  return check(header.bits == 0, kBitsAt, "bits", "0", header.bits);
}

Result<ExactFront> read_exact_front(const NativeHeader& header, std::span<const std::byte> payload) {
  if (header.payload_bytes < kFrontBytes || payload.size() < kFrontBytes) {
    return damaged(0, "payload bytes", "at least 64", std::min(header.payload_bytes, payload.size()));
  }
  ExactFront front{.plan = {.capacity = header.capacity,
                            .fpp = header.target_fpp,
                            .options = {.hash = header.hash, .keys = header.keys}}};
  BLOOMERY_RETURN_IF_ERROR(read_plan(payload, front.plan));
  front.keys = load_little64(payload.data() + kKeysAt);
  const std::uint64_t room = header.payload_bytes - kFrontBytes;
  const std::uint64_t entry_bytes = kHashBytes + (front.counts() ? kCountBytes : 0);
  if (front.keys > front.plan.exact_below || front.keys > room / entry_bytes ||
      front.keys * entry_bytes != room) {
    return damaged(kKeysAt, "keys",
                   std::to_string(room / entry_bytes) + " in the payload, at most " +
                       std::to_string(front.plan.exact_below),
                   front.keys);
  }
  return front;
}

Status ExactProof::go_on(std::span<const std::byte> payload) {
  BLOOMERY_RETURN_IF_ERROR(go_on_with_keys(payload));
  return counts_ && proven_keys_ == keys_ ? go_on_with_counts(payload) : Status();
}

Status ExactProof::go_on_with_keys(std::span<const std::byte> payload) {
  const std::uint64_t here =
      std::min(keys_, (payload.size() - std::min(payload.size(), kFrontBytes)) / kHashBytes);
  for (; proven_keys_ < here; ++proven_keys_) {
    const std::size_t at = kFrontBytes + proven_keys_ * kHashBytes;
    const Hash128 hash{.low = load_little64(payload.data() + at),
                       .high = load_little64(payload.data() + at + 8)};
    if (proven_keys_ != 0 && std::tie(hash.low, hash.high) <= std::tie(last_.low, last_.high)) {
      return damaged(at, "hash", "more than the one before", hash.low);
    }
    last_ = hash;
  }
  return {};
}

Status ExactProof::go_on_with_counts(std::span<const std::byte> payload) {
  const std::uint64_t begin = kFrontBytes + keys_ * kHashBytes;
  const std::uint64_t here =
      std::min(keys_, (payload.size() - std::min(payload.size(), begin)) / kCountBytes);
  for (; proven_counts_ < here; ++proven_counts_) {
    const std::size_t at = begin + proven_counts_ * kCountBytes;
    const std::uint64_t count = load_little64(payload.data() + at);
    if (count == 0 || count > ~std::uint64_t{0} - total_) {
      return damaged(at, "count", "at least 1, and a sum of 64 bits", count);
    }
    total_ += count;
  }
  return {};
}

Status ExactProof::check_inserted(std::uint64_t inserted) const {
  if (counts_ ? total_ == inserted : keys_ <= inserted) {
    return {};
  }
  return bad_header_field(
      native_header::kInsertedAt, "inserted",
      std::to_string(counts_ ? total_ : keys_) + " as in the payload, or more where keys are not counted",
      inserted);
}

}  // namespace bloomery
