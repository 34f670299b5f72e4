// Reports on an HFile's Bloom filters: their parameters as JSON, and errors in their answers.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"
#include "hfile/open_file.h"

namespace bloomery::cli {

// Call this after querying a file. Errors: the filters could not be opened, or some answers were maybe only
// because a chunk is damaged; the message has their number.
Status check_filter_answers(const std::string& file, const Status& filter_status,
                            std::uint64_t damaged_answers);

// Describes both filters: parameters, keys, fill ratio, fpp. The object is empty if the file has no filters.
// Errors: those of hfile::measure_fill(), prefixed by the file.
Result<nlohmann::ordered_json> describe_blooms(const hfile::OpenFile& file);

}  // namespace bloomery::cli
