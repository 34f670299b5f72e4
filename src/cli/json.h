// The JSON type that the verbs print: its members keep their insertion order.
#pragma once

#include <nlohmann/json.hpp>

namespace bloomery::cli {

using Json = nlohmann::ordered_json;

}  // namespace bloomery::cli
