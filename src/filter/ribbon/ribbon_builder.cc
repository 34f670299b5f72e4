#include "bloomery/filter/ribbon_builder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <future>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/crc32c.h"
#include "base/message.h"
#include "base/nameless_file.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "bloomery/filter/sizing.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"
#include "filter/ribbon/distinct_estimate.h"
#include "filter/ribbon/ribbon_band.h"
#include "filter/ribbon/ribbon_shard.h"
#include "filter/ribbon/ribbon_solver.h"
#include "filter/ribbon/sharded_build.h"
#include "filter/spool/hash_spool.h"

namespace bloomery {
namespace {

// A build with an unknown number of keys keeps the hash bits that this many keys need.
constexpr std::uint64_t kUncountedKeys = std::uint64_t{1} << 34;
// The memory of a build besides its threads and its collected hashes.
constexpr std::uint64_t kFixedMemory = std::uint64_t{16} << 20;
// A plan for the right number of keys has fewer keys than this in a shard. Larger shards need more than
// kShardThreadMemory, so check_shard_memory() compares their need with the limit.
constexpr std::uint64_t kUsualShardKeys = std::uint64_t{1} << 17;
constexpr std::uint64_t kMaxPool = std::uint64_t{1} << 60;
// Hashes that are collected at a time: 16 KiB, which the estimate leaves in the cache for the spool.
constexpr std::size_t kCollectedAtOnce = 1024;
// Hashes that get their reject flag at a time.
constexpr std::size_t kFlaggedAtOnce = 512;

unsigned thread_count(const RibbonBuildOptions& options) {
  return shard_threads(options.filter.threads, options.memory_bytes);
}

// Returns the bytes of memory for collected hashes.
std::uint64_t pool_bytes(const RibbonBuildOptions& options) {
  if (options.memory_bytes == kUnlimitedMemory) {
    return kMaxPool;
  }
  const std::uint64_t left = options.memory_bytes - kFixedMemory - thread_count(options) * kShardThreadMemory;
  return std::min(left - left / kPoolShareForSorting, kMaxPool);
}

Status check_ribbon_options(double fpp, const RibbonBuildOptions& options) {
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

// Returns the shards of the part that is built. Neighbouring parts share an edge, so every shard is in
// exactly one part.
ShardRange shards_of_part(const RibbonShape& shape, const RibbonBuildOptions& options) {
  const auto edge = [&](std::uint64_t part) {
    return static_cast<std::uint32_t>(shape.shards * part / options.parts);
  };
  return {.first = edge(options.part - 1), .end = edge(options.part)};
}

// Returns the bits of a hash that a build keeps, without the reject flag that follows them.
std::uint32_t kept_hash_bits(const RibbonBuildOptions& options, double fpp) {
  return options.rejecting ? kRejectingHashBits
                           : ribbon_hash_bits(options.capacity != 0 ? options.capacity : kUncountedKeys, fpp);
}

std::uint32_t flag_bits(const RibbonBuildOptions& options) {
  return options.rejecting ? 1 : 0;
}

}  // namespace

RibbonBuildNeeds ribbon_build_needs(std::uint64_t key_count, double fpp, const RibbonBuildOptions& options) {
  const std::uint64_t own = std::max<std::uint64_t>(key_count / options.parts, 1);
  const std::uint64_t pooled = pool_bytes(options) / 8;  // hashes
  const std::uint64_t filter_bytes = predicted_ribbon_bytes(own, fpp);
  const std::uint64_t collected = std::min(own, pooled) * 8;
  const std::uint64_t working = kFixedMemory + thread_count(options) * kShardThreadMemory;
  RibbonBuildNeeds needs{.memory_bytes = working + collected + collected / kPoolShareForSorting,
                         .spool_bytes = 0,
                         .filter_bytes = filter_bytes};
  const unsigned kept = kept_hash_bits(options, fpp) + flag_bits(options);
  needs.spool_bytes = predicted_spool_bytes(own, kept, pooled, options.parts);
  return needs;
}

struct RibbonBuilder::State {
  double fpp;
  RibbonBuildOptions options;
  std::uint32_t kept_bits;  // of a hash, without the reject flag that follows them
  HashSpool spool;
  DistinctEstimate distinct;
  std::array<Hash128, kFlaggedAtOnce> flagged = {};
  // The results of finish(): how many keys are rejected, and the hashes that were added and rejected.
  std::uint64_t rejected = 0;
  std::vector<std::uint64_t> contradicted;

  // Passes the hashes to the spool, and to the estimate if the number of keys is unknown. Works in small
  // batches, so that the estimate leaves them in the cache for the spool.
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

