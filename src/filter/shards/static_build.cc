#include "filter/shards/static_build.h"

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
#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"
#include "filter/shards/distinct_estimate.h"
#include "filter/shards/hash_bits.h"
#include "filter/shards/shard_line.h"
#include "filter/spool/hash_spool.h"

namespace bloomery {
namespace {

// A build with an unknown number of keys keeps the hash bits that this many keys need.
constexpr std::uint64_t kUncountedKeys = std::uint64_t{1} << 34;
// The memory of a build besides its threads and its collected hashes.
constexpr std::uint64_t kFixedMemory = std::uint64_t{16} << 20;
constexpr std::uint64_t kMaxPool = std::uint64_t{1} << 60;
// Hashes that are collected at a time: 16 KiB, which the estimate leaves in the cache for the spool.
constexpr std::size_t kCollectedAtOnce = 1024;
// Hashes that get their reject flag at a time.
constexpr std::size_t kFlaggedAtOnce = 512;

unsigned thread_count(const StaticFamily& family, const StaticBuildOptions& options) {
  return shard_threads(options.filter.threads, options.memory_bytes, family.thread_memory);
}

// Returns the bytes of memory for collected hashes.
std::uint64_t pool_bytes(const StaticFamily& family, const StaticBuildOptions& options) {
  if (options.memory_bytes == kUnlimitedMemory) {
    return kMaxPool;
  }
  const std::uint64_t left =
      options.memory_bytes - kFixedMemory - thread_count(family, options) * family.thread_memory;
  return std::min(left - left / kPoolShareForSorting, kMaxPool);
}

Status check_build_options(const StaticFamily& family, double fpp, const StaticBuildOptions& options) {
  if (options.memory_bytes < family.min_memory) {
    return Error::invalid_argument("memory", message("expected at least ", family.min_memory >> 20,
                                                     " MiB, found ", options.memory_bytes, " bytes"));
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
  BLOOMERY_RETURN_IF_ERROR(check_options(family.type, options.filter));
  if (options.metadata.size() > kMaxMetadataBytes) {
    return Error::invalid_argument(
        "metadata", "expected at most 16 MiB, found " + std::to_string(options.metadata.size()) + " bytes");
  }
  return {};
}

// Returns the shards of the part that is built. Neighbouring parts share an edge, so every shard is in
// exactly one part.
ShardRange shards_of_part(const ShardCut& cut, const StaticBuildOptions& options) {
  const auto edge = [&](std::uint64_t part) {
    return static_cast<std::uint32_t>(cut.shards * part / options.parts);
  };
  return {.first = edge(options.part - 1), .end = edge(options.part)};
}

// Returns the bits of a hash that a build keeps, without the reject flag that follows them.
std::uint32_t kept_hash_bits(const StaticBuildOptions& options, double fpp) {
  return options.rejecting ? kRejectingHashBits
                           : hash_bits_for(options.capacity != 0 ? options.capacity : kUncountedKeys, fpp);
}

std::uint32_t flag_bits(const StaticBuildOptions& options) {
  return options.rejecting ? 1 : 0;
}

}  // namespace

StaticBuildNeeds static_build_needs(const StaticFamily& family, std::uint64_t key_count, double fpp,
                                    const StaticBuildOptions& options) {
  const std::uint64_t own = std::max<std::uint64_t>(key_count / options.parts, 1);
  const std::uint64_t pooled = pool_bytes(family, options) / 8;  // hashes
  const std::uint64_t filter_bytes = family.predicted_bytes(own, fpp, options);
  const std::uint64_t collected = std::min(own, pooled) * 8;
  const std::uint64_t working = kFixedMemory + thread_count(family, options) * family.thread_memory;
  StaticBuildNeeds needs{.memory_bytes = working + collected + collected / kPoolShareForSorting,
                         .spool_bytes = 0,
                         .filter_bytes = filter_bytes};
  const unsigned kept = kept_hash_bits(options, fpp) + flag_bits(options);
  needs.spool_bytes = predicted_spool_bytes(own, kept, pooled, options.parts);
  return needs;
}

struct StaticBuild::State {
  const StaticFamily& family;
  double fpp;
  StaticBuildOptions options;
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
  Result<StaticPlan> plan() {
    std::uint64_t keys = options.capacity;
    if (keys == 0) {
      keys = distinct.count();
      // The estimate is worthless if hashes are not spread evenly. Otherwise it is at most twice the number
      // of hashes, so a higher estimate is replaced by the spool's own bound.
      if (keys / 2 > spool.distinct_at_most()) {
        keys = spool.distinct_at_most();
      }
    }
    BLOOMERY_ASSIGN_OR_RETURN(StaticPlan plan, family.plan(keys, fpp, options, kept_bits));
    BLOOMERY_RETURN_IF_ERROR(check_shard_memory(plan.cut));
    return plan;
  }

