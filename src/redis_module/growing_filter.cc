#include "redis_module/growing_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "filter/blocked/blocked_kernel.h"

namespace bloomery::redis_module {
namespace {

constexpr double kFirstShare = 0.125;
constexpr double kShareRatio = 0.875;
constexpr std::uint64_t kSmallestStep = 8;  // a layer has at least 1/8 of the keys of all layers before it
constexpr std::size_t kGroup = 64;
constexpr std::uint64_t kWindowBytes = 64;
constexpr std::uint64_t kWindowBits = 512;

// Bits per key and k for an fpp. To find them takes more than a millisecond, and a server may need them for every
// new key, so the last ones are kept.
struct Density {
  double bits_per_key;
  std::uint32_t hash_count;
};

Result<Density> density_for(double fpp) {
  constexpr std::size_t kMostKept = 1024;
  constexpr std::uint64_t kMany = std::uint64_t{1} << 30;  // so many that rounding to windows does not count
  static std::map<double, Density> kept;
  if (const auto found = kept.find(fpp); found != kept.end()) {
    return found->second;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape,
                            blocked_shape_for_fpp(kMany, fpp, BlockedSetting::kFast));
  const double exact = static_cast<double>(shape.bits()) / static_cast<double>(kMany);
  // Logarithms differ in their last bit from machine to machine. Rounded up, all machines get the same shape.
  const Density density{.bits_per_key = std::ceil(exact * 256) / 256, .hash_count = shape.hash_count};
  if (kept.size() >= kMostKept) {
    kept.clear();
  }
  kept.emplace(fpp, density);
  return density;
}

// A key's window in the chunks of a layer.
struct Place {
  std::size_t chunk;
  std::uint64_t offset;
  std::uint64_t rest;
};

Place place_in(const BlockedShape& shape, std::uint64_t hash) {
  const Uint128 product = Uint128{hash} * shape.windows();
  const std::uint64_t at = static_cast<std::uint64_t>(product >> 64) * kWindowBytes;
  return {
      .chunk = at >> kChunkShift, .offset = at % kChunkBytes, .rest = static_cast<std::uint64_t>(product)};
}

// A table of one window: the product of a hash with 1 is the hash, so `rest` chooses the bits as in the whole
// filter.
BlockedTable one_window(std::uint64_t* words, const BlockedShape& shape) {
  return {.words = words, .windows = 1, .stride_shift = 3, .hash_count = shape.hash_count};
}

const std::uint64_t* window_at(const BitChunks& bits, const Place& place) {
  const std::byte* const bytes = bits.read(place.chunk);
  return bytes == nullptr ? nullptr : reinterpret_cast<const std::uint64_t*>(bytes + place.offset);
}

bool window_contains(const std::uint64_t* window, const BlockedShape& shape, std::uint64_t rest) {
  // The kernels take one kind of table for reading and writing.
  auto* const words = const_cast<std::uint64_t*>(window);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return chosen_blocked_kernel().one.may_contain(one_window(words, shape), rest);
}

// Answers at most 64 hashes from a layer. Bits of `asked` say which ones are asked.
std::uint64_t ask_layer(const GrowingFilter::Layer& layer, std::span<const Hash128> hashes,
                        std::uint64_t asked) {
  std::array<const std::uint64_t*, kGroup> windows;
  std::array<std::uint64_t, kGroup> rests;
  for (std::uint64_t left = asked; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    const Place place = place_in(layer.shape, hashes[i].low);
    windows[i] = window_at(layer.bits, place);
    rests[i] = place.rest;
    __builtin_prefetch(windows[i]);
  }
  std::uint64_t found = 0;
  for (std::uint64_t left = asked; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    const bool in = windows[i] != nullptr && window_contains(windows[i], layer.shape, rests[i]);
    found |= std::uint64_t{in} << i;
  }
  return found;
}

// Answers at most 64 hashes from layers, the newest and largest first.
std::uint64_t ask_layers(std::span<const GrowingFilter::Layer> layers, std::span<const Hash128> hashes) {
  if (hashes.empty()) {
    return 0;
  }
  const std::uint64_t all = ~std::uint64_t{0} >> (kGroup - hashes.size());
  std::uint64_t absent = all;
  for (std::size_t i = layers.size(); i-- > 0 && absent != 0;) {
    absent &= ~ask_layer(layers[i], hashes, absent);
  }
  return all & ~absent;
}

Error corrupt_layer(std::size_t index, const std::string& detail) {
  return Error(ErrorCode::kCorruption, "layer " + std::to_string(index), detail);
}

}  // namespace

// ---- sizes

Result<GrowingFilter::LayerSize> GrowingFilter::size_of(const GrowingPlan& plan, std::size_t index,
                                                        std::uint64_t capacity_before) {
  if (!(plan.fpp > 0 && plan.fpp < 1) || plan.capacity == 0 || plan.capacity > kMostCapacity) {
    return Error::invalid_argument("filter", "expected an fpp between 0 and 1 and 1 to 2^40 keys, found " +
                                                 std::to_string(plan.fpp) + " and " +
                                                 std::to_string(plan.capacity));
  }
  double wanted = static_cast<double>(plan.capacity);
  double fpp = plan.fpp;
  if (plan.expansion > 0) {
    const auto step = static_cast<double>(index);
    wanted *= std::pow(static_cast<double>(plan.expansion), step);
    fpp *= kFirstShare * std::pow(kShareRatio, step);
  }
  const std::uint64_t capacity = std::max(
      wanted < static_cast<double>(kMostCapacity) ? static_cast<std::uint64_t>(wanted) : kMostCapacity,
      capacity_before / kSmallestStep);
  BLOOMERY_ASSIGN_OR_RETURN(const Density density, density_for(fpp));
  const double bits = static_cast<double>(capacity) * density.bits_per_key;
  if (!(bits < 0x1p39)) {
    return Error::capacity("filter",
                           "expected less than 2^39 bits in a layer, found " + std::to_string(bits));
  }
  const auto windows = static_cast<std::uint64_t>(std::ceil(bits / static_cast<double>(kWindowBits)));
  return LayerSize{.capacity = capacity,
                   .fpp = fpp,
                   .shape = {.words = windows * kWindowWords,
                             .hash_count = density.hash_count,
                             .setting = BlockedSetting::kFast}};
}

Result<std::uint64_t> GrowingFilter::bytes_of(const GrowingPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const LayerSize size, size_of(plan, 0, 0));
  return size.shape.words * sizeof(std::uint64_t);
}

