#include "filter/quotient/segments_load.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/byte_parts.h"

namespace bloomery {

Status SegmentsLoad::append(std::span<const std::byte> bytes) {
  while (state_ && !bytes.empty()) {
    state_ = segments_ ? append_to_segment(bytes) : append_front(bytes);
  }
  return state_;
}

Status SegmentsLoad::append_front(std::span<const std::byte>& bytes) {
  const std::uint64_t head = std::min<std::uint64_t>(header_.payload_bytes, kDepthsAt);
  if (unfinished_.size() < head && !fill_up(unfinished_, head, bytes)) {
    return {};
  }
  const std::uint64_t front = quotient_front_bytes_in(unfinished_).value_or(0);
  if (front > quotient_front_bytes(kMostFileSegments)) {
    return Error::unsupported("quotient file", header_.payload_offset(),
                              "expected at most " + std::to_string(kMostFileSegments) + " segments");
  }
  const bool is_here = front == 0 || front > header_.payload_bytes || fill_up(unfinished_, front, bytes);
  return is_here ? open_front() : Status();
}

Status SegmentsLoad::open_front() {
  BLOOMERY_ASSIGN_OR_RETURN(const QuotientFront front,
                            read_quotient_front(unfinished_, header_.payload_bytes));
  if (front.shape.quotients > kMostFileQuotients) {
    return Error::unsupported(
        "quotient file", header_.payload_offset(),
        "expected at most " + std::to_string(kMostFileQuotients) + " quotients in a segment");
  }
  segments_.emplace(front);
  unfinished_.clear();
  return {};
}

Status SegmentsLoad::append_to_segment(std::span<const std::byte>& bytes) {
  if (segment_ == segments_->segment_count()) {
    return Error::invalid_argument("payload", "expected no further bytes");
  }
  if (fill_up(unfinished_, segments_->bytes_of(segment_), bytes)) {
    BLOOMERY_RETURN_IF_ERROR(segments_->load(segment_, unfinished_));
    unfinished_.clear();
    ++segment_;
  }
  return {};
}

Result<PiecedSegments> SegmentsLoad::finish() && {
  BLOOMERY_RETURN_IF_ERROR(state_);
  if (!segments_ || segment_ < segments_->segment_count()) {
    return Error::corruption("quotient file", header_.payload_offset(), "expected all segments");
  }
  BLOOMERY_RETURN_IF_ERROR(check_quotient_header(header_, segments_->shape(), segments_->keys()));
  return *std::move(segments_);
}

std::uint64_t SegmentsLoad::memory_bytes() const {
  return unfinished_.capacity() + (segments_ ? segments_->memory_bytes() : 0);
}

void SegmentsLoad::read(std::uint64_t offset, std::span<std::byte> out) const {
  const std::uint64_t begin = !segments_                              ? 0
                              : segment_ < segments_->segment_count() ? segments_->begin_of(segment_)
                                                                      : segments_->payload_bytes();
  PartReader reader(offset, out);
  reader.part(begin, [&](std::uint64_t at, std::span<std::byte> part) { segments_->read(at, part); });
  reader.bytes(unfinished_);
}

}  // namespace bloomery
