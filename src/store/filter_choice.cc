#include "store/filter_choice.h"

#include <array>

#include "table/filter_worth.h"

namespace bloomery::store {
namespace {

// Returns the files that the gets read with these filters. In a file with both, the filter of columns is
// asked for the rows that the filter of rows leaves.
double reads_with(const GetDemand& gets, FilterKinds kinds, double fpp) {
  const double in_range =
      kinds.has_rows ? table::expected_reads(gets.files, gets.files - gets.without_row, fpp) : gets.files;
  const double needed = gets.files - gets.without_row - gets.without_column;
  return kinds.has_columns ? table::expected_reads(in_range, needed, fpp) : in_range;
}

}  // namespace

FilterKinds choose_filters(const ReadDemand& demand, const ReadCosts& costs, double fpp, FilterKinds before) {
  if (demand.gets() < kLeastGets) {
    return before;
  }
  // From the smallest to the largest: a row has one column at least.
  constexpr std::array<FilterKinds, 4> kChoices = {{{}, {true, false}, {false, true}, {true, true}}};
  std::array<double, kChoices.size()> blocks = {};
  for (std::size_t i = 0; i < kChoices.size(); ++i) {
    const FilterKinds of_rows{.has_rows = kChoices[i].has_rows};  // no column is named
    const double reads = reads_with(demand.rows, of_rows, fpp) + reads_with(demand.columns, kChoices[i], fpp);
    const double files = demand.rows.files + demand.columns.files;
    blocks[i] = (reads * costs.read + (files - reads) * costs.skip) / demand.gets();
  }
  return kChoices[table::choice_that_pays(blocks)];
}

}  // namespace bloomery::store
