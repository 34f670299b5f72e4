#include "bloomery/filter/fuse_builder.h"

#include <memory>
#include <utility>

#include "filter/fuse/fuse_directory.h"
#include "filter/fuse/fuse_family.h"
#include "filter/fuse/fuse_shard.h"

namespace bloomery {
namespace {

// A shard of 2^20 keys and its successor, at kFuseBytesPerKey.
constexpr std::uint64_t kFuseThreadMemory = std::uint64_t{48} << 20;

ShardMaker new_fuse_maker(const FuseShape& shape) {
  const auto builder = std::make_shared<FuseShardBuilder>(shape);
  return
      [builder](std::span<const std::span<const std::uint64_t>> shards) -> Result<std::vector<ShardImage>> {
        std::vector<ShardImage> images(shards.size());
        for (std::size_t i = 0; i < shards.size(); ++i) {
          BLOOMERY_ASSIGN_OR_RETURN(FuseShardImage built, builder->build(shards[i]));
          encode_fuse_entry(built.entry, images[i].entry.data());
          images[i].words = std::move(built.words);
        }
        return images;
      };
}

Result<StaticPlan> plan_fuse_shards(std::uint64_t keys, double fpp, const StaticBuildOptions& options,
                                    std::uint32_t most_hash_bits) {
  BLOOMERY_ASSIGN_OR_RETURN(const FuseShape shape,
                            fuse_shape_for_fpp(keys, fpp, options.filter.setting, most_hash_bits));
  return StaticPlan{.cut = {.hash_bits = shape.hash_bits, .shards = shape.shards},
                    .hash_count = shape.bits,
                    .stride_bytes = static_cast<std::uint16_t>(shape.setting),
                    .new_maker = [shape] { return new_fuse_maker(shape); }};
}

}  // namespace

const StaticFamily kFuseFamily = {
    .type = FilterType::kFuse,
    .at_once = 1,
    .shard_bytes_per_key = kFuseBytesPerKey,
    .usual_shard_keys = 2 * kFuseShardKeys,
    .thread_memory = kFuseThreadMemory,
    .min_memory = kMinFuseMemory,
    .plan = plan_fuse_shards,
    .predicted_bytes = [](std::uint64_t keys, double fpp, const StaticBuildOptions& options) {
      return predicted_fuse_bytes(keys, fpp, options.filter.setting);
    }};

StaticBuildNeeds fuse_build_needs(std::uint64_t key_count, double fpp, const StaticBuildOptions& options) {
  return static_build_needs(kFuseFamily, key_count, fpp, options);
}

struct FuseBuilder::State {
  StaticBuild build;
};

FuseBuilder::FuseBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
FuseBuilder::FuseBuilder(FuseBuilder&&) noexcept = default;
FuseBuilder& FuseBuilder::operator=(FuseBuilder&&) noexcept = default;
FuseBuilder::~FuseBuilder() = default;

Result<FuseBuilder> FuseBuilder::create(double fpp, const StaticBuildOptions& options) {
  if (options.rejecting) {
    return Error::invalid_argument("reject", "expected a ribbon: a fuse filter rejects no keys");
  }
  BLOOMERY_ASSIGN_OR_RETURN(StaticBuild build, StaticBuild::create(kFuseFamily, fpp, options));
  return FuseBuilder(std::make_unique<State>(State{.build = std::move(build)}));
}

Status FuseBuilder::add(std::span<const Hash128> hashes) {
  return state_->build.add(hashes);
}
void FuseBuilder::set_digest_bytes(std::uint16_t bytes) {
  state_->build.set_digest_bytes(bytes);
}
std::uint64_t FuseBuilder::added() const {
  return state_->build.added();
}
std::uint64_t FuseBuilder::spooled_bytes() const {
  return state_->build.spooled_bytes();
}

Result<FuseFilter> FuseBuilder::finish(const StaticBuildProgress& progress,
                                       const std::atomic<bool>* cancelled) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, state_->build.finish(progress, cancelled));
  return FuseFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // just built
}
Result<FuseFilter> FuseBuilder::finish_nameless(const StaticBuildProgress& progress,
                                                const std::atomic<bool>* cancelled) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, state_->build.finish_nameless(progress, cancelled));
  return FuseFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // just built
}
Result<StaticBuildWritten> FuseBuilder::finish(const std::string& path, const SaveTo& to,
                                               const StaticBuildProgress& progress) {
  return state_->build.finish(path, to, progress);
}

// Builds in memory, by one run of the builder.
Result<FuseFilter> FuseFilter::build_from_hashes(std::span<const Hash128> hashes, double fpp,
                                                 const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(FuseBuilder builder,
                            FuseBuilder::create(fpp, {.filter = options, .memory_bytes = kUnlimitedMemory}));
  BLOOMERY_RETURN_IF_ERROR(builder.add(hashes));
  return builder.finish();
}

}  // namespace bloomery
