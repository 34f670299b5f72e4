#include "bloomery/filter/fuse_filter.h"

#include <cmath>
#include <utility>

#include "filter/fuse/fuse_directory.h"
#include "filter/fuse/fuse_kernel.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"
#include "filter/shards/shard_directory.h"
#include "filter/shards/shard_join.h"

namespace bloomery {

// The shards in their query form, and the number of the lowest shard that was found damaged.
struct FuseFilter::Shards {
  std::vector<FuseShard> all;
  std::atomic<std::uint64_t> damaged{kNoDamagedShard};
  FuseTable table = {};  // of all shards, over the body's bytes
  bool (*may_contain)(const FuseTable&, std::uint64_t hash) = chosen_fuse_kernel().may_contain;
  std::unique_ptr<FuseQuery::Shard[]> queried;

  // Lets the inline query answer for a shard from now on, if it is sound and its cells alone decide.
  void set_query(std::uint64_t held_index) {
    const FuseShard& shard = all[held_index];
    if (table.arity == 3 && (table.bits == 8 || table.bits == 16) && shard.starts != 0 &&
        shard.set_aside == 0 && is_sound(table, held_index)) {
      queried[held_index].cells.store(reinterpret_cast<const std::byte*>(table.words + shard.front),
                                      std::memory_order_relaxed);
    }
  }
};

FuseFilter::FuseFilter(FuseFilter&&) noexcept = default;
FuseFilter& FuseFilter::operator=(FuseFilter&&) noexcept = default;
FuseFilter::~FuseFilter() = default;

FuseFilter::FuseFilter(std::unique_ptr<FilterBody> filter_body, std::vector<FuseShard> shards,
                       const OpenOptions& options)
    : NativeFilter(std::move(filter_body)), shards_(std::make_unique<Shards>()) {
  shards_->all = std::move(shards);
  if (options.verify == Verify::kHeaderOnly) {
    for (FuseShard& shard : shards_->all) {
      shard.state = static_cast<std::uint8_t>(ShardState::kSound);
    }
  }
  const NativeHeader& header = body().header;
  shards_->table = {.words = words(),
                    .word_count = byte_size() / 8,
                    .shards = shards_->all.data(),
                    .directory = shard_directory_of(body()).data(),
                    .shard_count = header.shards,
                    .first_held = header.first_shard,
                    .held = header.held_shards,
                    .bits = header.hash_count,
                    .arity = shape().arity(),
                    .hash_mask = ~std::uint64_t{0} << (64 - header.hash_bits),
                    .damaged = &shards_->damaged};
  const std::vector<FuseShard>& all = shards_->all;
  shards_->queried = std::make_unique<FuseQuery::Shard[]>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    FuseQuery::Shard& shard = shards_->queried[i];
    shard.seed_step = all[i].seed_step;
    shard.starts = all[i].starts;
    shard.segment_log = all[i].segment_log;
    if (options.verify == Verify::kHeaderOnly) {
      shards_->set_query(i);
    }
  }
  query_ = {.shards = shards_->queried.get(),
            .hash_mask = shards_->table.hash_mask,
            .shard_count = header.shards,
            .first_held = header.first_shard,
            .held = header.held_shards,
            .bits = shards_->table.bits};
}

Result<FuseFilter> FuseFilter::from_body(std::unique_ptr<FilterBody> body, const OpenOptions& options) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kFuse, header.payload_bytes));
  BLOOMERY_ASSIGN_OR_RETURN(
      std::vector<FuseShard> shards,
      read_fuse_directory(shard_directory_of(*body), shard_directory_bytes(header.held_shards) / 8,
                          header.payload_bytes / 8, fuse_shape_of(header)));
  return FuseFilter(std::move(body), std::move(shards), options);
}

Result<FuseFilter> FuseFilter::open(const std::string& path, const OpenOptions& options) {
  if (options.access == Access::kUpdateInPlace) {
    return Error::invalid_argument(path,
                                   "expected a filter that can change, found a fuse filter, which is static");
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options, check_fuse_header));
  return in_file(from_body(std::move(body), options), path);
}

Result<FuseFilter> FuseFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options, check_fuse_header));
  return from_body(std::move(body), options);
}

Result<FuseFilter> FuseFilter::concatenate(std::span<const FuseFilter* const> parts) {
  return ShardJoin::concatenate(parts);
}

Status FuseFilter::concatenate(std::span<const FuseFilter* const> parts, const std::string& path,
                               const SaveTo& to) {
  return ShardJoin::concatenate(parts, path, to);
}

bool FuseFilter::may_contain_by_call(Hash128 hash) const {
  const bool matches = shards_->may_contain(shards_->table, hash.low);
  if (const std::uint64_t shard = query_.shard_of(hash.low); shard < query_.held) {
    shards_->set_query(shard);  // this query has verified it
  }
  return matches;
}

void FuseFilter::may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  if (!hashes.empty()) {
    chosen_fuse_kernel().may_contain_batch(shards_->table, hashes, answers.data());
    clear_exceptions(hashes, answers);
  }
}

void FuseFilter::may_contain_batch(std::span<const Hash64> hashes, std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  require_no_exceptions();
  if (!hashes.empty()) {
    chosen_fuse_kernel().may_contain_low(shards_->table, hashes, answers.data());
  }
}

Status FuseFilter::status() const {
  return status_of_shards("fuse", shards_->table, body().header);
}

Status FuseFilter::verify() const {
  for (std::uint64_t i = 0; i < held_shards(); ++i) {
    verify_shard(shards_->table, i);
  }
  return status();
}

FuseShape FuseFilter::shape() const {
  return fuse_shape_of(body().header);
}
std::uint32_t FuseFilter::shard_count() const {
  return body().header.shards;
}
std::uint32_t FuseFilter::first_shard() const {
  return body().header.first_shard;
}
std::uint32_t FuseFilter::held_shards() const {
  return body().header.held_shards;
}

std::uint64_t FuseFilter::keys_set_aside() const {
  std::uint64_t keys = 0;
  for (const FuseShard& shard : shards_->all) {
    keys += shard.set_aside;
  }
  return keys;
}

double FuseFilter::current_fpp() const {
  return inserted() == 0 && is_whole() ? 0 : std::ldexp(1.0, -static_cast<int>(shape().bits));
}

}  // namespace bloomery
