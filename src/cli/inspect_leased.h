// Describes a leased file for `inspect`: its page and its current filter.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Errors: the page is damaged. If the filter cannot be opened, the object says so; every answer is then
// maybe.
Result<nlohmann::ordered_json> describe_leased_file(const std::string& path);

}  // namespace bloomery::cli
