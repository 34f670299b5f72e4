// A leased file, which a feeder keeps current, as a KeyFilter.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "cli/batch_keys.h"
#include "cli/key_filter.h"
#include "cli/key_options.h"

namespace bloomery::cli {

// Opens a leased file. Warns if its lease has expired, because then every line may be in. Errors: those of
// LeasedFilter::open(); kInvalidArgument if the options contradict how its keys are made, or if its secret
// is missing.
Result<std::unique_ptr<KeyFilter>> open_leased_keys(std::string_view verb, const std::string& name,
                                                    const KeyOptions& keys, BatchKeys& batch);

}  // namespace bloomery::cli
