#include "bloomery/filter/fuse_sizing.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "filter/native/native_header.h"
#include "filter/shards/hash_bits.h"

namespace bloomery {
namespace {

// The cells of a shard by the number of its keys. Of the rows with at most as many keys, the last is used,
// and the cells a key are interpolated to the next. They are in units of 1/1024.
struct CellRow {
  std::uint64_t keys;
  std::uint32_t segment_log;
  std::uint32_t cells;
};

constexpr CellRow kFastRows[] = {{0, 2, 4096},          {11, 4, 2371},         {37, 5, 1875},
                                 {123, 6, 1631},        {411, 7, 1484},        {1'370, 8, 1386},
                                 {4'560, 9, 1316},      {15'200, 10, 1263},    {50'500, 11, 1223},
                                 {168'000, 12, 1190},   {560'000, 13, 1163},   {1'000'000, 13, 1152},
                                 {1'870'000, 14, 1152}, {6'200'000, 15, 1152}, {20'700'000, 16, 1152}};

constexpr CellRow kDenseRows[] = {{0, 2, 4096},         {30, 3, 1912},         {100, 4, 1640},
                                  {300, 5, 1540},       {1'000, 6, 1310},      {3'000, 7, 1290},
                                  {10'000, 8, 1205},    {30'000, 9, 1183},     {100'000, 10, 1143},
                                  {300'000, 11, 1118},  {1'000'000, 12, 1100}, {2'600'000, 13, 1098},
                                  {7'600'000, 14, 1098}};

// Returns the cells of `keys` keys by the rows, before they are rounded up to segments.
std::uint64_t wanted_cells(std::uint64_t keys, const CellRow& row, const CellRow* next) {
  std::uint64_t scaled = row.cells;
  if (next != nullptr) {
    scaled -= std::uint64_t{row.cells - next->cells} * (keys - row.keys) / (next->keys - row.keys);
  }
  return keys * scaled / 1024;
}

}  // namespace

FuseCells fuse_cells(std::uint64_t key_count, BlockedSetting setting) {
  if (key_count == 0) {
    return {};
  }
  const std::span<const CellRow> rows = setting == BlockedSetting::kFast
                                            ? std::span<const CellRow>(kFastRows)
                                            : std::span<const CellRow>(kDenseRows);
  const std::uint64_t arity = FuseShape{.setting = setting}.arity();
  std::size_t row = rows.size() - 1;
  while (rows[row].keys > key_count) {
    --row;
  }
  const std::uint64_t cells =
      wanted_cells(key_count, rows[row], row + 1 < rows.size() ? &rows[row + 1] : nullptr);
  const std::uint64_t length = std::uint64_t{1} << rows[row].segment_log;
  const std::uint64_t segments = (cells + length - 1) / length;
  return {.segments = static_cast<std::uint32_t>(std::max(segments, arity) - (arity - 1)),
          .segment_log = rows[row].segment_log};
}

std::uint32_t fuse_bits(double fpp) {
  // fpp = fraction * 2^exponent with 1/2 <= fraction < 1, without rounding. So b = ceil(log2(1 / fpp)) is
  // exact, and the same on every machine.
  int exponent = 0;
  const bool is_power = std::frexp(fpp, &exponent) == 0.5;
  const int bits = is_power ? 1 - exponent : -exponent + 1;
  return static_cast<std::uint32_t>(std::max(bits, static_cast<int>(kMinFuseBits)));
}

Result<FuseShape> fuse_shape_for_fpp(std::uint64_t key_count, double fpp, BlockedSetting setting,
                                     std::uint32_t most_hash_bits) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t hash_bits, checked_hash_bits(key_count, fpp, most_hash_bits));
  const std::uint32_t bits = fuse_bits(fpp);
  if (bits > kMaxFuseBits) {
    return Error::invalid_argument("fpp", "expected at least 2^-32 for a fuse filter, found less");
  }
  return FuseShape{
      .bits = bits,
      .hash_bits = hash_bits,
      .shards = static_cast<std::uint32_t>(std::max<std::uint64_t>(key_count / kFuseShardKeys, 1)),
      .setting = setting};
}

Result<double> fuse_fpp_for_bits_per_key(std::uint64_t key_count, double bits_per_key,
                                         BlockedSetting setting) {
  const std::uint64_t keys = std::max<std::uint64_t>(key_count, 1);
  const auto bits_of = [&](std::uint32_t bits) {
    const auto bytes = predicted_fuse_bytes(keys, std::ldexp(1.0, -static_cast<int>(bits)), setting);
    return static_cast<double>(bytes) * 8 / static_cast<double>(keys);
  };
  for (std::uint32_t bits = kMaxFuseBits; bits >= kMinFuseBits; --bits) {
    if (bits_of(bits) <= bits_per_key) {
      return std::ldexp(1.0, -static_cast<int>(bits));
    }
  }
  return Error::invalid_argument(
      "bits per key", "expected at least " + std::to_string(bits_of(kMinFuseBits)) +
                          " for a fuse filter of this capacity, found " + std::to_string(bits_per_key));
}

std::uint64_t predicted_fuse_bytes(std::uint64_t key_count, double fpp, BlockedSetting setting) {
  const std::uint64_t shards = std::max<std::uint64_t>(key_count / kFuseShardKeys, 1);
  const FuseCells cells = fuse_cells(key_count / shards, setting);
  const std::uint64_t words = fuse_cell_words(fuse_cell_count(cells, FuseShape{.setting = setting}.arity()),
                                              std::min(fuse_bits(fpp), kMaxFuseBits));
  return shards * words * 8 + shard_directory_bytes(static_cast<std::uint32_t>(shards));
}

}  // namespace bloomery