std::optional<std::uint64_t> GrowingFilter::capacity_of_bytes(std::uint64_t bytes, double fpp) {
  const Result<Density> density = density_for(fpp);
  if (!density) {
    return std::nullopt;
  }
  const double windows = std::floor(static_cast<double>(bytes) / static_cast<double>(kWindowBytes));
  const double keys = windows * static_cast<double>(kWindowBits) / density->bits_per_key;
  return keys >= 1 && keys < static_cast<double>(kMostCapacity)
             ? std::optional(static_cast<std::uint64_t>(keys))
             : std::nullopt;
}

std::uint64_t GrowingFilter::size_bytes() const {
  std::uint64_t total = 0;
  for (const Layer& layer : layers_) {
    total += layer.bits.size_bytes();
  }
  return total;
}

std::uint64_t GrowingFilter::capacity() const {
  std::uint64_t total = 0;
  for (const Layer& layer : layers_) {
    total += layer.capacity;
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
    all_say_no *= 1 - (layer.keys == 0 ? 0 : predicted_fpp(layer.shape, layer.keys));
  }
  return 1 - all_say_no;
}

// ---- making

Result<GrowingFilter> GrowingFilter::create(const GrowingPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const LayerSize size, size_of(plan, 0, 0));
  GrowingFilter made(plan);
  BLOOMERY_RETURN_IF_ERROR(made.append(size));
  return made;
}

