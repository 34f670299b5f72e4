#include "filter/any/exact_file.h"

#include <algorithm>

#include "base/endian.h"

namespace bloomery {

Status ExactFile::go_on(const NativeHeader& header, std::span<const std::byte> here) {
  const std::uint64_t begin = std::min<std::uint64_t>(here.size(), header.payload_offset());
  const auto payload = here.subspan(begin, std::min(here.size() - begin, header.payload_bytes));
  if (!front_) {
    if (payload.size() < std::min<std::uint64_t>(exact_layout::kFrontBytes, header.payload_bytes)) {
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(check_exact_header(header));
    BLOOMERY_ASSIGN_OR_RETURN(front_, read_exact_front(header, payload));
    proof_.emplace(*front_);
  }
  return proof_->go_on(payload);
}

Status ExactFile::finish(const NativeHeader& header, std::span<const std::byte> file) {
  BLOOMERY_RETURN_IF_ERROR(go_on(header, file));
  if (!proof_ || !proof_->is_done()) {
    return Error::corruption("exact file", header.payload_offset(), "expected all keys");
  }
  BLOOMERY_RETURN_IF_ERROR(proof_->check_inserted(header.inserted));
  const auto payload = file.subspan(header.payload_offset(), header.payload_bytes);
  hashes_ = SortedHashes(payload.subspan(exact_layout::kFrontBytes, front_->keys * exact_layout::kHashBytes));
  counts_ = payload.subspan(front_->counts_at());
  exceptions_ = ExceptionTable::over(file.subspan(header.exception_offset(), header.exception_bytes),
                                     header.exceptions);
  is_finished_ = true;
  return {};
}

void ExactFile::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  hashes_.contains(hashes, answers);
  exceptions_.clear_excepted(hashes, answers);
}

std::uint64_t ExactFile::count(const Hash128& hash) const {
  const auto place = exceptions_.contains(hash) ? std::nullopt : hashes_.find(hash);
  return place ? load_little64(counts_.data() + *place * exact_layout::kCountBytes) : 0;
}

}  // namespace bloomery
