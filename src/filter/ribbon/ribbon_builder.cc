#include "bloomery/filter/ribbon_builder.h"

#include <iterator>
#include <memory>
#include <utility>

#include "bloomery/filter/ribbon_sizing.h"
#include "filter/ribbon/ribbon_family.h"

namespace bloomery {
namespace {

// Four shards of 65,536 keys at 60 bytes a key (ribbon_shard.h) are 15 MiB; the next four and the output are
// the rest.
constexpr std::uint64_t kRibbonThreadMemory = std::uint64_t{20} << 20;
constexpr std::uint64_t kUsualRibbonShardKeys = std::uint64_t{1} << 17;

ShardMaker new_ribbon_maker(const RibbonShape& shape, std::uint64_t reject_bit) {
  const auto builder = std::make_shared<RibbonShardBuilder>(shape, RibbonShardBuilder::Refusal(), reject_bit);
  return
      [builder](std::span<const std::span<const std::uint64_t>> shards) -> Result<std::vector<ShardImage>> {
        BLOOMERY_ASSIGN_OR_RETURN(std::vector<RibbonShardImage> built, builder->build(shards));
        std::vector<ShardImage> images(built.size());
        for (std::size_t i = 0; i < built.size(); ++i) {
          encode_ribbon_entry(built[i].entry, images[i].entry.data());
          images[i].words = std::move(built[i].words);
        }
        return images;
      };
}

Result<StaticPlan> plan_ribbon_shards(std::uint64_t keys, double fpp, const StaticBuildOptions& options,
                                      std::uint32_t most_hash_bits) {
  BLOOMERY_ASSIGN_OR_RETURN(RibbonShape shape, ribbon_shape_for_fpp(keys, fpp, most_hash_bits));
  if (options.rejecting) {
    shape.hash_bits = kRejectingHashBits;  // with fewer bits more keys would contradict each other
  }
  return StaticPlan{.cut = {.hash_bits = shape.hash_bits, .shards = shape.shards},
                    .hash_count = shape.columns,
                    .new_maker = [shape, reject_bit = options.rejecting ? kRejectBit : 0] {
                      return new_ribbon_maker(shape, reject_bit);
                    }};
}

}  // namespace

const StaticFamily kRibbonFamily = {
    .type = FilterType::kRibbon,
    .at_once = kBandsAtOnce,
    .shard_bytes_per_key = kShardBytesPerKey,
    .usual_shard_keys = kUsualRibbonShardKeys,
    .thread_memory = kRibbonThreadMemory,
    .min_memory = kMinRibbonMemory,
    .plan = plan_ribbon_shards,
    .predicted_bytes = [](std::uint64_t keys, double fpp, const StaticBuildOptions&) {
      return predicted_ribbon_bytes(keys, fpp);
    }};

RibbonBuildNeeds ribbon_build_needs(std::uint64_t key_count, double fpp, const RibbonBuildOptions& options) {
  return static_build_needs(kRibbonFamily, key_count, fpp, options);
}

struct RibbonBuilder::State {
  StaticBuild build;
};

RibbonBuilder::RibbonBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
RibbonBuilder::RibbonBuilder(RibbonBuilder&&) noexcept = default;
RibbonBuilder& RibbonBuilder::operator=(RibbonBuilder&&) noexcept = default;
RibbonBuilder::~RibbonBuilder() = default;

Result<RibbonBuilder> RibbonBuilder::create(double fpp, const RibbonBuildOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(StaticBuild build, StaticBuild::create(kRibbonFamily, fpp, options));
  return RibbonBuilder(std::make_unique<State>(State{.build = std::move(build)}));
}

Status RibbonBuilder::add(std::span<const Hash128> hashes) {
  return state_->build.add(hashes);
}
Status RibbonBuilder::reject(std::span<const Hash128> hashes) {
  return state_->build.reject(hashes);
}
void RibbonBuilder::set_digest_bytes(std::uint16_t bytes) {
  state_->build.set_digest_bytes(bytes);
}
std::uint64_t RibbonBuilder::added() const {
  return state_->build.added();
}
std::uint64_t RibbonBuilder::spooled_bytes() const {
  return state_->build.spooled_bytes();
}
std::uint64_t RibbonBuilder::rejected_keys() const {
  return state_->build.rejected_keys();
}
const std::vector<std::uint64_t>& RibbonBuilder::contradicted() const {
  return state_->build.contradicted();
}

Result<RibbonFilter> RibbonBuilder::finish(const Progress& progress, const std::atomic<bool>* cancelled) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, state_->build.finish(progress, cancelled));
  return RibbonFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // just built
}
Result<RibbonFilter> RibbonBuilder::finish_nameless(const Progress& progress,
                                                    const std::atomic<bool>* cancelled) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, state_->build.finish_nameless(progress, cancelled));
  return RibbonFilter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // just built
}
Result<RibbonBuilder::Written> RibbonBuilder::finish(const std::string& path, const SaveTo& to,
                                                     const Progress& progress) {
  return state_->build.finish(path, to, progress);
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
