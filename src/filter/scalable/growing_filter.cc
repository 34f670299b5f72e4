#include "filter/scalable/growing_filter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bloomery/filter/default_fpp.h"

namespace bloomery {
namespace {

Error corrupt_layer(std::size_t index, const std::string& detail) {
  return Error(ErrorCode::kCorruption, "layer " + std::to_string(index), detail);
}

}  // namespace

// ---- sizes

void prepare_sizing() {
  static_cast<void>(
      next_layer_size({.capacity = 1, .fpp = kRedisBloomDefaultFpp, .expansion = 0, .hash = {}}, {}));
  // A key of the usual settings that grows in one command would otherwise size all its layers in it.
  constexpr std::size_t kKeys = 2000;
  Result<GrowingFilter> usual =
      GrowingFilter::create({.capacity = 100, .fpp = kRedisBloomDefaultFpp, .expansion = 4, .hash = {}});
  std::vector<Hash128> hashes(kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) {
    hashes[i] = {.low = i * 0x9E3779B97F4A7C15, .high = i};
  }
  std::vector<Added> outcomes(kKeys);
  if (usual) {
    static_cast<void>(usual->add(hashes, ~std::uint64_t{0}, outcomes));
  }
}

Result<std::uint64_t> GrowingFilter::bytes_of(const GrowingPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const LayerSize size, next_layer_size(plan, {}));
  return size.bytes();
}

std::uint64_t GrowingFilter::planned_bytes() const {
  std::uint64_t total = 0;
  for (const Layer& layer : layers_) {
    total += layer.size.bytes();
  }
  return total;
}

std::uint64_t GrowingFilter::payload_bytes() const {
  std::uint64_t total = 0;
  for (const Layer& layer : layers_) {
    total += layer.payload_bytes();
  }
  return total;
}

std::uint64_t GrowingFilter::capacity() const {
  std::uint64_t total = 0;
  for (const Layer& layer : layers_) {
    total += layer.size.capacity;
  }
  return total;
}

std::uint64_t GrowingFilter::keys() const {
  std::uint64_t total = 0;
  for (const Layer& layer : layers_) {
    total += layer.keys;
  }
  return total;
}

double GrowingFilter::current_fpp() const {
  double all_say_no = 1;
  for (const Layer& layer : layers_) {
    all_say_no *= 1 - layer.current_fpp();
  }
  return 1 - all_say_no;
}

// ---- making

Result<GrowingFilter> GrowingFilter::create(const GrowingPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const LayerSize size, next_layer_size(plan, {}));
  GrowingFilter made(plan);
  if (plan.expansion == 0) {
    made.plan_.schedule =
        Schedule::kByIndex;  // as every front says that was saved before there were schedules
  }
  BLOOMERY_RETURN_IF_ERROR(made.append(size));
  return made;
}

Result<GrowingFilter> GrowingFilter::of_layers(const GrowingPlan& plan, std::vector<Layer> layers) {
  if (layers.empty() || layers.size() > kMostLayers) {
    return corrupt_layer(layers.size(), "expected 1 to " + std::to_string(kMostLayers) + " layers");
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    if (const Status checked = check_layer_size(layer.size, layer.keys); !checked) {
      return corrupt_layer(i, checked.error().detail());
    }
    if (layer.size.shape.setting != BlockedSetting::kFast ||
        (!layer.late && layer.bits.size_bytes() != layer.size.bytes())) {
      return corrupt_layer(i, "expected " + std::to_string(layer.size.shape.words) + " words, found " +
                                  std::to_string(layer.bits.size_bytes()) + " bytes");
    }
  }
  GrowingFilter made(plan);
  made.layers_ = std::move(layers);
  return made;
}

Status GrowingFilter::append(const LayerSize& size) {
  Layer layer{.size = size, .keys = 0, .bits = {}, .late = {}};
  if (size.fingerprint_bits != 0) {
    BLOOMERY_ASSIGN_OR_RETURN(const LateShape late, late_shape(size.shape, size.fingerprint_bits));
    layer.late = LateBits(late);
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(layer.bits, PagedWords::zeroed(size.bytes()));
  }
  layers_.push_back(std::move(layer));
  return {};
}

