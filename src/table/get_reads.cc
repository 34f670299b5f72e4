#include "table/get_reads.h"

#include <algorithm>
#include <cmath>

#include "hfile/bloom/bloom_sizing.h"

namespace bloomery::cli {
namespace {

double chunk_fpp(const hbase::ChunkShape& shape, std::uint64_t keys) {
  const double bits = 8.0 * shape.byte_size;
  const double probes = static_cast<double>(shape.hash_count) * static_cast<double>(keys);
  return std::pow(1 - std::exp(-probes / bits), shape.hash_count);
}

}  // namespace

FilterKind filter_kind_of(hbase::BloomType type) {
  switch (type) {
    case hbase::BloomType::kNone:
      return FilterKind::kNone;
    case hbase::BloomType::kRow:
      return FilterKind::kRow;
    case hbase::BloomType::kRowCol:
      return FilterKind::kRowCol;
    case hbase::BloomType::kRowPrefix:
      return FilterKind::kRowPrefix;
  }
  return FilterKind::kNone;
}

const char* filter_kind_name(FilterKind kind) {
  switch (kind) {
    case FilterKind::kNone:
      return "NONE";
    case FilterKind::kRow:
      return "ROW";
    case FilterKind::kRowCol:
      return "ROWCOL";
    case FilterKind::kRowPrefix:
      return "ROWPREFIX";
    case FilterKind::kToday:
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

const char* get_kind_key(GetKind kind) {
  switch (kind) {
    case GetKind::kPresentCell:
      return "present_cell";
    case GetKind::kAbsentColumn:
      return "absent_column";
    case GetKind::kColumnOfAbsentRow:
      return "column_of_absent_row";
    case GetKind::kWholeRow:
      return "whole_row";
    case GetKind::kAbsentRow:
      return "absent_row";
  }
  return "unknown";
}

FilterCost default_filter(FilterKind kind, std::uint64_t keys) {
  if (kind == FilterKind::kNone || keys == 0) {
    return {};
  }
  const hbase::ChunkOptions defaults;
  const bool is_rowcol = kind == FilterKind::kRowCol;
  const auto shape = hbase::chunk_shape(
      {.error_rate = is_rowcol ? hbase::rowcol_error_rate(defaults.error_rate) : defaults.error_rate});
  if (!shape) {
    return {};  // never of the defaults
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

}  // namespace bloomery::cli
