// The options that select the cells of a row, for `get`, `scan` and `count`.
#pragma once

#include <string>
#include <vector>

#include "bloomery/table/cell_request.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

class ReadOptions {
 public:
  void add_to(CLI::App& verb);
  // Sets the options in the request. Errors: kInvalidArgument, also for requests that a filter does not
  // support.
  Status fill(CellRequest& request) const;

 private:
  Status fill_times(CellRequest& request) const;
  Status fill_limits(CellRequest& request) const;

  std::vector<std::string> columns_;
  std::string versions_;
  std::string from_;
  std::string to_;
  std::vector<std::string> family_times_;
  std::string max_per_family_;
  std::string offset_per_family_;
  std::string filter_;
};

// Parses a filter in HBase's filter language. \xHH is a byte, except in a regexstring, whose pattern has its
// own escapes.
Result<Filter> parse_filter_option(const std::string& text);

}  // namespace bloomery::cli
