#include "bloomery/filter/ribbon_builder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <future>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/crc32c.h"
#include "base/nameless_file.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "bloomery/filter/sizing.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"
#include "filter/ribbon/distinct_estimate.h"
#include "filter/ribbon/ribbon_directory.h"
#include "filter/ribbon/ribbon_shard.h"
#include "filter/spool/hash_spool.h"

namespace bloomery {
namespace {

// A build whose keys nobody has counted keeps the hash bits that this many keys need.
constexpr std::uint64_t kUncountedKeys = std::uint64_t{1} << 34;
// The memory of a build beside the hashes that it has collected. The fixed part is taken once. Each thread
// takes memory for the four shards that it builds, for the four that come next, and for what it has written.
// Four shards of 65,536 keys at 60 bytes a key (ribbon_shard.h) are 15 MiB.
constexpr std::uint64_t kFixedMemory = std::uint64_t{16} << 20;
constexpr std::uint64_t kThreadMemory = std::uint64_t{20} << 20;
constexpr std::uint64_t kMaxPool = std::uint64_t{1} << 60;
// A 32nd of the pool is left free for sorting. A range is a 256th of the pool, or twice that if it is fuller
// than the others. Sorting and taking it needs up to 32 bytes for each of its hashes, which take 8 bytes in
// the pool: 2 / 256 x 32 / 8 is 1 / 32.
constexpr std::uint64_t kPoolShareForSorting = 32;
// Hashes that are collected at a time: 16 KiB, which the estimate leaves in the cache for the spool.
constexpr std::size_t kCollectedAtOnce = 1024;
// Hashes that get their reject flag at a time.
constexpr std::size_t kFlaggedAtOnce = 512;

// Returns the threads of a build: those that were asked for, but no more than fit half of the memory.
unsigned thread_count(const RibbonBuildOptions& options) {
  const unsigned wanted = options.filter.threads != 0 ? options.filter.threads
                                                      : std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t fitting = std::max<std::uint64_t>((options.memory_bytes / 2) / kThreadMemory, 1);
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, fitting));
}

// Returns the bytes of memory for collected hashes.
std::uint64_t pool_bytes(const RibbonBuildOptions& options) {
  if (options.memory_bytes == kUnlimitedMemory) {
    return kMaxPool;
  }
  const std::uint64_t left = options.memory_bytes - kFixedMemory - thread_count(options) * kThreadMemory;
  return std::min(left - left / kPoolShareForSorting, kMaxPool);
}

Status check_options(double fpp, const RibbonBuildOptions& options) {
  if (options.memory_bytes < kMinRibbonMemory) {
    return Error::invalid_argument(
        "memory", "expected at least 64 MiB, found " + std::to_string(options.memory_bytes) + " bytes");
  }
  if (options.parts == 0 || options.part == 0 || options.part > options.parts) {
    return Error::invalid_argument("part", "expected 1 to the number of parts, found " +
                                               std::to_string(options.part) + " of " +
                                               std::to_string(options.parts));
  }
  if (options.parts > 1 && options.capacity == 0) {
    return Error::invalid_argument("capacity", "expected the number of keys of the whole, for a part of it");
  }
  if (options.rejecting && !(fpp <= 0.5)) {  // written so that NaN fails
    return Error::invalid_argument(
        "fpp", "expected at most 1/2 where keys are rejected, found " + std::to_string(fpp));
  }
  if (options.rejecting && options.parts != 1) {
    return Error::invalid_argument("part", "expected 1 of 1 where keys are rejected, found " +
                                               std::to_string(options.part) + " of " +
                                               std::to_string(options.parts));
  }
  BLOOMERY_RETURN_IF_ERROR(check_options(FilterType::kRibbon, options.filter));
  if (options.metadata.size() > kMaxMetadataBytes) {
    return Error::invalid_argument(
        "metadata", "expected at most 16 MiB, found " + std::to_string(options.metadata.size()) + " bytes");
  }
  return {};
}

// The shards [first, end).
struct ShardRange {
  std::uint32_t first;
  std::uint32_t end;
};

