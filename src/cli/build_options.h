// The options of `build`, and the BuildPlan made from them.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "cli/dialect_choice.h"
#include "cli/filter_choice.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

class BuildOptions {
 public:
  void add_to(CLI::App& verb);

  // Parses the options. Errors: kInvalidArgument for a wrong number, and for options that contradict each
  // other, the type of the filter, or the dialect.
  Result<BuildPlan> plan();

 private:
  void add_static_to(CLI::App& verb);
  void add_exceptions_to(CLI::App& verb);
  void add_hash_to(CLI::App& verb);
  Status check_block_list() const;
  Status check_output() const;
  Status check_no_options_of_ours() const;
  Status check_no_static_options() const;
  Status check_exceptions() const;
  Status parse_static_options();
  Result<std::uint64_t> parse_memory() const;
  Status check_spool_directory() const;

  BuildPlan plan_;  // has the options that need no parsing
  FilterWish wish_;
  DialectChoice dialect_;
  std::string seed_ = "0";
  std::string spool_directory_;
  std::string memory_;
  std::string part_;
  std::string ranges_;
};

}  // namespace bloomery::cli
