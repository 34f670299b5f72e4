// bloomery table info: shows the families, regions and files of a table.
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <system_error>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableInfoVerb = "table info";
constexpr const char* kTableInfoDescription =
    R"(Show the families of a table or snapshot with their settings, its regions, and how many files these have. Of a root's
logs it shows how many cells only they have.

  bloomery table info --root /hbase --table shop:orders
  bloomery table info --files PLACE                                    # each file too
  bloomery table info --json PLACE | jq '.regions[].files[].path'

Settings are those that decide what a read answers; --json has all. Missing files, and holes and overlaps between
regions, are warned of here, and stop the verbs that read cells.)";

struct TableInfoOptions {
  TablePlace place;
  bool files = false;
  bool json = false;
};

std::uint64_t bytes_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

const char* show_keep_deleted(KeepDeletedCells keep) {
  switch (keep) {
    case KeepDeletedCells::kFalse:
      return "FALSE";
    case KeepDeletedCells::kTrue:
      return "TRUE";
    case KeepDeletedCells::kTtl:
      return "TTL";
  }
  return "FALSE";
}

std::string table_name(const TableSchema& schema) {
  return schema.name.empty() ? std::string("none, HFiles alone")
                             : escape_bytes(schema.name_space) + ":" + escape_bytes(schema.name);
}

std::string show_family(const FamilySchema& family) {
  std::string text = fmt::format("{}: VERSIONS {}", escape_bytes(family.name), family.versions);
  if (family.min_versions > 0) {
    text += fmt::format(", MIN_VERSIONS {}", family.min_versions);
  }
  text +=
      family.time_to_live_ms ? fmt::format(", TTL {} s", *family.time_to_live_ms / 1000) : ", TTL forever";
  if (family.keep_deleted != KeepDeletedCells::kFalse) {
    text += fmt::format(", KEEP_DELETED_CELLS {}", show_keep_deleted(family.keep_deleted));
  }
  text += family.has_new_version_behavior ? ", NEW_VERSION_BEHAVIOR" : "";
  text += family.has_mob ? ", IS_MOB" : "";
  const auto filter = family.settings.find("BLOOMFILTER");
  text += family.chooses_filters            ? ", BLOOMFILTER AUTO"
          : filter == family.settings.end() ? ""
                                            : ", BLOOMFILTER " + printable_text(filter->second);
  text += family.file_tracker == "DEFAULT" ? "" : ", file tracker " + printable_text(family.file_tracker);
  return text;
}

std::string show_region_rows(const TableRegion& region) {
  const std::string start = region.start.empty() ? "the first row" : escape_bytes(region.start);
  return region.end.empty() ? fmt::format("from {} on", start)
                            : fmt::format("from {} to before {}", start, escape_bytes(region.end));
}

void print_region(const TableRegion& region, bool with_files) {
  std::uint64_t bytes = 0;
  for (const TableFile& file : region.files) {
    bytes += bytes_of(file.path);
  }
  fmt::print("region   {}: {}; {}, {}\n", region.name.empty() ? "all" : region.name, show_region_rows(region),
             show_count_of(region.files.size(), "file"), show_bytes(bytes));
  if (!with_files) {
    return;
  }
  for (const TableFile& file : region.files) {
    fmt::print("file     {}/{}: {}{}\n", escape_bytes(file.family), printable_text(file.name),
               file.is_half ? "half of " : "", printable_text(file.path));
  }
}

void print_table_text(const Table& table, bool with_files) {
  fmt::print("table    {}\n", table_name(table.schema()));
  for (const FamilySchema& family : table.schema().families) {
    fmt::print("family   {}\n", show_family(family));
  }
  for (const TableRegion& region : table.regions()) {
    print_region(region, with_files);
  }
  for (const TableLog& log : table.logs()) {
    if (log.cells == 0 && !with_files) {
      continue;
    }
    fmt::print("log      {}: {} that no file has; {}, {}\n", printable_text(log.path),
               show_count_of(log.cells, "cell"),
               log.is_closed   ? "closed"
               : log.is_marked ? "open, intact up to its mark"
                               : "open",
               log.is_sealed ? "sealed" : "without seals, so nothing vouches for it");
  }
}

Json describe_logs(const Table& table) {
  Json logs = Json::array();
  for (const TableLog& log : table.logs()) {
    logs.push_back({{"path", log.path},
                    {"cells", log.cells},
                    {"is_sealed", log.is_sealed},
                    {"is_closed", log.is_closed},
                    {"is_marked", log.is_marked}});
  }
  return logs;
}

Json describe_settings(const SettingMap& attributes, const SettingMap& configuration) {
  Json object = Json::object();
  for (const SettingMap* const settings : {&configuration, &attributes}) {
    for (const auto& [name, value] : *settings) {
      object[escape_bytes(name)] = escape_bytes(value);
    }
  }
  return object;
}

Json describe_family_schema(const FamilySchema& family) {
  return {{"name", escape_bytes(family.name)},
          {"versions", family.versions},
          {"min_versions", family.min_versions},
          {"ttl_ms", family.time_to_live_ms ? Json(*family.time_to_live_ms) : Json(nullptr)},
          {"keep_deleted_cells", show_keep_deleted(family.keep_deleted)},
          {"new_version_behavior", family.has_new_version_behavior},
          {"mob", family.has_mob},
          {"file_tracker", family.file_tracker},
          {"settings", describe_settings(family.settings, family.configuration)}};
}

Json describe_region(const TableRegion& region) {
  Json files = Json::array();
  for (const TableFile& file : region.files) {
    files.push_back({{"family", escape_bytes(file.family)},
                     {"name", file.name},
                     {"path", file.path},
                     {"is_half", file.is_half},
                     {"bytes", bytes_of(file.path)}});
  }
  return {{"name", region.name},
          {"start", escape_bytes(region.start)},
          {"end", escape_bytes(region.end)},
          {"files", files}};
}

Json faults_json(const Table& table) {
  Json faults = Json::array();
  for (const Error& fault : table.faults()) {
    faults.push_back(fault.to_string());
  }
  return faults;
}

void print_table_json(const Table& table) {
  const TableSchema& schema = table.schema();
  Json object = {{"table", schema.name.empty() ? Json(nullptr) : Json(table_name(schema))},
                 {"settings", describe_settings(schema.settings, schema.configuration)},
                 {"families", Json::array()},
                 {"regions", Json::array()},
                 {"logs", describe_logs(table)},
                 {"warnings", table.warnings()},
                 {"faults", faults_json(table)}};
  for (const FamilySchema& family : schema.families) {
    object["families"].push_back(describe_family_schema(family));
  }
  for (const TableRegion& region : table.regions()) {
    object["regions"].push_back(describe_region(region));
  }
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

Result<int> table_info(const TableInfoOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kTableInfoVerb, TableFaults::kListed));
  for (const Error& fault : table.faults()) {
    warn(kTableInfoVerb, "warning: " + fault.to_string());
  }
  if (options.json) {
    print_table_json(table);
  } else {
    print_table_text(table, options.files);
  }
  return static_cast<int>(kDone);
}

}  // namespace

void add_table_info_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("info", kTableInfoDescription);
  const auto options = std::make_shared<TableInfoOptions>();
  verb->add_flag("--files", options->files, "each file too");
  verb->add_flag("--json", options->json, "one JSON object");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = table_info(*options);
    exit_status = status ? *status : report(kTableInfoVerb, status.error());
  });
}

}  // namespace bloomery::cli
