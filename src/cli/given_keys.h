// `-e KEY`, for verbs that change a filter: keys on the command line instead of in files.
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
  // Adds the option to a verb. `what` is the verb of its help text: "add".
  void add_to(CLI::App& verb, const std::string& what);

  // Errors: kInvalidArgument with --header, since such a line has no named columns.
  Status check(const KeyOptions& keys) const;
  // Returns the files to read: standard input if neither files nor keys were given.
  std::span<const std::string> inputs(const std::vector<std::string>& files) const;
  // Returns the shape of an input that has the given keys before its files.
  InputShape shape(const KeyOptions& keys) const;

 private:
  std::vector<std::string> keys_;
};

// Extends the error of a missing FILE by the other possible meaning: the key itself.
Error or_a_key(const Error& error, const std::vector<std::string>& files);

}  // namespace bloomery::cli