// Returns the shards of the part that is built. Neighbouring parts share an edge, so all parts together have
// each shard once.
ShardRange shards_of_part(const RibbonShape& shape, const RibbonBuildOptions& options) {
  const auto edge = [&](std::uint64_t part) {
    return static_cast<std::uint32_t>(shape.shards * part / options.parts);
  };
  return {.first = edge(options.part - 1), .end = edge(options.part)};
}

// Returns the mask of the leading `hash_bits` bits, those of a hash that count.
std::uint64_t mask_of(std::uint32_t hash_bits) {
  return ~std::uint64_t{0} << (64 - hash_bits);
}

// Returns the least hash of a shard, which is the least h with h * shards / 2^64 >= shard.
std::uint64_t lowest_hash(std::uint32_t shards, std::uint64_t shard) {
  const Uint128 scaled = Uint128{shard} << 64;
  return static_cast<std::uint64_t>((scaled + shards - 1) / shards);
}

// Returns the greatest hash that falls into a shard once it is masked.
std::uint64_t highest_hash(const RibbonShape& shape, std::uint64_t shard) {
  const std::uint64_t last =
      shard + 1 == shape.shards ? ~std::uint64_t{0} : lowest_hash(shape.shards, shard + 1) - 1;
  return last | ~mask_of(shape.hash_bits);
}

// Returns the bits of a hash that a build keeps, without the reject flag behind them.
std::uint32_t kept_hash_bits(const RibbonBuildOptions& options, double fpp) {
  return options.rejecting ? kRejectingHashBits
                           : ribbon_hash_bits(options.capacity != 0 ? options.capacity : kUncountedKeys, fpp);
}

std::uint32_t flag_bits(const RibbonBuildOptions& options) {
  return options.rejecting ? 1 : 0;
}

// The hashes of neighbouring shards, one shard after the other. ends[i] is where shard i ends.
struct ShardGroup {
  std::vector<std::uint64_t> hashes;
  std::vector<std::size_t> ends;
  std::uint64_t rejected = 0;               // how many of the hashes carry the flag
  std::vector<std::uint64_t> contradicted;  // the hashes that were both added and rejected

  std::span<const std::uint64_t> shard(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(hashes).subspan(begin, ends[i] - begin);
  }
};

// Masks the hashes from `begin` on, which ascend, and drops those that are then equal. Masking keeps their
// order.
void mask_hashes(std::vector<std::uint64_t>& hashes, std::size_t begin, std::uint64_t mask) {
  const auto from = hashes.begin() + static_cast<std::ptrdiff_t>(begin);
  std::for_each(from, hashes.end(), [mask](std::uint64_t& hash) { hash &= mask; });
  hashes.erase(std::unique(from, hashes.end()), hashes.end());
}

// Drops rejected hashes that were added too, from `begin` on, and lists them as contradicted. The flag is the
// lowest bit, so in ascending order the rejected hash stands directly behind the added one.
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

// Takes the shards of `range` from the spool. The spool gives hashes in ascending order, so a shard ends at
// its greatest hash.
Status read_group(HashSpool& spool, const RibbonShape& shape, std::uint32_t kept_bits,
                  std::uint64_t reject_bit, ShardRange range, ShardGroup& group) {
  group.hashes.clear();
  group.ends.clear();
  group.rejected = 0;
  group.contradicted.clear();
  for (std::uint64_t shard = range.first; shard < range.end; ++shard) {
    const std::size_t begin = group.hashes.size();
    BLOOMERY_RETURN_IF_ERROR(spool.read_through(highest_hash(shape, shard), group.hashes));
    if (shape.hash_bits < kept_bits) {
      mask_hashes(group.hashes, begin, mask_of(shape.hash_bits));
    }
    if (reject_bit != 0) {
      drop_contradicted(group, begin);
    }
    group.ends.push_back(group.hashes.size());
  }
  return {};
}

