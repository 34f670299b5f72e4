#include "filter/scalable/layer_size.h"

#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "bloomery/filter/sizing.h"
#include "filter/scalable/late_shape.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kWindowBits = 512;

// Bits per key and k for an fpp.
struct Density {
  double bits_per_key;
  std::uint32_t hash_count;
};

Result<Density> compute_density(double fpp, BlockedSetting setting) {
  // So many keys that rounding to windows does not count, and no more than 64 hash bits tell apart at the
  // fpp.
  constexpr std::uint64_t kMany = std::uint64_t{1} << 30;
  const std::uint64_t keys = fpp < 0x1p-30 ? static_cast<std::uint64_t>(std::ldexp(fpp, 60)) : kMany;
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape_for_fpp(keys, fpp, setting));
  const double exact = static_cast<double>(shape.bits()) / static_cast<double>(keys);
  return Density{.bits_per_key = std::ceil(exact * 256) / 256, .hash_count = shape.hash_count};
}

// A server may need a density for every new key, so the last ones are kept.
Result<Density> density_for(double fpp, BlockedSetting setting) {
  constexpr std::size_t kMostKept = 1024;
  static std::mutex mutex;
  static std::map<std::pair<double, BlockedSetting>, Density> kept;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = kept.find({fpp, setting}); found != kept.end()) {
      return found->second;
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Density density, compute_density(fpp, setting));
  const std::lock_guard lock(mutex);
  if (kept.size() >= kMostKept) {
    kept.clear();
  }
  kept.emplace(std::pair(fpp, setting), density);
  return density;
}

}  // namespace

Result<LayerSize> next_layer_size(const GrowingPlan& plan, const LayersBefore& before) {
  // Fingerprints of late layers have up to 1/64 of the fpp (late_shape.h), and their bits have the rest.
  constexpr double kLeftForBits = 63.0 / 64;
  BLOOMERY_RETURN_IF_ERROR(check_start(plan.capacity, plan.fpp));
  const LayerStep step = plan.expansion == 0 ? LayerStep{.capacity = plan.capacity, .fpp = plan.fpp}
                                             : next_layer_step(plan, before);
  BLOOMERY_RETURN_IF_ERROR(shape_for_fpp(step.capacity, step.fpp));  // checks that 64 hash bits suffice
  const bool may_be_late =
      before.count > 0 && plan.schedule == Schedule::kByCapacity && plan.setting == BlockedSetting::kFast;
  BLOOMERY_ASSIGN_OR_RETURN(const Density density,
                            density_for(may_be_late ? step.fpp * kLeftForBits : step.fpp, plan.setting));
  const double bits = static_cast<double>(step.capacity) * density.bits_per_key;
  if (!(bits < 0x1p39)) {
    return Error::capacity("filter",
                           "expected less than 2^39 bits in a layer, found " + std::to_string(bits));
  }
  auto windows = static_cast<std::uint64_t>(std::ceil(bits / static_cast<double>(kWindowBits)));
  const std::uint32_t fingerprint_bits =
      may_be_late ? late_fingerprint_bits(windows, step.capacity, step.fpp) : 0;
  windows = fingerprint_bits == 0 ? windows : windows_in_pieces(windows);
  return LayerSize{
      .capacity = step.capacity,
      .fpp = step.fpp,
      .shape = {.words = windows * kWindowWords, .hash_count = density.hash_count, .setting = plan.setting},
      .fingerprint_bits = fingerprint_bits};
}

bool layer_may_follow(const LayerSize& last, const LayerSize& next) {
  constexpr std::uint64_t kMostTimes = 16;
  constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20;
  return next.bytes() <= kSmallBytes || next.bytes() / kMostTimes <= last.bytes();
}

Status check_layer_size(const LayerSize& size, std::uint64_t keys) {
  const auto corrupt = [](const std::string& detail) {
    return Error(ErrorCode::kCorruption, "layer", detail);
  };
  if (const Status shape = check_blocked_shape(size.shape); !shape) {
    return corrupt(shape.error().subject() + ": " + shape.error().detail());
  }
  if (size.capacity == 0 || size.capacity > kMostCapacity || keys > size.capacity) {
    return corrupt("expected at most " + std::to_string(size.capacity) + " keys, found " +
                   std::to_string(keys));
  }
  if (!(size.fpp > 0 && size.fpp < 1)) {
    return corrupt("expected an fpp between 0 and 1, found " + std::to_string(size.fpp));
  }
  if (size.fingerprint_bits != 0) {
    if (size.shape.setting != BlockedSetting::kFast) {
      return corrupt("expected no fingerprints in the setting dense");
    }
    if (const Result<LateShape> late = late_shape(size.shape, size.fingerprint_bits); !late) {
      return late.error();
    }
  }
  return {};
}

std::optional<std::uint64_t> layer_capacity_of_bytes(std::uint64_t bytes, double fpp) {
  const Result<Density> density = density_for(fpp, BlockedSetting::kFast);
  if (!density) {
    return std::nullopt;
  }
  const auto bits_of_window = static_cast<double>(kWindowBits);
  const double windows = std::floor(static_cast<double>(bytes) / (bits_of_window / 8));
  const double keys = windows * bits_of_window / density->bits_per_key;
  return keys >= 1 && keys < static_cast<double>(kMostCapacity)
             ? std::optional(static_cast<std::uint64_t>(keys))
             : std::nullopt;
}

}  // namespace bloomery
