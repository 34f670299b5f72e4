// `verify --keys`: proves a filter of any kind by a list of keys that must be in it.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/dialect_choice.h"
#include "cli/key_options.h"
#include "verify/proof.h"

namespace bloomery::cli {

struct KeyListOptions {
  std::vector<std::string> lists;  // --keys; empty if it was not given
  DialectChoice dialect;
  KeyOptions keys;
};

// Asks the filter about every line of the lists, and adds the answers to `proof`, whose path names the filter.
// A reason why the file itself proves nothing then no longer counts. Denied keys are named by their lines.
// Errors: those of the lists and of the options.
Status ask_key_list(const KeyListOptions& options, Proof& proof);

}  // namespace bloomery::cli
