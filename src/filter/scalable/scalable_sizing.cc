#include "bloomery/filter/scalable_sizing.h"

#include <algorithm>

#include "bloomery/filter/sizing.h"

namespace bloomery {

std::uint64_t layer_capacity(std::uint64_t first_capacity, std::uint32_t step) {
  const std::uint64_t first = std::max<std::uint64_t>(first_capacity, 1);
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  return step >= 64 || first > kMost >> step ? kMost : first << step;
}

Result<LayerPlan> plan_layer(const ScalablePlan& plan, std::uint32_t step) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(plan.fpp));
  LayerPlan layer{.capacity = layer_capacity(plan.first_capacity, step),
                  .fpp = plan.fpp * (1 - kLayerRatio),
                  .shape = {}};
  for (std::uint32_t i = 0; i < std::min(step, 64U); ++i) {  // no layer beyond step 64 can be made
    layer.fpp *= kLayerRatio;
  }
  BLOOMERY_ASSIGN_OR_RETURN(layer.shape, blocked_shape_for_fpp(layer.capacity, layer.fpp, plan.setting));
  layer.shape.words = (layer.shape.words + 7) / 8 * 8;
  return layer;
}

}  // namespace bloomery