// Builds the shards of one plan in order, on several threads, from a spool.
//
// While the threads build one group of four shards a thread, the calling thread takes the next group from the
// spool:
//
//    calling thread   take 0 | take 1        | use 0 | take 2        | use 1 | ...
//    threads                 | build group 0 |       | build group 1 |       | ...
//
// Before each turn of the loop in run(), `group` has been taken and is not yet built. Two groups are in
// memory at most.
class ShardLine {
 public:
  ShardLine(HashSpool& spool, const RibbonShape& shape, std::uint32_t kept_bits, std::uint64_t reject_bit,
            ShardRange range, unsigned threads)
      : spool_(spool),
        shape_(shape),
        kept_bits_(kept_bits),
        reject_bit_(reject_bit),
        range_(range),
        threads_(threads) {
    builders_.assign(threads, RibbonShardBuilder(shape, {}, reject_bit));
  }

  // Calls use(images, group) for every group of shards, in order. Stops at the first error. An error of
  // taking the next group comes before an error of building this one.
  template <typename Use>
  Status run(Use use) {
    ShardGroup group;
    ShardGroup next;
    BLOOMERY_RETURN_IF_ERROR(take(group));
    while (!group.ends.empty()) {
      auto building = start(group);
      const Status taken = take(next);  // while the threads build this group
      std::vector<RibbonShardImage> images;
      Status built;
      for (auto& images_of_thread : building) {
        Result<std::vector<RibbonShardImage>> some = images_of_thread.get();
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

 private:
  using Images = std::future<Result<std::vector<RibbonShardImage>>>;

  // Takes the next group: four shards a thread, or what is left. An empty group says that all shards were
  // taken.
  Status take(ShardGroup& group) {
    const std::uint64_t wanted = std::uint64_t{range_.first} + threads_ * kBandsAtOnce;
    const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, range_.end));
    const ShardRange range{.first = range_.first, .end = end};
    range_.first = end;
    return read_group(spool_, shape_, kept_bits_, reject_bit_, range, group);
  }

  // Starts to build a group, with neighbouring shards on one thread. One thread alone builds when its result
  // is asked for.
  std::vector<Images> start(const ShardGroup& group) {
    std::vector<Images> building;
    const auto policy = threads_ > 1 ? std::launch::async : std::launch::deferred;
    const std::size_t each = (group.ends.size() + threads_ - 1) / threads_;
    for (std::size_t first = 0; first < group.ends.size(); first += each) {
      const std::size_t end = std::min(first + each, group.ends.size());
      RibbonShardBuilder& builder = builders_[building.size()];
      building.push_back(std::async(policy, [&group, &builder, first, end] {
        std::vector<std::span<const std::uint64_t>> shards;
        for (std::size_t i = first; i < end; ++i) {
          shards.push_back(group.shard(i));
        }
        return builder.build(shards);
      }));
    }
    return building;
  }

  HashSpool& spool_;
  RibbonShape shape_;
  std::uint32_t kept_bits_;
  std::uint64_t reject_bit_;
  ShardRange range_;
  unsigned threads_;
  std::vector<RibbonShardBuilder> builders_;
};

}  // namespace

RibbonBuildNeeds ribbon_build_needs(std::uint64_t key_count, double fpp, const RibbonBuildOptions& options) {
  const std::uint64_t own = std::max<std::uint64_t>(key_count / options.parts, 1);
  const std::uint64_t pooled = pool_bytes(options) / 8;  // hashes
  const std::uint64_t filter_bytes = predicted_ribbon_bytes(own, fpp);
  const std::uint64_t collected = std::min(own, pooled) * 8;
  const std::uint64_t working = kFixedMemory + thread_count(options) * kThreadMemory;
  RibbonBuildNeeds needs{.memory_bytes = working + collected + collected / kPoolShareForSorting,
                         .spool_bytes = 0,
                         .filter_bytes = filter_bytes};
  if (own > pooled) {
    // A sorted run has at least a 256th of the pool's hashes, so their gaps have log2(pool) bits less than a
    // hash. Rice coding takes 1.5 bits more than the logarithm of the mean gap, and 2 bits are for the spread
    // of the runs.
    double kept = kept_hash_bits(options, fpp) + flag_bits(options);
    for (std::uint64_t keys = pooled * options.parts; keys > 1; keys /= 2) {
      kept -= 1;
    }
    needs.spool_bytes = static_cast<std::uint64_t>(static_cast<double>(own) * (kept + 3.5) / 8);
  }
  return needs;
}

