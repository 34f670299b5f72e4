// `add` for a filter of another system: changes the filter in memory and saves it over its file.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "cli/given_keys.h"
#include "cli/input_rules.h"
#include "cli/key_options.h"
#include "cli/lock_wait.h"
#include "cli/summary.h"

namespace bloomery::cli {

struct DialectAddition {
  std::string path;
  std::string dialect;
  FileMemory memory = {};
  bool strict = false;
  LockWait wait = {};
  SummaryChoice summary;
};

// Adds the given keys and the keys of `files`. Returns the exit status. Errors: kInvalidArgument, with the
// reason, if the filter accepts no keys.
Result<int> add_to_dialect(const DialectAddition& addition, const KeyOptions& keys, const InputRules& rules,
                           const GivenKeys& given, const std::vector<std::string>& files);

}  // namespace bloomery::cli
