// The JSON that the verbs print: its members stay in the order in which they were set.
#pragma once

#include <nlohmann/json.hpp>

namespace bloomery::cli {

using Json = nlohmann::ordered_json;

}  // namespace bloomery::cli
