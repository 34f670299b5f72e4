#include <string>

#include <fmt/core.h>

#include "base/byte_text.h"
#include "cli/inspected_files.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

nlohmann::ordered_json describe_database_file(const DatabaseFile& file) {
  nlohmann::ordered_json object = {{"file", file.name},
                                   {"bytes", file.size_bytes},
                                   {"smallest", printable_text(file.smallest)},
                                   {"largest", printable_text(file.largest)}};
  if (file.filter == nullptr) {
    object["no_filter"] = file.trouble;
    return object;
  }
  const DialectFacts facts = file.filter->facts();
  object["filter"] = file.filter->dialect();
  object["bits"] = facts.bits;
  object["current_fpp"] = file.filter->current_fpp();
  for (const auto& [name, value] : facts.more) {
    object[name] = value;
  }
  return object;
}

nlohmann::ordered_json describe_database_family(const DatabaseFamily& family) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const DatabaseFile& file : family.files) {
    if (levels.empty() || levels.back()["level"] != file.level) {
      levels.push_back({{"level", file.level}, {"files", nlohmann::ordered_json::array()}});
    }
    levels.back()["files"].push_back(describe_database_file(file));
  }
  return {{"name", printable_text(family.name)},
          {"comparator", printable_text(family.comparator)},
          {"levels", levels}};
}

struct Totals {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t without_filter = 0;
  std::uint64_t damaged = 0;
};

Totals totals_of(const Database& database) {
  Totals totals;
  for (const DatabaseFamily& family : database.families()) {
    for (const DatabaseFile& file : family.files) {
      ++totals.files;
      totals.bytes += file.size_bytes;
      totals.without_filter += std::uint64_t{file.filter == nullptr};
      totals.damaged += std::uint64_t{file.is_damaged};
    }
  }
  return totals;
}

}  // namespace

nlohmann::ordered_json describe_database(const Database& database) {
  const Totals totals = totals_of(database);
  nlohmann::ordered_json object = {{"type", "database"},
                                   {"manifest", database.manifest()},
                                   {"live_files", totals.files},
                                   {"file_bytes", totals.bytes},
                                   {"without_filter", totals.without_filter},
                                   {"ignored_files", database.ignored_files()},
                                   {"log_keys", database.log_keys()}};
  if (database.manifest_is_torn()) {
    object["manifest_ends"] = "torn";
  }
  nlohmann::ordered_json logs = nlohmann::ordered_json::array();
  for (const DatabaseLog& log : database.logs()) {
    logs.push_back(
        {{"file", log.name}, {"bytes", log.size_bytes}, {"writes", log.writes}, {"torn", log.is_torn}});
  }
  object["logs"] = logs;
  object["current_fpp"] = database.current_fpp();
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const DatabaseFamily& family : database.families()) {
    families.push_back(describe_database_family(family));
  }
  object["families"] = families;
  object["integrity"] =
      totals.damaged == 0 ? "ok" : fmt::format("damaged: {} of {} files", totals.damaged, totals.files);
  return object;
}

void print_database_files(const Database& database) {
  for (const DatabaseFamily& family : database.families()) {
    for (const DatabaseFile& file : family.files) {
      const std::string filter = file.filter == nullptr
                                     ? "no filter: " + file.trouble
                                     : fmt::format("{} fpp {}", file.filter->dialect(),
                                                   show_probability(file.filter->current_fpp()));
      fmt::print("{} level {} {} {} bytes, {} to {}, {}\n", printable_text(family.name), file.level,
                 file.name, file.size_bytes, printable_text(file.smallest), printable_text(file.largest),
                 printable_text(filter));
    }
  }
}

}  // namespace bloomery::cli
