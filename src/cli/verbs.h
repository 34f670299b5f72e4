// The verbs, one file each; `feed` is declared in feed/feed_verbs.h. Each function adds its verb to the
// application. If the command line names the verb, its callback runs and sets the exit status. key_options.h
// explains how to add a verb.
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
void add_hfile_verb(CLI::App& app, int& exit_status);
void add_table_verb(CLI::App& app, int& exit_status);
void add_wal_verb(CLI::App& app, int& exit_status);

}  // namespace bloomery::cli
