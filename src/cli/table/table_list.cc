// bloomery table list: lists the tables and snapshots of an HBase root directory.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bloomery/table/table.h"
#include "cli/exit_status.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableListVerb = "table list";
constexpr const char* kTableListDescription =
    R"(List the tables and the snapshots below an HBase root directory.

  bloomery table list /hbase
  bloomery table list --json /hbase | jq -r '.tables[]'

Each line is "table" or "snapshot", a tab, and the name that --table or --snapshot of the other verbs takes. Only names are
read: hbase:meta is listed, though its cells are not read here, and so is a table without regions.)";

struct TableListOptions {
  std::string root;
  bool json = false;
};

Result<int> list_root(const TableListOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const RootListing listing, Table::list(options.root));
  if (options.json) {
    const nlohmann::ordered_json object = {{"tables", listing.tables}, {"snapshots", listing.snapshots}};
    fmt::print("{}\n", object.dump());
    return static_cast<int>(kDone);
  }
  for (const std::string& name : listing.tables) {
    fmt::print("table\t{}\n", name);
  }
  for (const std::string& name : listing.snapshots) {
    fmt::print("snapshot\t{}\n", name);
  }
  return static_cast<int>(kDone);
}

}  // namespace

void add_table_list_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("list", kTableListDescription);
  const auto options = std::make_shared<TableListOptions>();
  verb->add_option("ROOT,--root", options->root, "the HBase root directory")->required();
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &exit_status] {
    const Result<int> status = list_root(*options);
    exit_status = status ? *status : report(kTableListVerb, status.error());
  });
}

}  // namespace bloomery::cli
