#include "cli/table/table_place.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <system_error>

#include "bloomery/table/family_text.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "store/store_check.h"

namespace bloomery::cli {

void TablePlace::add_to(CLI::App& verb) {
  verb.add_option("PLACE", places_,
                  "the directory of a table, of a snapshot or of a bulk load; or HFiles, as one region");
  verb.add_option("--root", root_, "the HBase root directory with --table or --snapshot");
  verb.add_option("--table", table_, "[NAMESPACE:]NAME, a table below --root");
  verb.add_option("--snapshot", snapshot_, "NAME, a snapshot below --root");
  verb.add_option(
          "--family", families_,
          "NAME:VERSIONS=3,TTL=86400 and so on: the settings of a family, and with all that are given of "
          "the table; may be given again. Default: those of its descriptor, of HFiles HBase's defaults")
      ->type_name("FAMILY")
      ->allow_extra_args(false);
  verb.add_flag("--accept-region-faults", accepts_region_faults_,
                "warn of holes and overlaps between regions, rather than stop at them");
  verb.add_flag("--no-log,--ignore-logs", ignores_logs_,
                "leave out what only write-ahead logs have, and warn of it");
  verb.add_option("--log-memory", log_memory_,
                  "SIZE in memory for what only logs have, 256M unless given; more is sorted on disk");
  verb.add_option("--tmp", spool_directory_,
                  "where what only logs have is sorted on disk (default: TMPDIR, else /tmp)");
  verb.add_option("--now", now_, "TIME (milliseconds since 1970) from which TTLs count; else the clock's");
  memory_.add_to(verb);
}

std::optional<std::string> TablePlace::store_root() const {
  const bool is_root =
      places_.size() == 1 && root_.empty() && store::is_store(FileSystem::real(), places_[0]);
  return is_root ? std::optional(places_[0]) : std::nullopt;
}

TablePlace TablePlace::table_of(const std::string& root, const std::string& table) const {
  TablePlace place = *this;
  place.places_.clear();
  place.root_ = root;
  place.table_ = table;
  return place;
}

Result<TablePlace::SnapshotPlace> TablePlace::snapshot() const {
  BLOOMERY_RETURN_IF_ERROR(check());
  if (snapshot_.empty()) {
    return Error::invalid_argument("--as-snapshot", "expected --root with --snapshot, found another place");
  }
  return SnapshotPlace{root_, snapshot_};
}

Status TablePlace::check() const {
  const bool is_below_root = !table_.empty() || !snapshot_.empty();
  if (!table_.empty() && !snapshot_.empty()) {
    return Error::invalid_argument("--table", "expected a table or a snapshot, found both");
  }
  if (root_.empty() && is_below_root) {
    return Error::invalid_argument(table_.empty() ? "--snapshot" : "--table",
                                   "expected --root with the HBase root directory, found none");
  }
  if (!root_.empty() && !is_below_root) {
    return Error::invalid_argument("--root", "expected --table or --snapshot too, found neither");
  }
  if (root_.empty() == places_.empty()) {
    return Error::invalid_argument(
        "PLACE", fmt::format("expected a directory, HFiles, or --root with --table or --snapshot; found {}",
                             places_.empty() ? "none" : "both"));
  }
  return {};
}

Result<std::optional<TableSchema>> TablePlace::given_schema() const {
  if (families_.empty()) {
    return std::optional<TableSchema>();
  }
  TableSchema schema;
  for (const std::string& text : families_) {
    Result<FamilySchema> family = parse_family_schema(text);
    if (!family) {
      return family.error().in_file("--family");
    }
    if (schema.find(family->name) != nullptr) {
      return Error::invalid_argument("--family",
                                     "expected each family once, found '" + family->name + "' twice");
    }
    schema.families.push_back(std::move(*family));
  }
  std::ranges::sort(schema.families, {}, &FamilySchema::name);
  return std::optional(std::move(schema));
}

Result<Table> TablePlace::open_place(const TableOptions& options) const {
  if (!table_.empty()) {
    return Table::open_table(root_, table_, options);
  }
  if (!snapshot_.empty()) {
    return Table::open_snapshot(root_, snapshot_, options);
  }
  for (const std::string& place : places_) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(place, ignored)) {
      continue;
    }
    if (places_.size() > 1) {
      return Error::invalid_argument(place,
                                     "expected one directory alone, or HFiles; found a directory among "
                                     "several places");
    }
    return Table::open(place, options);
  }
  return Table::open_files(places_, options);
}

Result<Table> TablePlace::open(std::string_view verb, TableFaults faults, const KeptBlocks& kept) const {
  BLOOMERY_RETURN_IF_ERROR(check());
  TableOptions options{.accepts_region_faults = accepts_region_faults_,
                       .lists_faults = faults == TableFaults::kListed,
                       .reads_logs = !ignores_logs_,
                       .log_spool_directory = spool_directory_,
                       .cache = kept.cache,
                       .pins_filters = kept.pins,
                       .pins_indexes = kept.pins};
  if (!now_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(options.now_ms, parse_milliseconds("--now", now_));
  }
  if (!log_memory_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(options.log_memory_bytes, parse_size("--log-memory", log_memory_));
  }
  BLOOMERY_ASSIGN_OR_RETURN(options.schema, given_schema());
  BLOOMERY_ASSIGN_OR_RETURN(options.memory, memory_.parse());
  BLOOMERY_ASSIGN_OR_RETURN(Table table, open_place(options));
  for (const std::string& warning : table.warnings()) {
    warn(verb, "warning: " + warning);
  }
  return table;
}

}  // namespace bloomery::cli