  // Collects hashes in a rejecting build, after it has replaced the last bit of each by the reject flag.
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
      // The estimate is worthless if hashes are not spread evenly. Otherwise it is at most twice the number
      // of hashes, so a higher estimate is replaced by the spool's own bound.
      if (keys / 2 > spool.distinct_at_most()) {
        keys = spool.distinct_at_most();
      }
    }
    BLOOMERY_ASSIGN_OR_RETURN(RibbonShape shape, ribbon_shape_for_fpp(keys, fpp, kept_bits));
    if (options.rejecting) {
      shape.hash_bits = kRejectingHashBits;  // with fewer bits more keys would contradict each other
    }
    BLOOMERY_RETURN_IF_ERROR(check_shard_memory(shape));
    return shape;
  }

  // Refuses a plan for so few keys that the shards would be too large for the memory.
  Status check_shard_memory(const RibbonShape& plan) const {
    const ShardRange range = shards_of_part(plan, options);
    const std::uint64_t held = range.end - range.first;
    const std::uint64_t at_hand =
        std::min<std::uint64_t>(held, std::uint64_t{kBandsAtOnce} * thread_count(options));
    const std::uint64_t keys = spool.distinct_at_most();
    const std::uint64_t needed = (keys / held + 1) * at_hand * kShardBytesPerKey;
    if (keys / held <= kUsualShardKeys || needed <= options.memory_bytes) {
      return {};
    }
    return Error::capacity(
        "ribbon", message("keys: expected about ", options.capacity, ", as it is made for, found ", keys,
                          ": its ", plan.shards, " shards would take ", needed,
                          " bytes of memory, and it may take ", options.memory_bytes));
  }

  // Returns the build of the plan's shards.
  ShardedBuild sharded(const RibbonShape& plan) const {
    return ShardedBuild({.shape = plan,
                         .kept_bits = kept_bits,
                         .reject_bit = options.rejecting ? kRejectBit : 0,
                         .range = shards_of_part(plan, options),
                         .threads = thread_count(options)},
                        {.hash = options.filter.hash,
                         .hash_key_id = key_id_of(options.filter.hash),
                         .keys = options.filter.keys,
                         .capacity = options.capacity,
                         .fpp = fpp,
                         .metadata = options.metadata});
  }
  HashSource source() {
    return
        [this](std::uint64_t last, std::vector<std::uint64_t>& out) { return spool.read_through(last, out); };
  }

  // Writes the complete file to `out`, which has append() and write_at(), and returns its header.
  template <typename Out>
  Result<NativeHeader> write(Out& out, const Progress& progress, const std::atomic<bool>* cancelled) {
    BLOOMERY_ASSIGN_OR_RETURN(const RibbonShape plan, shape());
    BLOOMERY_ASSIGN_OR_RETURN(BuiltShards built, sharded(plan).write(source(), out, progress, cancelled));
    return keep(std::move(built));
  }

  // Stores the results that are queried after finish(), and returns the header.
  NativeHeader keep(BuiltShards built) {
    rejected = built.rejected;
    contradicted = std::move(built.contradicted);
    return built.header;
  }
};

RibbonBuilder::RibbonBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
RibbonBuilder::RibbonBuilder(RibbonBuilder&&) noexcept = default;
RibbonBuilder& RibbonBuilder::operator=(RibbonBuilder&&) noexcept = default;
RibbonBuilder::~RibbonBuilder() = default;

Result<RibbonBuilder> RibbonBuilder::create(double fpp, const RibbonBuildOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_ribbon_options(fpp, options));
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

void RibbonBuilder::set_digest_bytes(std::uint16_t bytes) {
  state_->options.filter.keys.digest_bytes = bytes;
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

Result<RibbonFilter> RibbonBuilder::finish(const Progress& progress, const std::atomic<bool>* cancelled) {
  BLOOMERY_RETURN_IF_ERROR(state_->spool.finish());
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonShape shape, state_->shape());
  std::vector<std::uint64_t> words;
  words.reserve(predicted_ribbon_bytes(state_->spool.distinct_at_most(), state_->fpp) / 8);
  const auto append = [&words](std::span<const std::byte> more) -> Status {
    const std::size_t size = words.size();
    words.resize(size + more.size() / 8);
    std::ranges::copy(more, std::as_writable_bytes(std::span(words)).subspan(size * 8).begin());
    return {};
  };
  BLOOMERY_ASSIGN_OR_RETURN(BuiltShards built,
                            state_->sharded(shape).build(state_->source(), append, progress, cancelled));
  const std::vector<std::byte> directory = std::move(built.directory);
  const NativeHeader header = state_->keep(std::move(built));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(header.payload_bytes));
  std::byte* const shards = std::ranges::copy(directory, buffer.bytes().data()).out;
  std::ranges::copy(std::as_bytes(std::span(words)), shards);
  auto body = std::make_unique<FilterBody>();
  body->header = header;
  body->inserted = header.inserted;
  body->metadata = state_->options.metadata;
  body->storage = Storage(std::move(buffer));
  return RibbonFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // just built
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
  return RibbonFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // just built
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
