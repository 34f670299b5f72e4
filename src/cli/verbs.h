// The verbs, one file each. Each function adds its verb to the application, or to the verb that it belongs
// to. If the command line names the verb, its callback runs and sets the exit status. key_options.h explains
// how to add a verb.
#pragma once

#include "cli/option_parser.h"

namespace bloomery::cli {

void add_estimate_verb(CLI::App& app, int& exit_status);
void add_build_verb(CLI::App& app, int& exit_status);
void add_add_verb(CLI::App& app, int& exit_status);
void add_remove_verb(CLI::App& app, int& exit_status);
void add_query_verb(CLI::App& app, int& exit_status);
void add_dedup_verb(CLI::App& app, int& exit_status);
void add_except_verb(CLI::App& app, int& exit_status);
void add_report_verb(CLI::App& app, int& exit_status);
void add_merge_verb(CLI::App& app, int& exit_status);
void add_inspect_verb(CLI::App& app, int& exit_status);
void add_verify_verb(CLI::App& app, int& exit_status);
void add_repair_verb(CLI::App& app, int& exit_status);
void add_fpp_verb(CLI::App& app, int& exit_status);
void add_copy_verb(CLI::App& app, int& exit_status);
void add_feed_verb(CLI::App& app, int& exit_status);
void add_mirror_verb(CLI::App& app, int& exit_status);
void add_hfile_verb(CLI::App& app, int& exit_status);
void add_table_verb(CLI::App& app, int& exit_status);
void add_wal_verb(CLI::App& app, int& exit_status);
void add_shell_verb(CLI::App& app, int& exit_status);
// Prints what the application has: add all other verbs before it runs.
void add_completion_verb(CLI::App& app, int& exit_status);

// The verbs of `bloomery feed`.
void add_feed_postgres_verb(CLI::App& feed, int& exit_status);

// The verbs of `bloomery hfile`.
void add_hfile_info_verb(CLI::App& hfile, int& exit_status);
void add_hfile_cat_verb(CLI::App& hfile, int& exit_status);
void add_hfile_get_verb(CLI::App& hfile, int& exit_status);
void add_hfile_verify_verb(CLI::App& hfile, int& exit_status);
void add_hfile_filter_verb(CLI::App& hfile, int& exit_status);
void add_hfile_advise_verb(CLI::App& hfile, int& exit_status);
void add_hfile_write_verb(CLI::App& hfile, int& exit_status);

// The verbs of `bloomery table`.
void add_table_list_verb(CLI::App& table, int& exit_status);
void add_table_info_verb(CLI::App& table, int& exit_status);
void add_table_get_verb(CLI::App& table, int& exit_status);
void add_table_scan_verb(CLI::App& table, int& exit_status);
void add_table_count_verb(CLI::App& table, int& exit_status);
void add_table_stats_verb(CLI::App& table, int& exit_status);
void add_table_splits_verb(CLI::App& table, int& exit_status);
void add_table_create_verb(CLI::App& table, int& exit_status);
void add_table_alter_verb(CLI::App& table, int& exit_status);
void add_table_drop_verb(CLI::App& table, int& exit_status);
void add_table_truncate_verb(CLI::App& table, int& exit_status);
void add_table_split_verb(CLI::App& table, int& exit_status);
void add_table_repair_verb(CLI::App& table, int& exit_status);
void add_table_put_verb(CLI::App& table, int& exit_status);
void add_table_increment_verb(CLI::App& table, int& exit_status);
void add_table_append_verb(CLI::App& table, int& exit_status);
void add_table_delete_verb(CLI::App& table, int& exit_status);
void add_table_import_verb(CLI::App& table, int& exit_status);
void add_table_flush_verb(CLI::App& table, int& exit_status);
void add_table_compact_verb(CLI::App& table, int& exit_status);
void add_table_snapshot_verb(CLI::App& table, int& exit_status);
void add_table_delete_snapshot_verb(CLI::App& table, int& exit_status);
void add_table_clone_verb(CLI::App& table, int& exit_status);
void add_table_export_verb(CLI::App& table, int& exit_status);
void add_table_verify_verb(CLI::App& table, int& exit_status);

// The verbs of `bloomery wal`.
void add_wal_cat_verb(CLI::App& wal, int& exit_status);
void add_wal_info_verb(CLI::App& wal, int& exit_status);
void add_wal_verify_verb(CLI::App& wal, int& exit_status);
void add_wal_repair_verb(CLI::App& wal, int& exit_status);
void add_wal_seal_verb(CLI::App& wal, int& exit_status);

}  // namespace bloomery::cli
