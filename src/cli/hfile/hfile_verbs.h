// The verbs of `bloomery hfile`, one file each. Each function adds its verb (cli/verbs.h).
#pragma once

#include "cli/option_parser.h"

namespace bloomery::cli {

void add_hfile_info_verb(CLI::App& hfile, int& exit_status);
void add_hfile_cat_verb(CLI::App& hfile, int& exit_status);
void add_hfile_get_verb(CLI::App& hfile, int& exit_status);
void add_hfile_verify_verb(CLI::App& hfile, int& exit_status);
void add_hfile_filter_verb(CLI::App& hfile, int& exit_status);
void add_hfile_advise_verb(CLI::App& hfile, int& exit_status);
void add_hfile_write_verb(CLI::App& hfile, int& exit_status);

}  // namespace bloomery::cli
