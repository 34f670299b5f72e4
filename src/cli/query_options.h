// The options of `query`: parses them and checks which of them contradict each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/dialect_choice.h"
#include "cli/key_options.h"
#include "cli/option_parser.h"
#include "cli/summary.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

struct QueryOptions {
  std::string filter;
  std::vector<std::string> more_filters;
  std::string server;  // --redis; the filters are then keys of this server
  std::vector<std::string> allowed_files;
  std::vector<std::string> given_keys;  // -e
  bool invert = false;
  bool count_only = false;
  bool quiet = false;
  bool names_only = false;  // -l
  bool answers = false;
  bool with_line = false;
  bool only_key = false;
  bool with_name = false;  // -H
  bool no_name = false;
  bool line_numbers = false;
  bool line_buffered = false;
  bool which = false;
  bool no_verify = false;
  bool is_cold = false;
  bool silent = false;
  SummaryChoice summary;
  std::string absent_to;
  bool force = false;
  std::string max_count;
  DialectChoice dialect;
  KeyOptions keys;
  std::vector<std::string> files;

  // Adds the options to a verb.
  void add_to(CLI::App& verb);

  // Parses the options. Call this before the functions below. Errors: kInvalidArgument, also if a file would
  // be written while it is read, or if the file of --absent-to may not be replaced.
  Status parse();

  // Returns -m, or a very large number without it.
  std::uint64_t most_lines() const { return most_lines_; }
  // Returns the files to read: standard input if there are neither files nor keys of -e. With --which all
  // files are filters.
  std::vector<std::string> inputs() const;
  // Errors: kIo for an input that cannot be opened. It opens none, because opening a named pipe may block.
  Status check_inputs_are_there() const;
  // Returns the filters to query.
  std::vector<std::string> filter_names() const;
  bool asks_server() const { return !server.empty(); }
  // Returns the options for opening one of our filters.
  OpenOptions access_to(const std::string& name) const;
  // Returns true if there is more than one input. The keys of -e count as one input.
  bool has_several_inputs() const { return inputs().size() + (given_keys.empty() ? 0 : 1) > 1; }
  // Returns true if the inputs are processed separately, because output contains their names.
  bool one_by_one() const { return with_name || names_only || (count_only && has_several_inputs()); }
  // Returns true if lines are printed.
  bool prints_lines() const { return !quiet && !count_only && !names_only; }

 private:
  void add_output_to(CLI::App& verb);
  Status check_lines() const;
  Status check_files() const;
  Status check_absent_to(const std::vector<std::string>& read,
                         const std::vector<std::string>& key_files) const;
  Status check_inputs_are_lines() const;
  // Returns those filters that are files.
  std::vector<std::string> filter_files() const;

  std::uint64_t most_lines_ = ~std::uint64_t{0};
};

}  // namespace bloomery::cli