struct RibbonBuilder::State {
  double fpp;
  RibbonBuildOptions options;
  std::uint32_t kept_bits;  // of a hash, without the reject flag behind them
  HashSpool spool;
  DistinctEstimate distinct;
  std::array<Hash128, kFlaggedAtOnce> flagged = {};
  // The results of finish(): how many keys are rejected, and the hashes that were added and rejected.
  std::uint64_t rejected = 0;
  std::vector<std::uint64_t> contradicted;

  // Gives the hashes to the spool, and to the estimate if nobody has counted the keys. Works in pieces, so
  // that the estimate leaves them in the cache for the spool.
  Status collect(std::span<const Hash128> hashes) {
    while (!hashes.empty()) {
      const auto piece = hashes.first(std::min(hashes.size(), kCollectedAtOnce));
      if (options.capacity == 0) {
        distinct.add(piece, mask_of(kept_bits));
      }
      BLOOMERY_RETURN_IF_ERROR(spool.add(piece));
      hashes = hashes.subspan(piece.size());
    }
    return {};
  }

  // Does the same in a rejecting build, in which the last bit of a hash is the reject flag.
  Status collect_flagged(std::span<const Hash128> hashes, std::uint64_t flag) {
    while (!hashes.empty()) {
      const std::size_t count = std::min(hashes.size(), flagged.size());
      std::ranges::transform(hashes.first(count), flagged.begin(), [flag](const Hash128& hash) {
        return Hash128{.low = (hash.low & ~kRejectBit) | flag, .high = hash.high};
      });
      BLOOMERY_RETURN_IF_ERROR(collect(std::span(flagged).first(count)));
      hashes = hashes.subspan(count);
    }
    return {};
  }

  // Returns the plan for the keys that were collected. Precondition: the spool has all hashes.
  Result<RibbonShape> shape() {
    std::uint64_t keys = options.capacity;
    if (keys == 0) {
      keys = distinct.count();
      // For hashes that are not spread evenly the estimate is worthless. For others it is never above twice
      // the number of hashes, so an estimate above that is replaced by the number that the spool knows.
      if (keys / 2 > spool.distinct_at_most()) {
        keys = spool.distinct_at_most();
      }
    }
    BLOOMERY_ASSIGN_OR_RETURN(RibbonShape shape, ribbon_shape_for_fpp(keys, fpp, kept_bits));
    if (options.rejecting) {
      shape.hash_bits = kRejectingHashBits;  // with fewer bits more keys would contradict each other
    }
    return shape;
  }

  // Builds every shard, gives its words to `append` in order, and returns the header of the filter. Leaves
  // the directory in `directory`, unless the only shard has its entry in the header.
  template <typename Append>
  Result<NativeHeader> build(const RibbonShape& shape, const Progress& progress,
                             const std::atomic<bool>* cancelled, Append append,
                             std::vector<std::byte>& directory);

  template <typename Out>
  Result<NativeHeader> write(Out& out, const Progress& progress, const std::atomic<bool>* cancelled);

  // Returns the filter's header. All shards have been built, and `directory` has their entries.
  NativeHeader header(const RibbonShape& shape, ShardRange range, std::uint64_t keys,
                      std::uint64_t shard_bytes, std::vector<std::byte>& directory) const {
    NativeHeader made;
    made.type = FilterType::kRibbon;
    made.hash = options.filter.hash;
    made.hash_key_id = key_id_of(options.filter.hash);
    made.keys = options.filter.keys;
    made.hash_count = shape.columns;
    made.capacity = options.capacity != 0 ? options.capacity : keys + rejected;
    made.target_fpp = fpp;
    made.inserted = keys;
    made.hash_bits = static_cast<std::uint8_t>(shape.hash_bits);
    made.shards = shape.shards;
    made.first_shard = range.first;
    made.held_shards = range.end - range.first;
    made.payload_bytes = shard_bytes;
    made.metadata_bytes = options.metadata.size();
    made.metadata_checksum = crc32c(std::as_bytes(std::span(options.metadata)));
    set_ribbon_directory(made, directory);
    return made;
  }
};

