#include "store/auto_filters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hfile/bloom/bloom_sizing.h"
#include "store/filter_choice.h"

namespace bloomery::store {
namespace {

// The largest chunk, HBase's own (io.storefile.bloom.block.size).
constexpr double kChunkBytes = 131072;

std::uint64_t counted_keys(const hfile::OpenFile& file, std::string_view name, bool has_filter) {
  const auto counted = file.info().int64_of(name);
  if (counted && *counted && **counted >= 0) {
    return static_cast<std::uint64_t>(**counted);
  }
  return has_filter && file.bloom() ? file.bloom()->meta().key_count : file.trailer().entry_count;
}

// Returns the filters of the newest file for which some were chosen, or those that HBase has by default.
FilterKinds kinds_before(const table::OpenStore& store) {
  for (auto each = store.files.rbegin(); each != store.files.rend(); ++each) {
    const hfile::OpenFile& file = *(*each)->file;
    if (file.info().find("BLOOMERY_ROWS") && file.trailer().entry_count > 0) {
      return {.has_rows = file.bloom_type() == hbase::BloomType::kRow,
              .has_columns = file.column_filter() != nullptr};
    }
  }
  return {.has_rows = true};
}

// The filters of a family, as parts of filter_spread.h.
class FilterParts {
 public:
  FilterParts(FilterKinds kinds, const ReadDemand& demand, double rate) : kinds_(kinds), rate_(rate) {
    row_weight_ = demand.rows.without_row + demand.columns.without_row;
    column_weight_ = demand.columns.without_column + (kinds.has_rows ? 0 : demand.columns.without_row);
    if (row_weight_ <= 0 || column_weight_ <= 0) {  // no reads yet, or kinds of before
      row_weight_ = column_weight_ = 1;
    }
  }

  // Adds `count` files of this size.
  void add(const FilterKeys& keys, std::size_t count = 1) {
    for (; count > 0; --count) {
      if (kinds_.has_rows) {
        parts_.push_back({.keys = static_cast<double>(keys.rows), .weight = row_weight_});
      }
      if (kinds_.has_columns) {
        parts_.push_back(of_columns(keys));
      }
      bits_ += budget_of(keys);
    }
  }
  double budget_of(const FilterKeys& keys) const {
    const FilterPart hbases{.keys = static_cast<double>(kinds_.has_columns ? keys.columns : keys.rows),
                            .probes = kinds_.has_columns ? 2.0 : 1.0};
    return filter_bits(hbases, rate_);
  }
  double bits() const { return bits_; }
  std::span<const FilterPart> parts() const { return parts_; }

 private:
  // Next to a filter of rows, a query is one probe (open_file.h).
  FilterPart of_columns(const FilterKeys& keys) const {
    return {.keys = static_cast<double>(keys.columns),
            .weight = column_weight_,
            .probes = kinds_.has_rows ? 1.0 : 2.0};
  }

