// `-e KEY`: keys on the command line, for verbs that change a filter.
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
  // Adds the option to a verb. `what` is the verb's name in the help text: "add".
  void add_to(CLI::App& verb, const std::string& what);

  // Errors: kInvalidArgument with --header, because a key on the command line has no named columns.
  Status check(const KeyOptions& keys) const;
  // Returns the files to read: standard input if neither files nor keys were given.
  std::span<const std::string> inputs(const std::vector<std::string>& files) const;
  // Returns the input's shape, with the given keys before its files.
  InputShape shape(const KeyOptions& keys) const;

 private:
  std::vector<std::string> keys_;
};

// Extends the error of a missing FILE by the other possibility: the word was meant as a key.
Error or_a_key(const Error& error, const std::vector<std::string>& files);

}  // namespace bloomery::cli
