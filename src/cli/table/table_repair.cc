// bloomery table repair: saves what is whole of a damaged store.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"
#include "store/repair.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableRepairVerb = "table repair";
constexpr const char* kTableRepairDescription =
    R"(Save what is whole of a damaged root that `table create` made, and name what is lost.

  bloomery table repair shop                # says what it would do
  bloomery table repair shop --write        # does it
  bloomery table repair shop --json | jq -r '.damages[] | .path, .losses[]'

Cells that can still be read go to new files, edits that logs still have too, and damaged lists and checksums are made anew.
Nothing is lost by that: each damaged file goes to .bloomery/damaged in the root. What was lost may have deleted something,
which is then seen again in the rows that are named. A damaged descriptor is only named. A damaged Bloom filter costs only
speed, and is not named: `table verify` finds it, and `table compact` makes another one. Exit status: 3 if something is
damaged, also if it was repaired.)";

struct TableRepairOptions {
  StorePlace place;
  bool writes = false;
  bool json = false;
};

void print_notes(const store::RepairReport& report, bool writes) {
  for (const store::RepairNote& note : report.notes) {
    const std::string damage = note.damage.to_string();
    fmt::print("{}{}\n", damage.starts_with(note.path) ? "" : printable_text(note.path) + ": ",
               printable_text(damage));
    for (const std::string& loss : note.losses) {
      fmt::print("  {}\n", printable_text(loss));
    }
    fmt::print("  {}\n", note.remedy.empty() ? writes ? "repaired" : "--write repairs it" : note.remedy);
  }
  fmt::print("{}\n",
             report.is_whole() ? "nothing is damaged" : fmt::format("{} damaged", report.notes.size()));
}

void print_json_notes(const store::RepairReport& report, bool writes) {
  nlohmann::ordered_json damages = nlohmann::ordered_json::array();
  for (const store::RepairNote& note : report.notes) {
    damages.push_back({{"path", note.path},
                       {"damage", note.damage.to_string()},
                       {"losses", note.losses},
                       {"repaired", writes && note.remedy.empty()},
                       {"remedy", note.remedy}});
  }
  const nlohmann::ordered_json object = {{"integrity", report.is_whole() ? "ok" : "damaged"},
                                         {"damages", damages}};
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Result<int> repair_root(const TableRepairOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const StoreOptions opened, options.place.options());
  BLOOMERY_ASSIGN_OR_RETURN(
      const store::RepairReport report,
      store::repair_store(store::Environment::real(), options.place.root(), opened, options.writes));
  options.json ? print_json_notes(report, options.writes) : print_notes(report, options.writes);
  return static_cast<int>(report.is_whole() ? kDone : kDamaged);
}

}  // namespace

void add_table_repair_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("repair", kTableRepairDescription);
  const auto options = std::make_shared<TableRepairOptions>();
  options->place.add_to(*verb);
  verb->add_flag("--write", options->writes, "repair it; otherwise nothing is changed");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &exit_status] {
    const Result<int> status = repair_root(*options);
    exit_status = status ? *status : report(kTableRepairVerb, status.error());
  });
}

}  // namespace bloomery::cli
