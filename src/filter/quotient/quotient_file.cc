#include "filter/quotient/quotient_file.h"

#include <algorithm>
#include <string>

namespace bloomery {

Status QuotientFile::go_on(const NativeHeader& header, std::span<std::byte> place, std::uint64_t taken) {
  const std::uint64_t begin = header.payload_offset();
  const std::uint64_t here = std::min(taken - std::min(taken, begin), header.payload_bytes);
  const auto payload = place.subspan(begin, header.payload_bytes);
  if (segments_ == nullptr) {
    const auto front = QuotientSegments::front_bytes_in(payload.first(here));
    if (!front || here < std::min(*front, header.payload_bytes)) {
      return {};
    }
    if (*front > quotient_front_bytes(kMostFileSegments)) {
      return Error::unsupported("quotient file", begin,
                                "expected at most " + std::to_string(kMostFileSegments) + " segments");
    }
    BLOOMERY_ASSIGN_OR_RETURN(segments_, QuotientSegments::over_coming(Storage(payload)));
    if (segments_->shape().quotients > kMostFileQuotients) {
      return Error::unsupported(
          "quotient file", begin,
          "expected at most " + std::to_string(kMostFileQuotients) + " quotients in a segment");
    }
  }
  return segments_->prove_first(here);
}

Status QuotientFile::finish(const NativeHeader& header, std::span<std::byte> file) {
  BLOOMERY_RETURN_IF_ERROR(go_on(header, file, file.size()));
  if (segments_ == nullptr || !segments_->is_proven()) {
    return Error::corruption("quotient file", header.payload_offset(), "expected all segments");
  }
  BLOOMERY_RETURN_IF_ERROR(check_quotient_header(header, *segments_));
  exceptions_ = ExceptionTable::over(
      std::span<const std::byte>(file).subspan(header.exception_offset(), header.exception_bytes),
      header.exceptions);
  is_finished_ = true;
  return {};
}

void QuotientFile::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  segments_->contains_batch(hashes, answers);
  exceptions_.clear_excepted(hashes, answers);
}

std::uint64_t QuotientFile::count(const Hash128& hash) const {
  return exceptions_.contains(hash) ? 0 : segments_->count(hash.low);
}

}  // namespace bloomery
