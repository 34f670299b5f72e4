// Reports on an HFile's Bloom filters: describes them as JSON, and says what is wrong with their answers.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"
#include "hfile/open_file.h"

namespace bloomery::cli {

// To be called after questions to a file. Errors: why its filters could not be opened, or how many answers
// were maybe only because a chunk is damaged.
Status check_filter_answers(const std::string& file, const Status& filter_status,
                            std::uint64_t damaged_answers);

// Describes both filters: parameters, keys, fill ratio, fpp. The object is empty if the file has none.
// Errors: those of hfile::measure_fill(), with the file in front.
Result<nlohmann::ordered_json> describe_blooms(const hfile::OpenFile& file);

}  // namespace bloomery::cli
