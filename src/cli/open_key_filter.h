// Opens a filter of any kind for the verbs that query lines.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/native_filter.h"
#include "cli/dialect_choice.h"
#include "cli/key_options.h"
#include "query/batch_keys.h"
#include "query/key_filter.h"

namespace bloomery::cli {

// Opens the filter `name`, which gets its keys from `batch`. A directory is opened as a database. `options`
// apply only to our own filters. Warnings begin with `verb`. Errors: also kInvalidArgument if the key options
// contradict the filter.
Result<std::unique_ptr<KeyFilter>> open_key_filter(std::string_view verb, const std::string& name,
                                                   const DialectChoice& dialect, const KeyOptions& keys,
                                                   const OpenOptions& options, BatchKeys& batch);

}  // namespace bloomery::cli