Result<GrowingFilter> GrowingFilter::of_layers(const GrowingPlan& plan, std::vector<Layer> layers) {
  if (layers.empty() || layers.size() > kMostLayers) {
    return corrupt_layer(layers.size(), "expected 1 to " + std::to_string(kMostLayers) + " layers");
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    if (const Status shape = check_blocked_shape(layer.shape); !shape) {
      return corrupt_layer(i, shape.error().detail());
    }
    if (layer.shape.setting != BlockedSetting::kFast ||
        layer.bits.size_bytes() != layer.shape.words * sizeof(std::uint64_t)) {
      return corrupt_layer(i, "expected " + std::to_string(layer.shape.words) + " words, found " +
                                  std::to_string(layer.bits.size_bytes()) + " bytes");
    }
    if (layer.capacity == 0 || layer.capacity > kMostCapacity || layer.keys > layer.capacity) {
      return corrupt_layer(i, "expected at most " + std::to_string(layer.capacity) + " keys, found " +
                                  std::to_string(layer.keys));
    }
    if (!(layer.fpp > 0 && layer.fpp < 1)) {
      return corrupt_layer(i, "expected an fpp between 0 and 1, found " + std::to_string(layer.fpp));
    }
  }
  GrowingFilter made(plan);
  made.layers_ = std::move(layers);
  return made;
}

Status GrowingFilter::append(const LayerSize& size) {
  BLOOMERY_ASSIGN_OR_RETURN(BitChunks bits, BitChunks::zeroed(size.shape.words * sizeof(std::uint64_t)));
  layers_.push_back(
      {.keys = 0, .capacity = size.capacity, .fpp = size.fpp, .shape = size.shape, .bits = std::move(bits)});
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
  // The last layer stays the last, for it takes new keys.
  layers_.insert(layers_.begin(), other.layers_.begin(), other.layers_.end());
  return {};
}

// ---- queries

void GrowingFilter::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  for (std::size_t first = 0; first < hashes.size(); first += kGroup) {
    answers[first / kGroup] =
        ask_layers(layers_, hashes.subspan(first, std::min(kGroup, hashes.size() - first)));
  }
}

// ---- adds

// The outcome is kFull if the layer is full and does not know the key.
Added GrowingFilter::put_in_last(std::uint64_t hash) {
  Layer& last = layers_.back();
  const Place place = place_in(last.shape, hash);
  if (const std::uint64_t* const window = window_at(last.bits, place);
      window != nullptr && window_contains(window, last.shape, place.rest)) {
    return Added::kKnown;
  }
  if (last.keys >= last.capacity) {
    return Added::kFull;
  }
  std::byte* const bytes = last.bits.write(place.chunk);
  if (bytes == nullptr) {
    return Added::kNoMemory;
  }
  auto* const window = reinterpret_cast<std::uint64_t*>(bytes + place.offset);
  chosen_blocked_kernel().one.insert_alone(one_window(window, last.shape), place.rest);
  ++last.keys;
  return Added::kNew;
}

// Adds keys up to the first one that the last layer cannot take, or all, and returns how many. At most 64 keys.
std::size_t GrowingFilter::add_until_growth(std::span<const Hash128> hashes, std::span<Added> outcomes) {
  const std::span<const Layer> before = std::span<const Layer>(layers_).first(layers_.size() - 1);
  const std::uint64_t known = ask_layers(before, hashes);
  for (const Hash128& hash : hashes) {
    const Place place = place_in(layers_.back().shape, hash.low);
    __builtin_prefetch(window_at(layers_.back().bits, place), 1);
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    outcomes[i] = (known >> i & 1) != 0 ? Added::kKnown : put_in_last(hashes[i].low);
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
  const Result<LayerSize> next = size_of(plan_, layers_.size(), capacity());
  if (!next || layers_.size() >= kMostLayers) {
    return Added::kOverLimit;
  }
  const std::uint64_t used = size_bytes();
  const std::uint64_t more = next->shape.words * sizeof(std::uint64_t);
  if (used > most_bytes || more > most_bytes - used) {
    return Added::kOverLimit;
  }
  return append(*next) ? Added::kNew : Added::kNoMemory;
}

std::size_t GrowingFilter::add(std::span<const Hash128> hashes, std::uint64_t most_bytes,
                               std::span<Added> outcomes) {
  for (std::size_t done = 0; done < hashes.size();) {
    const std::size_t group = std::min(kGroup, hashes.size() - done);
    const std::size_t taken = add_until_growth(hashes.subspan(done, group), outcomes.subspan(done, group));
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

}  // namespace bloomery::redis_module