Status GrowingFilter::unite(const GrowingFilter& other) {
  if (!(plan_.hash == other.plan_.hash)) {
    return Error::invalid_argument("filter", "expected filters with one hash, found different ones");
  }
  if (layers_.size() + other.layers_.size() > kMostLayers) {
    return Error::capacity("filter", "expected at most " + std::to_string(kMostLayers) + " layers, found " +
                                         std::to_string(layers_.size() + other.layers_.size()));
  }
  // The last layer stays the last, since it accepts new keys.
  layers_.insert(layers_.begin(), other.layers_.begin(), other.layers_.end());
  return {};
}

// ---- queries

void GrowingFilter::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  ask_layers_in_groups(layers(), hashes, answers);
}

// ---- adds

// A late layer may have more bytes when it is full than a filter may have. It accepts keys as long as none of
// kGroup keys can make a piece that is one too many.
bool GrowingFilter::has_room(std::uint64_t most_bytes) const {
  constexpr std::uint64_t kSpare = FilterLayer::kGroup * kMostPieceWindows * kWindowBytes;
  const std::uint64_t used = payload_bytes();
  return planned_bytes() <= most_bytes || (used <= most_bytes && kSpare <= most_bytes - used);
}

// Adds keys up to the first one that the last layer refuses, or all, and returns how many. At most 64
// keys.
std::size_t GrowingFilter::add_until_growth(std::span<const Hash128> hashes, std::uint64_t most_bytes,
                                            std::span<Added> outcomes) {
  Layer& last = layers_.back();
  const bool takes_keys = !last.late || has_room(most_bytes);
  // A layer that accepts no keys is only queried.
  const std::span<const Layer> asked =
      std::span<const Layer>(layers_).first(layers_.size() - (takes_keys ? 1 : 0));
  const std::uint64_t known = ask_layers(asked, hashes);
  if (takes_keys) {
    for (const Hash128& hash : hashes) {
      last.prefetch(hash);
    }
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if ((known >> i & 1) != 0) {
      outcomes[i] = Added::kKnown;
    } else {
      outcomes[i] = takes_keys ? last.add(hashes[i]) : Added::kOverLimit;
    }
    if (outcomes[i] != Added::kKnown && outcomes[i] != Added::kNew) {
      return i;
    }
  }
  return hashes.size();
}

// Returns kNew if there is a next layer now.
Added GrowingFilter::grow(std::uint64_t most_bytes) {
  if (plan_.expansion == 0) {
    return Added::kFull;
  }
  const Result<LayerSize> next = next_layer_size(plan_, layers_before(layers_));
  if (!next || layers_.size() >= kMostLayers) {
    return Added::kOverLimit;
  }
  const std::uint64_t used = payload_bytes();
  const std::uint64_t more = next->fingerprint_bits != 0 ? 0 : next->bytes();
  if (used > most_bytes || more > most_bytes - used) {
    return Added::kOverLimit;
  }
  return append(*next) ? Added::kNew : Added::kNoMemory;
}

std::size_t GrowingFilter::add(std::span<const Hash128> hashes, std::uint64_t most_bytes,
                               std::span<Added> outcomes) {
  layers_.back().bits.begin_step();
  for (std::size_t done = 0; done < hashes.size();) {
    const std::size_t group = std::min(FilterLayer::kGroup, hashes.size() - done);
    const std::size_t taken =
        add_until_growth(hashes.subspan(done, group), most_bytes, outcomes.subspan(done, group));
    done += taken;
    if (taken < group) {
      if (outcomes[done] == Added::kFull) {
        outcomes[done] = grow(most_bytes);
      }
      if (outcomes[done] != Added::kNew) {
        return done + 1;
      }
    }
  }
  return hashes.size();
}

}  // namespace bloomery
