// The options that select the rows of a scan, for `scan` and `count`.
#pragma once

#include <string>

#include "bloomery/table/cell_request.h"
#include "cli/option_parser.h"
#include "cli/table/read_options.h"

namespace bloomery::cli {

class ScanChoice {
 public:
  void add_to(CLI::App& verb);
  // Returns the request of all options. Errors: kInvalidArgument, also for requests that a filter does not
  // support.
  Result<ScanRequest> parse() const;

 private:
  Status fill_rows(ScanRequest& request) const;

  ReadOptions cells_;
  std::string start_;
  std::string stop_;
  std::string prefix_;
  std::string limit_;
  std::string batch_;
  bool excludes_start_ = false;
  bool includes_stop_ = false;
  bool is_reversed_ = false;
  bool is_raw_ = false;
  bool skips_damage_ = false;
};

}  // namespace bloomery::cli
