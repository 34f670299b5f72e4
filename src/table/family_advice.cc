#include "bloomery/table/family_advice.h"

#include <algorithm>

namespace bloomery {
namespace {

// A larger filter is advised only if it saves a get at least 0.01 blocks, and 5 % of the reads with the
// smaller one (docs/hfile-advise.md, section "The advice").
constexpr double kLeastBlocks = 0.01;
constexpr double kLeastShare = 0.05;

}  // namespace

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
  BloomKind best = choices.front();
  for (const BloomKind kind : choices) {
    const double before = of(best).blocks_per_get(mix);
    const double spared = before - of(kind).blocks_per_get(mix);
    if (spared >= kLeastBlocks && spared >= kLeastShare * before) {
      best = kind;
    }
  }
  return best;
}

}  // namespace bloomery
