#include "table/family_sums.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "table/filter_worth.h"

namespace bloomery::table {
namespace {

void add_spread(Spread& sum, const Spread& more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) {
    sum[i] += more[i];
  }
}

double expected(std::uint64_t in_range, std::uint64_t needed, double fpp) {
  return expected_reads(static_cast<double>(in_range), static_cast<double>(needed), fpp);
}

AdvisedFile advised(const CountedFile& file) {
  return {.path = file.path,
          .store = file.store,
          .family = file.family,
          .file_bytes = file.file_bytes,
          .cells = file.cells,
          .rows = file.rows(),
          .columns = file.columns(),
          .counted_cells = file.counts.cells,
          .bloom_type = hbase::bloom_type_name(file.bloom_type),
          .filter_bytes = file.filter.bytes,
          .fpp = file.filter.fpp};
}

}  // namespace

// Scales a count of the sample to all cells of the file. If no cell of the file was counted, each cell counts
// as a row and a column of its own.
std::uint64_t CountedFile::of_all(std::uint64_t counted) const {
  if (counts.cells == 0 || counts.cells == cells) {
    return counts.cells == 0 ? cells : counted;
  }
  const double share = static_cast<double>(cells) / static_cast<double>(counts.cells);
  return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(counted)));
}

std::uint64_t CountedFile::rows() const {
  return bloom_type == hbase::BloomType::kRow ? filter_keys : of_all(counts.rows);
}

std::uint64_t CountedFile::columns() const {
  return bloom_type == hbase::BloomType::kRowCol ? filter_keys : of_all(counts.columns);
}

std::uint64_t CountedFile::prefixes() const {
  return of_all(counts.prefixes);
}

FilterCost CountedFile::cost_of(BloomKind kind) const {
  if (kind == BloomKind::kToday || kind == bloom_kind_of(bloom_type)) {
    return filter;
  }
  switch (kind) {
    case BloomKind::kRow:
      return default_filter(kind, rows());
    case BloomKind::kRowCol:
      return default_filter(kind, columns());
    case BloomKind::kRowPrefix:
      return default_filter(kind, prefixes());
    case BloomKind::kNone:
    case BloomKind::kToday:
      break;
  }
  return {};
}

void FamilySums::add_store(std::vector<CountedFile> files, const StoreCounts& counts) {
  ++stores_;
  is_sample_ = is_sample_ || counts.is_sample;
  add_spread(rows_in_files_, counts.rows_in_files);
  add_spread(columns_in_files_, counts.columns_in_files);
  std::uint64_t cells = 0;
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].counts = counts.files[i];
    cells += files[i].cells;
    counted += files[i].counts.cells;
  }
  // A sample is scaled up to all cells, so that a sampled store weighs as much as a counted one.
  const double scale = counted == 0 ? 1 : static_cast<double>(cells) / static_cast<double>(counted);
  for (std::size_t get = 0; get < kGetKinds; ++get) {
    gets_[get] += scale * static_cast<double>(counts.gets[get]);
    for (const CountedFile& file : files) {
      const FileReads& reads = file.counts.reads[get];
      for (std::size_t kind = 0; kind < kBloomKinds; ++kind) {
        const double fpp = file.cost_of(static_cast<BloomKind>(kind)).fpp;
        const ReadSum& needed = reads.needed[kind];
        sums_[get][kind].files += scale * expected(reads.in_range.files, needed.files, fpp);
        sums_[get][kind].blocks += scale * expected(reads.in_range.blocks, needed.blocks, fpp);
      }
    }
  }
  std::ranges::move(files, std::back_inserter(files_));
}

BloomKindAdvice FamilySums::advice_of(BloomKind kind) const {
  BloomKindAdvice advice;
  double weighted = 0;
  for (const CountedFile& file : files_) {
    const FilterCost cost = file.cost_of(kind);
    advice.filter_bytes += cost.bytes;
    weighted += cost.fpp * static_cast<double>(cost.bytes);
  }
  advice.fpp = advice.filter_bytes == 0 ? 1 : weighted / static_cast<double>(advice.filter_bytes);
  for (std::size_t get = 0; get < kGetKinds; ++get) {
    const ExpectedReads& sum = sums_[get][static_cast<std::size_t>(kind)];
    if (gets_[get] != 0) {
      advice.reads[get] = {sum.files / gets_[get], sum.blocks / gets_[get]};
    }
  }
  return advice;
}

FamilyAdvice FamilySums::advice(const std::string& family) const {
  FamilyAdvice advice{.family = family,
                      .stores = stores_,
                      .is_sample = is_sample_,
                      .rows_in_files = rows_in_files_,
                      .columns_in_files = columns_in_files_};
  for (const CountedFile& file : files_) {
    advice.files.push_back(advised(file));
    advice.file_bytes += file.file_bytes;
  }
  for (std::size_t kind = 0; kind < kBloomKinds; ++kind) {
    advice.kinds[kind] = advice_of(static_cast<BloomKind>(kind));
  }
  return advice;
}

}  // namespace bloomery::table
