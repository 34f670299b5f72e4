// Describes a filter of another system for `inspect`.
#pragma once

#include <nlohmann/json.hpp>

#include "bloomery/codec/dialect_filter.h"

namespace bloomery::cli {

// Returns first the fields that our own filters also have, with the same names, then fields of this format
// only. Facts that the format does not record are omitted.
nlohmann::ordered_json describe_dialect_filter(const DialectFilter& filter, std::uint64_t file_bytes);

}  // namespace bloomery::cli
