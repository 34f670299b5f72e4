// Queries a leased file, whose filter a feeder keeps up to date, as a KeyFilter.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "cli/batch_keys.h"
#include "cli/key_filter.h"
#include "cli/key_options.h"

namespace bloomery::cli {

// Opens a leased file. Warns if its lease has expired, because every line is then answered maybe. Errors:
// those of LeasedFilter::open(); kInvalidArgument if the options contradict the filter's key treatment, or if
// its secret is missing.
Result<std::unique_ptr<KeyFilter>> open_leased_keys(std::string_view verb, const std::string& name,
                                                    const KeyOptions& keys, BatchKeys& batch);

}  // namespace bloomery::cli
