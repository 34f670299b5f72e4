#include "hfile/cache/cached_source.h"

#include <atomic>
#include <utility>

#include "hfile/read_log.h"

namespace bloomery::hfile {
namespace {

// Returns a number that no other file of the process has, whenever it was open.
std::uint64_t next_file() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

CachedSource::CachedSource(BlockSource& disk, std::shared_ptr<BlockCache> cache, ReadCounters& counters)
    : disk_(disk), cache_(std::move(cache)), counters_(counters) {
  const std::uint64_t file = next_file();
  for (CacheGroup& group : groups_) {
    group.id = file;
  }
}

Result<BlockPointer> CachedSource::fetch(const BlockAddress& address) {
  if (BlockPointer kept = cache_->parts().find(groups_, address.offset, address.kind)) {
    counters_.add(address.kind, ReadFrom::kCache);
    ReadLog::note({&counters_, address, ReadFrom::kCache});
    return kept;
  }
  Result<BlockPointer> block = disk_.read(address);
  if (!block && block.error().code() == ErrorCode::kCapacity) {
    forget();
    block = disk_.read(address);
  }
  if (block) {
    cache_->parts().keep(groups_, *block);
  }
  return block;
}

}  // namespace bloomery::hfile
