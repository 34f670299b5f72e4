#include "hfile/cache/cached_source.h"

#include <atomic>
#include <utility>

#include "hfile/read_log.h"

namespace bloomery::hfile {
namespace {

// Returns a number that no other file of the process has or had.
std::uint64_t next_file() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

CachedSource::CachedSource(BlockSource& disk, std::shared_ptr<BlockCache> cache, ReadCounters& counters,
                           std::shared_ptr<BlockCache> pinned)
    : disk_(disk), cache_(std::move(cache)), pinned_(std::move(pinned)), counters_(counters) {
  const std::uint64_t file = next_file();
  for (CacheParts::Groups* const groups : {&groups_, &pinned_groups_}) {
    for (CacheGroup& group : *groups) {
      group.id = file;
    }
  }
}

void CachedSource::forget() {
  cache_->parts().drop(groups_);
  if (pinned_ != nullptr) {
    pinned_->parts().drop(pinned_groups_);
  }
}

Result<BlockPointer> CachedSource::fetch(const BlockAddress& address, ReadAhead* ahead) {
  const bool is_pinned = pinned_ != nullptr && group_of(address.kind) == BlockGroup::kIndex;
  CacheParts& parts = (is_pinned ? *pinned_ : *cache_).parts();
  CacheParts::Groups& groups = is_pinned ? pinned_groups_ : groups_;
  if (BlockPointer kept = parts.find(groups, address.offset, address.kind)) {
    counters_.add(address.kind, ReadFrom::kCache);
    ReadLog::note({&counters_, address, ReadFrom::kCache});
    return kept;
  }
  Result<BlockPointer> block = disk_.read(address, ahead);
  if (!block && block.error().code() == ErrorCode::kCapacity) {
    forget();
    block = disk_.read(address, ahead);
  }
  if (block) {
    parts.keep(groups, *block);
  }
  return block;
}

}  // namespace bloomery::hfile
