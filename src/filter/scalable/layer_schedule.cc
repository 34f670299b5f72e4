#include "filter/scalable/layer_schedule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace bloomery {
namespace {

constexpr std::uint64_t kSmallestStep = 8;  // a layer has at least 1/8 of the keys of all layers before it

// ---- by index

LayerStep step_by_index(const GrowingPlan& plan, const LayersBefore& before) {
  constexpr double kFirstShare = 0.125;
  constexpr double kShareRatio = 0.875;
  const auto index = static_cast<double>(before.count);
  const double wanted =
      static_cast<double>(plan.capacity) * std::pow(static_cast<double>(plan.expansion), index);
  const std::uint64_t capacity =
      wanted < static_cast<double>(kMostCapacity) ? static_cast<std::uint64_t>(wanted) : kMostCapacity;
  return {.capacity = std::max(capacity, before.capacity / kSmallestStep),
          .fpp = plan.fpp * kFirstShare * std::pow(kShareRatio, index)};
}

// ---- by capacity

// The constants were found by search, so that filters that grow from 100 at 1 % need little memory from 10^4
// to 10^7 keys (docs/redis.md has the figures).
//
// Up to 2^16 keys the weight is in proportion to the capacity. A filter that grows in large steps has few
// layers of about 2^15 keys. So one of them may have more than its share, which pays for the small layers
// before it. From 2^24 keys on the weight is divided by 4 for every 8 times the capacity.
double weight_of(std::uint64_t capacity, std::uint32_t expansion) {
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 16;
  constexpr int kLargeBits = 24;
  constexpr std::array<double, 3> kThirds = {1, 0.63, 0.397};  // 1, 4^(-1/3), 4^(-2/3)
  constexpr std::uint32_t kLargeStep = 4;
  if (capacity < kMiddle) {
    const auto keys = static_cast<double>(capacity);
    return expansion >= kLargeStep ? std::min(keys / 10240, 1.5) : std::min(keys / 2048, 1.0);
  }
  const int doublings = std::max(static_cast<int>(std::bit_width(capacity)) - kLargeBits, 0);
  return std::ldexp(kThirds[static_cast<std::size_t>(doublings) % 3], -2 * (doublings / 3));
}

// Many keys have few items and no second layer. So the first layer has some weight, however small it is.
std::vector<double> weights_of(const std::vector<std::uint64_t>& capacities, std::uint32_t expansion) {
  constexpr double kFirstWeight = 0.0625;
  std::vector<double> weights;
  weights.reserve(capacities.size());
  for (const std::uint64_t capacity : capacities) {
    weights.push_back(weight_of(capacity, expansion));
  }
  weights.front() = std::max(weights.front(), kFirstWeight);
  return weights;
}

// Returns the capacities of all layers up to kMostCapacity keys, as they are without unions.
std::vector<std::uint64_t> capacities_of(const GrowingPlan& plan) {
  std::vector<std::uint64_t> capacities;
  std::uint64_t wanted = plan.capacity;
  for (std::uint64_t total = 0; total < kMostCapacity && capacities.size() < kMostLayers;) {
    capacities.push_back(std::max(wanted, total / kSmallestStep));
    total += capacities.back();
    wanted = wanted > kMostCapacity / plan.expansion ? kMostCapacity : wanted * plan.expansion;
  }
  return capacities;
}

// Returns the index of the next layer. A union has more layers than its own. Its last layer is its own, and
// the capacity of that says how far it has grown.
std::size_t next_index(const std::vector<std::uint64_t>& capacities, const LayersBefore& before) {
  std::size_t index = before.count;
  while (index > 0 && (index > capacities.size() || capacities[index - 1] > before.last_capacity)) {
    --index;
  }
  return index;
}

// Returns the fpp of a layer. If that of a plan is very small, a layer has the least that a blocked filter
// can have, and later layers have what is left: 0 if that is nothing.
double share_of(std::size_t index, const std::vector<double>& weights, double all, double fpp) {
  constexpr double kLeast = 1.02e-10;  // also if a late layer's fingerprints have their part
  double used = 0;
  double share = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    share = std::max(fpp * (weights[i] / all), kLeast);
    used += share;
  }
  return used <= fpp ? share : 0;
}

LayerStep step_by_capacity(const GrowingPlan& plan, const LayersBefore& before) {
  const std::vector<std::uint64_t> capacities = capacities_of(plan);
  const std::vector<double> weights = weights_of(capacities, plan.expansion);
  double all = 0;
  for (const double weight : weights) {
    all += weight;
  }
  // After the last of these the weights are halved from layer to layer, and so add up to at most that of the
  // last.
  const double last = weights.back();
  all += last;
  const std::size_t index = next_index(capacities, before);
  if (index >= capacities.size()) {
    const int after = static_cast<int>(before.count - capacities.size() + 1);
    return {.capacity = kMostCapacity, .fpp = plan.fpp * std::ldexp(last / all, -after)};
  }
  const std::uint64_t capacity =
      std::min(std::max(capacities[index], before.capacity / kSmallestStep), kMostCapacity);
  return {.capacity = capacity, .fpp = share_of(index, weights, all, plan.fpp)};
}

}  // namespace

LayerStep next_layer_step(const GrowingPlan& plan, const LayersBefore& before) {
  return plan.schedule == Schedule::kByIndex ? step_by_index(plan, before) : step_by_capacity(plan, before);
}

}  // namespace bloomery
