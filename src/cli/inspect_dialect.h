// `inspect` of a filter of another system.
#pragma once

#include <nlohmann/json.hpp>

#include "bloomery/codec/dialect_filter.h"

namespace bloomery::cli {

// The fields that filters of ours have too, under their names, then what only this format knows. What it does
// not record is absent.
nlohmann::ordered_json describe_dialect_filter(const DialectFilter& filter, std::uint64_t file_bytes);

}  // namespace bloomery::cli