  FilterKinds kinds_;
  double rate_;
  double row_weight_ = 1;
  double column_weight_ = 1;
  double bits_ = 0;
  std::vector<FilterPart> parts_;
};

// Returns how many flushes will add a file before the next compaction of the smallest ones.
std::size_t coming_flushes(const std::vector<FilterKeys>& files, std::uint64_t flush_rows,
                           const StoreOptions& options) {
  const auto small = static_cast<std::size_t>(
      std::ranges::count_if(files, [&](const FilterKeys& keys) { return keys.rows <= 2 * flush_rows; }));
  return options.compacts && small < options.compaction_least_files ? options.compaction_least_files - small
                                                                    : 0;
}

}  // namespace

// HBase's arithmetic needs a little more than the bits of the rate at some rates.
std::optional<HFileFilterSize> filter_size(const FilterPart& part, double rate) {
  if (rate >= kNoFilterRate || part.keys < 1) {
    return std::nullopt;
  }
  double bytes = std::max(filter_bits(part, rate) / 8, 1.0);
  const double chunks = std::ceil(bytes / kChunkBytes);
  HFileFilterSize size{.error_rate = static_cast<float>(rate / part.probes)};
  for (int i = 0; i < 32; ++i, bytes *= 1.01) {
    size.chunk_bytes = static_cast<std::uint32_t>(std::ceil(bytes / chunks));
    const auto shape =
        hbase::chunk_shape({.hint_bytes = size.chunk_bytes, .error_rate = size.error_rate, .max_fold = 0});
    if (shape && shape->max_keys * chunks >= part.keys) {
      break;
    }
  }
  return size;
}

FilterKeys keys_of(const Memstore& memstore) {
  FilterKeys keys;
  std::string row;
  std::string qualifier;
  const auto cursor = memstore.cursor(std::numeric_limits<std::uint64_t>::max());
  for (bool found = cursor->seek_to_first(); found; found = cursor->next()) {
    const CellKey& key = cursor->cell().key;
    const bool is_new_row = keys.rows == 0 || key.row != row;
    if (is_new_row || key.qualifier != qualifier) {
      ++keys.columns;
      keys.rows += is_new_row ? 1 : 0;
      row = key.row;
      qualifier = key.qualifier;
    }
  }
  return keys;
}

FilterKeys keys_of(std::span<const table::StoreFilePointer> files) {
  FilterKeys keys;
  for (const table::StoreFilePointer& each : files) {
    const hfile::OpenFile& file = *each->file;
    keys.rows += counted_keys(file, "BLOOMERY_ROWS", file.bloom_type() == hbase::BloomType::kRow);
    keys.columns += counted_keys(file, "BLOOMERY_COLUMNS", file.bloom_type() == hbase::BloomType::kRowCol);
  }
  return keys;
}

void set_filters(HFileWriteOptions& file, RegionFamily& family, const FamilySchema& schema,
                 const FilterKeys& keys, std::span<const table::StoreFilePointer> replaced,
                 const StoreOptions& options) {
  if (!schema.chooses_filters) {
    return;
  }
  family.demand.add(take_demand(*family.files));
  const FilterKinds kinds =
      choose_filters(family.demand, {}, options.filter_rate, kinds_before(*family.files));

  FilterParts own(kinds, family.demand, options.filter_rate);
  own.add(keys);
  FilterParts all = own;
  double left = own.bits();
  std::vector<FilterKeys> files = {keys};
  std::uint64_t flush_rows = keys.rows;
  for (const table::StoreFilePointer& each : family.files->files) {
    const FilterKeys of_file = keys_of({&each, 1});
    flush_rows = std::min(flush_rows, std::max<std::uint64_t>(of_file.rows, 1));
    if (std::ranges::find(replaced, each) == replaced.end()) {
      files.push_back(of_file);
      all.add(of_file);
      left += all.budget_of(of_file);
      for (const auto* const filter : {&each->file->bloom(), &each->file->second_bloom()}) {
        left -= *filter ? 8.0 * static_cast<double>((*filter)->meta().total_bytes) : 0;
      }
    }
  }
  const std::uint64_t flush_columns = keys.rows == 0 ? 0 : flush_rows * keys.columns / keys.rows;
  all.add({flush_rows, flush_columns}, coming_flushes(files, flush_rows, options));

  std::vector<double> rates = spread_rates(all.parts(), all.bits());
  double bits = 0;
  for (std::size_t i = 0; i < own.parts().size(); ++i) {
    bits += filter_bits(own.parts()[i], rates[i]);
  }
  if (const double most = std::max(left, own.bits() / 2); bits > most) {
    rates = spread_rates(own.parts(), most);
  }

  file.counts_rows_and_columns = true;
  file.bloom.type = hfile::BloomType::kNone;
  for (std::size_t i = 0; i < own.parts().size(); ++i) {
    const auto size = filter_size(own.parts()[i], rates[i]);
    if (!size) {
      continue;
    }
    if (file.bloom.type == hfile::BloomType::kRow) {
      file.bloom.columns = size;
    } else {
      file.bloom.type = i == 0 && kinds.has_rows ? hfile::BloomType::kRow : hfile::BloomType::kRowCol;
      file.bloom.own_size = size;
    }
  }
}

}  // namespace bloomery::store