  // Refuses a plan for so few keys that the shards would be too large for the memory.
  Status check_shard_memory(const ShardCut& plan) const {
    const ShardRange range = shards_of_part(plan, options);
    const std::uint64_t held = range.end - range.first;
    const std::uint64_t at_hand =
        std::min<std::uint64_t>(held, std::uint64_t{family.at_once} * thread_count(family, options));
    const std::uint64_t keys = spool.distinct_at_most();
    const std::uint64_t needed = (keys / held + 1) * at_hand * family.shard_bytes_per_key;
    if (keys / held <= family.usual_shard_keys || needed <= options.memory_bytes) {
      return {};
    }
    return Error::capacity(filter_type_name(family.type),
                           message("keys: expected about ", options.capacity, ", as it is made for, found ",
                                   keys, ": its ", plan.shards, " shards would take ", needed,
                                   " bytes of memory, and it may take ", options.memory_bytes));
  }

  // Returns the build of the plan's shards.
  ShardedBuild sharded(const StaticPlan& plan) const {
    ShardRecord record = family.record(plan);
    record.hash = options.filter.hash;
    record.hash_key_id = key_id_of(options.filter.hash);
    record.keys = options.filter.keys;
    record.capacity = options.capacity;
    record.fpp = fpp;
    record.metadata = options.metadata;
    return ShardedBuild({.cut = plan.cut,
                         .new_maker = plan.new_maker,
                         .at_once = family.at_once,
                         .kept_bits = kept_bits,
                         .reject_bit = options.rejecting ? kRejectBit : 0,
                         .range = shards_of_part(plan.cut, options),
                         .threads = thread_count(family, options)},
                        std::move(record));
  }
  HashSource source() {
    return
        [this](std::uint64_t last, std::vector<std::uint64_t>& out) { return spool.read_through(last, out); };
  }

  // Writes the complete file to `out`, which has append() and write_at(), and returns its header.
  template <typename Out>
  Result<NativeHeader> write(Out& out, const StaticBuildProgress& progress,
                             const std::atomic<bool>* cancelled) {
    BLOOMERY_ASSIGN_OR_RETURN(const StaticPlan planned, plan());
    BLOOMERY_ASSIGN_OR_RETURN(BuiltShards built, sharded(planned).write(source(), out, progress, cancelled));
    return keep(std::move(built));
  }

