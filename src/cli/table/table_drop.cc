// bloomery table drop, truncate, split, flush and compact: verbs of whole tables.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableDropDescription =
    R"(Remove a table, with all its rows and files.

  bloomery table drop shop orders

Nobody is asked, and nothing is kept. `table truncate` removes only the rows.)";

constexpr const char* kTableTruncateDescription =
    R"(Remove all rows of a table. Its families, attributes and splits stay.

  bloomery table truncate shop orders)";

constexpr const char* kTableSplitDescription =
    R"(Begin new regions of a table at rows. Changes of one region are atomic, and each region is flushed and compacted alone.

  bloomery table split shop orders o2000 o3000

Rows have `\xHH` for bytes outside 0x21 to 0x7e and for the backslash. Files that lie in one new region are linked, others are
written anew. `table create --split` makes a table with several regions; `table splits` says where they would be equal.)";

constexpr const char* kTableFlushDescription =
    R"(Write to files what only the log has, of all tables or of those that are named.

  bloomery table flush shop
  bloomery table flush shop orders users

`table put` and `table delete` leave rows in the log, where they are safe. The next one that opens the root reads it. After a
flush the log is short again. `table import` ends with a flush.)";

constexpr const char* kTableCompactDescription =
    R"(Make one file of all files of each region and family, of all tables or of those that are named.

  bloomery table compact shop
  bloomery table compact shop orders

What no read can see leaves: deleted and expired cells, versions beyond VERSIONS, and the markers that deleted them. It is HBase's
major compaction. With --minor only files of similar size are merged, three or more, as programs do in the background that have the
root open. `table import` compacts small files by itself. A disk that is full leaves the table as it was.)";

struct WholeTableOptions {
  StorePlace place;
  std::string table;
  std::vector<std::string> tables;
  std::vector<std::string> rows;
  bool is_minor = false;
};

// Runs the verb's work in the open store.
void run_in_store(CLI::App& verb, const std::string& name, const std::shared_ptr<WholeTableOptions>& options,
                  int& exit_status, const std::function<Status(Store&)>& work) {
  verb.callback([=, &exit_status] {
    auto store = options->place.options();
    if (store) {
      store->flushes_at_close = false;
    }
    const Status worked = store ? options->place.use(*store, work) : Status(store.error());
    exit_status = worked ? kDone : report(name, worked.error());
  });
}

// Works on the given tables, or on all.
Status for_each_table(Store& store, const std::vector<std::string>& given, Status (StoreTable::*work)()) {
  for (const std::string& name : given.empty() ? store.tables() : given) {
    BLOOMERY_ASSIGN_OR_RETURN(StoreTable table, store.table(name));
    BLOOMERY_RETURN_IF_ERROR((table.*work)());
  }
  return {};
}

CLI::App* add_verb(CLI::App& table, const char* name, const char* description,
                   const std::shared_ptr<WholeTableOptions>& options) {
  CLI::App* const verb = table.add_subcommand(name, description);
  options->place.add_to(*verb);
  return verb;
}

}  // namespace

void add_table_drop_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<WholeTableOptions>();
  CLI::App* const verb = add_verb(table, "drop", kTableDropDescription, options);
  verb->add_option("TABLE", options->table, "[NAMESPACE:]NAME, a table of it")->required();
  run_in_store(*verb, "table drop", options, exit_status,
               [options](Store& store) { return store.drop_table(options->table); });
}

void add_table_truncate_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<WholeTableOptions>();
  CLI::App* const verb = add_verb(table, "truncate", kTableTruncateDescription, options);
  verb->add_option("TABLE", options->table, "[NAMESPACE:]NAME, a table of it")->required();
  run_in_store(*verb, "table truncate", options, exit_status,
               [options](Store& store) { return store.truncate_table(options->table); });
}

void add_table_split_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<WholeTableOptions>();
  CLI::App* const verb = add_verb(table, "split", kTableSplitDescription, options);
  verb->add_option("TABLE", options->table, "[NAMESPACE:]NAME, a table of it")->required();
  verb->add_option("ROW", options->rows, "the first row of a new region")->required();
  run_in_store(*verb, "table split", options, exit_status, [options](Store& store) {
    std::vector<std::string> rows;
    for (const std::string& row : options->rows) {
      rows.push_back(unescape_bytes(row));
    }
    return store.split_table(options->table, rows);
  });
}

void add_table_flush_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<WholeTableOptions>();
  CLI::App* const verb = add_verb(table, "flush", kTableFlushDescription, options);
  verb->add_option("TABLE", options->tables, "[NAMESPACE:]NAME, tables of it; all unless given");
  run_in_store(*verb, "table flush", options, exit_status, [options](Store& store) {
    return for_each_table(store, options->tables, &StoreTable::flush);
  });
}

void add_table_compact_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<WholeTableOptions>();
  CLI::App* const verb = add_verb(table, "compact", kTableCompactDescription, options);
  verb->add_option("TABLE", options->tables, "[NAMESPACE:]NAME, tables of it; all unless given");
  verb->add_flag("--minor", options->is_minor, "merge files of similar size only");
  run_in_store(*verb, "table compact", options, exit_status, [options](Store& store) {
    return for_each_table(store, options->tables,
                          options->is_minor ? &StoreTable::compact : &StoreTable::major_compact);
  });
}

}  // namespace bloomery::cli
