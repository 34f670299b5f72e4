#include "table/get_reads.h"

#include <algorithm>
#include <cmath>

#include "hfile/bloom/bloom_sizing.h"

namespace bloomery::table {
namespace {

double chunk_fpp(const hbase::ChunkShape& shape, std::uint64_t keys) {
  return filled_fpp(8.0 * shape.byte_size, shape.hash_count, static_cast<double>(keys));
}

}  // namespace

double filled_fpp(double bits, std::uint32_t hash_count, double keys) {
  return bits <= 0 ? 1 : std::pow(1 - std::exp(-static_cast<double>(hash_count) * keys / bits), hash_count);
}

BloomKind bloom_kind_of(hbase::BloomType type) {
  switch (type) {
    case hbase::BloomType::kNone:
      return BloomKind::kNone;
    case hbase::BloomType::kRow:
      return BloomKind::kRow;
    case hbase::BloomType::kRowCol:
      return BloomKind::kRowCol;
    case hbase::BloomType::kRowPrefix:
      return BloomKind::kRowPrefix;
  }
  return BloomKind::kNone;
}

FilterCost default_filter(BloomKind kind, std::uint64_t keys) {
  if (kind == BloomKind::kNone || keys == 0) {
    return {};
  }
  const hbase::ChunkOptions defaults;
  const bool is_rowcol = kind == BloomKind::kRowCol;
  const auto shape = hbase::chunk_shape(
      {.error_rate = is_rowcol ? hbase::rowcol_error_rate(defaults.error_rate) : defaults.error_rate});
  if (!shape) {
    return {};  // does not happen with the defaults
  }
  const std::uint64_t full = keys / shape->max_keys;
  const auto rest = static_cast<std::uint32_t>(keys % shape->max_keys);
  const hbase::ChunkShape last = hbase::folded_shape(*shape, rest);
  const std::uint64_t full_bytes = full * shape->byte_size;
  const std::uint64_t last_bytes = rest == 0 ? 0 : last.byte_size;
  const double sum = static_cast<double>(full_bytes) * chunk_fpp(*shape, shape->max_keys) +
                     static_cast<double>(last_bytes) * chunk_fpp(last, rest);
  const double fpp = sum / static_cast<double>(full_bytes + last_bytes);
  return {.bytes = full_bytes + last_bytes, .fpp = is_rowcol ? 1 - (1 - fpp) * (1 - fpp) : fpp};
}

}  // namespace bloomery::table
