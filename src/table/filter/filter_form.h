// The two classes of a filter.
//
//   FilterForm    the definition by the user: immutable, shared by threads
//   FilterState   the state of a filter in one region: it remembers rows and cells, for one thread
//
// The calls of a FilterState, for each row of the region:
//
//   drops_row_key                     true: the row is skipped
//   (filter_cell hint? transform?)*   the row's cells, family by family
//   filter_cells? drops_row           filter_cells only if has_row_filter()
//   reset
//
// is_done() ends the region. It may be called at any time.
//
// Source: HBase 2.6, class Filter and what calls it: RegionScannerImpl, UserScanQueryMatcher.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/table/row_result.h"

namespace bloomery::table {

enum class FilterAnswer : std::uint8_t {
  kInclude,
  kIncludeAndNextColumn,
  kIncludeAndNextRow,  // the rest of this family in the row is skipped
  kSkip,
  kNextColumn,
  kNextRow,  // skips the rest of this family in the row
  kHint,     // hint() returns the next position
};

inline bool includes(FilterAnswer answer) {
  return answer <= FilterAnswer::kIncludeAndNextRow;
}

// The arguments for the state of a filter in one region.
struct FilterStart {
  bool is_reversed = false;
  // Receives the first failure of a comparator. The reader checks it after each cell.
  std::optional<Error>* failure = nullptr;
};

class FilterState {
 public:
  FilterState() = default;
  FilterState(const FilterState&) = delete;
  FilterState& operator=(const FilterState&) = delete;
  virtual ~FilterState() = default;

  virtual void reset() {}
  virtual bool is_done() { return false; }
  virtual bool drops_row_key(std::string_view row) {
    (void)row;
    return is_done();
  }
  virtual FilterAnswer filter_cell(const Cell& cell) {
    (void)cell;
    return FilterAnswer::kInclude;
  }
  // Returns the key to continue from. Nothing means the next cell.
  virtual std::optional<FlatKey> hint(const CellKey& cell) {
    (void)cell;
    return std::nullopt;
  }
  // Changes a cell that was included. Its views must be valid until the next call.
  virtual void transform(Cell& cell) { (void)cell; }
  virtual void filter_cells(std::vector<KeptCell>& cells) { (void)cells; }
  virtual bool drops_row() { return false; }
  // Returns true if AND must query this filter even after another member has said no: HBase's HintingFilter.
  virtual bool is_hinting() const { return false; }
};

using FilterStatePointer = std::unique_ptr<FilterState>;

class FilterForm {
 public:
  FilterForm() = default;
  FilterForm(const FilterForm&) = delete;
  FilterForm& operator=(const FilterForm&) = delete;
  virtual ~FilterForm() = default;

  virtual FilterStatePointer start(const FilterStart& start) const = 0;
  virtual void append_text(std::string& out) const = 0;
  // Returns true if the filter decides on rows only when they are complete.
  virtual bool has_row_filter() const { return false; }
  // Returns true if the family must be read to decide on rows. Other families are read of accepted rows only.
  virtual bool is_essential(std::string_view family) const {
    (void)family;
    return true;
  }
  // Returns true if the text is of several filters, so that it needs brackets inside another one.
  virtual bool is_list() const { return false; }
};

// The form of a filter without members. `State` has a type Settings and formats it.
template <typename State>
class LeafForm : public FilterForm {
 public:
  using Settings = typename State::Settings;

  explicit LeafForm(Settings settings) : settings_(std::move(settings)) {}

  FilterStatePointer start(const FilterStart& start) const override {
    return std::make_unique<State>(settings_, start);
  }
  void append_text(std::string& out) const override { State::append_text(settings_, out); }

 protected:
  const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
};

// Appends the bytes in quotes of the filter language, in which a quote is doubled.
void append_quoted(std::string& out, std::string_view bytes);

}  // namespace bloomery::table
