// bloomery table alter: adds, changes and removes families, and sets attributes of a table.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bloomery/table/family_text.h"
#include "cli/exit_status.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableAlterVerb = "table alter";
constexpr const char* kTableAlterDescription =
    R"(Change a table: families are added, changed or removed, and attributes set.

  bloomery table alter shop orders d,VERSIONS=5 archive,COMPRESSION=ZSTD   # changes d; adds archive, unless it is there
  bloomery table alter shop orders --remove log                            # the family with all its cells
  bloomery table alter shop orders --set MEMSTORE_FLUSHSIZE=64MB

Attributes that are not named stay as they are. Files keep their form; new ones get the new form.)";

struct TableAlterOptions {
  StorePlace place;
  std::string table;
  std::vector<std::string> families;
  std::vector<std::string> removed;
  std::vector<std::string> attributes;
};

Status change_schema(const TableAlterOptions& options, TableSchema& schema) {
  for (const std::string& family : options.removed) {
    BLOOMERY_RETURN_IF_ERROR(schema.remove_family(family));
  }
  for (const std::string& family : options.families) {
    BLOOMERY_RETURN_IF_ERROR(set_family(schema, family, FamilyIs::kNewOrChanged));
  }
  for (const std::string& attribute : options.attributes) {
    BLOOMERY_RETURN_IF_ERROR(set_table_attribute(schema, attribute));
  }
  return {};
}

Status alter_table_of(const TableAlterOptions& options) {
  if (options.families.empty() && options.removed.empty() && options.attributes.empty()) {
    return Error::invalid_argument("FAMILY", "expected a family, --remove or --set, found none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const StoreOptions store, options.place.options());
  return options.place.use(store, [&](Store& opened) -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(const StoreTable table, opened.table(options.table));
    TableSchema schema = table.schema();
    BLOOMERY_RETURN_IF_ERROR(change_schema(options, schema));
    return opened.alter_table(schema);
  });
}

}  // namespace

void add_table_alter_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("alter", kTableAlterDescription);
  const auto options = std::make_shared<TableAlterOptions>();
  options->place.add_to(*verb);
  verb->add_option("TABLE", options->table, "[NAMESPACE:]NAME, a table of it")->required();
  verb->add_option("FAMILY", options->families, "NAME[,ATTRIBUTE=VALUE...], with HBase's names");
  verb->add_option("--remove", options->removed, "a family that leaves; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb->add_option("--set", options->attributes, "an attribute of the table; may be repeated")
      ->type_name("ATTRIBUTE=VALUE")
      ->allow_extra_args(false);
  verb->callback([options, &exit_status] {
    const Status altered = alter_table_of(*options);
    exit_status = altered ? kDone : report(kTableAlterVerb, altered.error());
  });
}

}  // namespace bloomery::cli
