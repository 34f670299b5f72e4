#include "table/family_advice.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

constexpr double kLeastBlocks = 0.01;
constexpr double kLeastShare = 0.05;

void add_spread(Spread& sum, const Spread& more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) {
    sum[i] += more[i];
  }
}

double expected(std::uint64_t in_range, std::uint64_t needed, double fpp) {
  return static_cast<double>(needed) + fpp * static_cast<double>(in_range - needed);
}

// The mean of the gets that name a column, or of those that do not.
std::array<double, kGetKinds> halved(const GetMix& mix, bool columns) {
  return GetMix{.whole_rows = columns ? 0.0 : 1.0, .absent = mix.absent}.weights();
}

double blocks_of(const FamilyAdvice& family, const std::array<double, kGetKinds>& weights, FilterKind kind) {
  double sum = 0;
  for (std::size_t get = 0; get < kGetKinds; ++get) {
    sum += weights[get] * family.reads(static_cast<GetKind>(get), kind).blocks;
  }
  return sum;
}

}  // namespace

std::uint64_t AdvisedFile::of_all(std::uint64_t counted) const {
  if (counts.cells == 0 || counts.cells == cells) {
    return counts.cells == 0 ? cells : counted;
  }
  const double share = static_cast<double>(cells) / static_cast<double>(counts.cells);
  return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(counted)));
}

std::uint64_t AdvisedFile::rows() const {
  return bloom_type == hbase::BloomType::kRow ? filter_keys : of_all(counts.rows);
}

std::uint64_t AdvisedFile::columns() const {
  return bloom_type == hbase::BloomType::kRowCol ? filter_keys : of_all(counts.columns);
}

std::uint64_t AdvisedFile::prefixes() const {
  return of_all(counts.prefixes);
}

FilterCost AdvisedFile::cost_of(FilterKind kind) const {
  if (kind == FilterKind::kToday || kind == filter_kind_of(bloom_type)) {
    return filter;
  }
  switch (kind) {
    case FilterKind::kRow:
      return default_filter(kind, rows());
    case FilterKind::kRowCol:
      return default_filter(kind, columns());
    case FilterKind::kRowPrefix:
      return default_filter(kind, prefixes());
    case FilterKind::kNone:
    case FilterKind::kToday:
      break;
  }
  return {};
}

std::array<double, kGetKinds> GetMix::weights() const {
  const double columns = 1 - whole_rows;
  return {columns * (1 - absent), columns * absent / 2, columns * absent / 2, whole_rows * (1 - absent),
          whole_rows * absent};
}

void FamilyAdvice::add_store(std::vector<AdvisedFile> files, const StoreCounts& counts) {
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
  // A sampled store weighs as much as one that was counted.
  const double scale = counted == 0 ? 1 : static_cast<double>(cells) / static_cast<double>(counted);
  for (std::size_t get = 0; get < kGetKinds; ++get) {
    gets_[get] += scale * static_cast<double>(counts.gets[get]);
    for (const AdvisedFile& file : files) {
      const FileReads& reads = file.counts.reads[get];
      for (std::size_t kind = 0; kind < kFilterKinds; ++kind) {
        const double fpp = file.cost_of(static_cast<FilterKind>(kind)).fpp;
        const ReadSum& needed = reads.needed[kind];
        sums_[get][kind].files += scale * expected(reads.in_range.files, needed.files, fpp);
        sums_[get][kind].blocks += scale * expected(reads.in_range.blocks, needed.blocks, fpp);
      }
    }
  }
  std::ranges::move(files, std::back_inserter(files_));
}

ExpectedReads FamilyAdvice::reads(GetKind get, FilterKind kind) const {
  const double count = gets(get);
  const ExpectedReads& sum = sums_[static_cast<std::size_t>(get)][static_cast<std::size_t>(kind)];
  return count == 0 ? ExpectedReads() : ExpectedReads{sum.files / count, sum.blocks / count};
}

double FamilyAdvice::blocks_per_get(const GetMix& mix, FilterKind kind) const {
  return blocks_of(*this, mix.weights(), kind);
}

std::uint64_t FamilyAdvice::filter_bytes(FilterKind kind) const {
  std::uint64_t sum = 0;
  for (const AdvisedFile& file : files_) {
    sum += file.cost_of(kind).bytes;
  }
  return sum;
}

std::uint64_t FamilyAdvice::file_bytes() const {
  std::uint64_t sum = 0;
  for (const AdvisedFile& file : files_) {
    sum += file.file_bytes;
  }
  return sum;
}

double FamilyAdvice::fpp(FilterKind kind) const {
  double weighted = 0;
  for (const AdvisedFile& file : files_) {
    const FilterCost cost = file.cost_of(kind);
    weighted += cost.fpp * static_cast<double>(cost.bytes);
  }
  const std::uint64_t bytes = filter_bytes(kind);
  return bytes == 0 ? 1 : weighted / static_cast<double>(bytes);
}

FilterKind FamilyAdvice::best(const GetMix& mix) const {
  std::array<FilterKind, 3> kinds = {FilterKind::kNone, FilterKind::kRow, FilterKind::kRowCol};
  std::ranges::stable_sort(kinds, {}, [&](FilterKind kind) { return filter_bytes(kind); });
  FilterKind best = kinds.front();
  for (const FilterKind kind : kinds) {
    const double before = blocks_per_get(mix, best);
    const double spared = before - blocks_per_get(mix, kind);
    if (spared >= kLeastBlocks && spared >= kLeastShare * before) {
      best = kind;
    }
  }
  return best;
}

std::string FamilyAdvice::explain(const GetMix& mix) const {
  const FilterKind kind = best(mix);
  const auto blocks = [&](FilterKind of) { return blocks_per_get(mix, of); };
  const auto columns = [&](FilterKind of) { return blocks_of(*this, halved(mix, true), of); };
  const auto rows = [&](FilterKind of) { return blocks_of(*this, halved(mix, false), of); };
  std::string text =
      fmt::format("{}: a get reads {:.3f} data blocks (NONE {:.3f}, ROW {:.3f}, ROWCOL {:.3f}; today {:.3f})",
                  filter_kind_name(kind), blocks(kind), blocks(FilterKind::kNone), blocks(FilterKind::kRow),
                  blocks(FilterKind::kRowCol), blocks(FilterKind::kToday));
  const double row_bytes = static_cast<double>(filter_bytes(FilterKind::kRow));
  const double rowcol_bytes = static_cast<double>(filter_bytes(FilterKind::kRowCol));
  fmt::format_to(std::back_inserter(text),
                 "; ROWCOL takes {}, {} {} than ROW, and changes a get of a column from {:.3f} to {:.3f} and "
                 "one of a whole row from {:.3f} to {:.3f}",
                 show_bytes(rowcol_bytes), show_bytes(std::abs(rowcol_bytes - row_bytes)),
                 rowcol_bytes >= row_bytes ? "more" : "less", columns(FilterKind::kRow),
                 columns(FilterKind::kRowCol), rows(FilterKind::kRow), rows(FilterKind::kRowCol));
  return text;
}

}  // namespace bloomery::cli
