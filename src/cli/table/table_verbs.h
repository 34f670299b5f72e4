// The verbs of `bloomery table`, one file each. Each function adds its verb (cli/verbs.h).
#pragma once

#include "cli/option_parser.h"

namespace bloomery::cli {

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
void add_table_flush_verb(CLI::App& table, int& exit_status);
void add_table_put_verb(CLI::App& table, int& exit_status);
void add_table_increment_verb(CLI::App& table, int& exit_status);
void add_table_append_verb(CLI::App& table, int& exit_status);
void add_table_delete_verb(CLI::App& table, int& exit_status);
void add_table_import_verb(CLI::App& table, int& exit_status);
void add_table_verify_verb(CLI::App& table, int& exit_status);

}  // namespace bloomery::cli
