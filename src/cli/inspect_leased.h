// What `inspect` shows of a leased file: its page, and the filter that answers now.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Errors: those of the page. A filter that cannot be opened is named in the object: every answer is maybe then.
Result<nlohmann::ordered_json> describe_leased_file(const std::string& path);

}  // namespace bloomery::cli