RibbonBuilder::RibbonBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
RibbonBuilder::RibbonBuilder(RibbonBuilder&&) noexcept = default;
RibbonBuilder& RibbonBuilder::operator=(RibbonBuilder&&) noexcept = default;
RibbonBuilder::~RibbonBuilder() = default;

Result<RibbonBuilder> RibbonBuilder::create(double fpp, const RibbonBuildOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_options(fpp, options));
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonShape shape, ribbon_shape_for_fpp(options.capacity, fpp));
  const ShardRange range = shards_of_part(shape, options);
  if (options.parts > shape.shards) {
    return Error::invalid_argument("part", "expected at most " + std::to_string(shape.shards) +
                                               ", as many as there are shards, found " +
                                               std::to_string(options.parts));
  }
  const std::uint32_t kept_bits = kept_hash_bits(options, fpp);
  const HashSpoolOptions spool_options{
      .directory = options.spool_directory,
      .buffer_bytes = pool_bytes(options),
      .kept_bits = kept_bits + flag_bits(options),
      .lowest = range.first == 0 ? 0 : highest_hash(shape, range.first - 1) + 1,
      .highest = highest_hash(shape, range.end - 1)};
  BLOOMERY_ASSIGN_OR_RETURN(HashSpool spool, HashSpool::create(FileSystem::real(), spool_options));
  return RibbonBuilder(std::unique_ptr<State>(new State{.fpp = fpp,
                                                        .options = options,
                                                        .kept_bits = kept_bits,
                                                        .spool = std::move(spool),
                                                        .distinct = {},
                                                        .contradicted = {}}));
}

Status RibbonBuilder::add(std::span<const Hash128> hashes) {
  return state_->options.rejecting ? state_->collect_flagged(hashes, 0) : state_->collect(hashes);
}

Status RibbonBuilder::reject(std::span<const Hash128> hashes) {
  if (!state_->options.rejecting) {
    return Error::invalid_argument("reject", "expected a builder that was made to reject keys");
  }
  return state_->collect_flagged(hashes, kRejectBit);
}

std::uint64_t RibbonBuilder::added() const {
  return state_->spool.added();
}

std::uint64_t RibbonBuilder::spooled_bytes() const {
  return state_->spool.disk_bytes();
}

std::uint64_t RibbonBuilder::rejected_keys() const {
  return state_->rejected;
}

const std::vector<std::uint64_t>& RibbonBuilder::contradicted() const {
  return state_->contradicted;
}

template <typename Append>
Result<NativeHeader> RibbonBuilder::State::build(const RibbonShape& shape, const Progress& progress,
                                                 const std::atomic<bool>* cancelled, Append append,
                                                 std::vector<std::byte>& directory) {
  const ShardRange range = shards_of_part(shape, options);
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  ShardLine line(spool, shape, kept_bits, options.rejecting ? kRejectBit : 0, range, thread_count(options));
  BLOOMERY_RETURN_IF_ERROR(
      line.run([&](const std::vector<RibbonShardImage>& images, const ShardGroup& group) -> Status {
        if (cancelled != nullptr && *cancelled) {
          return Error::io("ribbon", "build", EINTR);
        }
        for (const RibbonShardImage& image : images) {
          directory.resize(directory.size() + kRibbonEntryBytes);
          encode_ribbon_entry(image.entry, directory.data() + directory.size() - kRibbonEntryBytes);
          BLOOMERY_RETURN_IF_ERROR(append(image.words));
          bytes += image.words.size() * 8;
        }
        keys += group.hashes.size() - group.rejected;
        rejected += group.rejected;
        contradicted.insert(contradicted.end(), group.contradicted.begin(), group.contradicted.end());
        if (progress) {
          progress(static_cast<std::uint32_t>(directory.size() / kRibbonEntryBytes), range.end - range.first);
        }
        return {};
      }));
  return header(shape, range, keys, bytes, directory);
}

