// bloomery table delete: a row, a family, a column, or one version.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/hfile/cell_options.h"
#include "cli/numbers.h"
#include "cli/table/table_writes.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableDeleteVerb = "table delete";
constexpr const char* kTableDeleteDescription =
    R"(Delete a row, a family or a column of it, or one version.

  bloomery table delete shop orders o1001                                     # the row
  bloomery table delete shop orders o1001 d                                   # its family d
  bloomery table delete shop orders o1001 d:state                             # all versions of a column
  bloomery table delete shop orders o1001 d:state --timestamp 1700000000000   # those up to this time
  bloomery table delete shop orders o1001 d:state --one-version               # the newest version
  bloomery table delete shop orders o1001 d:state --one-version --timestamp 1700000000000

As in HBase, a delete writes a marker, which also hides what is put later with an older timestamp. A row that is not there
may be deleted.)";

struct TableDeleteOptions {
  WritePlace place;
  std::string row;
  std::string column;
  std::string timestamp;
  bool is_one_version = false;
};

Status delete_given_cells(const TableDeleteOptions& options) {
  const std::string row = unescape_bytes(options.row);
  Deletion deletion{.row = row, .is_one_version = options.is_one_version};
  if (!options.timestamp.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(deletion.timestamp, parse_milliseconds("--timestamp", options.timestamp));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const ChosenColumn column, parse_column(options.column));
  if (!options.column.empty()) {
    deletion.family = column.family;
  }
  deletion.qualifier = column.qualifier;
  return options.place.write(false, [&](StoreTable& table, const bloomery::WriteOptions& how) {
    return delete_cells(table, deletion, how);
  });
}

}  // namespace

void add_table_delete_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("delete", kTableDeleteDescription);
  const auto options = std::make_shared<TableDeleteOptions>();
  options->place.add_to(*verb);
  verb->add_option("ROW", options->row, "the row; \\xHH is a byte")->required();
  verb->add_option("FAMILY[:QUALIFIER]", options->column, "only this family or column");
  verb->add_option(
      "--timestamp", options->timestamp,
      "milliseconds: what is not newer, or with --one-version what is of this time (default: now)");
  verb->add_flag("--one-version", options->is_one_version,
                 "only one version: the newest, or that of --timestamp; of a family only with --timestamp");
  verb->callback([options, &exit_status] {
    const Status written = delete_given_cells(*options);
    exit_status = written ? kDone : report(kTableDeleteVerb, written.error());
  });
}

}  // namespace bloomery::cli
