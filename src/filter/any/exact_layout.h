// The payload of an exact set as bytes (docs/formats/native.md, type 8): its front, and the verification of
// its keys.
//
//    front: 64 bytes with the plan
//    hashes: 16 bytes each, ascending by (low, high)
//    counts: 8 bytes each, if the plan counts
//
// The verification is incremental while bytes arrive, so a reader need not scan a large payload in one step.
// A verified payload is one that ExactSet would have written.
//
// Not here: a table of the keys (exact_table.h), and checksums (native_file.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/native_header.h"

namespace bloomery {

namespace exact_layout {

inline constexpr std::size_t kFrontBytes = 64;
inline constexpr std::size_t kPlannedTypeAt = 0;
inline constexpr std::size_t kPlannedStrideAt = 2;
inline constexpr std::size_t kFirstReservedAt = 4;
inline constexpr std::size_t kBelowAt = 8;
inline constexpr std::size_t kKeysAt = 16;
inline constexpr std::size_t kBitsPerKeyAt = 24;
inline constexpr std::size_t kLastReservedAt = 32;
inline constexpr std::size_t kHashBytes = 16;
inline constexpr std::size_t kCountBytes = 8;

bool counts_keys(FilterType type);
// Returns true if an exact set can become a filter of the type.
bool can_become(FilterType type);
// Returns the stride in the front: the plan's for filters that consist of blocked ones (fast or dense),
// otherwise 0.
std::uint16_t stride_of(const FilterPlan& plan);

}  // namespace exact_layout

struct ExactFront {
  FilterPlan plan;
  std::uint64_t keys = 0;

  bool counts() const { return exact_layout::counts_keys(plan.type); }
  // Returns the offset of the counts in the payload; without counts, this is the payload's size.
  std::uint64_t counts_at() const { return exact_layout::kFrontBytes + keys * exact_layout::kHashBytes; }
};

// Errors: kCorruption for header fields that are invalid for an exact set.
Status check_exact_header(const NativeHeader& header);

// Reads the front of a payload, of which at least the first 64 bytes, or all if it is shorter, have arrived.
// The header has its size. Errors: kCorruption, with the offset in the payload.
Result<ExactFront> read_exact_front(const NativeHeader& header, std::span<const std::byte> payload);

class ExactProof {
 public:
  explicit ExactProof(const ExactFront& front) : keys_(front.keys), counts_(front.counts()) {}

  // Verifies the keys and counts that are complete in the first bytes of a payload. The bytes extend those of
  // the previous call. Errors: kCorruption, with the offset in the payload.
  Status go_on(std::span<const std::byte> payload);
  bool is_done() const { return proven_keys_ == keys_ && proven_counts_ == (counts_ ? keys_ : 0); }
  // Checks the header's number of inserts. Precondition: is_done(). Errors: kCorruption.
  Status check_inserted(std::uint64_t inserted) const;

 private:
  Status go_on_with_keys(std::span<const std::byte> payload);
  Status go_on_with_counts(std::span<const std::byte> payload);

  std::uint64_t keys_;
  bool counts_;
  std::uint64_t proven_keys_ = 0;
  std::uint64_t proven_counts_ = 0;
  std::uint64_t total_ = 0;  // the sum of the verified counts
  Hash128 last_ = {};        // the last verified key
};

}  // namespace bloomery