Result<RibbonFilter> RibbonBuilder::finish(const Progress& progress, const std::atomic<bool>* cancelled) {
  BLOOMERY_RETURN_IF_ERROR(state_->spool.finish());
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonShape shape, state_->shape());
  std::vector<std::uint64_t> words;
  words.reserve(predicted_ribbon_bytes(state_->spool.distinct_at_most(), state_->fpp) / 8);
  const auto append = [&words](const std::vector<std::uint64_t>& more) -> Status {
    words.insert(words.end(), more.begin(), more.end());
    return {};
  };
  std::vector<std::byte> directory;
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header,
                            state_->build(shape, progress, cancelled, append, directory));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(header.payload_bytes));
  std::byte* const shards = std::ranges::copy(directory, buffer.bytes().data()).out;
  std::ranges::copy(std::as_bytes(std::span(words)), shards);
  auto body = std::make_unique<FilterBody>();
  body->header = header;
  body->inserted = header.inserted;
  body->metadata = state_->options.metadata;
  body->storage = Storage(std::move(buffer));
  return RibbonFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // nothing to doubt yet
}

// Writes the whole file to `out`, which has append() and write_at(), and returns its header.
template <typename Out>
Result<NativeHeader> RibbonBuilder::State::write(Out& out, const Progress& progress,
                                                 const std::atomic<bool>* cancelled) {
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonShape plan, shape());
  // The header and the directory are written last, when their content is known. Zeros hold their place until
  // then.
  const ShardRange range = shards_of_part(plan, options);
  BLOOMERY_RETURN_IF_ERROR(out.append(
      std::vector<std::byte>(kNativeHeaderBytes + ribbon_directory_bytes(range.end - range.first))));
  const auto append = [&out](const std::vector<std::uint64_t>& words) {
    return out.append(std::as_bytes(std::span(words)));
  };
  std::vector<std::byte> directory;
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, build(plan, progress, cancelled, append, directory));
  BLOOMERY_RETURN_IF_ERROR(out.append(std::as_bytes(std::span(options.metadata))));
  BLOOMERY_RETURN_IF_ERROR(out.write_at(0, encode(header)));
  BLOOMERY_RETURN_IF_ERROR(out.write_at(kNativeHeaderBytes, directory));
  return header;
}

Result<RibbonBuilder::Written> RibbonBuilder::finish(const std::string& path, const SaveTo& to,
                                                     const Progress& progress) {
  BLOOMERY_RETURN_IF_ERROR(state_->spool.finish());
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(FileSystem::real(), path, save_options(to)));
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, state_->write(file, progress, to.cancelled));
  BLOOMERY_RETURN_IF_ERROR(file.commit());
  return Written{.keys = header.inserted, .bytes = header.file_bytes()};
}

Result<RibbonFilter> RibbonBuilder::finish_nameless(const Progress& progress,
                                                    const std::atomic<bool>* cancelled) {
  struct Out {
    File file;
    Status append(std::span<const std::byte> bytes) { return file.write_all(bytes); }
    Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
      return file.write_all_at(offset, bytes);
    }
  };
  FileSystem& files = FileSystem::real();
  BLOOMERY_RETURN_IF_ERROR(state_->spool.finish());
  BLOOMERY_ASSIGN_OR_RETURN(File file,
                            create_nameless_file(files, state_->options.spool_directory, ".bloomery-ribbon"));
  Out out{.file = std::move(file)};
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, state_->write(out, progress, cancelled));
  BLOOMERY_ASSIGN_OR_RETURN(MappedFile mapping,
                            files.map(out.file, header.file_bytes(), MapAccess::kReadOnly));
  auto body = std::make_unique<FilterBody>();
  body->header = header;
  body->inserted = header.inserted;
  body->metadata = state_->options.metadata;
  body->storage =
      Storage(std::move(mapping), header.payload_offset(), header.payload_bytes, MapAccess::kReadOnly);
  return RibbonFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // nothing to doubt yet
}

// Builds in memory, by one run of the builder.
Result<RibbonFilter> RibbonFilter::build_from_hashes(std::span<const Hash128> hashes, double fpp,
                                                     const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(
      RibbonBuilder builder,
      RibbonBuilder::create(fpp, {.filter = options, .memory_bytes = kUnlimitedMemory}));
  BLOOMERY_RETURN_IF_ERROR(builder.add(hashes));
  return builder.finish();
}

}  // namespace bloomery
