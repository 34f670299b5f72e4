// Filters of gets and scans: HBase's 19 filters of its filter language, its lists and wrappers, and FuzzyRow
// and MultiRowRange, which HBase has and its language has not.
//
// Example:
//    const auto kept = Filter::value(CompareOperator::kGreater, Comparator::binary("v5"));
//    const auto both = Filter::all({Filter::prefix("row"), kept});
//    std::cout << both.to_string() << "\n";   // PrefixFilter('row') AND ValueFilter(>, 'binary:v5')
//
// A filter decides for each cell and for each row whether it is returned. Filters run after deletes, times
// and the family's VERSIONS, and before the request's limit on versions. Stateful filters start anew in each
// region, as in HBase. So PageFilter(n) over r regions returns up to n r rows.
//
// filter_language.h reads a filter from text. A Filter is an immutable value; threads can share it.
//
// Source: HBase 2.6, package filter. Not supported: the comparators Null, Bit and Long, and filters that
// HBase's language does not have, except the two named above.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

namespace table {
class ComparatorForm;
class FilterForm;
}  // namespace table

// The cell's side is on the left: kLess keeps cells that are less than the comparator's value.
enum class CompareOperator : std::uint8_t {
  kLess,
  kLessOrEqual,
  kEqual,
  kNotEqual,
  kGreaterOrEqual,
  kGreater,
};

const char* compare_operator_name(CompareOperator op);  // "<="

// A Comparator compares a cell's bytes with a value of its own.
class Comparator {
 public:
  // Compares unsigned bytes; a prefix is less than its extensions.
  static Comparator binary(std::string value);
  // Compares only the first bytes of the cell, as many as `value` has.
  static Comparator binary_prefix(std::string value);
  // Finds the text anywhere in the cell, ignoring case. Errors: kUnsupported for text that is not ASCII,
  // since Java folds its case with its own tables.
  static Result<Comparator> substring(std::string_view text);
  // Finds a match of the Java pattern anywhere in the cell, whose bytes are read as UTF-8. Errors:
  // kInvalidArgument for a pattern that does not parse; kUnsupported, with name and byte offset, for a
  // construct whose meaning differs between Java and PCRE2.
  static Result<Comparator> regex(std::string_view pattern);

  // Returns the comparator in the filter language: "binary:abc".
  std::string to_string() const;
  const table::ComparatorForm& form() const { return *form_; }

 private:
  explicit Comparator(std::shared_ptr<const table::ComparatorForm> form) : form_(std::move(form)) {}

  std::shared_ptr<const table::ComparatorForm> form_;
};

// One column and the condition on its value, for Filter::single_column_value().
struct ColumnCondition {
  std::string family;
  std::string qualifier;
  CompareOperator op = CompareOperator::kEqual;
  Comparator comparator;
  bool is_missing_filtered = false;    // drops rows without the column: filterIfMissing
  bool is_latest_version_only = true;  // only the newest version decides
};

// Qualifiers from `from` to `to`; a side without a value is open.
struct QualifierRange {
  std::optional<std::string> from = {};
  bool includes_from = true;
  std::optional<std::string> to = {};
  bool includes_to = false;
};

// Rows from `start` to `stop`. An empty side is open.
struct RowRange {
  std::string start = {};
  bool includes_start = true;
  std::string stop = {};
  bool includes_stop = false;
};

// A key and a mask of the same length: where the mask is 0 the row's byte must equal the key's, where it is 1
// any byte matches.
struct FuzzyKey {
  std::string key;
  std::string mask;
};

class Filter {
 public:
  static Filter key_only(bool length_as_value = false);
  static Filter first_key_only();
  static Filter prefix(std::string prefix);
  static Filter column_prefix(std::string prefix);
  // Errors: kInvalidArgument if there is no prefix, or a duplicate.
  static Result<Filter> multiple_column_prefix(std::vector<std::string> prefixes);
  static Filter column_count_get(std::uint32_t limit);
  static Filter page(std::uint64_t rows);
  static Filter column_pagination(std::uint32_t limit, std::uint32_t offset);
  static Filter inclusive_stop(std::string row);
  // Errors: kInvalidArgument for a time below 0.
  static Result<Filter> timestamps(std::vector<std::int64_t> times);
  static Filter row(CompareOperator op, Comparator comparator);
  static Filter family(CompareOperator op, Comparator comparator);
  static Filter qualifier(CompareOperator op, Comparator comparator);
  static Filter value(CompareOperator op, Comparator comparator);
  static Filter column_range(QualifierRange range);
  static Filter single_column_value(ColumnCondition condition);
  static Filter single_column_value_exclude(ColumnCondition condition);
  // Without a condition every version of the column counts.
  static Filter dependent_column(std::string family, std::string qualifier, bool drops_column = false,
                                 std::optional<CompareOperator> op = {},
                                 std::optional<Comparator> comparator = {});
  static Filter column_value(std::string family, std::string qualifier, CompareOperator op,
                             Comparator comparator);

  // Errors: kInvalidArgument if there is no key, a key and its mask differ in length, or a mask has a byte
  // other than 0 and 1.
  static Result<Filter> fuzzy_row(std::vector<FuzzyKey> keys);
  // Errors: kInvalidArgument if there is no range, or one is empty.
  static Result<Filter> multi_row_range(std::vector<RowRange> ranges);

  static Filter all(std::vector<Filter> members);  // AND
  static Filter one(std::vector<Filter> members);  // OR
  // Drops a row if the filter's answer to any of its cells is not a plain include: "include and go to the
  // next column" drops it, too. The filter is called for cells only, not for rows; with MultiRowRange in it
  // the scan fails, as in HBase.
  static Filter skip(Filter filter);
  // Ends the region at the first row or cell that the filter does not include.
  static Filter while_match(Filter filter);

  // Returns the filter in the filter language; FuzzyRow and MultiRowRange as filter_language.h defines them.
  std::string to_string() const;
  const table::FilterForm& form() const { return *form_; }

 private:
  explicit Filter(std::shared_ptr<const table::FilterForm> form) : form_(std::move(form)) {}
  template <typename Form, typename... Arguments>
  static Filter make(Arguments&&... arguments);

  std::shared_ptr<const table::FilterForm> form_;
};

}  // namespace bloomery
