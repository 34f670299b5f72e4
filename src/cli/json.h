// The JSON type that the verbs print. Members keep the order of insertion.
#pragma once

#include <nlohmann/json.hpp>

namespace bloomery::cli {

using Json = nlohmann::ordered_json;

}  // namespace bloomery::cli
