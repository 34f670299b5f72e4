// The verbs of `bloomery wal`, one file each. Each function adds its verb (cli/verbs.h).
#pragma once

#include "cli/option_parser.h"

namespace bloomery::cli {

void add_wal_cat_verb(CLI::App& wal, int& exit_status);
void add_wal_info_verb(CLI::App& wal, int& exit_status);
void add_wal_verify_verb(CLI::App& wal, int& exit_status);
void add_wal_repair_verb(CLI::App& wal, int& exit_status);
void add_wal_seal_verb(CLI::App& wal, int& exit_status);

}  // namespace bloomery::cli
