// A scalable filter that refuses every further key: it has the most layers, each with one key.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

#include "bloomery/filter/scalable_filter.h"

namespace bloomery {

// The keys are the numbers 0 to 255.
inline ScalableFilter full_scalable() {
  ScalableFilter full = *ScalableFilter::for_capacity(1, 0.01);
  EXPECT_TRUE(full.insert(std::uint64_t{0}));
  for (std::uint64_t key = 1; key < 256; ++key) {
    ScalableFilter one = *ScalableFilter::for_capacity(1, 0.01);
    EXPECT_TRUE(one.insert(key));
    EXPECT_TRUE(full.merge(one));
  }
  EXPECT_EQ(full.layer_count(), 256u);
  return full;
}

}  // namespace bloomery
