// A ribbon file in a server's key: the library's filter over one contiguous buffer. It is read-only, since a
// ribbon is static.
//
// Its shards are verified at their first query, and a damaged one answers maybe.
//
// Threads: const calls may run together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/native_header.h"

namespace bloomery {

class RibbonFile {
 public:
  // The bytes outlive this object. `header` has the secret of its hash. Errors: kCorruption.
  Status finish(const NativeHeader& header, std::span<const std::byte> file) {
    const HashSecret* const secret = header.hash.id == HashId::kSipHash ? &header.hash.secret : nullptr;
    BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, AnyFilter::view(file, {.verify = Verify::kChecksums,
                                                                       .recorded_keys = RecordedKeys::kKnown,
                                                                       .secret = secret}));
    filter_.emplace(std::move(filter));
    return {};
  }
  bool is_finished() const { return filter_.has_value(); }
  // Precondition: is_finished().
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
    filter_->may_contain_batch(hashes, answers);
  }

 private:
  std::optional<AnyFilter> filter_;
};

}  // namespace bloomery