  // Stores the results that are queried after finish(), and returns the header.
  NativeHeader keep(BuiltShards built) {
    rejected = built.rejected;
    contradicted = std::move(built.contradicted);
    return built.header;
  }
};

StaticBuild::StaticBuild(std::unique_ptr<State> state) : state_(std::move(state)) {}
StaticBuild::StaticBuild(StaticBuild&&) noexcept = default;
StaticBuild& StaticBuild::operator=(StaticBuild&&) noexcept = default;
StaticBuild::~StaticBuild() = default;

Result<StaticBuild> StaticBuild::create(const StaticFamily& family, double fpp,
                                        const StaticBuildOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_build_options(family, fpp, options));
  BLOOMERY_ASSIGN_OR_RETURN(const StaticPlan plan, family.plan(options.capacity, fpp, options, 64));
  const ShardCut& cut = plan.cut;
  const ShardRange range = shards_of_part(cut, options);
  if (options.parts > cut.shards) {
    return Error::invalid_argument("part", "expected at most " + std::to_string(cut.shards) +
                                               ", as many as there are shards, found " +
                                               std::to_string(options.parts));
  }
  const std::uint32_t kept_bits = kept_hash_bits(options, fpp);
  const HashSpoolOptions spool_options{
      .directory = options.spool_directory,
      .buffer_bytes = pool_bytes(family, options),
      .kept_bits = kept_bits + flag_bits(options),
      .lowest = range.first == 0 ? 0 : highest_hash(cut, range.first - 1) + 1,
      .highest = highest_hash(cut, range.end - 1)};
  BLOOMERY_ASSIGN_OR_RETURN(HashSpool spool, HashSpool::create(FileSystem::real(), spool_options));
  return StaticBuild(std::unique_ptr<State>(new State{.family = family,
                                                      .fpp = fpp,
                                                      .options = options,
                                                      .kept_bits = kept_bits,
                                                      .spool = std::move(spool),
                                                      .distinct = {},
                                                      .contradicted = {}}));
}

Status StaticBuild::add(std::span<const Hash128> hashes) {
  return state_->options.rejecting ? state_->collect_flagged(hashes, 0) : state_->collect(hashes);
}

Status StaticBuild::reject(std::span<const Hash128> hashes) {
  if (!state_->options.rejecting) {
    return Error::invalid_argument("reject", "expected a builder that was made to reject keys");
  }
  return state_->collect_flagged(hashes, kRejectBit);
}

void StaticBuild::set_digest_bytes(std::uint16_t bytes) {
  state_->options.filter.keys.digest_bytes = bytes;
}

std::uint64_t StaticBuild::added() const {
  return state_->spool.added();
}

std::uint64_t StaticBuild::spooled_bytes() const {
  return state_->spool.disk_bytes();
}

std::uint64_t StaticBuild::rejected_keys() const {
  return state_->rejected;
}

const std::vector<std::uint64_t>& StaticBuild::contradicted() const {
  return state_->contradicted;
}

Result<std::unique_ptr<FilterBody>> StaticBuild::finish(const StaticBuildProgress& progress,
                                                        const std::atomic<bool>* cancelled) {
  BLOOMERY_RETURN_IF_ERROR(state_->spool.finish());
  BLOOMERY_ASSIGN_OR_RETURN(const StaticPlan plan, state_->plan());
  std::vector<std::uint64_t> words;
  words.reserve(
      state_->family.predicted_bytes(state_->spool.distinct_at_most(), state_->fpp, state_->options) / 8);
  const auto append = [&words](std::span<const std::byte> more) -> Status {
    const std::size_t size = words.size();
    words.resize(size + more.size() / 8);
    std::ranges::copy(more, std::as_writable_bytes(std::span(words)).subspan(size * 8).begin());
    return {};
  };
  BLOOMERY_ASSIGN_OR_RETURN(BuiltShards built,
                            state_->sharded(plan).build(state_->source(), append, progress, cancelled));
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
  return body;
}

Result<StaticBuildWritten> StaticBuild::finish(const std::string& path, const SaveTo& to,
                                               const StaticBuildProgress& progress) {
  BLOOMERY_RETURN_IF_ERROR(state_->spool.finish());
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(FileSystem::real(), path, save_options(to)));
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, state_->write(file, progress, to.cancelled));
  BLOOMERY_RETURN_IF_ERROR(file.commit());
  return StaticBuildWritten{.keys = header.inserted, .bytes = header.file_bytes()};
}

Result<std::unique_ptr<FilterBody>> StaticBuild::finish_nameless(const StaticBuildProgress& progress,
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
                            create_nameless_file(files, state_->options.spool_directory, ".bloomery-static"));
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
  return body;
}

}  // namespace bloomery
