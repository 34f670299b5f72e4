// Reports on an HFile's Bloom filters: describes them as JSON, and reports errors in their answers.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"
#include "hfile/open_file.h"

namespace bloomery::cli {

// Call this after queries to a file. Errors: why its filters could not be opened, or how many answers were
// maybe only because a chunk is damaged.
Status check_filter_answers(const std::string& file, const Status& filter_status,
                            std::uint64_t damaged_answers);

// Describes both filters: parameters, keys, fill ratio, fpp. The object is empty if the file has none.
// Errors: those of hfile::measure_fill(), prefixed by the file.
Result<nlohmann::ordered_json> describe_blooms(const hfile::OpenFile& file);

}  // namespace bloomery::cli
