#include "bloomery/table/family_advice.h"

#include <algorithm>

#include "table/filter_worth.h"

namespace bloomery {
namespace {

// A larger filter is advised only if it saves a get at least 0.01 blocks, and 5 % of the reads with the
// smaller one (docs/hfile-advise.md, section "The advice").
constexpr double kLeastBlocks = 0.01;
constexpr double kLeastShare = 0.05;

}  // namespace

std::size_t table::choice_that_pays(std::span<const double> blocks_per_get) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < blocks_per_get.size(); ++i) {
    const double spared = blocks_per_get[best] - blocks_per_get[i];
    if (spared >= kLeastBlocks && spared >= kLeastShare * blocks_per_get[best]) {
      best = i;
    }
  }
  return best;
}

const char* bloom_kind_name(BloomKind kind) {
  switch (kind) {
    case BloomKind::kNone:
      return "NONE";
    case BloomKind::kRow:
      return "ROW";
    case BloomKind::kRowCol:
      return "ROWCOL";
    case BloomKind::kRowPrefix:
      return "ROWPREFIX";
    case BloomKind::kToday:
      return "today";
  }
  return "unknown";
}

const char* get_kind_name(GetKind kind) {
  switch (kind) {
    case GetKind::kPresentCell:
      return "present cell";
    case GetKind::kAbsentColumn:
      return "absent column";
    case GetKind::kColumnOfAbsentRow:
      return "column of an absent row";
    case GetKind::kWholeRow:
      return "whole row";
    case GetKind::kAbsentRow:
      return "absent row";
  }
  return "unknown";
}

std::array<double, kGetKinds> GetMix::weights() const {
  const double columns = 1 - whole_rows;
  return {columns * (1 - absent), columns * absent / 2, columns * absent / 2, whole_rows * (1 - absent),
          whole_rows * absent};
}

double BloomKindAdvice::blocks_per_get(const GetMix& mix) const {
  const std::array<double, kGetKinds> weights = mix.weights();
  double sum = 0;
  for (std::size_t get = 0; get < kGetKinds; ++get) {
    sum += weights[get] * reads[get].blocks;
  }
  return sum;
}

BloomKind FamilyAdvice::best(const GetMix& mix) const {
  std::array<BloomKind, 3> choices = {BloomKind::kNone, BloomKind::kRow, BloomKind::kRowCol};
  std::ranges::stable_sort(choices, {}, [&](BloomKind kind) { return of(kind).filter_bytes; });
  std::array<double, 3> blocks = {};
  std::ranges::transform(choices, blocks.begin(),
                         [&](BloomKind kind) { return of(kind).blocks_per_get(mix); });
  return choices[table::choice_that_pays(blocks)];
}

}  // namespace bloomery
