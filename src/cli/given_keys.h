// `-e KEY`, for verbs that change a filter: keys on the command line, instead of files of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/key_options.h"
#include "cli/option_parser.h"
#include "keys/input_files.h"

namespace bloomery::cli {

class GivenKeys {
 public:
  // Adds the option to a verb. `what` is done with the key: "add".
  void add_to(CLI::App& verb, const std::string& what);

  // Errors: kInvalidArgument with --header, since such a line has no named columns.
  Status check(const KeyOptions& keys) const;
  // Returns the files that are read: standard input if there are none, and no keys either.
  std::span<const std::string> inputs(const std::vector<std::string>& files) const;
  // Returns the shape of an input that has the keys before its files.
  InputShape shape(const KeyOptions& keys) const;

 private:
  std::vector<std::string> keys_;
};

// Adds to the error of a FILE that is not there what else may have been meant: the key itself.
Error or_a_key(const Error& error, const std::vector<std::string>& files);

}  // namespace bloomery::cli
