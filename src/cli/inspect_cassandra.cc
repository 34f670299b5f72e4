#include <cmath>
#include <string>

#include <fmt/core.h>

#include "base/byte_text.h"
#include "cli/inspected_files.h"
#include "cli/numbers.h"
#include "codec/cassandra/key_type.h"

namespace bloomery::cli {
namespace {

nlohmann::ordered_json describe_sstable(const SSTableOfDirectory& sstable) {
  nlohmann::ordered_json object = {{"name", sstable.name}};
  if (sstable.filter == nullptr) {
    object["may_hold_every_key"] = sstable.trouble;
    return object;
  }
  const DialectFacts facts = sstable.filter->facts();
  object["type"] = sstable.filter->dialect();
  if (facts.target_fpp) {
    object["target_fpp"] = *facts.target_fpp;
  }
  object["current_fpp"] = sstable.filter->current_fpp();
  if (const Result<double> count = sstable.filter->estimated_count()) {
    object["estimated_count"] = std::llround(*count);
  } else {
    object["estimated_count"] = "unknown: " + count.error().detail();
  }
  object["bits"] = facts.bits;
  object["set_bits"] = facts.set_bits;
  object["hash_count"] = facts.hash_count;
  return object;
}

}  // namespace

Result<nlohmann::ordered_json> describe_cassandra(const CassandraDirectory& directory) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> key_type, directory.key_type());
  nlohmann::ordered_json sstables = nlohmann::ordered_json::array();
  std::size_t without_filter = 0;
  for (const SSTableOfDirectory& sstable : directory.sstables()) {
    sstables.push_back(describe_sstable(sstable));
    without_filter += sstable.filter == nullptr ? 1U : 0U;
  }
  nlohmann::ordered_json object = {{"type", "cassandra directory"}};
  if (key_type) {
    const Result<CassandraKeyType> parsed = parse_cassandra_key_type(*key_type);
    object["key_type"] = parsed ? describe(*parsed) : *key_type;
  }
  object["live_sstables"] = directory.sstables().size();
  object["without_filter"] = without_filter;
  object["left_out"] = directory.notes();
  object["sstables"] = sstables;
  object["integrity"] = without_filter == 0 ? "none" : "some sstables may hold every key";
  return object;
}

void print_sstables(const nlohmann::ordered_json& sstables) {
  for (const auto& sstable : sstables) {
    const std::string name = sstable["name"].get<std::string>();
    if (sstable.contains("may_hold_every_key")) {
      fmt::print("{}: may hold every key: {}\n", printable_text(name),
                 printable_text(sstable["may_hold_every_key"].get<std::string>()));
      continue;
    }
    const auto& count = sstable["estimated_count"];
    fmt::print("{}: {}, {} keys estimated, {} bits, fpp {}\n", printable_text(name),
               sstable["type"].get<std::string>(),
               count.is_string() ? "unknown" : show_count(count.get<std::uint64_t>()),
               show_count(sstable["bits"].get<std::uint64_t>()),
               show_probability(sstable["current_fpp"].get<double>()));
  }
}

}  // namespace bloomery::cli
