#include "filter/shards/shard_line.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <thread>
#include <utility>

namespace bloomery {
namespace {

// Masks the hashes from `begin` on, which ascend, and drops those that are then equal. Masking keeps their
// order.
void mask_hashes(std::vector<std::uint64_t>& hashes, std::size_t begin, std::uint64_t mask) {
  const auto from = hashes.begin() + static_cast<std::ptrdiff_t>(begin);
  std::for_each(from, hashes.end(), [mask](std::uint64_t& hash) { hash &= mask; });
  hashes.erase(std::unique(from, hashes.end()), hashes.end());
}

// Drops rejected hashes that were added too, from `begin` on, and lists them as contradicted. The flag is the
// lowest bit, so in ascending order the rejected hash directly follows the added one.
void drop_contradicted(ShardGroup& group, std::size_t begin) {
  const auto from = group.hashes.begin() + static_cast<std::ptrdiff_t>(begin);
  auto kept = from;
  for (auto hash = from; hash != group.hashes.end(); ++hash) {
    if (kept != from && (*hash ^ kRejectBit) == kept[-1]) {
      group.contradicted.push_back(kept[-1]);
      continue;
    }
    group.rejected += *hash & kRejectBit;
    *kept++ = *hash;
  }
  group.hashes.erase(kept, group.hashes.end());
}

// Reads the shards of `range` from the source. The source returns hashes in ascending order, so a shard ends
// at its greatest hash.
Status read_group(const HashSource& source, const ShardCut& cut, std::uint32_t kept_bits,
                  std::uint64_t reject_bit, ShardRange range, ShardGroup& group) {
  group.hashes.clear();
  group.ends.clear();
  group.rejected = 0;
  group.contradicted.clear();
  for (std::uint64_t shard = range.first; shard < range.end; ++shard) {
    const std::size_t begin = group.hashes.size();
    BLOOMERY_RETURN_IF_ERROR(source(highest_hash(cut, shard), group.hashes));
    if (cut.hash_bits < kept_bits) {
      mask_hashes(group.hashes, begin, mask_of(cut.hash_bits));
    }
    if (reject_bit != 0) {
      drop_contradicted(group, begin);
    }
    group.ends.push_back(group.hashes.size());
  }
  return {};
}

}  // namespace

unsigned shard_threads(unsigned wanted, std::uint64_t memory_bytes, std::uint64_t thread_memory) {
  const unsigned threads = wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t fitting = std::max<std::uint64_t>(memory_bytes / 2 / thread_memory, 1);
  return static_cast<unsigned>(std::min<std::uint64_t>(threads, fitting));
}

ShardLine::ShardLine(HashSource source, const Work& work)
    : source_(std::move(source)), work_(work), next_(work.range.first) {
  for (unsigned i = 0; i < work.threads; ++i) {
    makers_.push_back(work.new_maker());
  }
}

Status ShardLine::run(const Use& use) {
  ShardGroup group;
  ShardGroup next;
  BLOOMERY_RETURN_IF_ERROR(take(group));
  while (!group.ends.empty()) {
    auto building = start(group);
    const Status taken = take(next);  // while the threads build this group
    std::vector<ShardImage> images;
    Status built;
    for (auto& images_of_thread : building) {
      Result<std::vector<ShardImage>> some = images_of_thread.get();
      if (!some) {
        built = some.error();
      } else {
        std::move(some->begin(), some->end(), std::back_inserter(images));
      }
    }
    if (!taken || !built) {
      return taken ? built : taken;
    }
    BLOOMERY_RETURN_IF_ERROR(use(images, group));
    std::swap(group, next);
  }
  return {};
}

// Reads the next group: `at_once` shards a thread, or the remaining ones. An empty group means that all
// shards were read.
Status ShardLine::take(ShardGroup& group) {
  const std::uint64_t wanted = std::uint64_t{next_} + work_.threads * work_.at_once;
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, work_.range.end));
  const ShardRange range{.first = next_, .end = end};
  next_ = end;
  return read_group(source_, work_.cut, work_.kept_bits, work_.reject_bit, range, group);
}

// Starts to build a group, with neighbouring shards on one thread. A single thread builds lazily, when its
// result is requested.
std::vector<ShardLine::Images> ShardLine::start(const ShardGroup& group) {
  std::vector<Images> building;
  const auto policy = work_.threads > 1 ? std::launch::async : std::launch::deferred;
  const std::size_t each = (group.ends.size() + work_.threads - 1) / work_.threads;
  for (std::size_t first = 0; first < group.ends.size(); first += each) {
    const std::size_t end = std::min(first + each, group.ends.size());
    const ShardMaker& make = makers_[building.size()];
    building.push_back(std::async(policy, [&group, &make, first, end] {
      std::vector<std::span<const std::uint64_t>> shards;
      for (std::size_t i = first; i < end; ++i) {
        shards.push_back(group.shard(i));
      }
      return make(shards);
    }));
  }
  return building;
}

}  // namespace bloomery
