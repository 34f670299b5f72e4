#include <cmath>

#include "cli/inspected_files.h"

namespace bloomery::cli {

nlohmann::ordered_json describe_dialect_filter(const DialectFilter& filter, std::uint64_t file_bytes) {
  const DialectFacts facts = filter.facts();
  nlohmann::ordered_json object = {{"type", filter.dialect()}};
  if (facts.capacity) {
    object["capacity"] = *facts.capacity;
  }
  if (facts.inserted) {
    object["inserted"] = *facts.inserted;
  }
  if (facts.target_fpp) {
    object["target_fpp"] = *facts.target_fpp;
  }
  object["current_fpp"] = filter.current_fpp();
  const auto bits = static_cast<double>(facts.bits);
  object["fill_ratio"] = facts.bits > 0 ? static_cast<double>(facts.set_bits) / bits : 0.0;
  if (const Result<double> count = filter.estimated_count()) {
    object["estimated_count"] = std::llround(*count);
  } else {
    object["estimated_count"] = "unknown: " + count.error().detail();
  }
  object["bits"] = facts.bits;
  object["set_bits"] = facts.set_bits;
  if (facts.hash_count != 0) {
    object["hash_count"] = facts.hash_count;
  }
  if (facts.capacity && *facts.capacity > 0) {
    object["bits_per_key"] = bits / static_cast<double>(*facts.capacity);
  }
  object["file_bytes"] = file_bytes;
  object["integrity"] = facts.integrity;
  for (const auto& [name, value] : facts.more) {
    object[name] = value;
  }
  return object;
}

}  // namespace bloomery::cli
