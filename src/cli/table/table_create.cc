// bloomery table create: makes a root directory, and tables in it.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "bloomery/store/store.h"
#include "bloomery/table/family_text.h"
#include "cli/exit_status.h"
#include "cli/table/table_writes.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableCreateVerb = "table create";
constexpr const char* kTableCreateDescription =
    R"(Make a table, and its root directory if there is none.

  bloomery table create shop                                     # an empty root
  bloomery table create shop orders d                            # a table with a family; and the root, if it is new
  bloomery table create shop eu:orders d,VERSIONS=3,BLOOMFILTER=ROWCOL,COMPRESSION=ZSTD log,TTL=604800
  bloomery table create shop users d --split g --split n --split t --set MEMSTORE_FLUSHSIZE=64MB

A FAMILY has HBase's attributes after commas. The directory is one of HBase's, with a file tracker and write-ahead logs. One
process at a time writes to it, others read it meanwhile. A directory that is not empty must have been made by this verb.)";

struct TableCreateOptions {
  StorePlace place;
  std::string table;
  std::vector<std::string> families;
  std::vector<std::string> splits;
  std::vector<std::string> attributes;
};

Result<TableSchema> schema_of(const TableCreateOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(TableSchema schema, TableSchema::of_table(options.table));
  for (const std::string& family : options.families) {
    BLOOMERY_RETURN_IF_ERROR(set_family(schema, family, FamilyIs::kNew));
  }
  for (const std::string& attribute : options.attributes) {
    BLOOMERY_RETURN_IF_ERROR(set_table_attribute(schema, attribute));
  }
  BLOOMERY_RETURN_IF_ERROR(schema.check());
  return schema;
}

// The schema is checked before anything is made.
Status create_table_of(const TableCreateOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const StoreOptions store_options, options.place.options());
  if (options.table.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(Store made, Store::create(options.place.root(), store_options));
    return made.close();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const TableSchema schema, schema_of(options));
  BLOOMERY_ASSIGN_OR_RETURN(const SplitKeys splits, in_file(split_keys_of(options.splits), "--split"));
  BLOOMERY_ASSIGN_OR_RETURN(Store store, open_or_create(options.place.root(), store_options));
  return use_and_close(store, [&](Store& opened) -> Status {
    const auto made = opened.create_table(schema, splits);
    return made ? Status() : Status(made.error());
  });
}

}  // namespace

void add_table_create_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("create", kTableCreateDescription);
  const auto options = std::make_shared<TableCreateOptions>();
  options->place.add_to(*verb);
  verb->add_option("TABLE", options->table,
                   "[NAMESPACE:]NAME of the new table; without it only ROOT is made");
  verb->add_option("FAMILY", options->families, "NAME[,ATTRIBUTE=VALUE...], with HBase's names and defaults");
  verb->add_option("--split", options->splits,
                   "the first row of another region; \\xHH is a byte; may be repeated")
      ->type_name("ROW")
      ->allow_extra_args(false);
  verb->add_option("--set", options->attributes, "an attribute of the table; may be repeated")
      ->type_name("ATTRIBUTE=VALUE")
      ->allow_extra_args(false);
  verb->callback([options, &exit_status] {
    const Status made = create_table_of(*options);
    exit_status = made ? kDone : report(kTableCreateVerb, made.error());
  });
}

}  // namespace bloomery::cli
