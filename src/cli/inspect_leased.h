// `inspect` for a leased file: its page, and the current filter.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Errors: damage of the page. If the filter cannot be opened, the object says so: every answer is maybe
// then.
Result<nlohmann::ordered_json> describe_leased_file(const std::string& path);

}  // namespace bloomery::cli
