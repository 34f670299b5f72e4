// bloomery table: reads tables that HBase left on a disk, with the same answers as HBase; and writes such
// tables.
#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableDescription =
    R"(Read a table, a snapshot or HFiles that HBase left on a disk, and answer as HBase would. Or make and write a table.

  bloomery table list /hbase                                         # its tables and snapshots
  bloomery table scan --root /hbase --snapshot daily                 # a snapshot to lines
  bloomery table get --root /hbase --table shop:orders --row o1001   # one row
  bloomery table count exported/.hbase-snapshot/daily
  bloomery table info --root /hbase --table shop:orders              # families, regions, files
  bloomery table stats --root /hbase --table shop:orders             # sizes of keys, values and rows
  bloomery table create shop orders d                                # a root directory, a table, a family
  bloomery table put shop orders o1001 d:state open
  bloomery table import shop orders cells.tsv
  bloomery table get --root shop --table orders --row o1001

Deletes, versions, TTL and times count here as in HBase; `bloomery hfile` shows what is in the files. PLACE is the
directory of a table, of a snapshot or of a bulk load, or a list of HFiles. Only a root that `table create` made is ever
written to.)";

}  // namespace

void add_table_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("table", kTableDescription);
  verb->require_subcommand(1);
  add_table_list_verb(*verb, exit_status);
  add_table_info_verb(*verb, exit_status);
  add_table_get_verb(*verb, exit_status);
  add_table_scan_verb(*verb, exit_status);
  add_table_count_verb(*verb, exit_status);
  add_table_stats_verb(*verb, exit_status);
  add_table_splits_verb(*verb, exit_status);
  add_table_create_verb(*verb, exit_status);
  add_table_alter_verb(*verb, exit_status);
  add_table_drop_verb(*verb, exit_status);
  add_table_truncate_verb(*verb, exit_status);
  add_table_split_verb(*verb, exit_status);
  add_table_put_verb(*verb, exit_status);
  add_table_increment_verb(*verb, exit_status);
  add_table_append_verb(*verb, exit_status);
  add_table_delete_verb(*verb, exit_status);
  add_table_import_verb(*verb, exit_status);
  add_table_flush_verb(*verb, exit_status);
  add_table_compact_verb(*verb, exit_status);
  add_table_snapshot_verb(*verb, exit_status);
  add_table_delete_snapshot_verb(*verb, exit_status);
  add_table_clone_verb(*verb, exit_status);
  add_table_export_verb(*verb, exit_status);
  add_table_verify_verb(*verb, exit_status);
  add_table_repair_verb(*verb, exit_status);
}

}  // namespace bloomery::cli
